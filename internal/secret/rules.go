package secret

import (
	"strings"

	"github.com/belay-dev/belay/internal/lazyregexp"
)

// rule is the documented format of a maker's keys. The text is searched for the anchor, which is
// fast; form is only tried at its positions.
type rule struct {
	name   string
	title  string
	anchor string
	form   *lazyregexp.Regexp // begins at the anchor; its first group, if any, is the secret
	back   int                // how many bytes before the anchor the form begins
	sure   bool
	chance float64 // least entropy of the secret, in bits per character
	inWord bool    // the form can begin within a word
}

// window is the greatest length of a form behind its anchor.
const window = 600

func form(name, title, anchor, expr string) rule {
	return rule{name: name, title: title, anchor: anchor, form: lazyregexp.New(`^(?:` + expr + `)`), sure: true, chance: 2.5}
}

func (r rule) guess() rule              { r.sure = false; return r }
func (r rule) from(n int) rule          { r.back = n; return r }
func (r rule) within() rule             { r.inWord = true; return r }
func (r rule) random(bits float64) rule { r.chance = bits; return r }

// rules are the formats as their makers document them.
var rules = []rule{
	form("aws-access-key", "AWS access key", "AKIA", `AKIA[A-Z0-9]{16}\b`),
	form("aws-access-key", "AWS access key", "ASIA", `ASIA[A-Z0-9]{16}\b`),
	form("aws-bedrock-key", "AWS Bedrock key", "ABSK", `ABSK[A-Za-z0-9+/]{100,}={0,2}`),
	form("gcp-api-key", "Google API key", "AIza", `AIza[0-9A-Za-z_-]{35}\b`),
	form("gcp-oauth-secret", "Google OAuth secret", "GOCSPX-", `GOCSPX-[0-9A-Za-z_-]{28}`),
	form("gcp-oauth-token", "Google OAuth token", "ya29.", `ya29\.[0-9A-Za-z_-]{30,}`),
	form("gcp-service-account", "Google service account", `private_key_id`, `private_key_id["']?\s*[:=]\s*["']?([0-9a-f]{40})\b`),
	form("azure-storage-key", "Azure storage key", "AccountKey=", `AccountKey=([A-Za-z0-9+/]{86}==)`),
	form("azure-shared-key", "Azure shared access key", "SharedAccessKey=", `SharedAccessKey=([A-Za-z0-9+/]{40,}=)`),
	form("azure-client-secret", "Azure client secret", "8Q~", `[A-Za-z0-9_~.]{3}8Q~[A-Za-z0-9_~.-]{31,34}`).from(3),
	form("azure-client-secret", "Azure client secret", "7Q~", `[A-Za-z0-9_~.]{3}7Q~[A-Za-z0-9_~.-]{31,34}`).from(3),
	form("stripe-key", "Stripe key", "sk_live_", `sk_live_[0-9A-Za-z]{16,}`),
	form("stripe-key", "Stripe key", "rk_live_", `rk_live_[0-9A-Za-z]{16,}`),
	form("stripe-test-key", "Stripe test key", "sk_test_", `sk_test_[0-9A-Za-z]{16,}`),
	form("stripe-test-key", "Stripe test key", "rk_test_", `rk_test_[0-9A-Za-z]{16,}`),
	form("stripe-webhook", "Stripe webhook secret", "whsec_", `whsec_[0-9A-Za-z+/]{32,}={0,2}`),
	form("github-token", "GitHub token", "ghp_", `ghp_[0-9A-Za-z]{36,}`),
	form("github-token", "GitHub token", "gho_", `gho_[0-9A-Za-z]{36,}`),
	form("github-token", "GitHub token", "ghu_", `ghu_[0-9A-Za-z]{36,}`),
	form("github-token", "GitHub token", "ghs_", `ghs_[0-9A-Za-z]{36,}`),
	form("github-token", "GitHub token", "ghr_", `ghr_[0-9A-Za-z]{36,}`),
	form("github-token", "GitHub token", "github_pat_", `github_pat_[0-9A-Za-z_]{36,}`),
	form("gitlab-token", "GitLab token", "glpat-", `glpat-[0-9A-Za-z_.-]{20,}`),
	form("gitlab-token", "GitLab token", "glptt-", `glptt-[0-9a-f]{40}`),
	form("gitlab-token", "GitLab token", "gldt-", `gldt-[0-9A-Za-z_-]{20,}`),
	form("gitlab-token", "GitLab token", "glrt-", `glrt-[0-9A-Za-z_-]{20,}`),
	form("slack-token", "Slack token", "xox", `xox[abeoprs](?:-[0-9A-Za-z]+){2,}`),
	form("slack-token", "Slack app token", "xapp-", `xapp-\d-[A-Z0-9]+-\d+-[a-z0-9]+`),
	form("slack-webhook", "Slack webhook", "hooks.slack.com/",
		`hooks\.slack\.com/(?:services|workflows|triggers)/([A-Za-z0-9+/]{30,})`).within(),
	form("discord-webhook", "Discord webhook", "/api/webhooks/", `/api/webhooks/(\d{17,20}/[A-Za-z0-9_-]{60,})`).within(),
	form("twilio-key", "Twilio key", "SK", `SK[0-9a-f]{32}\b`),
	form("sendgrid-key", "SendGrid key", "SG.", `SG\.[0-9A-Za-z_-]{16,32}\.[0-9A-Za-z_-]{16,64}`),
	form("mailgun-key", "Mailgun key", "key-", `key-[0-9a-f]{32}\b`),
	form("npm-token", "npm token", "npm_", `npm_[0-9A-Za-z]{36}\b`),
	form("npm-token", "npm token", "_authToken", `_authToken\s*=\s*["']?([0-9A-Za-z_/+=.-]{20,})`).within(),
	form("pypi-token", "PyPI token", "pypi-AgE", `pypi-AgE[0-9A-Za-z_-]{50,}`),
	form("rubygems-key", "RubyGems key", "rubygems_", `rubygems_[0-9a-f]{48}\b`),
	form("crates-token", "crates.io token", "cio", `cio[0-9A-Za-z]{32}\b`).random(3.5),
	form("nuget-key", "NuGet key", "oy2", `oy2[0-9a-z]{43}\b`),
	form("anthropic-key", "Anthropic key", "sk-ant-", `sk-ant-[0-9A-Za-z]+-[0-9A-Za-z_-]{24,}`),
	form("openai-key", "OpenAI key", "T3BlbkFJ", `T3BlbkFJ[0-9A-Za-z_-]{20,}`).within(),
	form("openai-key", "OpenAI key", "sk-", `sk-(?:proj-|svcacct-|admin-)?[0-9A-Za-z_-]{0,200}[0-9A-Za-z]{16,}[0-9A-Za-z_-]*`).random(3.5),
	form("huggingface-token", "Hugging Face token", "hf_", `hf_[0-9A-Za-z]{34,}\b`),
	form("groq-key", "Groq key", "gsk_", `gsk_[0-9A-Za-z]{48,}`),
	form("perplexity-key", "Perplexity key", "pplx-", `pplx-[0-9A-Za-z]{48}`),
	form("replicate-token", "Replicate token", "r8_", `r8_[0-9A-Za-z]{37}\b`),
	form("digitalocean-token", "DigitalOcean token", "dop_v1_", `dop_v1_[0-9a-f]{64}`),
	form("databricks-token", "Databricks token", "dapi", `dapi[0-9a-f]{32}\b`),
	form("shopify-token", "Shopify token", "shpat_", `shpat_[0-9a-fA-F]{32}`),
	form("shopify-token", "Shopify token", "shpss_", `shpss_[0-9a-fA-F]{32}`),
	form("square-token", "Square token", "sq0", `sq0(?:atp|csp)-[0-9A-Za-z_-]{22,43}`),
	form("telegram-token", "Telegram bot token", ":AA", `\d{8,10}:AA[0-9A-Za-z_-]{33}\b`).from(10),
	form("linear-key", "Linear key", "lin_api_", `lin_api_[0-9A-Za-z]{40}`),
	form("postman-key", "Postman key", "PMAK-", `PMAK-[0-9a-f]{24}-[0-9a-f]{34}`),
	form("newrelic-key", "New Relic key", "NRAK-", `NRAK-[0-9A-Z]{27}`),
	form("grafana-token", "Grafana token", "glsa_", `glsa_[0-9A-Za-z]{32}_[0-9a-f]{8}`),
	form("grafana-token", "Grafana cloud token", "glc_", `glc_[0-9A-Za-z+/]{32,}={0,2}`),
	form("vault-token", "Vault token", "hvs.", `hvs\.[0-9A-Za-z_-]{24,}`),
	form("terraform-token", "Terraform token", ".atlasv1.", `[0-9A-Za-z]{14}\.atlasv1\.[0-9A-Za-z_-]{60,}`).from(14),
	form("docker-token", "Docker token", "dckr_pat_", `dckr_pat_[0-9A-Za-z_-]{24,}`),
	form("supabase-token", "Supabase token", "sbp_", `sbp_[0-9a-f]{40}`),
	form("figma-token", "Figma token", "figd_", `figd_[0-9A-Za-z_-]{36,}`),
	form("atlassian-token", "Atlassian token", "ATATT3", `ATATT3[0-9A-Za-z_=-]{50,}`),
	form("sentry-token", "Sentry token", "sntrys_", `sntrys_[0-9A-Za-z+/=_-]{40,}`),
	form("doppler-token", "Doppler token", "dp.pt.", `dp\.pt\.[0-9A-Za-z]{40,}`),
	form("heroku-key", "Heroku key", "HRKU-", `HRKU-[0-9A-Za-z_-]{36,}`),
	form("flyio-token", "Fly.io token", "fm2_", `fm2_[0-9A-Za-z+/]{80,}={0,2}`),
	form("age-key", "age secret key", "AGE-SECRET-KEY-1", `AGE-SECRET-KEY-1[0-9A-Z]{58}`),
	form("jwt", "JSON web token", "eyJ", `eyJ[0-9A-Za-z_-]{10,}\.eyJ[0-9A-Za-z_-]{10,}\.[0-9A-Za-z_-]{16,}`).random(3.5),
	form("authorization", "authorization header", "uthorization",
		`uthorization["']?\]?\s*[:=,]\s*["'\x60]?(?:Bearer|Token|token)\s+([0-9A-Za-z_.=+/-]{20,})`).within().guess().random(3.5),
	form("basic-auth", "authorization header", "uthorization",
		`uthorization["']?\]?\s*[:=,]\s*["'\x60]?Basic\s+([0-9A-Za-z+/]{12,}={0,2})`).within().guess().random(3),
	privateKey, putty, inAddress,
}

// find adds the matches of the rule in text.
func (r rule) find(text string, found []Match) []Match {
	for at := 0; ; {
		i := strings.Index(text[at:], r.anchor)
		if i < 0 {
			return found
		}
		hit := at + i
		at = hit + len(r.anchor)
		m, ok := r.at(text, hit)
		if !ok {
			continue
		}
		found = append(found, m)
		at = max(at, m.End)
	}
}

func (r rule) at(text string, hit int) (Match, bool) {
	switch r.name {
	case privateKey.name, putty.name:
		return r.keyBlock(text, hit)
	case inAddress.name:
		return address(text, hit)
	}
	begin := hit - r.back
	if r.back > 0 && r.anchor == ":AA" { // eight to ten digits
		begin = hit - digitsBefore(text, hit)
	}
	if begin < 0 || !r.inWord && begin > 0 && wordByte(text[begin-1]) {
		return Match{}, false
	}
	loc := r.form.FindStringSubmatchIndex(text[begin:min(len(text), hit+r.reach())])
	if loc == nil {
		return Match{}, false
	}
	start, end := loc[0], loc[1]
	if len(loc) > 2 && loc[2] >= 0 {
		start, end = loc[2], loc[3]
	}
	m := Match{Rule: r.name, Title: r.title, Start: begin + start, End: begin + end, Sure: r.sure}
	value := text[m.Start:m.End]
	if repeats(value) || bits(value) < r.chance || !r.sure && placeholder(value) {
		return Match{}, false
	}
	if r.name == "basic-auth" && !userAndPassword(value) {
		return Match{}, false
	}
	if r.name == "openai-key" && !mixed(value) {
		return Match{}, false // words in many languages begin with sk-: sk-button-primary
	}
	m.Example = example(value)
	return m, true
}

// reach returns how far behind its anchor the form is matched. Web tokens have no documented limit.
func (r rule) reach() int {
	if r.name == "jwt" {
		return 16 << 10
	}
	return window
}

func digitsBefore(text string, at int) int {
	n := 0
	for at-n > 0 && text[at-n-1] >= '0' && text[at-n-1] <= '9' && n < 10 {
		n++
	}
	return n
}

func wordByte(c byte) bool {
	return c|0x20 >= 'a' && c|0x20 <= 'z' || c >= '0' && c <= '9' || c == '_'
}

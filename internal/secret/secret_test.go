package secret

import (
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

const (
	digits = "0123456789"
	hexes  = digits + "abcdef"
	uppers = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
	lowers = "abcdefghijklmnopqrstuvwxyz"
	alnum  = digits + uppers + lowers
	b64    = alnum + "+/"
)

// made returns n pseudo-random letters of set. Planted secrets are made this way, so that no
// scanner reports this test.
func made(set string, n int) string {
	var b strings.Builder
	for i := 0; b.Len() < n; i++ {
		for _, c := range sha256.Sum256(fmt.Appendf(nil, "%s %d %d", set, n, i)) {
			b.WriteByte(set[int(c)%len(set)])
		}
	}
	return b.String()[:n]
}

func block(kind string) string {
	return "-----BEGIN " + kind + "-----\n" + made(b64, 64) + "\n" + made(b64, 63) + "=\n-----END " + kind + "-----"
}

// puttyKey has a public part that ends with a short line.
func puttyKey() string {
	return "PuTTY-User-Key-File-2: ssh-ed25519\nEncryption: none\nComment: k\nPublic-Lines: 2\n" + made(b64, 64) + "\n" + made(b64, 4) +
		"\nPrivate-Lines: 1\n" + made(b64, 52) + "\nPrivate-MAC: " + made(hexes, 40)
}

// planted returns secrets of every kind, with the rule that has to find them.
func planted() map[string]string {
	web := "eyJ" + made(alnum, 33) + ".eyJ" + made(alnum, 60) + "." + made(alnum, 43)
	account := `{"type": "service_account", "private_key_id": "` + made(hexes, 40) + `"}`
	return map[string]string{
		"key: AKIA" + made(uppers+digits, 16): "aws-access-key", "ASIA" + made(uppers+digits, 16): "aws-access-key",
		`aws_secret_access_key = "` + made(b64, 40) + `"`: "aws-secret-key", "AWS_SECRET_ACCESS_KEY=" + made(b64, 40): "aws-secret-key",
		account: "gcp-service-account", "AIza" + made(alnum, 35): "gcp-api-key",
		"DefaultEndpointsProtocol=https;AccountName=x;AccountKey=" + made(b64, 86) + "==": "azure-storage-key",
		"client = 'abc8Q~" + made(alnum, 33) + "'":                                        "azure-client-secret",
		"sk_live_" + made(alnum, 24):                                                      "stripe-key", "sk_test_" + made(alnum, 24): "stripe-test-key", "whsec_" + made(alnum, 32): "stripe-webhook",
		"ghp_" + made(alnum, 36): "github-token", "github_pat_" + made(alnum, 22) + "_" + made(alnum, 59): "github-token",
		"glpat-" + made(alnum, 20): "gitlab-token", "xoxb-" + made(digits, 12) + "-" + made(digits, 13) + "-" + made(alnum, 24): "slack-token",
		"https://hooks.slack.com/services/T" + made(uppers, 8) + "/B" + made(uppers, 8) + "/" + made(alnum, 24): "slack-webhook",
		"SK" + made(hexes, 32): "twilio-key", "SG." + made(alnum, 22) + "." + made(alnum, 43): "sendgrid-key",
		"npm_" + made(alnum, 36): "npm-token", "//registry.example.com/:_authToken=" + made(hexes, 36): "npm-token",
		"pypi-AgEIcHlwaS5vcmc" + made(alnum, 60): "pypi-token", "sk-ant-api03-" + made(alnum, 93) + "AA": "anthropic-key",
		"sk-proj-" + made(alnum, 48): "openai-key", "OPENAI_API_KEY=sk-" + made(alnum, 48): "openai-key",
		"hf_" + made(lowers, 34): "huggingface-token", web: "jwt", "12345678:AA" + made(alnum, 33): "telegram-token",
		puttyKey():               "private-key-putty",
		block("RSA PRIVATE KEY"): "private-key", block("OPENSSH PRIVATE KEY"): "private-key", block("PGP PRIVATE KEY BLOCK"): "private-key",
		`"private_key": "-----BEGIN PRIVATE KEY-----\n` + made(b64, 64) + `\n-----END PRIVATE KEY-----\n"`: "private-key",
		"postgres://app:" + made(alnum, 14) + "7@db.prod.acme.io:5432/app":                                 "database-password",
		"mongodb+srv://u:" + made(alnum, 14) + "8@cluster0.acme.net":                                       "database-password",
		"https://deploy:" + made(alnum, 20) + "9@git.acme.io/x.git":                                        "address-password",
		`password = "` + made(alnum, 14) + `7!"`:                                                           "assigned-secret",
		"DB_PASSWORD=" + made(alnum, 16) + "9x":                                                            "assigned-secret",
		`const apiKey: string = '` + made(alnum, 32) + `'`:                                                 "assigned-secret",
		`{"clientSecret": "` + made(alnum, 40) + `"}`:                                                      "assigned-secret",
		"  api_key: " + made(hexes, 32):                                                                    "assigned-secret",
		"Authorization: Basic " + base64.StdEncoding.EncodeToString([]byte("deploy:"+made(alnum, 12))):     "basic-auth",
		`Authorization: Bearer ` + made(alnum, 40):                                                         "authorization",
	}
}

func TestPlantedSecretsAreFound(t *testing.T) {
	t.Parallel()
	kinds := map[string]bool{}
	for text, rule := range planted() {
		found := Find("first line\n  " + text + "\nlast line\n")
		if len(found) == 0 {
			t.Errorf("%s is not found in %q", rule, text)
			continue
		}
		hit := false
		for _, m := range found {
			hit = hit || m.Rule == rule
			if m.Line < 2 || m.Column < 1 || m.EndLine < m.Line || len(m.Fingerprint) != 16 {
				t.Errorf("%s: %+v", rule, m)
			}
		}
		if !hit {
			t.Errorf("%q is reported as %s, not as %s", text, found[0].Rule, rule)
		}
		kinds[rule] = true
	}
	if len(kinds) < 25 {
		t.Errorf("only %d kinds are planted", len(kinds))
	}
}

func TestPlaceholdersAreNoSecrets(t *testing.T) {
	t.Parallel()
	for _, text := range []string{
		`password = "changeme"`, `password: "${DB_PASSWORD}"`, `password = "xxxxxxxxxxxx"`, `token = "your-token-here-1234567"`,
		`password = os.Getenv("DB_PASSWORD")`, `apiKey: process.env.API_KEY`, `secret: string;`, `const token = await getToken(user1)`,
		`token_type = "bearer-token-type-2"`, `passwordField: "login.form.password1"`, `"nextPageToken": "CAUQAA12345678901234"`,
		`api_key = "<YOUR_API_KEY_1234567>"`, `SECRET_KEY = "test-secret-key-123"`, `password = "hunter2"`, `password="12345678"`,
		"postgres://postgres:postgres@localhost:5432/app", "postgres://user:password@db.acme.io/x", "https://user:pass@example.com/",
		"redis://:${REDIS_PASSWORD}@cache.acme.io", `mysql://root:%s@%s/db`, "http://proxy:8080/@scope/pkg", "ssh://git@github.com:22/x",
		"AKIAXXXXXXXXXXXXXXXX", "ghp_xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx", "sk-button-primary-large-hover", "task-ant-colony",
		`strings.Contains(s, "-----BEGIN RSA PRIVATE KEY-----")`, "-----BEGIN PRIVATE KEY-----\n...\n-----END PRIVATE KEY-----",
		"-----BEGIN PUBLIC KEY-----\n" + made(b64, 64) + "\n-----END PUBLIC KEY-----",
		`integrity: "sha512-` + made(b64, 86) + `=="`, "SKIPPED", "h1:" + made(b64, 43) + "=", `secretName: my-app-tls-cert-v2`,
		`Authorization: Bearer <token>`, `Authorization: "Bearer ${token}"`, `password_hash_algorithm = "pbkdf2_sha256_600000"`,
		`psA("SecretKeyFactory", "PBEWithSHA1AndRC2_40",`, `tokenGenerator = "Sha256WithRsa2048AndMgf1"`,
		`{"Passwords.must.differ", "\u53E3\u4EE4\u4E0D\u80FD\u76F8\u540C"},`, `Authorization: Basic QWadhgWERghghWERfdfQ==`,
		`import { tokenize2Words3 } from "./tokenizer2Words3"`, `token: lexer.TokenKind2Value3`, `TOKEN_PATH=/var/run/secrets/token1`,
	} {
		for _, m := range Find(text) {
			t.Errorf("%q is reported as %s", text, m.Rule)
		}
	}
}

// TestGuesses: a probably made-up password is found, but not as sure.
func TestGuesses(t *testing.T) {
	t.Parallel()
	for _, text := range []string{"dotenv://:key_1234@dotenvx.com/vault/.env.vault", "https://deploy:admin123456@git.acme.io/x"} {
		m := Find(text)
		if len(m) != 1 || m[0].Sure {
			t.Errorf("%q: %+v", text, m)
		}
	}
}

func TestExamplesAndMarks(t *testing.T) {
	t.Parallel()
	m := Find("id = AKIAIOSFODNN7" + "EXAMPLE")
	if len(m) != 1 || !m[0].Example || m[0].Column != 6 {
		t.Errorf("%+v", m)
	}
	key := "AKIA" + made(uppers+digits, 16)
	for text, want := range map[string]bool{
		key: false, key + " # " + InlineMark: true, "# " + InlineMark + "\n" + key: true, "x = 1 # " + InlineMark + "\n" + key: false,
		"// " + InlineMark + "\n\n" + key: false, key + "\n# " + InlineMark: false,
	} {
		m := Find(text)
		if len(m) != 1 || m[0].Marked != want {
			t.Errorf("%q: %+v", text, m)
		}
	}
}

// TestFingerprint: a sure secret has the same fingerprint at any position; a guess's does not
// depend on its value.
func TestFingerprint(t *testing.T) {
	t.Parallel()
	key := "ghp_" + made(alnum, 36)
	a, b := Find(key), Find("other\n\t"+key+" // moved")
	if a[0].Fingerprint != b[0].Fingerprint {
		t.Error("moving a key changes its fingerprint")
	}
	c, d := Find(`password = "`+made(alnum, 12)+`1"`), Find(`password = "`+made(alnum, 13)+`2"`)
	if len(c) != 1 || len(d) != 1 || c[0].Fingerprint != d[0].Fingerprint {
		t.Error("the fingerprint of a guess depends on its value")
	}
}

func TestMask(t *testing.T) {
	t.Parallel()
	for text, rule := range planted() {
		masked := Mask("before\n" + text + "\nafter")
		for _, m := range Find("before\n" + text + "\nafter") {
			secret := ("before\n" + text + "\nafter")[m.Start:m.End]
			if strings.Contains(masked, secret) {
				t.Errorf("%s is not masked in %q", rule, masked)
			}
		}
		if !strings.HasPrefix(masked, "before\n") || !strings.HasSuffix(masked, "\nafter") || !strings.Contains(masked, "[masked ") {
			t.Errorf("%q", masked)
		}
	}
	keyed := "a\n" + block("RSA PRIVATE KEY") + "\nb\n"
	if got := Mask(keyed); strings.Count(got, "\n") != strings.Count(keyed, "\n") || !strings.HasSuffix(got, "\nb\n") {
		t.Errorf("%q", got)
	}
	plain := "nothing to see\npassword = \"changeme\"\n"
	if Mask(plain) != plain {
		t.Error("a text without secrets is changed")
	}
}

// keyLines returns lines of base64 as in a private key.
func keyLines() []string {
	all := made(b64, 4*64+20)
	return []string{all[:64], all[64:128], all[128:192], all[192:256], all[256:]}
}

// TestKeysBehindPrefixes: a private key is masked with anything before its lines, also without its end.
func TestKeysBehindPrefixes(t *testing.T) {
	t.Parallel()
	numbered := func(form string) func(int) string { return func(n int) string { return fmt.Sprintf(form, n) } }
	always := func(s string) func(int) string { return func(int) string { return s } }
	for name, prefix := range map[string]func(int) string{
		"nothing": always(""), "removed": always("-"), "added": always("+"), "quoted": always("> "),
		"cat -n": numbered("%6d\t"), "arrow": numbered("%6d→"), "grep -n": numbered("%d:"), "grep -rn": numbered("internal/secret/testdata/key.pem-%d-"),
		"time": always("2026-11-23T10:00:00Z [INFO] app: "), "container": always("web_1  | "),
	} {
		for _, end := range []string{"\n", "\r\n", `\n`, `\\n`, `\r\n`, "\\n\" +\n\t\""} {
			for _, headers := range [][]string{nil, {"Proc-Type: 4,ENCRYPTED", "DEK-Info: AES-128-CBC,0123456789ABCDEF0123456789ABCDEF", ""}} {
				lines := append([]string{"-----BEGIN RSA PRIVATE KEY-----"}, headers...)
				lines = append(append(lines, keyLines()...), "-----END RSA PRIVATE KEY-----")
				for _, whole := range []bool{true, false} {
					text := ""
					for i, l := range lines[:len(lines)-1] {
						text += prefix(i+1) + l + end
					}
					if whole {
						text += prefix(len(lines)) + lines[len(lines)-1]
					}
					for _, got := range []string{Mask(text + end + "done" + end), throughWriter(t, text+end+"done"+end)} {
						for _, l := range keyLines() {
							if strings.Contains(got, l) {
								t.Errorf("%s, %q, end %v, headers %v: a line of the key stays in %q", name, end, whole, len(headers), got)
								break
							}
						}
						if !strings.HasSuffix(got, end+"done"+end) {
							t.Errorf("%s, %q, end %v: the text behind the key is masked: %q", name, end, whole, got)
						}
					}
				}
			}
		}
	}
}

// TestPuttyKeys: the private part is masked, in a diff and without its end as well.
func TestPuttyKeys(t *testing.T) {
	t.Parallel()
	private := made(b64, 52)
	cut, _, _ := strings.Cut(puttyKey(), "Private-MAC")
	for _, text := range []string{puttyKey(), "-" + strings.ReplaceAll(puttyKey(), "\n", "\n-"), strings.ReplaceAll(puttyKey(), "\n", `\n`), cut} {
		for _, got := range []string{Mask(text), throughWriter(t, text)} {
			if strings.Contains(got, private) {
				t.Errorf("the private part stays in %q", got)
			}
		}
	}
	if m := Find("forms = [\"PuTTY-User-Key-File-2: \"]\nother = 1\n"); len(m) > 0 {
		t.Errorf("%+v", m)
	}
}

// TestSureWithinGuess: a known format within the value of a secret's name is sure, and all of the
// value is masked.
func TestSureWithinGuess(t *testing.T) {
	t.Parallel()
	text := `api_token = "prod:ghp_` + made(alnum, 36) + `"`
	if m := Find(text); len(m) != 1 || !m[0].Sure || m[0].Rule != "github-token" {
		t.Errorf("%+v", m)
	}
	if got := Mask(text); got != `api_token = "[masked github-token]"` {
		t.Error(got)
	}
}

func FuzzFind(f *testing.F) {
	for text := range planted() {
		f.Add(text)
	}
	f.Add("password = 'a'b'\n://:@")
	f.Fuzz(func(t *testing.T, text string) {
		last := 0
		for _, m := range Find(text) {
			if m.Start < last || m.End <= m.Start || m.End > len(text) {
				t.Fatalf("%+v after %d", m, last)
			}
			if m.Line != 1+strings.Count(text[:m.Start], "\n") || m.Column != m.Start-strings.LastIndex(text[:m.Start], "\n") {
				t.Fatalf("%+v is not there", m)
			}
			last = m.End
		}
		for _, m := range Find(Mask(text)) {
			if !m.Example {
				t.Fatalf("%s is left in %q", m.Rule, Mask(text))
			}
		}
	})
}

func BenchmarkFind(b *testing.B) {
	var s strings.Builder
	for s.Len() < 1<<20 {
		s.WriteString("func (c *Client) Do(ctx context.Context, token string) error {\n\treq.Header.Set(\"Authorization\", \"Bearer \"+token)\n\tpassword := c.password\n\treturn nil\n}\n\n// See https://pkg.go.dev/net/http for more.\nvar x = map[string]int{\"a\": 1, \"secret\": 2}\n")
	}
	text := s.String()
	b.SetBytes(int64(len(text)))
	for b.Loop() {
		Find(text)
	}
}

// TestSourceTrees counts the matches in the source trees in BELAY_SOURCES, separated by colons, and
// prints their positions and kinds.
func TestSourceTrees(t *testing.T) {
	if os.Getenv("BELAY_SOURCES") == "" {
		t.Skip("BELAY_SOURCES names no source trees")
	}
	for _, root := range filepath.SplitList(os.Getenv("BELAY_SOURCES")) {
		files, size, sure, guesses := 0, 0, 0, 0
		err := filepath.Walk(root, func(path string, info os.FileInfo, err error) error {
			if err != nil || !info.Mode().IsRegular() || info.Size() > 8<<20 {
				return err
			}
			text, err := os.ReadFile(path)
			if err != nil {
				return err
			}
			files, size = files+1, size+len(text)
			for _, m := range Find(string(text)) {
				if m.Example {
					continue
				}
				if m.Sure {
					sure++
				} else {
					guesses++
				}
				t.Logf("%s:%d %s %s", path, m.Line, m.Rule, hex.EncodeToString([]byte{byte(len(text[m.Start:m.End]))}))
			}
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
		t.Logf("%s: %d files, %d bytes: %d sure, %d guesses", root, files, size, sure, guesses)
	}
}

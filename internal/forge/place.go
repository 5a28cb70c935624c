package forge

import (
	"net/url"
	"os"
	"strings"

	"github.com/belay-dev/belay/internal/belay"
)

// Kinds of forges. Forgejo has Gitea's API.
const (
	GitHub = "github"
	GitLab = "gitlab"
	Gitea  = "gitea"
)

// Kinds lists the kinds of forges.
func Kinds() []string { return []string{GitHub, GitLab, Gitea} }

// Place is a repository on a forge.
type Place struct {
	Kind string `json:"forge"`
	Host string `json:"host"` // with a port if the address has one
	Path string `json:"path"` // owner/name; on GitLab with all groups
	API  string `json:"-"`    // base URL without a trailing slash
}

// Locate parses the address of a remote. If kind is "", the host or the variables of CI systems
// determine it. Error: CodeUsage if they do not.
func Locate(remote, kind string) (Place, error) {
	p := Place{Kind: kind}
	p.Host, p.Path = split(remote)
	if p.Host == "" || !strings.Contains(p.Path, "/") {
		return p, belay.Refuse(belay.CodeUsage, "git remote -v; name another with --remote", "%s is not the address of a forge",
			belay.VisibleLine(masked(remote)))
	}
	if p.Kind == "" {
		p.Kind = kindOf(p.Host)
	}
	switch p.Kind {
	case GitHub:
		if p.API = "https://" + p.Host + "/api/v3"; p.Host == "github.com" {
			p.API = "https://api.github.com"
		}
	case GitLab:
		p.API = "https://" + p.Host + "/api/v4"
	case Gitea:
		p.API = "https://" + p.Host + "/api/v1"
	default:
		return p, belay.Refuse(belay.CodeUsage, "--forge "+strings.Join(Kinds(), ", "), "what kind of forge is %s?",
			belay.VisibleLine(p.Host))
	}
	if api := serverOf(p.Kind).api; api != "" && serverOf(p.Kind).host == p.Host {
		p.API = strings.TrimSuffix(api, "/")
	}
	u, err := url.Parse(p.API)
	if err != nil || u.Scheme != "https" && !local(u) {
		return p, belay.Refuse(belay.CodeUsage, "use https", "%s is not a safe address to send a token to", belay.VisibleLine(p.API))
	}
	return p, nil
}

func local(u *url.URL) bool {
	return u.Scheme == "http" && (u.Hostname() == "127.0.0.1" || u.Hostname() == "localhost" || u.Hostname() == "::1")
}

// split takes apart https://host/path, ssh://user@host:port/path and user@host:path.
func split(remote string) (host, path string) {
	remote = strings.TrimSpace(remote)
	if u, err := url.Parse(remote); err == nil && u.Host != "" {
		host, path = u.Host, u.Path
		if u.Scheme != "https" && u.Scheme != "http" {
			host = u.Hostname() // the port is ssh's
		}
	} else if at, rest, ok := strings.Cut(remote, ":"); ok && !strings.Contains(at, "/") {
		host, path = at[strings.LastIndexByte(at, '@')+1:], rest
	}
	return strings.ToLower(host), strings.TrimSuffix(strings.Trim(path, "/"), ".git")
}

// masked removes the user and password from an address.
func masked(remote string) string {
	if u, err := url.Parse(remote); err == nil && u.User != nil {
		u.User = nil
		return u.String()
	}
	return remote
}

func kindOf(host string) string {
	for _, k := range Kinds() {
		if serverOf(k).host == host {
			return k
		}
	}
	for name, kind := range map[string]string{"github": GitHub, "gitlab": GitLab, "gitea": Gitea, "forgejo": Gitea, "codeberg": Gitea} {
		if strings.Contains(host, name) {
			return kind
		}
	}
	return ""
}

// server is a forge named by the environment, as in CI. The token in the environment is for this
// one only: the address of a remote alone must not decide who gets it.
type server struct{ host, api, token string }

func serverOf(kind string) (s server) {
	first := func(names ...string) string {
		for _, n := range names {
			if v := os.Getenv(n); v != "" {
				return v
			}
		}
		return ""
	}
	hostOf := func(address string) string {
		if u, err := url.Parse(address); err == nil && u.Host != "" {
			return strings.ToLower(u.Host)
		}
		return strings.ToLower(address)
	}
	switch kind {
	case GitHub:
		s = server{hostOf(first("GITHUB_SERVER_URL")), os.Getenv("GITHUB_API_URL"), first("GH_TOKEN", "GITHUB_TOKEN")}
		if h := os.Getenv("GH_HOST"); h != "" && s.host == "" {
			s = server{hostOf(h), "", first("GH_ENTERPRISE_TOKEN", "GITHUB_ENTERPRISE_TOKEN")}
		}
	case GitLab:
		s = server{hostOf(first("CI_SERVER_HOST", "GITLAB_HOST")), os.Getenv("CI_API_V4_URL"), os.Getenv("GITLAB_TOKEN")}
	case Gitea:
		s = server{hostOf(first("GITEA_SERVER_URL", "FORGEJO_SERVER_URL")), "", first("GITEA_TOKEN", "FORGEJO_TOKEN")}
		if address := first("GITEA_SERVER_URL", "FORGEJO_SERVER_URL"); strings.Contains(address, "://") {
			s.api = strings.TrimSuffix(address, "/") + "/api/v1"
		}
	}
	return s
}

// publicHosts are the hosts for a token without a host.
var publicHosts = map[string]string{GitHub: "github.com", GitLab: "gitlab.com", Gitea: "codeberg.org"}

// token returns the environment's token for a place, or "", and the variable to set.
func (p Place) token() (token, variable string) {
	variable = map[string]string{GitHub: "GITHUB_TOKEN", GitLab: "GITLAB_TOKEN", Gitea: "GITEA_TOKEN"}[p.Kind]
	s := serverOf(p.Kind)
	if s.host == p.Host || s.host == "" && publicHosts[p.Kind] == p.Host {
		return s.token, variable
	}
	also := map[string]string{GitHub: "GH_HOST and GH_ENTERPRISE_TOKEN", GitLab: "GITLAB_HOST and GITLAB_TOKEN",
		Gitea: "GITEA_SERVER_URL and GITEA_TOKEN"}[p.Kind]
	return "", also
}

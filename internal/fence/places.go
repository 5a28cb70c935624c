package fence

import (
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/belay-dev/belay/internal/lazyregexp"
)

// gitClosed are the parts of a git folder that stay closed: programs that git runs, settings that
// name such programs, references to other repositories, and belay's own data.
var gitClosed = []string{"hooks", "config", "config.worktree", "info", "commondir", "worktrees", "belay", "refs/belay",
	"refs/used-by-belay", "refs/kept"}

// belayRef matches a line of packed-refs with one of belay's refs.
var belayRef = lazyregexp.New(`(?m)^\S+ refs/(belay|used-by-belay|kept)/`)

// Repository returns the rules for a working tree with its git folder dir and the shared one,
// common. Of a linked worktree only its own part of the shared folder is open; refs names the refs
// there, which stay closed except for own, the branch that the worktree has checked out.
func Repository(root, dir, common string, refs []string, own string) []Rule {
	rules := []Rule{{Path: root, Kind: Write, Why: "the task's working tree"}}
	if dir == common {
		rules = append(rules, Rule{Path: dir, Kind: Write, Why: "its git folder: index, HEAD, branches, logs"})
		rules = append(rules, gitFolder(dir)...)
		return append(rules, modules(dir)...)
	}
	rules = append(rules, Rule{Path: filepath.Join(root, ".git"), Kind: Closed, Why: "where its git folder is"},
		Rule{Path: dir, Kind: Write, Why: "its own part of the git folder: index, HEAD, logs"})
	for _, name := range append([]string{"gitdir", "locked"}, gitClosed...) {
		rules = append(rules, Rule{Path: filepath.Join(dir, name), Kind: Closed,
			Why: "where the shared git folder is, settings, and belay's own"})
	}
	for _, name := range []string{"refs/heads", "refs/tags", "refs/remotes", "logs/refs/heads", "logs/refs/remotes"} {
		rules = append(rules, Rule{Path: filepath.Join(common, name), Kind: Write, Why: "new branches and tags"})
	}
	for _, ref := range refs {
		if ref == own || !strings.HasPrefix(ref, "refs/heads/") && !strings.HasPrefix(ref, "refs/tags/") {
			continue
		}
		for _, path := range []string{ref, "logs/" + ref} {
			rules = append(rules, Rule{Path: filepath.Join(common, path), Kind: Closed, Why: "a branch or tag that was there before"})
		}
	}
	return append(rules, objects(common)...)
}

func gitFolder(dir string) []Rule {
	var rules []Rule
	for _, name := range gitClosed {
		why := "hooks, settings and what git itself keeps"
		if strings.HasSuffix(name, "belay") || name == "refs/kept" {
			why = "belay's own"
		}
		rules = append(rules, Rule{Path: filepath.Join(dir, name), Kind: Closed, Why: why})
	}
	// Git rewrites that file when a branch is deleted.
	if packed, err := os.ReadFile(filepath.Join(dir, "packed-refs")); err == nil && belayRef.Match(packed) {
		rules = append(rules, Rule{Path: filepath.Join(dir, "packed-refs"), Kind: Closed, Why: "it has refs of belay's own"})
	}
	return append(rules, objects(dir)...)
}

func objects(common string) []Rule {
	return []Rule{
		{Path: filepath.Join(common, "objects"), Kind: Append, Why: "new objects; those that are there stay"},
		{Path: filepath.Join(common, "objects", "info"), Kind: Closed, Why: "where git looks for other objects"},
	}
}

// modules returns the rules for the git folders of submodules.
func modules(dir string) (rules []Rule) {
	_ = filepath.WalkDir(filepath.Join(dir, "modules"), func(path string, d fs.DirEntry, err error) error {
		if err != nil || !d.IsDir() {
			return nil
		}
		if _, err := os.Lstat(filepath.Join(path, "HEAD")); err == nil {
			rules = append(rules, gitFolder(path)...)
			rules = append(rules, modules(path)...)
			return filepath.SkipDir
		}
		return nil
	})
	return rules
}

// System returns what is open to every program: devices that store nothing, terminals, and the
// sockets of name services.
func System() []Rule {
	var rules []Rule
	for _, name := range []string{"null", "zero", "full", "random", "urandom", "tty", "ptmx", "pts"} {
		path := "/dev/" + name
		rules = append(rules, Rule{Path: path, Kind: Device, Why: "devices that keep nothing"})
	}
	for _, path := range []string{"/run/nscd/socket", "/run/systemd/resolve", "/var/lib/sss/pipes"} {
		rules = append(rules, Rule{Path: path, Kind: Socket, Why: "names of hosts and users"})
	}
	return rules
}

// Temp returns the rules for temporary folders and for /dev/shm, which programs use to share
// memory. If a path of keep is in one of the folders (a repository in /tmp), opening it would open
// that path as well: then only the folder own is open, and TMPDIR names it.
func Temp(own string, keep ...string) (rules []Rule, env []string) {
	holds := func(dir string) bool {
		return slices.ContainsFunc(keep, func(path string) bool { return path != "" && Below(Real(path), Real(dir)) })
	}
	if !holds("/dev/shm") {
		rules = append(rules, Rule{Path: "/dev/shm", Kind: Write, Why: "shared memory"})
	}
	dirs := []string{os.TempDir(), "/tmp", "/var/tmp"}
	if at := slices.IndexFunc(dirs, holds); at >= 0 {
		why := "its own temporary folder, for the repository is in " + dirs[at]
		return append(rules, Rule{Path: own, Kind: Write, Why: why}), []string{"TMPDIR=" + own}
	}
	for _, dir := range dirs {
		rules = append(rules, Rule{Path: dir, Kind: Write, Why: "temporary files"})
	}
	return rules, nil
}

// Below reports whether a path is dir or in it. Both are clean.
func Below(path, dir string) bool {
	return path == dir || strings.HasPrefix(path, strings.TrimSuffix(dir, "/")+"/")
}

// caches are the caches of compilers and package managers: the variable that moves one, and its
// default below HOME.
var caches = []struct{ name, path, why string }{
	{"XDG_CACHE_HOME", ".cache", "caches"},
	{"GOCACHE", "", "Go's build cache"},
	{"GOMODCACHE", "go/pkg", "Go's modules"},
	{"npm_config_cache", ".npm", "npm's cache"},
	{"YARN_CACHE_FOLDER", ".yarn/berry", "yarn's cache"},
	{"", ".local/share/pnpm/store", "pnpm's store"},
	{"", ".bun/install/cache", "bun's cache"},
	{"DENO_DIR", "", "deno's cache"},
	{"", ".cargo/registry", "cargo's packages"},
	{"", ".cargo/git", "cargo's packages"},
	{"", ".gradle", "gradle's caches"},
	{"", ".m2/repository", "maven's packages"},
	{"", ".ivy2", "sbt's packages"},
	{"", ".sbt", "sbt's caches"},
	{"NUGET_PACKAGES", ".nuget/packages", "NuGet's packages"},
	{"", ".local/share/NuGet", "NuGet's caches"},
	{"", ".composer/cache", "composer's cache"},
	{"", ".bundle/cache", "bundler's cache"},
	{"PUB_CACHE", ".pub-cache", "Dart's packages"},
	{"", ".hex", "Elixir's packages"},
	{"", ".stack", "Haskell's packages"},
	{"", ".cabal/packages", "Haskell's packages"},
}

// Caches returns the rules for them. get returns a variable of the program's environment.
func Caches(home string, get func(string) string) (rules []Rule) {
	for _, c := range caches {
		path := ""
		if c.path != "" && home != "" {
			path = filepath.Join(home, c.path)
		}
		if c.name != "" && filepath.IsAbs(get(c.name)) {
			path = get(c.name)
		}
		if path != "" {
			rules = append(rules, Rule{Path: path, Kind: Write, Why: c.why})
		}
	}
	if gopath := get("GOPATH"); filepath.IsAbs(gopath) {
		rules = append(rules, Rule{Path: filepath.Join(gopath, "pkg"), Kind: Write, Why: "Go's modules"})
	}
	if cargo := get("CARGO_HOME"); filepath.IsAbs(cargo) {
		rules = append(rules, Rule{Path: filepath.Join(cargo, "registry"), Kind: Write, Why: "cargo's packages"},
			Rule{Path: filepath.Join(cargo, "git"), Kind: Write, Why: "cargo's packages"})
	}
	return rules
}

// secrets are the files and folders below HOME with keys and passwords.
var secrets = []string{".ssh", ".gnupg", ".aws", ".azure", ".config/gcloud", ".kube", ".docker/config.json", ".netrc",
	".git-credentials", ".config/git/credentials", ".config/gh", ".config/hub", ".config/glab-cli", ".pypirc",
	".cargo/credentials", ".cargo/credentials.toml", ".gem/credentials", ".terraform.d", ".vault-token", ".password-store",
	".local/share/keyrings", ".mozilla", ".config/google-chrome", ".config/chromium", ".config/op", ".config/heroku", ".fly",
	".config/doctl", ".oci", ".boto", ".pgpass", ".my.cnf"}

// Secrets returns those that cannot be read with fence.read: deny.
func Secrets(home string) []string {
	var out []string
	for _, name := range secrets {
		if home != "" {
			out = append(out, filepath.Join(home, name))
		}
	}
	return out
}

package hook

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/belay-dev/belay/internal/testutil"
)

// world returns the working tree that the test commands run in.
func world() Surroundings {
	tracked := strings.Fields(`README.md CONTRIBUTING.md go.mod go.sum package.json package-lock.json Makefile .gitignore .github/workflows/ci.yml
		src/main.go src/app/index.ts src/app/view.tsx src/lib/util.py src/lib/io.py docs/guide.md docs/api/index.md tests/test_a.py
		scripts/build.sh web/index.html web/src/app.js internal/x/x.go cmd/app/main.go migrations/001.sql config/app.yaml`)
	precious := []string{".env", "secrets", "data", "db.sqlite3", "config/local.env"}
	aliases := map[string]string{"co": "checkout", "br": "branch", "st": "status", "undo": "reset --hard HEAD~1",
		"nuke": "!git reset --hard && git clean -fd", "unstage": "reset HEAD --", "wipe": "clean -fdx", "lg": "log --oneline"}
	root := "/home/u/proj"
	return Surroundings{Root: root, Dir: root, Home: "/home/u", Git: []string{root + "/.git"},
		Alias:   func(name string) (string, bool) { text, ok := aliases[name]; return text, ok },
		Tracked: func(match func(string) bool) bool { return slices.ContainsFunc(tracked, match) },
		LosesCommits: func(ref, to string) bool {
			return ref == "refs/heads/feature" && !strings.HasPrefix(to, "merged")
		},
		HasIgnored: func(p string) bool { return slices.Contains(precious, p) || p == "config" },
	}
}

func corpus(t testing.TB, name string) (list []string) {
	text, err := os.ReadFile(filepath.Join("testdata", name+".txt"))
	if err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(string(text)) {
		list = append(list, strings.ReplaceAll(strings.TrimSuffix(line, "\n"), "⏎", "\n"))
	}
	return list
}

// TestDestructiveCorpus checks the rules with commands as agents run them. Commands in the files
// named "later" and "third" were written before the rules were tried on them: at first the rules
// missed 3 of 156 destructive commands and denied 1 of 199 harmless ones; in the third part they
// missed 3 of 60 and denied 1 of 60. General rules for these cases (ls | xargs, git in another
// repository, scripts that the text writes, function parameters) were added later.
func TestDestructiveCorpus(t *testing.T) {
	t.Parallel()
	total := map[bool]int{}
	wrong := map[bool]int{}
	for _, part := range []string{"", "-later", "-third"} {
		for _, destructive := range []bool{true, false} {
			name := map[bool]string{true: "destructive", false: "harmless"}[destructive] + part
			list, bad := corpus(t, name), 0
			for _, command := range list {
				if deeds := FindDestructive(command, world()); (len(deeds) > 0) != destructive {
					bad++
					t.Logf("%s: %q: %v", name, command, deeds)
				}
			}
			total[destructive] += len(list)
			wrong[destructive] += bad
			t.Logf("%s: %d of %d wrong (%.1f %%)", name, bad, len(list), 100*float64(bad)/float64(len(list)))
		}
	}
	if total[true] < 300 || total[false] < 300 {
		t.Errorf("%d destructive and %d harmless commands: there must be 300 of each", total[true], total[false])
	}
	if wrong[true]*100 > total[true] {
		t.Errorf("%d of %d destructive commands are not found: at most 1 %%", wrong[true], total[true])
	}
	if wrong[false]*100 > total[false] {
		t.Errorf("%d of %d harmless commands are denied: at most 1 %%", wrong[false], total[false])
	}
}

// The rule's name and InSnapshot decide what the mode snapshot allows.
func TestDestructive(t *testing.T) {
	t.Parallel()
	for command, want := range map[string]struct {
		rule, shown string
		covered     bool
	}{
		"git reset --hard && ls":             {"reset-hard", "git reset --hard", true},
		"git clean -fd":                      {"clean", "git clean -fd", true},
		"git clean -fdx":                     {"clean", "git clean -fdx", false},
		"git push -f":                        {"push-force", "git push -f", false},
		"git stash drop":                     {"stash-drop", "git stash drop", true},
		"rm -rf src":                         {"rm", "rm -rf src", true},
		"rm -rf .env":                        {"rm", "rm -rf .env", false},
		"rm -rf ~/proj":                      {"rm", "rm -rf /home/u/proj", false},
		"git commit -nm 'a b'":               {"no-verify", "git commit -nm 'a b'", false},
		"echo x > .git/config":               {"git-folder", "> .git/config", false},
		"git gc --prune=now":                 {"prune", "git gc --prune=now", false},
		"rm -rf config":                      {"rm", "rm -rf config", false},
		"find config -delete":                {"rm", "find config -delete", false},
		"find src -delete":                   {"rm", "find src -delete", true},
		"sudo --user root rm -rf src":        {"rm", "rm -rf src", true},
		"timeout --signal KILL 5 rm -rf src": {"rm", "rm -rf src", true},
		"su root -c 'git push -f'":           {"push-force", "git push -f", false},
		"pwsh -c 'rm -r src'":                {"rm", "rm -r src", true},
		"powershell -Command 'rm -r src'":    {"rm", "rm -r src", true},
		"D=src; rm -r $D":                    {"rm", "rm -r src", true},
		"git checkout -- src/main.go":        {"checkout-paths", "git checkout -- src/main.go", true},
		"git config core.hooksPath x":        {"git-config", "git config core.hooksPath x", true},
		"bash -c 'git rebase main'":          {"rebase", "git rebase main", true},
		"git worktree remove --force x":      {"worktree-remove", "git worktree remove --force x", false},
	} {
		got := FindDestructive(command, world())
		if len(got) != 1 || got[0].Rule != want.rule || got[0].Command != want.shown || got[0].InSnapshot != want.covered {
			t.Errorf("%s: %+v", command, got)
		}
		for _, d := range got {
			if d.Destroys == "" || d.Instead == "" {
				t.Errorf("%s: no explanation: %+v", command, d)
			}
		}
	}
}

// A command must not write a protected file either.
func TestDestructiveProtected(t *testing.T) {
	t.Parallel()
	w := world()
	w.Protected = func(p string) bool { return p == "go.mod" || strings.HasPrefix(p, "migrations/") }
	for command, denied := range map[string]bool{
		"echo x > go.mod": true, "sed -i s/a/b/ migrations/001.sql": true, "cp x.sql migrations/002.sql": true, "rm go.mod": true,
		"cat go.mod": false, "cp go.mod /tmp": false, "sed s/a/b/ go.mod": false, "go mod tidy": false, "echo x > go.sum": false,
	} {
		if got := FindDestructive(command, w); (len(got) > 0) != denied {
			t.Errorf("%s: %v", command, got)
		}
	}
}

// No command text may keep a hook busy. The test measures processor time, so it must not run in
// parallel.
func TestDestructiveHostile(t *testing.T) {
	for name, text := range map[string]string{
		"nested substitutions": strings.Repeat("$(", 2000) + "git reset --hard" + strings.Repeat(")", 2000),
		"nested braces":        "rm -rf " + strings.Repeat("{a,b}", 40),
		"a function in itself": "f() { f; git reset --hard; }; f",
		"two functions":        "f() { g; g; }; g() { f; f; }; f",
		"an alias in itself":   "alias x='x; x'; x",
		"loops":                strings.Repeat("for i in 1 2 3 4 5 6 7 8 9; do ", 12) + "git status" + strings.Repeat("; done", 12),
		"a long pipe":          strings.Repeat("cat | ", 20000) + "cat",
		"a long text":          strings.Repeat("echo hello; ", 80000),
		"evals":                strings.Repeat("eval ", 5000) + "git status",
		"prefixes":             strings.Repeat("sudo ", 5000) + "git status",
	} {
		began := testutil.CPU()
		FindDestructive(text, world())
		if took := testutil.CPU() - began; took > 3*time.Second {
			t.Errorf("%s: %s", name, took)
		}
	}
}

func FuzzDestructive(f *testing.F) {
	for _, name := range []string{"destructive", "harmless"} {
		for _, c := range corpus(f, name) {
			f.Add(c)
		}
	}
	f.Fuzz(func(t *testing.T, text string) {
		if len(text) > 4096 {
			return
		}
		began := testutil.CPU()
		for _, d := range FindDestructive(text, world()) {
			if d.Rule == "" || d.Destroys == "" {
				t.Errorf("%q: %+v", text, d)
			}
		}
		if took := testutil.CPU() - began; took > 5*time.Second {
			t.Errorf("%q: %s", text, took)
		}
	})
}

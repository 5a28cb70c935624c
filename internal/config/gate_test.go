package config

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/belay-dev/belay/internal/belay"
)

const block = `agent.command: "claude" "-p"
checks.tests.command: shell "go test ./..."
reviewers.a.command: "review" "it"
reviewers.b.endpoint: "https://b/v1"
reviewers.b.key_env: "B_KEY"
worktrees: "/srv/trees"
`

func TestGate(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "trust.json")
	g, other := Open(path).Gate("r"), Open(path).Gate("other")
	asks := map[string]func(g *Gate) error{
		"the agent":       func(g *Gate) error { _, err := g.Program([]string{"claude", "-p"}); return err },
		"a shell line":    func(g *Gate) error { _, err := g.Tests(belay.TestCommand{Command: "go test ./..."}); return err },
		"its events":      func(g *Gate) error { _, err := g.Tests(belay.TestCommand{Command: "go test -json ./..."}); return err },
		"a model":         func(g *Gate) error { _, err := g.Model("https://b/v1", "B_KEY"); return err },
		"without its key": func(g *Gate) error { _, err := g.Model("https://b/v1", ""); return err },
	}
	never := map[string]func(g *Gate) error{
		"more words":          func(g *Gate) error { _, err := g.Program([]string{"claude", "-p", "x"}); return err },
		"words run together":  func(g *Gate) error { _, err := g.Program([]string{`claude" "-p`}); return err },
		"argv as a shell":     func(g *Gate) error { _, err := g.Tests(belay.TestCommand{Command: `"claude" "-p"`}); return err },
		"a key's name":        func(g *Gate) error { _, err := g.Program([]string{"B_KEY"}); return err },
		"an address":          func(g *Gate) error { _, err := g.Program([]string{"https://b/v1"}); return err },
		"a folder":            func(g *Gate) error { _, err := g.Program([]string{"/srv/trees"}); return err },
		"another key":         func(g *Gate) error { _, err := g.Model("https://b/v1", "HOME"); return err },
		"a command's address": func(g *Gate) error { _, err := g.Model("review", ""); return err },
	}
	want := func(when string, g *Gate, list map[string]func(*Gate) error, ok bool) {
		t.Helper()
		for name, ask := range list {
			if err := ask(g); (err == nil) != ok || err != nil && (!errors.Is(err, ErrUntrusted) || belay.CodeOf(err) != belay.CodeCannot) {
				t.Errorf("%s, %s: %v", when, name, err)
			}
		}
	}
	want("at first", g, asks, false)
	want("nil", nil, asks, false)
	if err := g.Add(block); err != nil {
		t.Fatal(err)
	}
	want("trusted", g, asks, true)
	want("trusted", g, never, false)
	want("elsewhere", other, asks, false)
	if ok, err := g.Setting("worktrees", "/srv/trees"); !ok || err != nil {
		t.Error(ok, err)
	}
	if v := g.Values("worktrees"); len(v) != 1 || v[0] != "/srv/trees" {
		t.Error(v)
	}
	if ok, _ := g.Setting("worktrees", "/srv"); ok {
		t.Error("a folder around it is trusted")
	}
	if err := g.Remove(); err != nil {
		t.Fatal(err)
	}
	want("no longer", g, asks, false)
	g.Type(block)
	want("typed", g, asks, true)
	want("typed", g, never, false)
}

// TestKeep: a typed command runs later, and its text is not in the list.
func TestKeep(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "trust.json")
	g := Open(path).Gate("r")
	g.TypeCommand([]string{"env", "KEY=hunter2", "agent"})
	g.Type("reviewers.x.command: \"env\" \"KEY=hunter2\" \"other\"\nreviewers.y.endpoint: \"http://y/v1\"\nreviewers.y.key_env: \"K\"\n")
	if err := errors.Join(g.Keep(), g.Keep()); err != nil {
		t.Fatal(err)
	}
	if _, err := Open(path).Gate("r").Model("http://y/v1", "K"); err != nil {
		t.Error(err)
	}
	if _, err := Open(path).Gate("r").Program([]string{"env", "KEY=hunter2", "agent"}); err != nil {
		t.Error(err)
	}
	text, _ := os.ReadFile(path)
	if strings.Contains(string(text), "hunter2") || strings.Count(string(text), `"repo"`) != 3 {
		t.Errorf("the list is %s", text)
	}
}

// TestEditedNote: an edited note allows nothing.
func TestEditedNote(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "trust.json")
	if err := Open(path).Add("r", "agent.command: \"one\"\n"); err != nil {
		t.Fatal(err)
	}
	text, _ := os.ReadFile(path)
	if err := os.WriteFile(path, []byte(strings.Replace(string(text), "one", "two", 1)), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, word := range []string{"one", "two"} {
		if _, err := Open(path).Gate("r").Program([]string{word}); !errors.Is(err, ErrUntrusted) {
			t.Errorf("%s: %v", word, err)
		}
	}
}

func TestForgetTyped(t *testing.T) {
	t.Parallel()
	f := file{}
	for _, note := range []string{"", "block", "", ""} {
		f.Trusted = append(f.Trusted, entry{Repo: "r", Hash: string(rune('a' + len(f.Trusted))), Note: note})
	}
	f.forget(2)
	if len(f.Trusted) != 3 || f.Trusted[0].Note != "block" || f.Trusted[1].Hash != "c" {
		t.Errorf("%+v", f.Trusted)
	}
}

func TestDerived(t *testing.T) {
	t.Parallel()
	c := TypedCommand([]string{"sh", "-c", "go test ./..."})
	if !c.Narrowed([]string{"go", "test", "-run", "X"}).Set() || c.Narrowed([]string{"rm", "-r", "x"}).Set() || (Command{}).Narrowed([]string{"go"}).Set() || (Command{}).Under("belay").Set() {
		t.Error("a command became another program")
	}
}

// TestInstall: the command that installs a test command's dependencies may run if that command may,
// and only then.
func TestInstall(t *testing.T) {
	t.Parallel()
	g := Open(filepath.Join(t.TempDir(), "trusted")).Gate("repo")
	argv, tests := []string{"npm", "ci"}, belay.TestCommand{Command: "npm test"}
	if c, err := g.Install(argv, tests); !errors.Is(err, ErrUntrusted) || c.Set() {
		t.Errorf("%v %v", c, err)
	}
	g.Type("tests.command: " + Written(tests) + "\n")
	if c, err := g.Install(argv, tests); err != nil || c.String() != "npm ci" {
		t.Errorf("%v %v", c, err)
	}
	for _, none := range []belay.TestCommand{{}, {Command: "make test"}} {
		if c, _ := g.Install(argv, none); c.Set() {
			t.Errorf("%v lets %v run", none, c)
		}
	}
}

package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestRollbackThreeWays changes files as an agent, then as a person, and rolls back in each of the
// three ways.
func TestRollbackThreeWays(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.git("reset", "-q", "--hard")
	w.write("person.txt", "theirs\n")
	w.write("tests/t.txt", "old\n")
	give(t, w.up)
	w.git("add", "person.txt", "tests")
	w.git("commit", "-qm", "settled")
	w.write("new/untracked.txt", "mine\n")
	give(t, w.up)
	w.succeed("task", "add", "something", "--as-it-is", "--task", "T1")
	w.succeed("task", "start", "T1")
	before := w.state()
	w.change(map[string]string{"a.txt": "agent\n", "b.txt": "agent\n", "src/new.txt": "agent\n", "tests/t.txt": "agent\n", "keep/c.txt": ""})
	w.git("config", "user.agent", "agent")
	w.succeed("task", "capture", "T1")
	w.change(map[string]string{"b.txt": "agent and person\n", "person.txt": "edited since\n", "mine.txt": "made since\n"})
	w.git("branch", "persons")
	w.must(os.WriteFile(filepath.Join(w.repo, ".git", "info", "exclude"), []byte("*.persons\n"), 0o644))
	give(t, w.up)
	after := w.state()

	for _, c := range []struct {
		name  string
		args  []string
		files map[string]string // contents afterwards; "" if the file does not exist
		says  []string
	}{
		{"plain", []string{"--yes"}, map[string]string{"a.txt": "one\n", "b.txt": "two\n", "src/new.txt": "", "tests/t.txt": "old\n", "keep/c.txt": "three\n",
			"person.txt": "edited since\n", "mine.txt": "made since\n", ".git/info/exclude": "*.persons\n"},
			[]string{"wrote a.txt", "removed src/new.txt", "kept person.txt: changed by somebody else", "kept mine.txt: changed by somebody else", "b.txt was also changed by someone else",
				"kept info/exclude: changed by somebody else", "kept refs/heads/persons: "}},
		{"preserve", []string{"--yes", "--preserve", "tests/**"}, map[string]string{"a.txt": "one\n", "tests/t.txt": "agent\n"}, []string{"kept tests/t.txt: preserved"}},
		{"hard", []string{"--yes", "--hard"}, map[string]string{"a.txt": "one\n", "b.txt": "two\n", "tests/t.txt": "old\n", "person.txt": "theirs\n", "mine.txt": ""}, []string{"removed mine.txt"}},
		{"files only", []string{"--yes", "--files-only"}, map[string]string{"a.txt": "one\n", "person.txt": "edited since\n"}, nil},
		{"dry run", []string{"--dry-run"}, map[string]string{"a.txt": "agent\n", "b.txt": "agent and person\n"}, []string{"would write a.txt", "would remove src/new.txt", "kept person.txt"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			d := w.another(t, folder(t))
			got := d.belay("", append([]string{"rollback", "T1"}, c.args...)...)
			if got.code != 0 {
				t.Fatal(got)
			}
			for _, want := range c.says {
				if !strings.Contains(got.out, want) {
					t.Errorf("the output lacks %q: %s", want, got)
				}
			}
			for name, want := range c.files {
				if text, _ := os.ReadFile(filepath.Join(d.repo, name)); string(text) != want {
					t.Errorf("%s contains %q, want %q", name, text, want)
				}
			}
			nick := strings.TrimSpace(d.git("config", "--default", "none", "user.agent"))
			if back := c.name != "files only" && c.name != "dry run"; (nick == "none") != back {
				t.Errorf("the agent's setting is %q", nick)
			}
			if c.name == "dry run" {
				for _, l := range differing(after, d.state()) {
					t.Errorf("a dry run changed something: %s", l)
				}
				return
			}
			if c.name == "hard" {
				for _, l := range differing(before, d.state()) {
					if !strings.Contains(l, "refs/heads/persons") {
						t.Errorf("not as before: %s", l)
					}
				}
			}
			if show := d.belay("", "log", "T1"); !strings.Contains(show.out, "rollback") && !strings.Contains(show.out, "back") {
				t.Errorf("the record does not tell: %s", show)
			}
			d.succeed("undo")
			for _, l := range differing(after, d.state()) {
				t.Errorf("undo: %s", l)
			}
		})
	}
}

// change writes files; "" deletes one.
func (w *world) change(files map[string]string) {
	w.t.Helper()
	for name, text := range files {
		if text == "" {
			w.must(os.Remove(filepath.Join(w.repo, name)))
			continue
		}
		w.write(name, text)
	}
	give(w.t, w.repo)
}

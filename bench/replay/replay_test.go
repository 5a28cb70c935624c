package main

import (
	"bytes"
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// history creates a repository with commits of people and of a bot.
func history(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	git := func(args ...string) {
		t.Helper()
		cmd := exec.Command("git", append([]string{"-C", dir, "-c", "commit.gpgsign=false", "-c", "core.autocrlf=false"}, args...)...)
		cmd.Env = append(safe(), "HOME="+dir, "GIT_AUTHOR_EMAIL=a@example.com", "GIT_COMMITTER_EMAIL=a@example.com", "GIT_COMMITTER_NAME=a")
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Fatalf("git %v: %v\n%s", args, err, out)
		}
	}
	commit := func(author, message string, files map[string]string) {
		t.Helper()
		for p, text := range files {
			if text == "" {
				if err := os.Remove(filepath.Join(dir, p)); err != nil {
					t.Fatal(err)
				}
				continue
			}
			if err := os.MkdirAll(filepath.Dir(filepath.Join(dir, p)), 0o755); err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(filepath.Join(dir, p), []byte(text), 0o644); err != nil {
				t.Fatal(err)
			}
		}
		git("add", "-A")
		git("commit", "-q", "--author", author+" <a@example.com>", "-m", message)
	}
	one := "package x\n\nimport \"testing\"\n\nfunc TestA(t *testing.T) {\n\tif got := F(1); got != 1 {\n\t\tt.Fatal(got)\n\t}\n}\n"
	two := one + "\nfunc TestB(t *testing.T) {\n\tif got := G(2, 3); got != \"b\" {\n\t\tt.Fatal(got)\n\t}\n}\n"
	git("init", "-q")
	commit("ann", "begin", map[string]string{"a_test.go": two, "a.go": "package x\n"})
	commit("ann", "Speed up F", map[string]string{"a_test.go": one, "a.go": "package x\n\nfunc F(x int) int { return x }\n"})
	commit("dependabot[bot]", "Bump", map[string]string{"go.mod": "module x\n"})
	commit("ann", "Document F", map[string]string{"README.md": "F gives what it gets.\n"})
	commit("ann", "Remove the last test", map[string]string{"a_test.go": ""})
	commit("ann", "Say more", map[string]string{"README.md": "F gives what it gets.\n\nAlways.\n"})
	return dir
}

func TestReplay(t *testing.T) {
	t.Parallel()
	dir := history(t)
	bare := filepath.Join(t.TempDir(), "bare.git")
	if out, err := exec.Command("git", "clone", "-q", "--bare", dir, bare).CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	var tables []string
	for _, at := range []string{dir, bare} {
		r, err := replay(context.Background(), at, 4, nil)
		if err != nil {
			t.Fatal(err)
		}
		var said []string
		for _, v := range r.Commits {
			subject, _, _ := strings.Cut(v.Message, "\n")
			said = append(said, subject+": "+strings.Join(append(v.Rejected, v.Asks...), ","))
			if len(v.Unknown) > 0 {
				t.Errorf("%s: %v", subject, v.Unknown)
			}
		}
		want := "Say more: \nRemove the last test: \nDocument F: \nSpeed up F: integrity"
		if got := strings.Join(said, "\n"); got != want {
			t.Errorf("%s:\n got %s\nwant %s", at, got, want)
		}
		r.Repository = "x"
		var b bytes.Buffer
		r.print(&b, false)
		table(&b, []replayed{r})
		tables = append(tables, b.String())
	}
	for _, want := range []string{"test deleted: TestB", "| x | 0 of 4, 0.0 % | - | 1 of 4, 25.0 % | 0 of 2, 0.0 % | - | 1 of 2, 50.0 % |"} {
		if !strings.Contains(tables[0], want) {
			t.Errorf("no %q in\n%s", want, tables[0])
		}
	}
	if tables[0] != tables[1] {
		t.Errorf("a bare clone gives another result:\n%s", tables[1])
	}
}

// TestWeaken: removing a test from a real commit is detected.
func TestWeaken(t *testing.T) {
	t.Parallel()
	ctx := context.Background()
	repo, err := open(ctx, history(t))
	if err != nil {
		t.Fatal(err)
	}
	defer repo.close()
	sample, err := repo.sample(ctx, 4, byTests{})
	if err != nil {
		t.Fatal(err)
	}
	var out weakened
	if err := repo.weaken(ctx, sample, &out); err != nil {
		t.Fatal(err)
	}
	if len(out.Missed) > 0 || out.Made["a test deleted"] == 0 || out.Made["a test emptied"] == 0 || out.Made["a test skipped"] == 0 {
		t.Errorf("%+v", out)
	}
}

// TestAdditions: a commit that adds an item is shown to do so, and one that replaces an item is
// detected.
func TestAdditions(t *testing.T) {
	t.Parallel()
	dir := history(t)
	git := func(args ...string) {
		t.Helper()
		of := []string{"-C", dir, "-c", "commit.gpgsign=false", "-c", "user.name=ann", "-c", "user.email=a@example.com"}
		cmd := exec.Command("git", append(of, args...)...)
		cmd.Env = append(safe(), "HOME="+dir)
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Fatalf("git %v: %v\n%s", args, err, out)
		}
	}
	write := func(name, text string) {
		t.Helper()
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	write("languages.json", "{\n  \"Ada\": 1,\n  \"Slang\": 2,\n  \"Zig\": 3\n}\n")
	git("add", "-A")
	git("commit", "-q", "-m", "List languages")
	write("languages.json", "{\n  \"Ada\": 1,\n  \"Hare\": 4,\n  \"Slang\": 2,\n  \"Zig\": 3\n}\n")
	git("commit", "-q", "-a", "-m", "Add support for Hare")
	all, err := addIn(context.Background(), dir, 4)
	if err != nil {
		t.Fatal(err)
	}
	if len(all) != 1 || all[0].File != "languages.json" || !all[0].allShown() {
		t.Fatalf("%+v", all)
	}
	s := sums(all)
	if want := (seen{made: 1, warned: 1}); s.ways[converted] != want || s.shown != 1 {
		t.Errorf("%+v: %v", s, all[0].Mutants)
	}
}

func TestNoRepository(t *testing.T) {
	t.Parallel()
	if _, err := replay(context.Background(), t.TempDir(), 4, nil); err == nil {
		t.Error("an empty folder was replayed")
	}
}

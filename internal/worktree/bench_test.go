package worktree_test

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"sort"
	"strings"
	"testing"

	"github.com/belay-dev/belay/internal/belay"
	"github.com/belay-dev/belay/internal/git"
	"github.com/belay-dev/belay/internal/restore"
	"github.com/belay-dev/belay/internal/snapshot"
	"github.com/belay-dev/belay/internal/worktree"
)

// TestMain gives git an empty home. In a process started by a crash test it runs one step instead
// of the tests.
func TestMain(m *testing.M) {
	if step := os.Getenv("BELAY_TEST_STEP"); step != "" {
		os.Exit(runStep(step))
	}
	home, err := os.MkdirTemp("", "belay-trees-home")
	if err != nil {
		panic(err)
	}
	if err := os.WriteFile(filepath.Join(home, ".gitconfig"), []byte("[user]\n\tname = Ann\n\temail = ann@example.org\n[init]\n\tdefaultBranch = main\n"), 0o600); err != nil {
		panic(err)
	}
	for _, kv := range os.Environ() {
		if key, _, _ := strings.Cut(kv, "="); strings.HasPrefix(key, "GIT_") {
			os.Unsetenv(key)
		}
	}
	for key, value := range map[string]string{"HOME": home, "XDG_CONFIG_HOME": filepath.Join(home, "xdg"), "GIT_CONFIG_NOSYSTEM": "1", "LC_ALL": "C"} {
		os.Setenv(key, value)
	}
	code := m.Run()
	os.RemoveAll(home)
	os.Exit(code)
}

// yard is a temporary repository made with the real git.
type yard struct {
	t   testing.TB
	dir string
}

func newYard(t testing.TB, initArgs ...string) *yard {
	t.Helper()
	up, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	y := &yard{t: t, dir: filepath.Join(up, "repo")}
	y.run(up, append(append([]string{"init", "-q"}, initArgs...), y.dir)...)
	return y
}

func (y *yard) ok(err error) {
	y.t.Helper()
	if err != nil {
		y.t.Fatal(err)
	}
}

func (y *yard) run(dir string, args ...string) string {
	y.t.Helper()
	c := exec.Command("git", args...)
	c.Dir, c.Env = dir, append(os.Environ(), "GIT_OPTIONAL_LOCKS=0") // status must not refresh the index, which the tests compare
	out, err := c.CombinedOutput()
	if err != nil {
		y.t.Fatalf("git %v: %v: %s", args, err, out)
	}
	return strings.TrimSpace(string(out))
}

func (y *yard) git(args ...string) string { y.t.Helper(); return y.run(y.dir, args...) }

// write creates a file below dir. Content "->x" makes a symlink to x, content that starts with "#!"
// an executable file.
func write(t testing.TB, dir, name, text string) {
	t.Helper()
	path := filepath.Join(dir, name)
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		t.Fatal(err)
	}
	_ = os.RemoveAll(path)
	var err error
	switch {
	case strings.HasPrefix(text, "->"):
		err = os.Symlink(text[2:], path)
	case strings.HasPrefix(text, "#!"):
		if err = os.WriteFile(path, []byte(text), 0o755); err == nil {
			err = os.Chmod(path, 0o755)
		}
	default:
		if err = os.WriteFile(path, []byte(text), 0o644); err == nil {
			err = os.Chmod(path, 0o644)
		}
	}
	if err != nil {
		t.Fatal(err)
	}
}

func (y *yard) write(name, text string) { y.t.Helper(); write(y.t, y.dir, name, text) }

// base makes a commit, and staged, unstaged and untracked changes on top of it.
func (y *yard) base() {
	y.t.Helper()
	y.write("a.txt", "1\n2\n3\n4\n5\n6\n7\n8\n9\n")
	y.write("b.txt", "b\n")
	y.write("d/c.txt", "c\n")
	y.write("d/run", "#!/bin/sh\n")
	y.write("link", "->a.txt")
	y.write(".gitignore", "*.log\n")
	y.git("add", ".")
	y.git("commit", "-qm", "first")
	y.write("b.txt", "b, staged\n")
	y.git("add", "b.txt")
	y.write("b.txt", "b, staged and edited\n")
	y.write("new/untracked.txt", "mine\n")
	y.write("debug.log", "ignored\n")
	y.ok(os.MkdirAll(filepath.Join(y.dir, "hollow/folder"), 0o755))
	y.ok(os.Chmod(filepath.Join(y.dir, "d/c.txt"), 0o600))
}

func open(t testing.TB, dir string) *restore.Store {
	t.Helper()
	r, err := git.Open(context.Background(), dir, false)
	if err != nil {
		t.Fatal(err)
	}
	s, err := restore.Open(context.Background(), r, snapshot.Options{})
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func take(t testing.TB, s *restore.Store) snapshot.Info {
	t.Helper()
	i, err := s.Snapshots.Take(context.Background(), snapshot.Meta{Kind: belay.KindManual})
	if err != nil {
		t.Fatal(err)
	}
	return i
}

// apart creates a task's worktree from the current state of y.
func (y *yard) apart(task belay.TaskID) (worktree.Made, string) {
	y.t.Helper()
	home := open(y.t, y.dir)
	from := take(y.t, home)
	path := filepath.Join(y.dir, ".git", "belay", "trees", task.Key())
	m, err := worktree.MakeTree(context.Background(), home, path, worktree.Mark{Task: task, Home: y.dir, From: from.ID}, snapshot.Options{})
	y.ok(err)
	return m, path
}

// looks returns type, mode and content of everything below dir except .git.
func looks(t testing.TB, dir string) map[string]string {
	t.Helper()
	f := map[string]string{}
	err := filepath.WalkDir(dir, func(p string, d fs.DirEntry, err error) error {
		rel := strings.TrimPrefix(strings.TrimPrefix(p, dir), "/")
		if err != nil || rel == "" {
			return err
		}
		if rel == ".git" {
			if d.IsDir() {
				return fs.SkipDir
			}
			return nil
		}
		info, err := os.Lstat(p)
		if err != nil {
			return err
		}
		f[rel] = info.Mode().String()
		if info.Mode()&fs.ModeSymlink != 0 {
			to, _ := os.Readlink(p)
			f[rel] += " " + to
		} else if info.Mode().IsRegular() {
			text, err := os.ReadFile(p)
			if err != nil {
				return err
			}
			f[rel] += fmt.Sprintf(" %q", text)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return f
}

// gitLooks returns git's state that a merge must not change: index, HEAD and refs.
func (y *yard) gitLooks() string {
	y.t.Helper()
	index, err := os.ReadFile(filepath.Join(y.dir, ".git/index"))
	if !errors.Is(err, fs.ErrNotExist) {
		y.ok(err)
	}
	c := exec.Command("git", "symbolic-ref", "-q", "HEAD")
	c.Dir = y.dir
	head, _ := c.Output()
	return fmt.Sprintf("%x\n%s\n%s", index, head, y.git("for-each-ref", "--format=%(refname) %(objectname)", "refs/heads", "refs/tags", "refs/stash"))
}

func differ(a, b map[string]string) (lines []string) {
	for k, v := range a {
		if b[k] != v {
			lines = append(lines, fmt.Sprintf("%s: %s → %s", k, v, b[k]))
		}
	}
	for k, v := range b {
		if _, had := a[k]; !had {
			lines = append(lines, fmt.Sprintf("%s: nothing → %s", k, v))
		}
	}
	sort.Strings(lines)
	return lines
}

func same(t testing.TB, what string, want, got map[string]string) {
	t.Helper()
	if d := differ(want, got); len(d) > 0 {
		t.Errorf("%s:\n\t%s", what, strings.Join(d, "\n\t"))
	}
}

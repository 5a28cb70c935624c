package worktree

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/belay-dev/belay/internal/belay"
	"github.com/belay-dev/belay/internal/git"
	"github.com/belay-dev/belay/internal/snapshot"
)

type place struct {
	*testing.T
	dir   string
	snaps *snapshot.Store
}

func (p place) git(dir string, args ...string) string {
	p.Helper()
	cmd := exec.Command("git", args...)
	cmd.Dir = dir
	out, err := cmd.CombinedOutput()
	if err != nil {
		p.Fatalf("git %v: %v\n%s", args, err, out)
	}
	return strings.TrimSpace(string(out))
}

func (p place) write(path, text string) {
	p.Helper()
	path = filepath.Join(p.dir, path)
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		p.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
		p.Fatal(err)
	}
}

func newPlace(t *testing.T, initArgs ...string) place {
	t.Helper()
	home := t.TempDir()
	for k, v := range map[string]string{
		"HOME": home, "XDG_CONFIG_HOME": home, "GIT_CONFIG_NOSYSTEM": "1", "TMPDIR": filepath.Join(home, "tmp"),
		"GIT_AUTHOR_NAME": "A", "GIT_AUTHOR_EMAIL": "a@example.com", "GIT_COMMITTER_NAME": "A", "GIT_COMMITTER_EMAIL": "a@example.com",
	} {
		t.Setenv(k, v)
	}
	if err := os.Mkdir(filepath.Join(home, "tmp"), 0o755); err != nil {
		t.Fatal(err)
	}
	p := place{T: t, dir: filepath.Join(home, "re\"po #1")}
	p.git(home, append(append([]string{"init", "-q", "-b", "main"}, initArgs...), p.dir)...)
	p.write("a.txt", "one\n")
	p.write("dir/run.sh", "#!/bin/sh\n")
	p.write(".gitignore", "node_modules\n")
	p.git(p.dir, "add", "-A")
	p.git(p.dir, "commit", "-qm", "first")
	p.write("a.txt", "two\n")
	p.write("new.txt", "untracked\n")
	p.write("node_modules/m/index.js", "m\n")
	repo, err := git.Open(t.Context(), p.dir, false)
	if err != nil {
		t.Fatal(err)
	}
	if p.snaps, err = snapshot.Open(t.Context(), repo, snapshot.Options{}); err != nil {
		t.Fatal(err)
	}
	return p
}

func (p place) take() belay.SnapshotID {
	p.Helper()
	info, err := p.snaps.Take(p.Context(), snapshot.Meta{Kind: belay.KindManual})
	if err != nil {
		p.Fatal(err)
	}
	return info.ID
}

func (p place) left() []string {
	left, _ := filepath.Glob(filepath.Join(os.TempDir(), prefix+"*"))
	return left
}

// TestMake checks that a checkout has the uncommitted changes, that git works in it, and that
// nothing done there affects the user's repository or remains after Close.
func TestMake(t *testing.T) {
	for name, args := range map[string][]string{"sha1": nil, "sha256": {"--object-format=sha256"}} {
		t.Run(name, func(t *testing.T) {
			p := newPlace(t, args...)
			id := p.take()
			state := func() string {
				return p.git(p.dir, "for-each-ref") + p.git(p.dir, "status", "--porcelain") + p.git(p.dir, "worktree", "list") + p.git(p.dir, "count-objects")
			}
			before := state()
			c, err := Make(t.Context(), p.snaps, id, []string{"node_modules", "not/there"})
			if err != nil {
				t.Fatal(err)
			}
			if got := p.git(c.Root, "status", "--porcelain"); got != "M a.txt\n?? new.txt" {
				t.Errorf("status is %q", got)
			}
			if got := p.git(c.Root, "log", "--format=%s %D"); got != "first HEAD -> main" {
				t.Errorf("log is %q", got)
			}
			if text, err := os.ReadFile(filepath.Join(c.Root, "node_modules/m/index.js")); err != nil || string(text) != "m\n" {
				t.Errorf("node_modules: %q, %v", text, err)
			}
			p.git(c.Root, "commit", "-qam", "inside")
			p.git(c.Root, "branch", "-f", "other")
			p.git(c.Root, "gc", "-q", "--prune=now")
			if err := os.MkdirAll(filepath.Join(c.Root, "ro/deep"), 0o755); err != nil {
				t.Fatal(err)
			}
			if err := os.Chmod(filepath.Join(c.Root, "ro"), 0o555); err != nil {
				t.Fatal(err)
			}
			if err := c.Close(); err != nil {
				t.Error(err)
			}
			if after := state(); after != before {
				t.Errorf("the repository was\n%s\nand is\n%s", before, after)
			}
			if left := p.left(); len(left) > 0 {
				t.Errorf("left: %v", left)
			}
			if _, err := os.Stat(filepath.Join(p.dir, "node_modules/m/index.js")); err != nil {
				t.Error("the linked folder was deleted")
			}
		})
	}
}

// TestMakeRefuses checks that a failed checkout leaves nothing behind.
func TestMakeRefuses(t *testing.T) {
	p := newPlace(t)
	id := p.take()
	if _, err := Make(t.Context(), p.snaps, id, []string{"../x"}); belay.CodeOf(err) != belay.CodeUsage {
		t.Errorf("%v", err)
	}
	if _, err := Make(t.Context(), p.snaps, "01h00000000000000000000000", nil); belay.CodeOf(err) != belay.CodeNotFound {
		t.Errorf("%v", err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := Make(ctx, p.snaps, id, nil); err == nil {
		t.Error("a checkout was made with a cancelled context")
	}
	if left := p.left(); len(left) > 0 {
		t.Errorf("left: %v", left)
	}
}

// TestUnborn makes a checkout of a branch without a commit.
func TestUnborn(t *testing.T) {
	p := newPlace(t)
	p.git(p.dir, "checkout", "-q", "--orphan", "fresh")
	p.git(p.dir, "rm", "-qrf", "--cached", ".")
	c, err := Make(t.Context(), p.snaps, p.take(), nil)
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	if got := p.git(c.Root, "symbolic-ref", "HEAD"); got != "refs/heads/fresh" {
		t.Errorf("HEAD is %q", got)
	}
	if got := p.git(c.Root, "status", "--porcelain"); !strings.Contains(got, "?? a.txt") {
		t.Errorf("status is %q", got)
	}
}

// TestShallow makes a checkout in a shallow clone: git log works there as in the clone.
func TestShallow(t *testing.T) {
	p := newPlace(t)
	p.git(p.dir, "commit", "-qam", "second")
	clone := filepath.Join(t.TempDir(), "clone")
	p.git(p.dir, "clone", "-q", "--depth", "1", "file://"+p.dir, clone)
	repo, err := git.Open(t.Context(), clone, false)
	if err != nil {
		t.Fatal(err)
	}
	if p.snaps, err = snapshot.Open(t.Context(), repo, snapshot.Options{}); err != nil {
		t.Fatal(err)
	}
	c, err := Make(t.Context(), p.snaps, p.take(), nil)
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	if got := p.git(c.Root, "log", "--format=%s"); got != "second" {
		t.Errorf("log is %q", got)
	}
}

// TestSweep checks that only an old, unlocked folder is removed.
func TestSweep(t *testing.T) {
	p := newPlace(t)
	id := p.take()
	kept, err := Make(t.Context(), p.snaps, id, nil)
	if err != nil {
		t.Fatal(err)
	}
	dead, err := Make(t.Context(), p.snaps, id, nil)
	if err != nil {
		t.Fatal(err)
	}
	old := time.Now().Add(-time.Hour)
	for _, c := range []*Checkout{kept, dead} {
		if err := os.Chtimes(c.dir, old, old); err != nil {
			t.Fatal(err)
		}
	}
	if err := dead.lock.Unlock(); err != nil { // as the kernel does when the process ends
		t.Fatal(err)
	}
	c, err := Make(t.Context(), p.snaps, id, nil)
	if err != nil {
		t.Fatal(err)
	}
	if left := p.left(); len(left) != 2 {
		t.Errorf("want two folders, got %v", left)
	}
	if _, err := os.Stat(kept.Root); err != nil {
		t.Error("a folder in use was removed")
	}
	if err := c.Close(); err != nil {
		t.Error(err)
	}
	if err := kept.Close(); err != nil {
		t.Error(err)
	}
}

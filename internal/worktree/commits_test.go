package worktree

import (
	"crypto/sha256"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"testing"

	"github.com/belay-dev/belay/internal/belay"
	"github.com/belay-dev/belay/internal/git"
	"github.com/belay-dev/belay/internal/restore"
	"github.com/belay-dev/belay/internal/snapshot"
)

type bench struct {
	*testing.T
	dir string
}

func repository(t *testing.T) bench {
	t.Helper()
	home, dir := t.TempDir(), t.TempDir()
	t.Setenv("HOME", home)
	t.Setenv("XDG_CONFIG_HOME", home)
	t.Setenv("GIT_CONFIG_NOSYSTEM", "1")
	b := bench{t, dir}
	b.git("init", "-q", "-b", "main")
	b.git("config", "user.name", "n")
	b.git("config", "user.email", "n@example.com")
	return b
}

func (b bench) git(args ...string) {
	b.Helper()
	c := exec.Command("git", args...)
	c.Dir = b.dir
	if out, err := c.CombinedOutput(); err != nil {
		b.Fatalf("git %v: %v\n%s", args, err, out)
	}
}

func (b bench) write(name, text string) {
	b.Helper()
	path := filepath.Join(b.dir, name)
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		b.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
		b.Fatal(err)
	}
}

func (b bench) store() *restore.Store {
	b.Helper()
	repo, err := git.Open(b.Context(), b.dir, false)
	if err != nil {
		b.Fatal(err)
	}
	snaps, err := restore.Open(b.Context(), repo, snapshot.Options{})
	if err != nil {
		b.Fatal(err)
	}
	return snaps
}

// changed returns the changes from a commit to the current state.
func (b bench) changed(name string) []string {
	b.Helper()
	snaps := b.store()
	before, err := Snapshot(b.Context(), snaps, name, snapshot.Meta{Kind: belay.KindManual, Message: name})
	if err != nil {
		b.Fatal(err)
	}
	after, err := snaps.Snapshots.Take(b.Context(), snapshot.Meta{Kind: belay.KindManual, Message: "after"})
	if err != nil {
		b.Fatal(err)
	}
	list, err := snaps.Snapshots.Changes(b.Context(), before.ID, after.ID)
	if err != nil {
		b.Fatal(err)
	}
	paths := []string{}
	for _, c := range list {
		paths = append(paths, c.Status+" "+c.Path)
	}
	return paths
}

func TestCommitIsASnapshot(t *testing.T) {
	b := repository(t)
	b.write("a.txt", "one\n")
	b.write("below/run.sh", "#!/bin/sh\n")
	if err := os.Chmod(filepath.Join(b.dir, "below/run.sh"), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink("a.txt", filepath.Join(b.dir, "link")); err != nil {
		t.Fatal(err)
	}
	b.git("add", ".")
	b.git("commit", "-qm", "first")
	b.git("tag", "v1")
	if got := b.changed("HEAD"); len(got) != 0 {
		t.Fatalf("nothing changed, got %v", got)
	}
	b.write("a.txt", "two\n")
	b.git("commit", "-qam", "second")
	b.write("new.txt", "new\n")
	if err := os.Remove(filepath.Join(b.dir, "link")); err != nil {
		t.Fatal(err)
	}
	if got, want := b.changed("HEAD"), []string{"D link", "A new.txt"}; !slices.Equal(got, want) {
		t.Errorf("against HEAD: %v, want %v", got, want)
	}
	if got, want := b.changed("v1"), []string{"M a.txt", "D link", "A new.txt"}; !slices.Equal(got, want) {
		t.Errorf("against v1: %v, want %v", got, want)
	}
}

func TestFormsThatGitConverts(t *testing.T) {
	b := repository(t)
	big := "a large file\n"
	b.write("big.bin", fmt.Sprintf("version https://git-lfs.github.com/spec/v1\noid sha256:%x\nsize %d\n", sha256.Sum256([]byte(big)), len(big)))
	b.write("other.bin", fmt.Sprintf("version https://git-lfs.github.com/spec/v1\noid sha256:%x\nsize %d\n", sha256.Sum256([]byte(big)), len(big)))
	b.write("same.txt", "one\ntwo\n")
	b.write("edited.txt", "one\ntwo\n")
	b.git("add", ".")
	b.git("commit", "-qm", "first")
	b.write("same.txt", "one\r\ntwo\r\n")
	b.write("edited.txt", "one\r\n2\r\n")
	b.write("big.bin", big)
	b.write("other.bin", "A large file\n")
	if got, want := b.changed("HEAD"), []string{"M edited.txt", "M other.bin"}; !slices.Equal(got, want) {
		t.Errorf("changed: %v, want %v", got, want)
	}
}

func TestWhatIsNotCheckedOut(t *testing.T) {
	b := repository(t)
	b.write("kept.txt", "one\n")
	b.write("away.txt", "one\n")
	b.write("deleted.txt", "one\n")
	b.git("add", ".")
	b.git("update-index", "--add", "--cacheinfo", "160000,"+"1234567890123456789012345678901234567890,module")
	b.git("commit", "-qm", "first")
	b.git("update-index", "--skip-worktree", "away.txt")
	for _, name := range []string{"away.txt", "deleted.txt"} {
		if err := os.Remove(filepath.Join(b.dir, name)); err != nil {
			t.Fatal(err)
		}
	}
	if got, want := b.changed("HEAD"), []string{"D deleted.txt"}; !slices.Equal(got, want) {
		t.Errorf("changed: %v, want %v", got, want)
	}
}

func TestNoSuchCommit(t *testing.T) {
	b := repository(t)
	b.write("a.txt", "one\n")
	snaps := b.store()
	for _, name := range []string{"HEAD", "", "nowhere", "-x", "--all", "HEAD:a.txt", "a b\n"} {
		if _, err := Snapshot(t.Context(), snaps, name, snapshot.Meta{Kind: belay.KindManual}); belay.CodeOf(err) != belay.CodeNotFound {
			t.Errorf("%q: %v", name, err)
		}
	}
	b.git("add", ".")
	b.git("commit", "-qm", "first")
	if _, err := Snapshot(t.Context(), snaps, "HEAD:a.txt", snapshot.Meta{Kind: belay.KindManual}); belay.CodeOf(err) != belay.CodeNotFound {
		t.Errorf("a file instead of a commit: %v", err)
	}
}

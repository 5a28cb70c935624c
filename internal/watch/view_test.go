package watch

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"golang.org/x/sys/unix"
	"pgregory.net/rapid"

	"github.com/belay-dev/belay/internal/fsroot"
	"github.com/belay-dev/belay/internal/scan"
)

var (
	someNames = rapid.SampledFrom([]string{"a", "b", "a.b", "a-", "c", "x.log", "build", "keep", ".gitignore", "n\nl", "\xff", ".git", ".GIT"})
	someRules = rapid.SampledFrom([]string{"*.log\n", "build/\n", "/a\n", "*\n!keep\n", "a/**\n!a/b\n", "build\n", "# none\n"})
)

func somePath(t *rapid.T) string {
	path := strings.Join(rapid.SliceOfN(someNames, 1, 4).Draw(t, "path"), "/")
	if path == ".git" || strings.HasPrefix(path, ".git/") { // the .git of the repository itself
		return "a/" + path
	}
	return path
}

// put writes a file. It does not block when the path is a FIFO.
func put(path, text string) {
	if f, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_TRUNC|unix.O_NONBLOCK, 0o644); err == nil {
		_, _ = f.WriteString(text)
		_ = f.Close()
	}
}

// mutate makes one random change in the tree, or none when that fails.
func (b *box) mutate(t *rapid.T) {
	path := somePath(t)
	full := b.path(path)
	text := fmt.Sprint(rapid.IntRange(10, 99).Draw(t, "text"))
	if filepath.Base(path) == ".gitignore" {
		text = someRules.Draw(t, "rules")
	}
	switch what := rapid.IntRange(0, 15).Draw(t, "what"); what {
	case 0, 1, 2:
		_ = os.MkdirAll(filepath.Dir(full), 0o755)
		put(full, text)
	case 3:
		_ = os.RemoveAll(full)
	case 4:
		_ = os.MkdirAll(filepath.Dir(full), 0o755)
		_ = os.Symlink(text, full)
	case 5:
		_ = os.MkdirAll(full, 0o755)
	case 6, 7:
		to := b.path(somePath(t))
		_ = os.MkdirAll(filepath.Dir(to), 0o755)
		_ = os.Rename(full, to)
	case 8:
		_ = os.Chmod(full, rapid.SampledFrom([]os.FileMode{0o755, 0o600, 0o700, 0o644}).Draw(t, "mode")|0o700)
	case 9: // swap two paths; folders keep their watch numbers
		to := b.path(somePath(t))
		_ = fsroot.ExchangeAt(unix.AT_FDCWD, full, unix.AT_FDCWD, to)
	case 10: // move out of the tree, change it there, and move it back
		away := filepath.Join(b.other.Dir+"-away", "x")
		_ = os.MkdirAll(filepath.Dir(away), 0o755)
		_ = os.RemoveAll(away)
		if os.Rename(full, away) == nil {
			_ = os.WriteFile(filepath.Join(away, "b"), []byte(text), 0o644)
			_ = os.Rename(away, full)
		}
	case 11: // keep the size and restore the time
		if info, err := os.Lstat(full); err == nil && info.Mode().IsRegular() && info.Size() == 2 {
			put(full, text)
			_ = os.Chtimes(full, info.ModTime(), info.ModTime())
		}
	case 12:
		to := b.path(somePath(t))
		_ = os.Link(full, to)
	case 13: // the file may have another hard link
		put(full, text)
	case 14:
		_ = unix.Mkfifo(filepath.Join(filepath.Dir(full), "fifo"), 0o644) // not a random name: git hangs on a FIFO called .gitignore
	case 15:
		_ = os.MkdirAll(filepath.Join(full, ".git"), 0o755)
		_ = os.WriteFile(filepath.Join(full, ".git", "HEAD"), []byte("ref: refs/heads/x\n"), 0o644)
	}
}

// TestWatchIsAScan checks that after any changes the view equals a scan without a cache.
func TestWatchIsAScan(t *testing.T) {
	t.Parallel()
	sure, lost := 0, 0
	rapid.Check(t, func(rt *rapid.T) {
		b := newBox(t)
		if rapid.Bool().Draw(rt, "include") {
			b.place.Include = []string{"build/keep", "**/x.log"}
			b.other.Include = b.place.Include
		}
		for range rapid.IntRange(0, 8).Draw(rt, "before") {
			b.mutate(rt)
		}
		v := b.view(t)
		for range rapid.IntRange(1, 5).Draw(rt, "rounds") {
			for range rapid.IntRange(0, 8).Draw(rt, "mutations") {
				b.mutate(rt)
			}
			switch rapid.IntRange(0, 5).Draw(rt, "git") {
			case 0:
				_ = gitQuietly(b, "add", "-A")
			case 1:
				_ = gitQuietly(b, "commit", "-qam", "more")
			}
			if b.same(rt, v) {
				sure++
				continue
			}
			lost++
			v.close()
			v = b.view(t)
		}
		v.close()
	})
	t.Logf("%d times sure, %d times lost", sure, lost)
	if sure < lost {
		t.Errorf("it is mostly lost: %d sure, %d lost", sure, lost)
	}
}

func gitQuietly(b *box, args ...string) error {
	defer func() { _ = recover() }()
	b.git(quiet{}, args...)
	return nil
}

type quiet struct{}

func (quiet) Helper()               {}
func (quiet) Fatalf(string, ...any) { panic("git") }

func TestBytesThroughAMapping(t *testing.T) {
	t.Parallel()
	b := newBox(t)
	b.write(t, "db", strings.Repeat("x", 8192))
	v := b.view(t)
	f, err := os.OpenFile(b.path("db"), os.O_RDWR, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	mem, err := unix.Mmap(int(f.Fd()), 0, 8192, unix.PROT_READ|unix.PROT_WRITE, unix.MAP_SHARED)
	if err != nil {
		t.Fatal(err)
	}
	for i := range 3 {
		mem[i*2000] = 'y'
		if !b.same(t, v) {
			t.Fatal("lost")
		}
	}
	mem[7000] = 'z'
	if err := unix.Munmap(mem); err != nil { // the descriptor stays open
		t.Fatal(err)
	}
	if !b.same(t, v) {
		t.Fatal("lost")
	}
}

func TestAFullQueueIsTold(t *testing.T) {
	t.Parallel()
	b := newBox(t)
	v := b.view(t)
	v.tracker.Stall(func() { // more events than the kernel's queue can hold
		for i := range 12_000 {
			_ = os.WriteFile(b.path(fmt.Sprintf("c/f%d", i)), nil, 0o644)
			_ = os.Remove(b.path(fmt.Sprintf("c/f%d", i)))
		}
		b.write(t, "four", "changed unheard")
	})
	if b.same(t, v) {
		t.Fatal("the overflow was not noticed")
	}
}

func TestWhatIsReplacedIsLost(t *testing.T) {
	t.Parallel()
	b := newBox(t)
	v := b.view(t)
	if err := os.Rename(b.root, b.root+"-moved"); err != nil {
		t.Fatal(err)
	}
	defer os.Rename(b.root+"-moved", b.root)
	if err := os.MkdirAll(b.root, 0o755); err != nil {
		t.Fatal(err)
	}
	defer os.Remove(b.root)
	if err := v.settle(context.Background(), true); err == nil || errors.Is(err, errMoving) {
		t.Fatalf("the root was moved: %v", err)
	}
}

func TestAgainLooksAtNothingElse(t *testing.T) {
	t.Parallel()
	b := newBox(t)
	v := b.view(t)
	b.write(t, "four", "heard")
	b.write(t, "a/one", "not heard")
	v.tracker.TakeDirty()
	d := &scan.DirtyPaths{}
	d.MarkRead("four")
	if _, err := v.pass(context.Background(), d); err != nil {
		t.Fatal(err)
	}
	before := v.heard()
	b.write(t, "a/one", "a/one")
	v.tracker.TakeDirty()
	if want := b.plain(t); before.Tree != want.Tree {
		t.Fatalf("an unmarked file was read")
	}
}

// TestASecondName checks files with two hard links: a write through one name also changes the
// other, whose folder gets no event.
func TestASecondName(t *testing.T) {
	t.Parallel()
	b := newBox(t)
	v := b.view(t)
	if err := os.Link(b.path("a/one"), b.path("c/other")); err != nil {
		t.Fatal(err)
	}
	if b.same(t, v) {
		t.Fatal("a second hard link was not noticed")
	}
	v = b.view(t)
	for _, path := range []string{"c/other", "a/one"} {
		put(b.path(path), "through "+path)
		if !b.same(t, v) {
			t.Fatal("lost")
		}
	}
}

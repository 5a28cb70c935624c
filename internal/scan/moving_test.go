package scan

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/belay-dev/belay/internal/testutil"

	"golang.org/x/sys/unix"

	"github.com/belay-dev/belay/internal/fsroot"
)

// during runs change in the middle of a scan, when it asks what is ignored.
func (b *bench) during(change func()) *Result {
	b.t.Helper()
	old := b.o.Ignored
	defer func() { b.o.Ignored = old }()
	b.put(fmt.Sprintf("asked-%p", &change), "x") // a new name, so that the root is asked about
	b.age()
	var once atomic.Bool
	b.o.Ignored = func(ctx context.Context, paths []string) ([]bool, error) {
		if once.CompareAndSwap(false, true) {
			change()
		}
		return make([]bool, len(paths)), nil
	}
	return b.scan()
}

func TestScanOfAMovingTree(t *testing.T) {
	t.Parallel()
	for what, change := range map[string]func(*bench){
		"an edit":            func(b *bench) { b.put("d/f", "edited") },
		"a new file":         func(b *bench) { b.put("d/new", "") },
		"a removed file":     func(b *bench) { b.must(os.Remove(b.path("top"))) },
		"a removed folder":   func(b *bench) { b.must(os.RemoveAll(b.path("d"))) },
		"a mode":             func(b *bench) { b.must(os.Chmod(b.path("d/f"), 0o600)) },
		"a file for a link":  func(b *bench) { b.must(os.Remove(b.path("top"))); b.link("top", "/etc/passwd") },
		"a file for a FIFO":  func(b *bench) { b.must(os.Remove(b.path("top"))); b.must(unix.Mkfifo(b.path("top"), 0o600)) },
		"a file for a dir":   func(b *bench) { b.must(os.Remove(b.path("top"))); b.put("top/x", "") },
		"a dir for a link":   func(b *bench) { b.must(os.RemoveAll(b.path("d"))); b.link("d", "/etc") },
		"new rules":          func(b *bench) { b.put(".gitignore", "x\n") },
		"another folder":     func(b *bench) { b.must(os.Rename(b.path("d"), b.path("e"))); b.put("d/f", "") },
		"the root is edited": func(b *bench) { b.must(os.Chmod(b.root, 0o700)) },
	} {
		t.Run(what, func(t *testing.T) {
			t.Parallel()
			b := newBench(t)
			b.put("d/f", "first", "d/g", "g", "top", "t")
			b.age()
			r := b.during(func() { change(b) })
			b.must(r.Save())
			// The root was read before the change, so a new name or mode there is not noticed;
			// everything else is.
			unseen := []string{"the root is edited"}
			if r.Unstable == slices.Contains(unseen, what) {
				t.Errorf("unstable is %v", r.Unstable)
			}
			b.scanSave()
			b.age()
			if r := b.scanSave(); r.Unstable {
				t.Error("still unstable without changes")
			}
		})
	}
}

func TestScanWithTheRootRemoved(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	b.put("a/f", "x")
	old := b.o.Ignored
	var away sync.Once // it is asked once for each level
	b.o.Ignored = func(_ context.Context, paths []string) (_ []bool, err error) {
		away.Do(func() { err = os.Rename(b.root, b.root+"-away") })
		return make([]bool, len(paths)), err
	}
	r, err := Scan(context.Background(), b.o)
	b.must(err)
	same(t, "a root that is moved is still open", []string{"a/f"}, paths(r))
	b.o.Ignored = old
	if _, err := Scan(context.Background(), b.o); err == nil {
		t.Error("a missing root was scanned")
	}
}

// TestScanWhileFilesChange edits a file all the time: every entry is the hash of a content that
// existed, or the scan is marked unstable.
func TestScanWhileFilesChange(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	const size = 300_000
	whole := map[fsroot.OID]bool{}
	content := func(i int) string { return strings.Repeat(string(rune('a'+i%20)), size) }
	for i := range 20 {
		whole[blobOID(content(i))] = true
	}
	b.put("f", content(0), "g", "still")
	var stop atomic.Bool
	done := make(chan error, 1)
	go func() {
		f, err := os.OpenFile(b.path("f"), os.O_WRONLY, 0)
		for i := 0; err == nil && !stop.Load(); i++ {
			_, err = f.WriteAt([]byte(content(i)), 0)
		}
		done <- err
	}()
	moved := 0
	for range 100 {
		r := b.scan()
		b.must(r.Save())
		if r.Unstable {
			moved++
		} else if !whole[r.Entries[0].OID] {
			t.Error("a partly written file in a stable tree")
		}
	}
	stop.Store(true)
	b.must(<-done)
	t.Logf("%d of 100 scans saw that it moved", moved)
	last, err := os.ReadFile(b.path("f"))
	b.must(err)
	if r := b.scanSave(); r.Entries[0].OID != blobOID(string(last)) {
		t.Error("the last edit was missed")
	}
}

func TestScansBesideEachOther(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	for i := range 200 {
		b.put(fmt.Sprintf("d%d/f%d", i%10, i), fmt.Sprint(i))
	}
	want := flat(b.scan())
	errs := make(chan error)
	for range 8 {
		go func() {
			r, err := Scan(context.Background(), b.o)
			if err == nil {
				err = r.Save()
			}
			if err == nil && !slices.Equal(flat(r), want) {
				err = fmt.Errorf("got %s", strings.Join(flat(r), "\n"))
			}
			errs <- err
		}()
	}
	for range 8 {
		b.must(<-errs)
	}
	b.clean()
	same(t, "afterwards", want, flat(b.scanSave()))
}

// TestWithoutRights runs tests that root would pass in a process without root's rights.
func TestWithoutRights(t *testing.T) { testutil.Without(t, withoutRights) }

func withoutRights(t *testing.T) {
	b := newBench(t)
	mode := func(path string, mode os.FileMode) { b.must(os.Chmod(b.path(path), mode)) }
	t.Cleanup(func() { // or the folder could not be removed
		_ = filepath.WalkDir(b.root, func(path string, d os.DirEntry, _ error) error {
			if d != nil && d.IsDir() {
				_ = os.Chmod(path, 0o755)
			}
			return nil
		})
	})
	b.put("secret", "s", "closed/f", "f", "lists/f", "f", "wall/a/b/f", "f", "ro/f", "old", "ro/rm", "", "ok", "ok")
	b.must(os.Mkdir(b.path("ro/dir"), 0o755))
	b.track("1", tracked("secret", "closed/f", "closed/g")...)
	mode("secret", 0)
	mode("closed", 0)
	mode("lists", 0o444) // names can be read, files cannot be looked at
	mode("ro", 0o555)
	mode("wall/a/b", 0)
	mode("wall/a", 0o444)
	mode("wall", 0)
	defer func() {
		for _, p := range []string{"closed", "lists", "ro", "wall", "wall/a", "wall/a/b"} {
			mode(p, 0o755)
		}
	}()
	r := b.scanSave()
	same(t, "entries", []string{"ok", "ro/f", "ro/rm"}, paths(r))
	got := []string{}
	for _, g := range r.Gaps {
		got = append(got, fmt.Sprintf("%s: %s, tracked %v", g.Path, g.Reason, g.Tracked))
	}
	same(t, "gaps", []string{"closed: folder cannot be read: permission denied, tracked true", "lists/f: cannot be read: permission denied, tracked false",
		"secret: cannot be read: permission denied, tracked true", "wall: folder cannot be read: permission denied, tracked false"}, got)
	if !slices.Contains(r.Dirs, Dir{"closed", 0, false}) || r.Unstable {
		t.Errorf("folders %v, unstable %v", r.Dirs, r.Unstable)
	}
}

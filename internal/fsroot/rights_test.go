package fsroot

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/belay-dev/belay/internal/testutil"
)

// TestWithoutRights runs tests that root would pass in a process without root's rights.
func TestWithoutRights(t *testing.T) { testutil.Without(t, withoutRootRights) }

func withoutRootRights(t *testing.T) {
	b := newBench(t)
	mode := func(path string, mode os.FileMode) { b.must(os.Chmod(b.path(path), mode)) }
	t.Cleanup(func() { // otherwise the folder could not be removed
		_ = filepath.WalkDir(b.root, func(path string, d os.DirEntry, _ error) error {
			if d != nil && d.IsDir() {
				_ = os.Chmod(path, 0o755)
			}
			return nil
		})
	})
	b.put("secret", "s", "closed/f", "f", "lists/f", "f", "wall/a/b/f", "f", "ro/f", "old", "ro/rm", "", "ok", "ok")
	b.must(os.Mkdir(b.path("ro/dir"), 0o755))
	mode("secret", 0)
	mode("closed", 0)
	mode("lists", 0o444) // names can be read, but not the stat of files
	mode("ro", 0o555)
	mode("wall/a/b", 0)
	mode("wall/a", 0o444)
	mode("wall", 0)
	defer func() {
		for _, p := range []string{"closed", "lists", "ro", "wall", "wall/a", "wall/a/b"} {
			mode(p, 0o755)
		}
	}()
	root, err := OpenRoot(b.root)
	b.must(err)
	defer root.Close()
	for _, err := range []error{
		root.WriteFile("ro/f", 0o444, b.tmp(), writes("new")), root.WriteFile("ro/g", 0o600, "", writes("g")), root.Symlink("ro/l", "x"),
		root.Symlink("ro/l", "y"), root.Mkdir("ro/m", 0o555), root.Mkdir("ro/m/inner", 0o700), root.Remove("ro/rm"), root.Rmdir("ro/dir"),
		root.Chmod("wall/a/b/f", 0o600), root.WriteFile("wall/a/b/f", 0o640, b.tmp(), writes("in")), root.Chmod("secret", 0o640),
	} {
		if err != nil {
			t.Error(err)
		}
	}
	for path, want := range map[string]uint16{"ro": 0o555, "wall": 0, "wall/a": 0o444, "wall/a/b": 0, "wall/a/b/f": 0o640, "ro/m": 0o555, "ro/m/inner": 0o700, "ro/f": 0o444, "secret": 0o640} {
		if i, err := root.Lstat(path); err != nil || i.Perm != want {
			t.Errorf("%s has mode %o, not %o, %v", path, i.Perm, want, err)
		}
	}
	b.is("ro/f", "new", 0o444)
	b.clean2("ro")
	if err := root.WriteFile("/etc/x", 0o644, "", writes("")); err == nil {
		t.Error("an absolute path was accepted")
	}
	// Another user's folder cannot be made writable.
	theirs, err := OpenRoot("/")
	b.must(err)
	defer theirs.Close()
	if err := theirs.WriteFile("etc/belay-test", 0o644, "", writes("")); err == nil {
		t.Error("a file was written to /etc")
	}

	errs := make(chan error)
	for i := range 4 { // several goroutines make the folder writable and restore its mode
		go func() {
			var err error
			for k := 0; err == nil && k < 50; k++ {
				err = root.WriteFile(fmt.Sprintf("ro/%d-%d", i, k), 0o600, b.tmp(), writes("x"))
			}
			errs <- err
		}()
	}
	for range 4 {
		b.must(<-errs)
	}
	if i, err := root.Lstat("ro"); err != nil || i.Perm != 0o555 {
		t.Errorf("ro has mode %o, %v", i.Perm, err)
	}
}

// clean2 fails if temporary files remain in a readable folder.
func (b *bench) clean2(folder string) {
	b.t.Helper()
	entries, err := os.ReadDir(b.path(folder))
	b.must(err)
	for _, e := range entries {
		if strings.HasPrefix(e.Name(), TempPrefix) {
			b.t.Errorf("%s is left", e.Name())
		}
	}
}

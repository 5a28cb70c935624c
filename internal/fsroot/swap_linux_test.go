package fsroot

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"sync/atomic"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"github.com/belay-dev/belay/internal/testutil"
)

// TestSwappedParents swaps a parent folder for a link to the outside and back while all writers
// work below it.
func TestSwappedParents(t *testing.T) {
	t.Parallel()
	b, r := newRoot(t)
	outside := filepath.Join(b.tmp(), "out")
	b.must(os.MkdirAll(outside+"/sub/gone", 0o755))
	for _, f := range []string{"f", "sub/f", "sub/l"} {
		b.must(os.WriteFile(filepath.Join(outside, f), []byte("sentinel"), 0o640))
	}
	b.put("p/sub/f", "x")
	b.must(os.Symlink(outside, b.path("other")))
	var stop atomic.Bool
	done := make(chan int)
	go func() {
		swaps := 0
		for ; !stop.Load(); swaps++ {
			_ = unix.Renameat2(unix.AT_FDCWD, b.path("p"), unix.AT_FDCWD, b.path("other"), unix.RENAME_EXCHANGE)
		}
		done <- swaps
	}()
	worked, refused := 0, 0
	// For at least a second, and until both have happened, which depends on the scheduler.
	for began := time.Now(); time.Since(began) < time.Second || (worked == 0 || refused == 0) && time.Since(began) < testutil.Patience; {
		for _, err := range []error{
			r.WriteFile("p/sub/f", 0o777, b.tmp(), writes("bad")), r.WriteFile("p/f", 0o777, "", writes("bad")), r.Symlink("p/sub/l", "bad"),
			r.Mkdir("p/sub/m", 0o777), r.Chmod("p/sub/f", 0o777), r.Remove("p/sub/f"), r.Rmdir("p/sub/gone"), r.Remove("p/f"),
		} {
			switch {
			case err == nil:
				worked++
			case errors.Is(err, ErrNotFolder):
				refused++
			case !errors.Is(err, fs.ErrNotExist):
				t.Fatal(err)
			}
		}
	}
	stop.Store(true)
	t.Logf("%d swaps, %d writes done, %d refused", <-done, worked, refused)
	if worked == 0 || refused == 0 {
		t.Error("the race did not happen")
	}
	for _, f := range []string{"f", "sub/f", "sub/l"} {
		text, err := os.ReadFile(filepath.Join(outside, f))
		b.must(err)
		info, err := os.Lstat(filepath.Join(outside, f))
		b.must(err)
		if string(text) != "sentinel" || info.Mode() != 0o640 {
			t.Errorf("%s outside is %q, %v", f, text, info.Mode())
		}
	}
	for dir, want := range map[string]int{outside: 2, outside + "/sub": 3, outside + "/sub/gone": 0} {
		if entries, err := os.ReadDir(dir); len(entries) != want || err != nil {
			t.Errorf("%s holds %v, %v", dir, entries, err)
		}
	}
}

package git

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/belay-dev/belay/internal/belay"

	"github.com/belay-dev/belay/internal/fsroot"
)

type packSandbox struct {
	*Packs
	t *testing.T
}

func newPackSandbox(t *testing.T, args ...string) packSandbox {
	t.Helper()
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	s := packSandbox{t: t}
	s.git("/", append(append([]string{"init", "-q"}, args...), dir)...)
	r, err := Open(context.Background(), dir, false)
	if err != nil {
		t.Fatal(err)
	}
	s.Packs = &Packs{Repo: r, Scratch: filepath.Join(r.Dir, "belay", "tmp")}
	return s
}

func (s packSandbox) git(dir string, args ...string) string {
	s.t.Helper()
	cmd := exec.Command("git", append([]string{"-C", dir}, args...)...)
	out, err := cmd.CombinedOutput()
	if err != nil {
		s.t.Fatalf("git %v: %v\n%s", args, err, out)
	}
	return string(out)
}

func (s packSandbox) blob(text string) NewObject {
	return NewObject{OID: s.Repo.HashObject("blob", []byte(text)), Type: "blob", Data: []byte(text)}
}

// put stores one more object and returns its name.
func (s packSandbox) put(text string) string {
	s.t.Helper()
	o := s.blob(text)
	if _, err := s.Store(context.Background(), []NewObject{o}); err != nil {
		s.t.Fatal(err)
	}
	return o.OID
}

// files returns the names below a folder.
func (s packSandbox) files(dir string) (names []string) {
	s.t.Helper()
	err := filepath.WalkDir(dir, func(p string, d os.DirEntry, err error) error {
		if err == nil && !d.IsDir() {
			names = append(names, strings.TrimPrefix(p, dir+"/"))
		}
		return err
	})
	if err != nil && !os.IsNotExist(err) {
		s.t.Fatal(err)
	}
	return names
}

func (s packSandbox) count(end string) (n int) {
	for _, f := range s.files(s.folder()) {
		if strings.HasSuffix(f, end) {
			n++
		}
	}
	return n
}

// whole checks that the store contains objects, that git fsck accepts it, and that no temporary
// file remains.
func (s packSandbox) whole(oids []string) {
	s.t.Helper()
	missing, err := s.Repo.Missing(context.Background(), oids)
	if err != nil || len(missing) > 0 {
		s.t.Errorf("%d of %d objects are missing, %v", len(missing), len(oids), err)
	}
	s.git(s.Repo.Root, "fsck", "--full", "--strict", "--no-dangling")
	if out := s.git(s.Repo.Root, "count-objects", "-v"); !strings.Contains(out, "garbage: 0\n") {
		s.t.Errorf("git finds garbage: %s", out)
	}
	if left := s.files(s.Scratch); len(left) > 0 {
		s.t.Errorf("left in scratch: %q", left)
	}
}

func TestStore(t *testing.T) {
	t.Parallel()
	for _, format := range []string{"sha1", "sha256"} {
		for _, n := range []int{1, 6, 300} {
			t.Run(fmt.Sprint(format, " ", n), func(t *testing.T) {
				t.Parallel()
				s := newPackSandbox(t, "--object-format="+format)
				var objects []NewObject
				var oids []string
				for i := range n {
					text := strings.Repeat(fmt.Sprint(i, " "), i*i)
					o := s.blob(text)
					if i%2 == 1 {
						o.Size, o.Data = int64(len(text)), nil
						o.Open = func() (io.ReadCloser, error) { return io.NopCloser(strings.NewReader(text)), nil }
					}
					objects, oids = append(objects, o, o), append(oids, o.OID)
				}
				for range 2 { // the second time everything is stored already
					pack, err := s.Store(context.Background(), slices.Clone(objects))
					if there, serr := PackExists(pack); err != nil || serr != nil || !there {
						t.Fatal(err, serr, there)
					}
				}
				s.whole(oids)
				s.git(s.Repo.Root, "prune", "--expire=now")
				s.git(s.Repo.Root, "repack", "-a", "-d", "-q")
				s.git(s.Repo.Root, "gc", "-q", "--prune=now")
				s.whole(oids)
			})
		}
	}
}

// TestStoreChanged checks that bytes that do not match their name are not stored, and that the
// attempt leaves no files.
func TestStoreChanged(t *testing.T) {
	t.Parallel()
	s := newPackSandbox(t)
	o := s.blob("abcd")
	o.Size, o.Data = 4, nil
	o.Open = func() (io.ReadCloser, error) { return io.NopCloser(strings.NewReader("ABCD")), nil }
	if _, err := s.Store(context.Background(), []NewObject{s.blob("fine"), o}); !errors.Is(err, ErrChanged) {
		t.Fatalf("got %v", err)
	}
	if left := s.files(s.folder()); len(left) > 0 {
		t.Errorf("left in the store: %q", left)
	}
	s.whole(nil)
}

// TestSettle checks that many packs are joined without a loss, and that gc may delete them once
// released.
func TestSettle(t *testing.T) {
	t.Parallel()
	s := newPackSandbox(t)
	var oids []string
	for i := range 60 {
		oids = append(oids, s.put(strings.Repeat(fmt.Sprint("object ", i), i)))
		if err := s.CleanUp(false); err != nil {
			t.Fatal(err)
		}
		if n := s.count(".pack"); n > maxOwnPacks || n != s.count(".keep") || n != s.count(".idx") {
			t.Fatalf("%d packs after %d: %q", n, i, s.files(s.folder()))
		}
	}
	s.whole(oids)
	unlock, err := s.LockShared()
	if err != nil {
		t.Fatal(err)
	}
	if err := s.CleanUp(true); err != nil || s.count(".keep") == 0 {
		t.Errorf("released while another process stores: %v", err)
	}
	unlock()
	pid := filepath.Join(s.Repo.Common, "gc.pid")
	host, _ := os.Hostname()
	if err := os.WriteFile(pid, fmt.Appendf(nil, "%d %s", os.Getpid(), host), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := s.CleanUp(true); err != nil || s.count(".keep") == 0 {
		t.Errorf("released although a gc runs: %v", err)
	}
	if err := os.WriteFile(pid, []byte("999999999 "+host), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := s.CleanUp(true); err != nil || s.count(".keep") != 0 {
		t.Errorf("not released: %v", err)
	}
	s.whole(oids)
	s.put("one more") // joined with released packs it is still kept
	s.git(s.Repo.Root, "gc", "-q", "--prune=now")
	if s.count(".pack") != 1 {
		t.Errorf("a gc left %q", s.files(s.folder()))
	}
}

// TestSettleAfterADay checks that a pack is released after a day even if no snapshot is dropped.
func TestSettleAfterADay(t *testing.T) {
	t.Parallel()
	s := newPackSandbox(t)
	old := s.put("old")
	long := time.Now().Add(-2 * keepDuration)
	for _, f := range append(s.files(s.folder()), "../../belay/packs") {
		if err := os.Chtimes(filepath.Join(s.folder(), f), long, long); err != nil {
			t.Fatal(err)
		}
	}
	if err := s.CleanUp(false); err != nil || s.count(".keep") != 0 {
		t.Errorf("%d kept, %v", s.count(".keep"), err)
	}
	now := s.put("new")
	if err := s.CleanUp(false); err != nil || s.count(".keep") != 1 {
		t.Errorf("%d kept, %v", s.count(".keep"), err)
	}
	s.whole([]string{old, now})
}

// TestSettleBesideDamage checks that a damaged pack, with which no pack can be joined, is reported and
// does not keep the others from being released.
func TestSettleBesideDamage(t *testing.T) {
	t.Parallel()
	s := newPackSandbox(t)
	for i := range maxOwnPacks + 3 {
		s.put(fmt.Sprint("object ", i))
	}
	packs, err := filepath.Glob(filepath.Join(s.folder(), "*.pack"))
	if err != nil || len(packs) == 0 {
		t.Fatal(packs, err)
	}
	if err := errors.Join(os.Chmod(packs[0], 0o600), os.Truncate(packs[0], 20)); err != nil {
		t.Fatal(err)
	}
	if err := s.CleanUp(true); err == nil || s.count(".keep") > 0 {
		t.Errorf("%v; kept: %d of %d", err, s.count(".keep"), s.count(".pack"))
	}
}

// TestFaults fails at every step of storing and cleaning up: no stored object is lost, no partial
// pack remains, and a full disk is reported as such. It is not parallel: the hook is global.
func TestFaults(t *testing.T) {
	defer func() { fsroot.Fault = nil }()
	s := newPackSandbox(t)
	var oids []string
	for i := range maxOwnPacks + 3 {
		oids = append(oids, s.put(fmt.Sprint("object ", i)))
	}
	for at := 1; ; at++ {
		n := 0
		fsroot.Fault = func(string, string) error {
			if n++; n == at {
				return syscall.ENOSPC
			}
			return nil
		}
		before := s.count("")
		_, err := s.Store(context.Background(), []NewObject{s.blob(fmt.Sprint("more ", at))})
		failed := n >= at
		if failed != (err != nil) || failed && belay.CodeOf(err) != belay.CodeCannot {
			t.Errorf("step %d of a store: %v", at, err)
		}
		after := s.count("")
		fsroot.Fault = nil
		s.whole(oids)
		if !failed {
			break
		}
		if after != before && after != before+3 { // a complete pack, when only the sync of its folder failed
			t.Errorf("step %d left %d files", at, after-before)
		}
	}
	for at := 1; ; at++ {
		n := 0
		fsroot.Fault = func(string, string) error {
			if n++; n == at {
				return syscall.EIO
			}
			return nil
		}
		_ = s.CleanUp(false)
		failed := n >= at
		fsroot.Fault = nil
		if missing, err := s.Repo.Missing(context.Background(), oids); err != nil || len(missing) > 0 {
			t.Errorf("step %d of settling lost %d objects, %v", at, len(missing), err)
		}
		if err := s.CleanUp(true); err != nil {
			t.Errorf("settled after a fault at step %d: %v", at, err)
		}
		if !failed {
			break
		}
		for i := range maxOwnPacks + 3 {
			oids = append(oids, s.put(fmt.Sprint("object ", at, i)))
		}
	}
	s.whole(oids)
}

package restore_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"

	"github.com/belay-dev/belay/internal/belay"
	"github.com/belay-dev/belay/internal/fsroot"
	"github.com/belay-dev/belay/internal/snapshot"
	"github.com/belay-dev/belay/internal/testutil"
)

// TestTakeOnFullDisk takes snapshots on a disk with limited space. A failed one reports the reason
// and leaves nothing: the object store contains the same files as before.
func TestTakeOnFullDisk(t *testing.T) {
	t.Parallel()
	first := newSandbox(t)
	testutil.Base(first.Sandbox)
	testutil.Dirt(first.Sandbox)
	first.Write("large", strings.Repeat("0123456789abcdef", 8<<10)+fmt.Sprint(os.Getpid()))
	step := int64(12 << 10)
	if os.Getenv("BELAY_CRASH_ALL") != "" {
		step = 4 << 10
	}
	failed, done := 0, 0
	for room := int64(0); room <= 96<<10; room += step {
		s, free := first.onDisk(t, room)
		before := s.stored()
		_, err := s.store().Snapshots.Take(context.Background(), snapshot.Meta{Kind: belay.KindManual})
		if err == nil {
			done++
		} else {
			failed++
			if !strings.Contains(err.Error(), "the disk is full") && !errors.Is(err, syscall.ENOSPC) {
				t.Errorf("with %d bytes left: %v", room, err)
			}
			if after := s.stored(); after != before {
				t.Errorf("with %d bytes left the store contained\n%s\nand now\n%s", room, before, after)
			}
		}
		s.settled()
		free()
		s.take()
		s.settled()
		s.fsck()
		if out, err := exec.Command("umount", s.Up).CombinedOutput(); err != nil {
			t.Fatalf("%v %s", err, out)
		}
	}
	if failed < 2 || done < 2 {
		t.Errorf("%d takes failed, %d did not: the disk should be too small for some", failed, done)
	}
}

// stored lists the files of the object store and belay's refs.
func (s *sandbox) stored() string {
	var b strings.Builder
	for _, dir := range []string{"objects", "refs"} {
		err := filepath.WalkDir(s.Path(".git/"+dir), func(p string, d fs.DirEntry, err error) error {
			if err == nil && !d.IsDir() {
				fmt.Fprintln(&b, p)
			}
			return err
		})
		s.Ok(err)
	}
	return b.String()
}

// onDisk copies the sandbox to a small disk with room bytes left; free releases the rest of it. The
// test is skipped if no disk can be mounted.
func (s *sandbox) onDisk(t *testing.T, room int64) (*sandbox, func()) {
	t.Helper()
	up := t.TempDir()
	if out, err := exec.Command("mount", "-t", "tmpfs", "-o", "size=4m,mode=755", "none", up).CombinedOutput(); err != nil {
		t.Skipf("SKIPPED, NOT TESTED: a full disk needs the right to mount one: %v %s", err, out)
	}
	t.Cleanup(func() { _ = exec.Command("umount", up).Run() }) // still mounted only after a failure
	if out, err := exec.Command("cp", "-a", s.Up+"/.", up).CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	c := &sandbox{&testutil.Sandbox{T: t, Up: up, Dir: up + "/repo", Watched: s.Watched, Left: s.Left}}
	filler, err := os.Create(up + "/filler")
	c.Ok(err)
	n, err := io.Copy(filler, endless{})
	if !errors.Is(err, syscall.ENOSPC) {
		t.Fatalf("the disk does not fill up: %v", err)
	}
	c.Ok(errors.Join(filler.Truncate(max(0, n-room)), filler.Close()))
	return c, func() { c.Ok(os.Remove(up + "/filler")) }
}

type endless struct{}

func (endless) Read(p []byte) (int, error) { clear(p); return len(p), nil }

// TestSyncsGitFolder checks that a restore syncs the file system of the git folder too, if it is not
// the working tree's.
func TestSyncsGitFolder(t *testing.T) {
	device := func(dir string) uint64 {
		var st syscall.Stat_t
		if err := syscall.Stat(dir, &st); err != nil {
			return 0
		}
		return uint64(st.Dev)
	}
	here, elsewhere := device(t.TempDir()), ""
	for _, dir := range []string{"/dev/shm", "/var/tmp"} {
		if d := device(dir); d != 0 && d != here {
			elsewhere = dir
		}
	}
	if elsewhere == "" {
		t.Skip("there is no second file system")
	}
	dir, err := os.MkdirTemp(elsewhere, "belay-test-")
	if err != nil {
		t.Fatal(err)
	}
	defer os.RemoveAll(dir)
	store := filepath.Join(dir, "store")
	s := newSandbox(t, "--separate-git-dir", store)
	testutil.Base(s.Sandbox)
	s.Write("a.txt", "then")
	s.Git("add", "a.txt")
	id := s.take().ID
	s.Write("a.txt", "now")
	s.Git("add", "a.txt")
	var synced []string
	fsroot.Fault = func(op, path string) error {
		if op == "sync" {
			synced = append(synced, path)
		}
		return nil
	}
	defer func() { fsroot.Fault = nil }()
	s.restore(id)
	if !slices.Contains(synced, s.Dir) || !slices.Contains(synced, store) {
		t.Errorf("synced: %q", synced)
	}
}

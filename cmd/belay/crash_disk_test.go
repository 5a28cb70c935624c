package main

import (
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
)

// TestCrashFullDisk runs the loop, a snapshot and a restore on a disk with few bytes left, which
// also run out for git and the agent. The fault is reported, and once there is space again
// everything ends as it would have without the fault.
func TestCrashFullDisk(t *testing.T) {
	t.Parallel()
	r := newRuined(t)
	r.must(os.WriteFile(filepath.Join(r.up, "script"), []byte(crashScript), 0o644))
	ended := r.another(t, folder(t))
	ended.succeed(runT1...)
	restored := r.another(t, folder(t))
	restore := []string{"snapshot", "restore", r.id, "--yes"}
	restored.succeed(restore...)
	room := []int64{0, 40 << 10, 200 << 10}
	if crashAll() {
		room = nil
		for n := int64(0); n < 640<<10; n += 8 << 10 {
			room = append(room, n)
		}
	}
	y := newTally(t, len(room))
	r.good = restored.state()
	want := map[string][]string{"run": ended.state(), "take": r.bad, "restore": r.good}
	mount := folder(t)
	for _, n := range room {
		for name, args := range map[string][]string{"run": runT1, "take": {"snapshot", "take"}, "restore": restore} {
			d, free := r.onDisk(t, mount, n)
			at := fmt.Sprintf("%s with %d KiB left", name, n>>10)
			got := d.belay("", args...)
			y.did(modeFull)
			if got.killed || got.code != 0 && got.code != 2 && got.code != 3 {
				y.fault(at, otherwise, "%s", got)
			}
			if got.code != 0 && !saysFull(got) && !strings.Contains(got.out, "exit 3") { // 3: the agent could not write
				y.fault(at, otherwise, "it should say that the disk is full: %s", got)
			}
			free()
			if name == "run" {
				d.goOn(y, at, got)
			} else if again := d.belay("", args...); again.code != 0 {
				y.fault(at, otherwise, "%s\nafter %s", again, got)
			}
			d.settled(y, at, want[name])
			command(t, "umount", mount)
		}
	}
	y.sum("full disk")
}

// onDisk copies the world to a separate disk with room bytes left, and returns how to free the
// rest. If no disk can be mounted, the test is skipped.
func (w *world) onDisk(t *testing.T, mount string, room int64) (d *world, free func()) {
	t.Helper()
	if out, err := exec.Command("mount", "-t", "tmpfs", "-o", "size=8m,mode=755", "none", mount).CombinedOutput(); err != nil {
		t.Skipf("SKIPPED, NOT TESTED: a full disk needs the right to mount one: %v %s", err, out)
	}
	t.Cleanup(func() { _ = exec.Command("umount", mount).Run() }) // still mounted only after a failure
	d = w.another(t, mount)
	filler := filepath.Join(mount, "filler")
	f, err := os.Create(filler)
	d.must(err)
	size, err := io.Copy(f, zeros{})
	if !errors.Is(err, syscall.ENOSPC) {
		t.Fatalf("the disk does not fill up: %v", err)
	}
	d.must(f.Truncate(max(0, size-room)))
	d.must(f.Close())
	return d, func() { d.must(os.Remove(filler)) }
}

type zeros struct{}

func (zeros) Read(p []byte) (int, error) { clear(p); return len(p), nil }

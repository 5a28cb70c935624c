package worktree_test

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"sync/atomic"
	"syscall"
	"testing"

	"github.com/belay-dev/belay/internal/belay"
	"github.com/belay-dev/belay/internal/fsroot"
	"github.com/belay-dev/belay/internal/git"
	"github.com/belay-dev/belay/internal/restore"
	"github.com/belay-dev/belay/internal/snapshot"
	"github.com/belay-dev/belay/internal/testutil"
	"github.com/belay-dev/belay/internal/worktree"
)

// runStep runs in a process started by these tests. It does one operation in BELAY_TEST_DIR, and is
// killed or gets an error at the given write.
func runStep(step string) int {
	var op, first, second, mode string
	var at int64
	if _, err := fmt.Sscan(step, &op, &first, &second, &at, &mode); err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 3
	}
	var n atomic.Int64
	fsroot.Fault = func(string, string) error {
		switch k := n.Add(1); {
		case k != at:
		case mode == "kill":
			_ = syscall.Kill(os.Getpid(), syscall.SIGKILL)
			select {}
		default:
			return syscall.ENOSPC
		}
		return nil
	}
	err := doStep(op, belay.SnapshotID(first), belay.SnapshotID(second))
	fmt.Println(n.Load())
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	return 0
}

func doStep(op string, first, second belay.SnapshotID) error {
	ctx, dir := context.Background(), os.Getenv("BELAY_TEST_DIR")
	r, err := git.Open(ctx, dir, false)
	if err != nil {
		return err
	}
	st, err := restore.Open(ctx, r, snapshot.Options{})
	if err != nil {
		return err
	}
	if op == "make" {
		_, err = worktree.MakeTree(ctx, st, dir+"/.git/belay/trees/t1", worktree.Mark{Task: "T1", Home: dir, From: first}, snapshot.Options{})
		return err
	}
	_, err = worktree.Bring(ctx, st, worktree.Request{Task: "T1", Before: first, After: second})
	return err
}

func (y *yard) step(op string, first, second belay.SnapshotID, at int, mode string) (steps int, said string) {
	y.t.Helper()
	self, err := os.Executable()
	y.ok(err)
	c := exec.Command(self)
	c.Env = append(os.Environ(), fmt.Sprintf("BELAY_TEST_STEP=%s %s %s %d %s", op, first, second, at, mode), "BELAY_TEST_DIR="+y.dir)
	var complaint strings.Builder
	c.Stderr = &complaint
	out, _ := c.Output()
	_, _ = fmt.Sscan(string(out), &steps)
	return steps, complaint.String()
}

func (y *yard) copied(t testing.TB) *yard {
	t.Helper()
	up := t.TempDir()
	if out, err := exec.Command("cp", "-a", y.dir, up+"/repo").CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	return &yard{t: t, dir: up + "/repo"}
}

// every returns the distance between the writes at which the crash tests kill or fail.
func every(steps int) int {
	if os.Getenv("BELAY_CRASH_ALL") != "" {
		return 1
	}
	if testutil.Wide() {
		return max(1, steps/8)
	}
	return max(1, steps/4)
}

// TestCrashMake kills or fails MakeTree at many points. A second call must then give the complete
// worktree, and the user's tree must be unchanged.
func TestCrashMake(t *testing.T) {
	t.Parallel()
	y := newYard(t)
	y.base()
	from := take(t, open(t, y.dir)).ID
	mine := looks(t, y.dir)
	whole := y.copied(t)
	steps, said := whole.step("make", from, "-", 0, "none")
	want := looks(t, whole.dir+"/.git/belay/trees/t1")
	if steps < 10 || len(want) < 5 {
		t.Fatalf("%d steps, %v: %s", steps, want, said)
	}
	for _, mode := range []string{"kill", "fail"} {
		for at := 1; at <= steps; at += every(steps) {
			d := y.copied(t)
			_, first := d.step("make", from, "-", at, mode)
			_, second := d.step("make", from, "-", 0, "none")
			same(t, fmt.Sprintf("%s at %d: %s %s", mode, at, first, second), want, looks(t, d.dir+"/.git/belay/trees/t1"))
			same(t, "the user's tree", mine, looks(t, d.dir))
		}
	}
}

// TestCrashBring kills or fails a merge at many points. After the next command the tree must be as
// before or as after the merge, and one undo must restore it.
func TestCrashBring(t *testing.T) {
	t.Parallel()
	y := newYard(t)
	y.base()
	m, path := y.apart("T1")
	before := take(t, m.Snaps).ID
	edit(t, path, `a.txt=0\n2\n3\n4\n5\n6\n7\n8\n9\n;n/x=1;-d/c.txt;l=->b.txt`)
	after := take(t, m.Snaps).ID
	edit(t, y.dir, `a.txt=1\n2\n3\n4\n5\n6\n7\n8\n0\n;u=1`)
	mine := looks(t, y.dir)
	whole := y.copied(t)
	steps, said := whole.step("bring", before, after, 0, "none")
	want := looks(t, whole.dir)
	if steps < 10 || len(differ(mine, want)) == 0 {
		t.Fatalf("%d steps: %s", steps, said)
	}
	for _, mode := range []string{"kill", "fail"} {
		for at := 1; at <= steps; at += every(steps) {
			d := y.copied(t)
			_, first := d.step("bring", before, after, at, mode)
			name := fmt.Sprintf("%s at %d: %s", mode, at, first)
			home := open(t, d.dir)
			if _, err := home.Recover(context.Background()); err != nil {
				t.Errorf("%s: %v", name, err)
			}
			if now := looks(t, d.dir); len(differ(now, mine)) > 0 {
				same(t, name, want, now)
			}
			if _, again := d.step("bring", before, after, 0, "none"); again != "" {
				t.Errorf("%s, again: %s", name, again)
			}
			same(t, name, want, looks(t, d.dir))
			if _, err := home.Undo(context.Background(), restoreAll); err != nil {
				t.Errorf("%s: %v", name, err)
			}
			same(t, name+", undone", mine, looks(t, d.dir))
		}
	}
}

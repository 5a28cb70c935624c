package restore_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/belay-dev/belay/internal/belay"
	"github.com/belay-dev/belay/internal/fsroot"
	"github.com/belay-dev/belay/internal/git"
	"github.com/belay-dev/belay/internal/restore"
	"github.com/belay-dev/belay/internal/snapshot"
	"github.com/belay-dev/belay/internal/testutil"
)

// runStep runs one operation in the folder of BELAY_TEST_DIR, with a fault at the k-th step that
// writes, for a process that these tests start.
func runStep(step string) int {
	var op, id, mode string
	var at int64
	if _, err := fmt.Sscan(step, &op, &id, &at, &mode); err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 3
	}
	var n, saved atomic.Int64
	fsroot.Fault = func(string, string) error {
		k := n.Add(1)
		if strings.HasPrefix(mode, "save") && k >= at && saved.Add(1) == 1 { // also between the last check of a file and its rename
			saveElsewhere()
		}
		switch {
		case at == 0 || k < at:
			return nil
		case mode == "savekill" && k == at+1:
			_ = syscall.Kill(os.Getpid(), syscall.SIGKILL)
			select {}
		case mode == "kill" && k == at:
			_ = syscall.Kill(os.Getpid(), syscall.SIGKILL)
			select {}
		case mode == "full", mode == "fail" && k == at: // the disk is full from now on, or one call fails
			return syscall.ENOSPC
		}
		return nil
	}
	err := doStep(op, belay.SnapshotID(id))
	fmt.Println(n.Load())
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	return 0
}

const savedText = "saved by somebody at the wrong moment"

// saveElsewhere writes two files as an editor would during a restore.
func saveElsewhere() {
	_ = os.WriteFile(os.Getenv("BELAY_TEST_DIR")+"/../saved", nil, 0o600)
	for _, p := range []string{"/a.txt", "/agent/new"} {
		path := os.Getenv("BELAY_TEST_DIR") + p
		_ = os.MkdirAll(filepath.Dir(path), 0o755)
		if err := os.WriteFile(path+"~", []byte(savedText), 0o644); err == nil {
			_ = os.Rename(path+"~", path)
		}
	}
}

func doStep(op string, id belay.SnapshotID) error {
	ctx := context.Background()
	r, err := git.Open(ctx, os.Getenv("BELAY_TEST_DIR"), false)
	if err != nil {
		return err
	}
	st, err := restore.Open(ctx, r, snapshot.Options{})
	if err != nil {
		return err
	}
	switch op {
	case "take":
		_, err = st.Snapshots.Take(ctx, snapshot.Meta{Kind: belay.KindManual})
	case "restore":
		_, err = st.Restore(ctx, id, restore.Options{})
	case "undo":
		_, err = st.Undo(ctx, restore.Options{})
	case "recover":
		_, err = st.Recover(ctx)
	default:
		return errors.New("no such step")
	}
	return err
}

// step runs an operation in a process of its own. It returns the number of steps, the output, and
// whether the process succeeded.
func (s *sandbox) step(op string, id belay.SnapshotID, at int, mode string) (steps int, said string, ok bool) {
	s.T.Helper()
	self, err := os.Executable()
	s.Ok(err)
	cmd := exec.Command(self)
	cmd.Env = append(os.Environ(), fmt.Sprintf("BELAY_TEST_STEP=%s %s %d %s", op, id, at, mode), "BELAY_TEST_DIR="+s.Dir)
	var complaint strings.Builder
	cmd.Stderr = &complaint
	out, err := cmd.Output()
	_, _ = fmt.Sscan(string(out), &steps)
	return steps, complaint.String(), err == nil
}

// copied returns a copy of the sandbox in a folder of its own.
func (s *sandbox) copied(t testing.TB) *sandbox {
	t.Helper()
	up := t.TempDir()
	if out, err := exec.Command("cp", "-a", s.Up+"/.", up).CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	return &sandbox{&testutil.Sandbox{T: t, Up: up, Dir: up + "/repo", Watched: s.Watched, Left: s.Left}}
}

// wounded returns a repository in which a restore has to change every kind of thing.
func wounded(t testing.TB) (s *sandbox, id belay.SnapshotID, before, after testutil.State) {
	s = newSandbox(t)
	testutil.Conflicted(s.Sandbox)
	s.Git("tag", "-a", "-m", "t", "v3")
	s.Write("a.txt", "stashed")
	s.Git("stash", "push", "-q")
	s.Fails("merge", "-q", "theirs")
	s.Mkdir("empty")
	s.Write("u/n/tracked\nnot", "untracked")
	s.Chmod("u", 0o700)
	s.Write("x.log", "ignored")
	s.Left = []string{"x.log"}
	before = s.Fingerprint()
	id = s.take().ID
	testutil.Violence(s.Sandbox)
	return s, id, before, s.Fingerprint()
}

// points returns the steps to fail at: all of them when BELAY_CRASH_ALL is set, otherwise a sample,
// or half of it, shifted for each mode.
func points(n, sample, shift int) (list []int) {
	if os.Getenv("BELAY_CRASH_ALL") != "" {
		sample = n
	} else if !wide() {
		sample = (sample + 1) / 2
	}
	stride := max(1, n/sample)
	for k := 1 + shift%stride; k <= n; k += stride {
		list = append(list, k)
	}
	return list
}

// TestCrashRestore makes a restore fail at its steps: kills it, fails one call, fills the disk. The
// next command then finishes the restore, unless nothing was begun; there is no state in between,
// and undo still works.
func TestCrashRestore(t *testing.T) {
	t.Parallel()
	s, id, before, after := wounded(t)
	n, said, ok := s.copied(t).step("restore", id, 0, "none")
	if !ok || n < 30 {
		t.Fatalf("an undisturbed restore: %d steps, %s", n, said)
	}
	t.Logf("%d steps", n)
	for i, mode := range []string{"kill", "fail", "full"} {
		for _, k := range points(n, 8, 3*i) {
			t.Run(fmt.Sprint(mode, " ", k), func(t *testing.T) {
				t.Parallel()
				c := s.copied(t)
				_, said, ok := c.step("restore", id, k, mode)
				begun := c.store().Interrupted()
				if mode == "kill" && begun {
					c.dryRunChangesNothing(id)
				}
				if _, err := c.store().Recover(context.Background()); err != nil {
					t.Fatalf("recover: %v (output of the restore: %q)", err, said)
				}
				got := c.Fingerprint()
				if begun || ok {
					c.Same("finished, but", before, dropNew(got, before))
					_, err := c.store().Undo(context.Background(), restore.Options{})
					c.Ok(err)
					c.Same("undone, but", after, c.Fingerprint())
				} else {
					c.Same("nothing was begun, but", after, got)
				}
				c.settledAfterCrash()
				if mode != "kill" && !ok && said == "" {
					t.Error("it failed without a message")
				}
			})
		}
	}
}

// dryRunChangesNothing checks that dry runs do not finish an interrupted restore.
func (s *sandbox) dryRunChangesNothing(id belay.SnapshotID) {
	s.T.Helper()
	before, dry := s.Fingerprint(), restore.Options{DryRun: true}
	_, err := s.store().Restore(context.Background(), id, dry)
	_, undoErr := s.store().Undo(context.Background(), dry)
	if belay.CodeOf(err) != belay.CodeCannot || belay.CodeOf(undoErr) != belay.CodeCannot {
		s.T.Errorf("restore: %v; undo: %v", err, undoErr)
	}
	s.Same("after dry runs", before, s.Fingerprint())
}

// dropNew removes from a state the refs that the agent created: a restore keeps them.
func dropNew(f, before testutil.State) testutil.State {
	g := testutil.State{}
	for k, v := range f {
		ref := strings.Contains(k, "agent")
		if _, had := before[k]; had || !ref || !strings.HasPrefix(k, "ref ") && !strings.HasPrefix(k, "git logs/") {
			g[k] = v
		}
	}
	return g
}

// settledAfterCrash is settled after another command, which removes what the killed one left.
func (s *sandbox) settledAfterCrash() {
	s.T.Helper()
	_, err := s.store().Snapshots.Take(context.Background(), snapshot.Meta{Kind: belay.KindManual})
	s.Ok(err)
	s.settled()
	s.fsck()
}

// TestCrashUndo checks that a killed undo is finished as an undo, and that redo works.
func TestCrashUndo(t *testing.T) {
	t.Parallel()
	s, id, before, after := wounded(t)
	s.restore(id)
	n, said, ok := s.copied(t).step("undo", id, 0, "none")
	if !ok {
		t.Fatal(said)
	}
	for _, k := range points(n, 5, 1) {
		t.Run(fmt.Sprint("kill ", k), func(t *testing.T) {
			t.Parallel()
			c := s.copied(t)
			c.step("undo", id, k, "kill")
			begun := c.store().Interrupted()
			_, err := c.store().Recover(context.Background())
			c.Ok(err)
			if !begun {
				c.Same("nothing was begun, but", before, dropNew(c.Fingerprint(), before))
				return
			}
			c.Same("undone, but", after, c.Fingerprint())
			_, err = c.store().Redo(context.Background(), restore.Options{})
			c.Ok(err)
			c.Same("redone, but", before, dropNew(c.Fingerprint(), before))
		})
	}
}

// TestCrashRecover checks that finishing a killed restore may be killed as well.
func TestCrashRecover(t *testing.T) {
	t.Parallel()
	s, id, before, _ := wounded(t)
	n, _, _ := s.copied(t).step("restore", id, 0, "none")
	s.step("restore", id, n*2/3, "kill")
	if !s.store().Interrupted() {
		t.Fatal("the kill came too early or too late for this test")
	}
	m, said, ok := s.copied(t).step("recover", id, 0, "none")
	if !ok {
		t.Fatal(said)
	}
	for _, k := range points(m, 5, 2) {
		t.Run(fmt.Sprint("kill ", k), func(t *testing.T) {
			t.Parallel()
			c := s.copied(t)
			c.step("recover", id, k, "kill")
			_, err := c.store().Recover(context.Background())
			c.Ok(err)
			c.Same("finished, but", before, dropNew(c.Fingerprint(), before))
		})
	}
}

// TestCrashTake checks that a failed snapshot leaves the repository unchanged, that no ref names an
// incomplete snapshot, and that the next one succeeds.
func TestCrashTake(t *testing.T) {
	t.Parallel()
	s := newSandbox(t)
	testutil.Base(s.Sandbox)
	testutil.Dirt(s.Sandbox)
	before := s.Fingerprint()
	n, said, ok := s.copied(t).step("take", "-", 0, "none")
	if !ok || n < 5 {
		t.Fatalf("%d steps: %s", n, said)
	}
	for i, mode := range []string{"kill", "fail", "full"} {
		for _, k := range points(n, 10, i) {
			t.Run(fmt.Sprint(mode, " ", k), func(t *testing.T) {
				t.Parallel()
				c := s.copied(t)
				_, said, ok := c.step("take", "-", k, mode)
				if mode != "kill" && !ok && said == "" {
					t.Error("it failed without a message")
				}
				c.Same("a take that failed changed something", before, c.Fingerprint())
				problems, err := c.store().Snapshots.Verify(context.Background())
				if err != nil || len(problems) > 0 {
					t.Errorf("incomplete: %q, %v", problems, err)
				}
				i := c.take()
				testutil.Violence(c.Sandbox)
				out := c.restore(i.ID)
				c.Same("the next snapshot", before, without(c.Fingerprint(), out, before))
				c.settled()
				c.fsck()
			})
		}
	}
}

// TestOnlyOwnIndexLockIsRemoved checks that the lock of a killed restore is removed, and that one of
// git's is not, although it has the same inode.
func TestOnlyOwnIndexLockIsRemoved(t *testing.T) {
	for _, own := range []bool{true, false} {
		s := newSandbox(t)
		testutil.Base(s.Sandbox)
		s.Write("a.txt", "then")
		s.Git("add", "a.txt")
		id := s.take().ID
		s.Write("a.txt", "now")
		s.Git("add", "a.txt")
		fsroot.Fault = func(op, path string) error {
			if op == "rename" && path == s.Path(".git/index") {
				panic("killed")
			}
			return nil
		}
		func() {
			defer func() { fsroot.Fault = nil }()
			defer func() { _ = recover() }()
			s.restore(id)
		}()
		lock := s.Path(".git/index.lock")
		if !own {
			s.Ok(os.Chtimes(lock, time.Now(), time.Now()))
		}
		_, err := s.store().Recover(context.Background())
		_, left := os.Stat(lock)
		if own && (err != nil || left == nil || s.Git("show", ":a.txt") != "then") {
			t.Errorf("with its own lock: %v; the lock: %v", err, left)
		}
		if !own && (belay.CodeOf(err) != belay.CodeBusy || left != nil) {
			t.Errorf("with a lock of git's: %v; the lock: %v", err, left)
		}
	}
}

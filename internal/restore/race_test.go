package restore_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/belay-dev/belay/internal/belay"
	"github.com/belay-dev/belay/internal/git"
	"github.com/belay-dev/belay/internal/snapshot"
	"github.com/belay-dev/belay/internal/testutil"
)

// whole checks that every object of every snapshot can be read.
func (s *sandbox) whole() {
	s.T.Helper()
	problems, err := s.store().Snapshots.Verify(context.Background())
	if err != nil || len(problems) > 0 {
		s.T.Errorf("incomplete: %q %v", problems, err)
	}
}

func TestTwentyTakesAtOnce(t *testing.T) {
	t.Parallel()
	s := dirty(t)
	before := s.Fingerprint()
	var all sync.WaitGroup
	var mu sync.Mutex
	trees := map[string]int{}
	ids := map[belay.SnapshotID]bool{}
	for range 20 {
		all.Go(func() {
			i, err := s.store().Snapshots.Take(context.Background(), snapshot.Meta{Kind: belay.KindManual})
			if err != nil {
				t.Error(err)
				return
			}
			mu.Lock()
			defer mu.Unlock()
			trees[i.Tree]++
			ids[i.ID] = true
		})
	}
	all.Wait()
	if len(trees) != 1 || len(ids) != 20 {
		t.Errorf("%d trees, %d ids", len(trees), len(ids))
	}
	s.Same("twenty takes changed something", before, s.Fingerprint())
	s.whole()
	s.Write("a.txt", "after them")
	i := s.take()
	if text, _, err := s.store().Snapshots.ReadFile(context.Background(), i.ID, "a.txt"); err != nil || string(text) != "after them" {
		t.Errorf("the next snapshot contains %q, %v", text, err)
	}
}

// TestTakesInLinkedTrees takes snapshots in two linked worktrees of one repository, which share
// only refs and objects.
func TestTakesInLinkedTrees(t *testing.T) {
	t.Parallel()
	s := dirty(t)
	var trees []*sandbox
	for n := range 6 {
		l := &sandbox{&testutil.Sandbox{T: t, Up: s.Up, Dir: fmt.Sprintf("%s/w%d", s.Up, n), Watched: s.Watched}}
		s.Git("worktree", "add", "-q", "--detach", l.Dir)
		l.Write("own", fmt.Sprint("tree ", n))
		trees = append(trees, l)
	}
	var all sync.WaitGroup
	for n, l := range trees {
		all.Go(func() {
			for k := range 3 {
				l.Write("own", fmt.Sprint("tree ", n, " ", k))
				i, err := l.store().Snapshots.Take(context.Background(), snapshot.Meta{Kind: belay.KindManual})
				if err != nil {
					t.Error(err)
					return
				}
				if text, _, err := l.store().Snapshots.ReadFile(context.Background(), i.ID, "own"); err != nil || string(text) != fmt.Sprint("tree ", n, " ", k) {
					t.Errorf("tree %d contains %q, %v", n, text, err)
				}
			}
		})
	}
	all.Wait()
	s.whole()
}

// during repeats work until the returned function is called, which waits for at least one complete
// turn.
func during(work func(turn int)) (stop func()) {
	var ended atomic.Bool
	first := make(chan struct{})
	var done sync.WaitGroup
	done.Go(func() {
		for turn := 0; !ended.Load(); turn++ {
			work(turn)
			if turn == 0 {
				close(first)
			}
		}
	})
	return func() {
		<-first
		ended.Store(true)
		done.Wait()
	}
}

// TestTakeWhileSomebodyWrites checks that a snapshot during writes contains only states that
// existed, and is either marked unstable or consistent.
func TestTakeWhileSomebodyWrites(t *testing.T) {
	t.Parallel()
	s := newSandbox(t)
	testutil.Base(s.Sandbox)
	for n := range 40 {
		s.Write(fmt.Sprint("w/", n), "turn 0\n")
	}
	stop := during(func(turn int) {
		for n := range 40 {
			text := strings.Repeat(fmt.Sprintf("turn %d\n", turn), 1+turn%50)
			tmp := s.Path(fmt.Sprint(".tmp", n))
			if err := os.WriteFile(tmp, []byte(text), 0o644); err != nil {
				t.Error(err)
			}
			if err := os.Rename(tmp, s.Path(fmt.Sprint("w/", n))); err != nil {
				t.Error(err)
			}
		}
	})
	defer stop()
	for range 6 {
		i, err := s.store().Snapshots.Take(context.Background(), snapshot.Meta{Kind: belay.KindManual})
		if err != nil {
			t.Fatal(err)
		}
		for n, text := range s.texts(i, "w", 40) {
			lines := strings.Split(strings.TrimSuffix(text, "\n"), "\n")
			if lines[0] == "" || strings.Trim(strings.Join(lines, ""), lines[0]) != "" {
				t.Fatalf("w/%d contains %q, which never existed", n, text)
			}
		}
	}
	stop()
	s.whole()
}

// texts reads the files 0, 1, … of a folder in a snapshot.
func (s *sandbox) texts(i snapshot.Info, folder string, n int) (texts []string) {
	s.T.Helper()
	repo, err := git.Open(context.Background(), s.Dir, false)
	s.Ok(err)
	rd, err := repo.Reader(context.Background())
	s.Ok(err)
	defer rd.Close()
	for k := range n {
		o, err := rd.Read(fmt.Sprintf("%s:%s/%d", i.Tree, folder, k))
		s.Ok(err)
		texts = append(texts, string(o.Data))
	}
	return texts
}

// TestTakeWhileGCRuns checks that a repeated gc of all unnamed objects deletes nothing from a
// finished snapshot.
func TestTakeWhileGCRuns(t *testing.T) {
	if os.Getenv("BELAY_CRASH_ALL") == "" {
		t.Skip("a race against git itself: run by make crash")
	}
	t.Parallel()
	s := dirty(t)
	stop := during(func(turn int) {
		s.May("-c", "gc.auto=0", "gc", "-q", "--prune=now")
	})
	defer stop()
	var ids []belay.SnapshotID
	for k := range 8 {
		s.Write("notes/todo", fmt.Sprint("version ", k))
		s.Write(fmt.Sprintf("new/%d/file", k), fmt.Sprint("only in the snapshot ", k))
		i, err := s.store().Snapshots.Take(context.Background(), snapshot.Meta{Kind: belay.KindManual})
		if err != nil {
			t.Fatal(err)
		}
		ids = append(ids, i.ID)
	}
	stop()
	s.May("gc", "-q", "--prune=now")
	s.whole()
	for k, id := range ids {
		if text, _, err := s.store().Snapshots.ReadFile(context.Background(), id, "notes/todo"); err != nil || string(text) != fmt.Sprint("version ", k) {
			t.Errorf("snapshot %d contains %q, %v", k, text, err)
		}
	}
}

// TestTakeWhileTheUserWorks takes snapshots while the user works with git: they wait for nothing,
// break nothing, and none is lost.
func TestTakeWhileTheUserWorks(t *testing.T) {
	t.Parallel()
	s := newSandbox(t)
	testutil.Base(s.Sandbox)
	stop := during(func(turn int) {
		s.Write("user.txt", fmt.Sprint(turn))
		for _, args := range [][]string{{"add", "user.txt"}, {"commit", "-q", "-m", fmt.Sprint(turn)}, {"checkout", "-q", "-B", fmt.Sprint("b", turn%3)},
			{"stash", "-q"}, {"branch", "-f", "side", "HEAD~"}, {"pack-refs", "--all"}} {
			if _, err := s.Try(s.Dir, "", args...); err != nil && !strings.Contains(err.Error(), "nothing to commit") {
				t.Error(err)
			}
		}
	})
	defer stop()
	for range 8 {
		if _, err := s.store().Snapshots.Take(context.Background(), snapshot.Meta{Kind: belay.KindManual}); err != nil {
			t.Error(err)
		}
	}
	stop()
	s.whole()
}

// TestSavedDuringRestore checks that a file saved during a restore is not lost: it stays, or the
// rescue contains it.
func TestSavedDuringRestore(t *testing.T) {
	t.Parallel()
	s := newSandbox(t)
	testutil.Base(s.Sandbox)
	id := s.take().ID
	for _, p := range []string{"a.txt", "b.txt", "dir/c.txt", "e.sh"} {
		s.Write(p, "agent")
	}
	s.Write("agent/new", "agent")
	n, said, ok := s.copied(t).step("restore", id, 0, "none")
	if !ok {
		t.Fatal(said)
	}
	for i, mode := range []string{"save", "savekill"} { // with savekill belay is killed one step later
		for _, k := range points(n, 16, i) {
			t.Run(fmt.Sprint(mode, " ", k), func(t *testing.T) {
				t.Parallel()
				c := s.copied(t)
				_, said, ok := c.step("restore", id, k, mode)
				if c.store().Interrupted() {
					_, err := c.store().Recover(context.Background())
					c.Ok(err)
				}
				if _, err := os.Stat(c.Up + "/saved"); err != nil {
					return // no step left to save at
				}
				for _, p := range []string{"a.txt", "agent/new"} {
					if !c.keptSomewhere(p) {
						t.Errorf("%s, saved at step %d, is nowhere (succeeded: %v, output %q)", p, k, ok, said)
					}
				}
				c.settledAfterCrash()
			})
		}
	}
}

// keptSomewhere searches for the saved content of a path: at the path, beside it, in belay's
// folder, and in every snapshot.
func (s *sandbox) keptSomewhere(p string) bool {
	s.T.Helper()
	var files []string
	for _, glob := range []string{s.Path(p) + "*", filepath.Dir(s.Path(p)) + "/belay-saved-*", s.Path(".git/belay/belay-saved-*")} {
		list, err := filepath.Glob(glob)
		s.Ok(err)
		files = append(files, list...)
	}
	for _, f := range files {
		if text, _ := os.ReadFile(f); string(text) == savedText {
			return true
		}
	}
	list, err := s.store().Snapshots.List(context.Background())
	s.Ok(err)
	for _, i := range list {
		if text, _, err := s.store().Snapshots.ReadFile(context.Background(), i.ID, p); err == nil && string(text) == savedText {
			return true
		}
	}
	return false
}

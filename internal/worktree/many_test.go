package worktree_test

import (
	"context"
	"fmt"
	"os"
	"sync"
	"testing"

	"github.com/belay-dev/belay/internal/belay"
	"github.com/belay-dev/belay/internal/snapshot"
)

// TestMany takes snapshots in several worktrees at the same time, each after another change. All
// must succeed and have the right content. BELAY_CRASH_ALL makes it 32 worktrees with 20 snapshots
// each.
func TestMany(t *testing.T) {
	t.Parallel()
	n, takes := 6, 4
	if os.Getenv("BELAY_CRASH_ALL") != "" {
		n, takes = 32, 20
	}
	y := newYard(t)
	y.base()
	dirs := []string{y.dir}
	for i := range n {
		_, path := y.apart(belay.TaskID(fmt.Sprint("T", i)))
		dirs = append(dirs, path)
	}
	var all sync.WaitGroup
	var mu sync.Mutex
	held := map[belay.SnapshotID]string{}
	for _, dir := range dirs {
		s := open(t, dir)
		all.Go(func() {
			for k := range takes {
				text := fmt.Sprintf("%s %d\n", dir, k)
				write(t, dir, "d/mine.txt", text)
				info, err := s.Snapshots.Take(context.Background(), snapshot.Meta{Kind: belay.KindManual})
				if err != nil {
					t.Errorf("take %d in %s: %v", k, dir, err)
					return
				}
				mu.Lock()
				if held[info.ID] != "" {
					t.Errorf("two snapshots have the id %s", info.ID)
				}
				held[info.ID] = text
				mu.Unlock()
			}
		})
	}
	all.Wait()
	if len(held) != len(dirs)*takes {
		t.Errorf("%d takes of %d", len(held), len(dirs)*takes)
	}
	home := open(t, y.dir)
	for id, want := range held {
		text, _, err := home.Snapshots.ReadFile(context.Background(), id, "d/mine.txt")
		if err != nil || string(text) != want {
			t.Errorf("%s holds %q, want %q: %v", id.Short(), text, want, err)
		}
	}
	problems, err := home.Snapshots.Verify(context.Background())
	if err != nil || len(problems) > 0 {
		t.Errorf("%v %v", problems, err)
	}
	y.git("fsck", "--connectivity-only")
}

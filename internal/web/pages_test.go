package web

import (
	"fmt"
	"testing"

	"github.com/belay-dev/belay/internal/app"
	"github.com/belay-dev/belay/internal/belay"
)

// TestTrees: trees that are ready are numbered in the order of belay merge --all.
func TestTrees(t *testing.T) {
	t.Parallel()
	line := func(id, tree string, unmerged bool, after ...belay.TaskID) app.TaskLine {
		return app.TaskLine{ID: belay.TaskID(id), Tree: tree, Unmerged: unmerged, After: after}
	}
	list, queued := worktreeLines([]app.TaskLine{
		line("T1", "", false), line("T2", "../s/T2", true, "t4", "T1"), line("T3", "../s/T3", false, "T2"), line("T4", "", true),
		line("T5", "../s/T5", true, "T6"), line("T6", "../s/T6", true, "T5"),
	})
	got := fmt.Sprint(queued)
	for _, l := range list {
		got += fmt.Sprintf(" %s %d%s", l.ID, l.Place, l.Waits)
	}
	if want := "4 T2 2[t4] T3 0[T2] T4 1[] T5 3[T6] T6 4[T5]"; got != want {
		t.Errorf("%s\nwant\n%s", got, want)
	}
}

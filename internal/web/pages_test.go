package web

import (
	"fmt"
	"net/http"
	"net/http/httptest"
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

// TestPageNumbers: a number of a page that does not exist shows the last page, or the first.
func TestPageNumbers(t *testing.T) {
	t.Parallel()
	for page, want := range map[string]paging{
		"":                    {Page: 1, Pages: 3, All: 5},
		"2":                   {Page: 2, Pages: 3, All: 5},
		"0":                   {Page: 1, Pages: 3, All: 5},
		"4":                   {Page: 3, Pages: 3, All: 5},
		"9223372036854775807": {Page: 3, Pages: 3, All: 5},
		"x":                   {Page: 1, Pages: 3, All: 5},
	} {
		q := &request{Request: httptest.NewRequestWithContext(t.Context(), http.MethodGet, "/?page="+page, nil)}
		part, where := pageOfSize(q, []int{1, 2, 3, 4, 5}, 2)
		if where != want || len(part) == 0 || part[0] != 2*want.Page-1 {
			t.Errorf("page %q: %+v with %v, want %+v", page, where, part, want)
		}
	}
}

package override

import (
	"testing"

	"github.com/belay-dev/belay/internal/belay"
	"github.com/belay-dev/belay/internal/desk"
	"github.com/belay-dev/belay/internal/loop"
	"github.com/belay-dev/belay/internal/review/cycle"
)

func note(kind, verdict, reviewer string, n int) desk.Note {
	return desk.Note{Kind: kind, Review: &cycle.Recorded{Cycle: n, Verdict: verdict, Reviewer: reviewer}}
}

// The review that is overruled is the newest one that rejected, of those that are recorded;
// what only checks refused has the cycle that belay wrote for it, if it did.
func TestOverruledCycle(t *testing.T) {
	t.Parallel()
	wrong := []belay.Finding{{Check: "review", Severity: belay.SeverityError, Title: "it leaks"}}
	byPerson := loop.State{Attempts: []loop.Attempt{{N: 1, Verdict: belay.VerdictFail, Findings: wrong, Reviewer: "ana"}}}
	byChecks := loop.State{Attempts: []loop.Attempt{{N: 1, Verdict: belay.VerdictFail, Findings: wrong}}}
	for name, c := range map[string]struct {
		state loop.State
		notes []desk.Note
		want  int
	}{
		"no review is recorded":           {byPerson, nil, 0},
		"the newest that rejects":         {byPerson, []desk.Note{note("review", "reject", "ana", 1), note("review", "reject", "ana", 4), note("review", "approve", "bo", 5)}, 4},
		"approvals overrule nothing":      {byPerson, []desk.Note{note("review", "approve", "ana", 1)}, 0},
		"a resolved one is no review":     {byPerson, []desk.Note{note("review", "reject", "ana", 2), note("review-resolved", "reject", "ana", 7)}, 2},
		"a note without a review":         {byPerson, []desk.Note{{Kind: "review"}, {Kind: "torn"}}, 0},
		"checks refused it":               {byChecks, []desk.Note{note("review", "reject", "ana", 3)}, 0},
		"checks, and belay wrote it down": {byChecks, []desk.Note{note("review", "reject", "ana", 1), note("review", "reject", byBelay, 2)}, 2},
		"nothing was refused":             {loop.State{}, []desk.Note{note("review", "reject", "ana", 1)}, 0},
	} {
		t.Run(name, func(t *testing.T) {
			if got := overruledCycle(&desk.Record{State: c.state, Notes: c.notes}); got != c.want {
				t.Errorf("cycle %d, want %d", got, c.want)
			}
		})
	}
}

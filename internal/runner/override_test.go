package runner

import (
	"testing"

	"github.com/belay-dev/belay/internal/belay"
	"github.com/belay-dev/belay/internal/loop"
	"github.com/belay-dev/belay/internal/review"
	"github.com/belay-dev/belay/internal/session"
)

func note(kind, verdict, reviewer string, n int) session.Note {
	return session.Note{Kind: kind, Review: &review.RecordedReview{Cycle: n, Verdict: verdict, Reviewer: reviewer}}
}

// TestOverruledCycle: the overruled review is the newest recorded one that rejected; for work that
// only checks rejected, it is the cycle that belay wrote, if any.
func TestOverruledCycle(t *testing.T) {
	t.Parallel()
	wrong := []belay.Finding{{Check: "review", Severity: belay.SeverityError, Title: "it leaks"}}
	byPerson := loop.State{Attempts: []loop.Attempt{{N: 1, Verdict: belay.VerdictFail, Findings: wrong, Reviewer: "ana"}}}
	byChecks := loop.State{Attempts: []loop.Attempt{{N: 1, Verdict: belay.VerdictFail, Findings: wrong}}}
	for name, c := range map[string]struct {
		state loop.State
		notes []session.Note
		want  int
	}{
		"no review is recorded":           {byPerson, nil, 0},
		"the newest that rejects":         {byPerson, []session.Note{note("review", "reject", "ana", 1), note("review", "reject", "ana", 4), note("review", "approve", "bo", 5)}, 4},
		"approvals overrule nothing":      {byPerson, []session.Note{note("review", "approve", "ana", 1)}, 0},
		"a resolved one is no review":     {byPerson, []session.Note{note("review", "reject", "ana", 2), note("review-resolved", "reject", "ana", 7)}, 2},
		"a note without a review":         {byPerson, []session.Note{{Kind: "review"}, {Kind: "torn"}}, 0},
		"checks refused it":               {byChecks, []session.Note{note("review", "reject", "ana", 3)}, 0},
		"checks, and belay wrote it down": {byChecks, []session.Note{note("review", "reject", "ana", 1), note("review", "reject", belayReviewer, 2)}, 2},
		"nothing was refused":             {loop.State{}, []session.Note{note("review", "reject", "ana", 1)}, 0},
	} {
		t.Run(name, func(t *testing.T) {
			if got := overriddenCycle(&session.Record{State: c.state, Notes: c.notes}); got != c.want {
				t.Errorf("cycle %d, want %d", got, c.want)
			}
		})
	}
}

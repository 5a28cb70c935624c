package runner

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/belay-dev/belay/internal/belay"
	"github.com/belay-dev/belay/internal/prompt"
	"github.com/belay-dev/belay/internal/session"

	"github.com/belay-dev/belay/internal/review"
)

// Write puts the newest override into the front matter of the review that it
// overrules; where the refusal has no file, into one that says what was refused.
func Write(ctx context.Context, s *session.Session, r *session.Record) error {
	if len(r.Over) == 0 {
		return nil
	}
	over := r.Over[len(r.Over)-1]
	o := review.Override{Category: string(over.Category), Rationale: over.Note, By: over.By,
		Time: over.Time.Truncate(time.Second), Answers: over.Answers}
	shelf, err := Reviews(s, r)
	if err != nil {
		return err
	}
	defer func() { _ = shelf.Close() }()
	e := shelf.Read(overruledCycle(r))
	if e.Number > 0 && e.Err == nil {
		if e.Cycle.Override != nil && e.Cycle.Override.Rationale == o.Rationale {
			return nil // it is there
		}
		was := e.Document.Bytes()
		if err := e.Document.Set("override", o); err != nil {
			return err
		}
		return shelf.Replace(e.Number, was, e.Document)
	}
	return newOverride(ctx, s, r, shelf, o)
}

// overruledCycle is the number of the review that rejected the attempt which was accepted
// all the same: a reviewer's, or the one that belay wrote for an override before; 0 for none.
func overruledCycle(r *session.Record) int {
	a := prompt.Refused(r.State)
	reviewed, n := a != nil && a.Reviewer != "", 0
	for _, note := range r.Notes {
		switch {
		case note.Kind != "review" || note.Review == nil:
		case reviewed && note.Review.Verdict == "reject", !reviewed && note.Review.Reviewer == byBelay:
			n = note.Review.Cycle
		}
	}
	return n
}

// byBelay is the reviewer of a cycle that holds what checks and configured reviewers said.
const byBelay = "belay"

// newOverride writes a review cycle that says what was refused and why it was accepted.
func newOverride(ctx context.Context, s *session.Session, r *session.Record, shelf *review.CycleFolder, o review.Override) error {
	c := review.Cycle{Reviewer: byBelay, Time: o.Time, Verdict: "reject", Override: &o}
	body := "# Accepted despite the rejection\n"
	if a := prompt.Refused(r.State); a != nil {
		body += fmt.Sprintf("\nAttempt %d was rejected for:\n\n", a.N)
		for _, f := range a.Reasons() {
			body += "- " + strings.TrimSpace(prompt.Findings([]belay.Finding{f})) + "\n"
			if f.File != "" {
				c.Affected = append(c.Affected, review.Affected{Path: f.File, Lines: review.FormatLines(f.Line, f.EndLine)})
			}
		}
	}
	return addCycle(ctx, s, r, shelf, c, body, fmt.Sprintf("records the override of the rejection of attempt %d: ", len(r.State.Attempts)))
}

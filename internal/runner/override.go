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

// WriteOverride writes the newest override into the front matter of the review that it overrides.
// If the rejection has no file, it writes one with what was rejected.
func WriteOverride(ctx context.Context, s *session.Session, r *session.Record) error {
	if len(r.Overrides) == 0 {
		return nil
	}
	over := r.Overrides[len(r.Overrides)-1]
	o := review.Override{Category: string(over.Category), Rationale: over.Note, By: over.By,
		Time: over.Time.Truncate(time.Second), Answers: over.Answers}
	shelf, err := OpenReviewCycles(s, r)
	if err != nil {
		return err
	}
	defer func() { _ = shelf.Close() }()
	e := shelf.Read(overriddenCycle(r))
	if e.Number > 0 && e.Err == nil {
		if e.Cycle.Override != nil && e.Cycle.Override.Rationale == o.Rationale {
			return nil // already written
		}
		was := e.Document.Bytes()
		if err := e.Document.Set("override", o); err != nil {
			return err
		}
		return shelf.Replace(e.Number, was, e.Document)
	}
	return addOverrideCycle(ctx, s, r, shelf, o)
}

// overriddenCycle returns the number of the review that rejected the accepted attempt: a
// reviewer's, or the one that belay wrote for an earlier override; 0 for none.
func overriddenCycle(r *session.Record) int {
	a := prompt.LastRefused(r.State)
	reviewed, n := a != nil && a.Reviewer != "", 0
	for _, note := range r.Notes {
		switch {
		case note.Kind != "review" || note.Review == nil:
		case reviewed && note.Review.Verdict == "reject", !reviewed && note.Review.Reviewer == belayReviewer:
			n = note.Review.Cycle
		}
	}
	return n
}

// belayReviewer is the reviewer's name in a cycle with the findings of checks and configured
// reviewers.
const belayReviewer = "belay"

// addOverrideCycle writes a review cycle with what was rejected and why it was accepted.
func addOverrideCycle(ctx context.Context, s *session.Session, r *session.Record, shelf *review.CycleFolder, o review.Override) error {
	c := review.Cycle{Reviewer: belayReviewer, Time: o.Time, Verdict: "reject", Override: &o}
	body := "# Accepted despite the rejection\n"
	if a := prompt.LastRefused(r.State); a != nil {
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

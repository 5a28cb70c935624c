package runner

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/belay-dev/belay/internal/belay"
	"github.com/belay-dev/belay/internal/loop"
	"github.com/belay-dev/belay/internal/prompt"
	"github.com/belay-dev/belay/internal/review"
	"github.com/belay-dev/belay/internal/secret"
	"github.com/belay-dev/belay/internal/session"
)

// writeCycles writes the reviewers' answers as review cycles, if the config asks for them. The
// verdict is already recorded, so a failed write or a kill loses nothing authoritative.
func (d *Driver) writeCycles(ctx context.Context, e loop.Event) {
	if e.Kind != loop.EvReviewed || !d.Session.Config.Review.Cycles {
		return
	}
	report, err := d.Session.Report(e.Report)
	for _, a := range d.Record.State.Attempts {
		for _, r := range report.Checks {
			if err == nil && a.Review == e.Report && r.Verdict != belay.VerdictUnknown {
				err = d.writeCycle(ctx, a.N, r)
			}
		}
	}
	if err != nil {
		d.Observer.Note("the review is recorded, but its file could not be written: " + session.ErrorLine(err))
	}
}

// writeCycle writes one reviewer's answer.
func (d *Driver) writeCycle(ctx context.Context, attempt int, r belay.CheckResult) error {
	shelf, err := OpenReviewCycles(d.Session, d.Record)
	if err != nil {
		return err
	}
	defer func() { _ = shelf.Close() }()
	c := review.Cycle{Reviewer: strings.TrimPrefix(r.Check, "review/"),
		Time: time.Now().UTC().Truncate(time.Second), Verdict: "approve"}
	if r.Verdict == belay.VerdictFail {
		c.Verdict = "reject"
	}
	body := fmt.Sprintf("# Attempt %d: %s\n\n", attempt, r.Summary)
	for _, f := range r.Findings {
		body += "- " + strings.TrimSpace(prompt.Findings([]belay.Finding{f})) + "\n"
		if f.File != "" {
			c.Affected = append(c.Affected,
				review.Affected{Path: f.File, Lines: review.FormatLines(f.Line, f.EndLine), Severity: cycleSeverities[f.Severity]})
		}
	}
	return addCycle(ctx, d.Session, d.Record, shelf, c, secret.Mask(body), fmt.Sprintf("by %s: %s, ", c.Reviewer, c.Verdict))
}

// OpenReviewCycles opens the folder of a task's review cycles in the user's tree, because a
// task's own worktree is removed by the merge.
func OpenReviewCycles(s *session.Session, r *session.Record) (*review.CycleFolder, error) {
	home, err := HomeRoot(s.Repo)
	if err != nil {
		return nil, err
	}
	return review.OpenCycleFolder(home, review.FeatureFolder(r.Task.Feature), string(r.Task.ID))
}

// addCycle writes a review cycle of the task and notes its number, its effect and its path.
func addCycle(
	ctx context.Context, s *session.Session, r *session.Record, shelf *review.CycleFolder, c review.Cycle, body, does string,
) error {
	c.Task, c.Feature = string(r.Task.ID), r.Task.Feature
	n, err := shelf.Add(func(n int) (*review.Document, error) {
		c.Number = n
		return review.New(c, body)
	})
	if err != nil {
		return err
	}
	pointer := review.PointerTo(c.Feature, c.Task, n).String()
	return s.AddNote(ctx, r, session.Note{Kind: "review", Text: fmt.Sprintf("review %d %s%s", n, does, pointer),
		Review: &review.RecordedReview{Cycle: n, Verdict: c.Verdict, Reviewer: c.Reviewer, Pointer: pointer}})
}

// cycleSeverities maps the severities of findings to those of review cycles.
var cycleSeverities = map[belay.Severity]string{belay.SeverityError: "major", belay.SeverityQuestion: "minor",
	belay.SeverityWarning: "minor", belay.SeverityNote: "note"}

package runner

import (
	"context"
	"io"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/belay-dev/belay/internal/agent"
	"github.com/belay-dev/belay/internal/belay"
	"github.com/belay-dev/belay/internal/loop"
	"github.com/belay-dev/belay/internal/prompt"

	"github.com/belay-dev/belay/internal/review"

	"github.com/belay-dev/belay/internal/worktree"
)

// runReview runs the task's reviewers on the capture.
func (d *Driver) runReview(ctx context.Context, c loop.Command) (loop.Event, error) {
	in, err := d.reviewInput(ctx, c)
	if err != nil {
		return loop.Event{}, err
	}
	in.Task.Reviewers = slices.DeleteFunc(slices.Clone(in.Task.Reviewers), belay.Reviewer.Human) // persons answer at a gate
	release, err := d.claimReviews(in.Task.Reviewers)
	if err != nil {
		return loop.Event{}, err
	}
	defer release()
	began := time.Now()
	results := review.Panel{
		Snaps: d.Session.Snaps, May: d.Session.Gate, ReadOnly: d.readOnlyFolders(), Enclose: Encloser(ctx, d.Session),
		Env: agent.BuildEnviron(os.Environ(), nil, map[string]string{"BELAY_TASK": string(in.Task.ID), "BELAY_ROLE": "reviewer"}),
		ReviewerEnv: func(reviewer string) []string {
			_, env := d.Session.ReviewClaims().KeyAndEnv(reviewer, in.Task.ID)
			return env
		},
		Attach: func(r io.Reader) (string, error) { return d.Session.AttachText(r, in.Task) },
	}.Ask(d.Soft, in, c.Target)
	if d.Soft.Err() != nil {
		return loop.Event{}, ErrParked
	}
	report := belay.Report{Task: d.Record.Task.ID, Time: began.UTC(), Before: d.Record.State.Before, After: c.Target,
		Verdict: belay.Judge(results), Checks: results}
	files, err := prompt.ReviewPaths(ctx, d.Session.Repo)
	if err != nil {
		return loop.Event{}, err
	}
	var lists [][]belay.Finding
	note := ""
	for i, r := range results {
		r.Findings = review.WithPlaces(r.Findings, files)
		results[i] = r
		lists = append(lists, r.Findings)
		report.Millis = max(report.Millis, r.Millis)
		for _, f := range r.Findings {
			if f.Title == review.CheckoutChanged(strings.TrimPrefix(r.Check, "review/")) {
				d.Observer.Note(f.Title + "; its changes are thrown away")
			}
		}
		if r.Verdict == belay.VerdictUnknown && note == "" {
			note = r.Check + ": " + r.Why
		}
	}
	sha, err := d.Session.KeepReport(report)
	if err != nil {
		return loop.Event{}, err
	}
	merged := slices.DeleteFunc(review.MergeFindings(lists...), func(f belay.Finding) bool { return f.Severity != belay.SeverityError })
	return loop.Event{Kind: loop.EvReviewed, Verdict: report.Verdict, Findings: merged, Report: sha, Note: note}, nil
}

// reviewInput gathers the input of every reviewer. After a rejecting review, only the changes since
// are reviewed, together with that review's findings.
func (d *Driver) reviewInput(ctx context.Context, c loop.Command) (prompt.ReviewInput, error) {
	st := d.Record.State
	in := prompt.ReviewInput{Task: d.Record.Task, Attempt: c.Attempt, Baseline: st.Baseline}
	var err error
	if in.Spec, err = review.FeatureDocuments(ctx, d.Session.Repo, d.Record.Task.Feature, nil); err != nil {
		return in, err
	}
	from := st.Before
	for _, a := range st.Attempts {
		if a.N == c.Attempt && a.Report != "" {
			report, err := d.Session.Report(a.Report)
			if err != nil {
				return in, err
			}
			in.Checks = report.Checks
		}
		if a.N < c.Attempt && a.Review != "" && a.Snapshot != "" {
			in.Since, in.Open, from = a.N, slices.DeleteFunc(slices.Clone(a.Findings),
				func(f belay.Finding) bool { return f.Check != "review" }), a.Snapshot
		}
	}
	changes, err := d.Session.Snaps.Changes(ctx, from, c.Target)
	if err != nil {
		return in, err
	}
	for _, ch := range changes {
		in.Files = append(in.Files, ch.Status+" "+belay.VisibleLine(ch.Path))
	}
	var diff limitedBuffer
	if err := d.Session.Snaps.PatchForModels(ctx, from, c.Target, &diff); err != nil && !diff.full {
		return in, err
	}
	in.Diff = diff.String()
	if diff.full {
		in.Diff += "\n(the diff is longer: read the rest in the checkout)"
	}
	return in, nil
}

// readOnlyFolders lists the folders that a reviewer may not write: the user's tree and its git
// folders. They include the packages that a checkout shares.
func (d *Driver) readOnlyFolders() []string {
	list := []string{d.Session.Repo.Root}
	if m, apart, err := worktree.MarkOf(d.Session.Repo); apart && err == nil {
		list = append(list, m.Home) // a task's own tree: protect the user's tree as well
	}
	for _, dir := range []string{d.Session.Repo.Dir, d.Session.Repo.Common} {
		if !slices.ContainsFunc(list, func(l string) bool { return dir == l || strings.HasPrefix(dir, l+"/") }) {
			list = append(list, dir)
		}
	}
	return list
}

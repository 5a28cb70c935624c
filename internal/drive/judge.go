package drive

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"time"

	"github.com/belay-dev/belay/internal/belay"
	"github.com/belay-dev/belay/internal/check"
	"github.com/belay-dev/belay/internal/check/results"
	"github.com/belay-dev/belay/internal/glob"
	"github.com/belay-dev/belay/internal/guard"
	"github.com/belay-dev/belay/internal/loop"
	"github.com/belay-dev/belay/internal/spans"
	"github.com/belay-dev/belay/internal/texts"
)

// The time limits of all checks together: a person who asks waits for half a
// minute, a run that has an agent to pay for waits longer for its tests.
const (
	AskTimeout = 30 * time.Second
	RunTimeout = 10 * time.Minute
)

// Work is what a task changed, as the checks see it.
type Work struct {
	All  []belay.Change // before → after, where an attempt had a hand in it
	Last []belay.Change // what the last attempt changed

	Held     bool            // the run holds the tree: what a linter edits in it is taken back
	Baseline *results.Report // what the tests said before; nil when that is not known
}

// Work compares the state before with a capture and keeps what the agent did.
func (d *Desk) Work(ctx context.Context, task belay.TaskID, before, after belay.SnapshotID) (w Work, err error) {
	w.All, w.Last, err = spans.Work(ctx, d.Snaps.Store, task, before, after)
	return w, err
}

// Check judges what the last attempt left.
func (d *Driver) Check(ctx context.Context, c loop.Command) (loop.Event, error) {
	w, err := d.Work(ctx, d.Rec.Task.ID, d.Rec.State.Before, c.Target)
	if err != nil {
		return loop.Event{}, err
	}
	if d.Rec.State.Rechecking {
		w.Last = w.All // a person's own work is judged whole
	}
	if w.Baseline, err = d.BaselineOf(d.Rec.State); err != nil {
		d.Watch.Note("the baseline is lost, old failures cannot be told from new ones: " + Sentence(err))
	}
	w.Held = true
	report, err := d.Judge(d.Soft, d.Rec.Task, w, d.Rec.State.Before, c.Target, d.Watch.Checking)
	if err != nil {
		return loop.Event{}, err
	}
	if d.Soft.Err() != nil {
		return loop.Event{}, ErrParked // the check is still pending: resume does it again
	}
	if err := d.leftovers(ctx, c); err != nil {
		return loop.Event{}, err
	}
	return d.checked(report)
}

// checked stores the report and turns it into the event.
func (d *Driver) checked(report belay.Report) (loop.Event, error) {
	sha, err := d.KeepReport(report)
	if err != nil {
		return loop.Event{}, err
	}
	ev := loop.Event{Kind: loop.EvChecked, Verdict: report.Verdict, Findings: report.Errors(), Report: sha}
	for _, r := range report.Checks {
		if !r.Skipped && r.Verdict == belay.VerdictUnknown {
			ev.Note = fmt.Sprintf("%s: %s", r.Check, r.Why)
			break
		}
	}
	ev.FeatureLimit = d.Config.Limits.FeatureRetries
	ev.FeatureRetries, err = d.featureRetries()
	return ev, err
}

func (d *Desk) KeepReport(report belay.Report) (string, error) {
	text, err := json.Marshal(report)
	if err != nil {
		return "", err
	}
	sha, _, err := d.Journal.Attach(bytes.NewReader(text))
	return sha, err
}

// featureRetries counts the retries of the feature's other tasks.
func (d *Driver) featureRetries() (int, error) {
	if d.Rec.Task.Feature == "" {
		return 0, nil
	}
	all, err := d.Records(nil)
	if err != nil {
		return 0, err
	}
	n := 0
	for _, r := range all {
		if r.Task.ID != d.Rec.Task.ID && r.Task.Feature == d.Rec.Task.Feature {
			n += r.State.Retries
		}
	}
	return n, nil
}

// leftovers holds what the checks themselves left in the tree (a coverage file, a
// cache), so that it is neither held against the agent nor left by a rollback.
func (d *Driver) leftovers(ctx context.Context, c loop.Command) error {
	captured, err := d.Snaps.Get(ctx, c.Target)
	if err != nil {
		return err
	}
	tree, err := d.Snaps.Peek(ctx)
	if err != nil || tree == captured.Tree {
		return err
	}
	_, err = d.once(ctx, d.meta(belay.KindAfter, c.Attempt, c.ID+spans.EndMark, "left by the checks"))
	return err
}

// Judge runs the task's checks on what it changed.
func (d *Desk) Judge(ctx context.Context, t belay.Task, w Work, before, after belay.SnapshotID, progress func(check.Progress)) (belay.Report, error) {
	for _, one := range slices.Concat(t.Scope.Files, t.Scope.Protect, t.Scope.Expect) {
		if err := glob.Valid(one); err != nil {
			return belay.Report{}, err
		}
	}
	if err := check.ValidRules(t.Checks); err != nil {
		return belay.Report{}, err
	}
	report := check.Run(ctx, check.Input{
		Root: d.Repo.Root, Env: testEnv(t),
		Changes: w.All, Attempt: w.Last, Scope: t.Scope, Request: t.Request, Checks: t.Checks, Skip: t.Checks.Skip,
		Before: before, After: after, Baseline: w.Baseline, State: d.stateBefore(before, t),
		Lines: guard.Lines(d.Snaps, before, after), Guard: guard.Tree(d.Snaps, t.ID, after, w.Held),
		Texts: texts.New(d.Snaps.Store, before, after),
		Logs: func(_ string, r io.Reader) (string, error) {
			sha, _, err := d.Journal.Attach(r)
			return sha, err
		},
	}, progress)
	return report, nil
}

// Report reads a stored report.
func (d *Desk) Report(sha string) (belay.Report, error) {
	f, err := d.Journal.OpenAttachment(sha)
	if err != nil {
		return belay.Report{}, err
	}
	defer f.Close()
	text, err := io.ReadAll(f)
	if err != nil {
		return belay.Report{}, err
	}
	var report belay.Report
	if err := json.Unmarshal(text, &report); err != nil {
		return belay.Report{}, errors.Join(fmt.Errorf("read report %s", sha), err)
	}
	return report, nil
}

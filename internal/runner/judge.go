package runner

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/belay-dev/belay/internal/belay"
	"github.com/belay-dev/belay/internal/check"
	"github.com/belay-dev/belay/internal/loop"
	"github.com/belay-dev/belay/internal/session"
)

// Check runs the checks on the result of the last attempt.
func (d *Driver) Check(ctx context.Context, c loop.Command) (loop.Event, error) {
	w, err := d.Session.Work(ctx, d.Record, c.Target)
	if err != nil {
		return loop.Event{}, err
	}
	if d.Record.State.Rechecking || d.followsQuestions() {
		w.Last = w.All // a person's edits are checked completely; an agent that was only asked questions may have changed nothing
	}
	if w.Baseline, err = d.Session.BaselineReport(d.Record); err != nil {
		d.Observer.Note("the baseline is lost, old failures cannot be distinguished from new ones: " + session.ErrorLine(err))
	}
	w.TreeLocked = true
	report, err := d.judgeAll(d.Soft, d.Record.Task, w, d.Record.State.Before, c.Target, d.Observer.Checking)
	if err != nil {
		return loop.Event{}, err
	}
	if d.Soft.Err() != nil {
		return loop.Event{}, ErrParked // the check stays pending: resume repeats it
	}
	if err := d.captureLeftovers(ctx, c); err != nil {
		return loop.Event{}, err
	}
	if _, err := d.Session.Guard(ctx, d.Record); err != nil {
		return loop.Event{}, err
	}
	return d.checkedEvent(d.addTampering(report))
}

// followsQuestions reports whether the previous attempt was not accepted because of questions only.
func (d *Driver) followsQuestions() bool {
	all := d.Record.State.Attempts
	return len(all) > 1 && all[len(all)-2].OnlyAsks()
}

// addTampering adds to a report the finding that belay's data of the task was changed.
func (d *Driver) addTampering(report belay.Report) belay.Report {
	f := d.Record.TamperFinding()
	if f == nil {
		return report
	}
	report.Checks = append(slices.Clone(report.Checks),
		belay.CheckResult{Check: f.Check, Verdict: belay.VerdictFail, Summary: f.Title, Findings: []belay.Finding{*f}})
	report.Verdict = belay.Judge(report.Checks)
	return report
}

// checkedEvent stores the report and makes the event for it.
func (d *Driver) checkedEvent(report belay.Report) (loop.Event, error) {
	sha, err := d.Session.KeepReport(report)
	if err != nil {
		return loop.Event{}, err
	}
	ev := loop.Event{Kind: loop.EvChecked, Verdict: report.Verdict, Report: sha}
	if report.Verdict == belay.VerdictFail || report.Asks() {
		ev.Findings = append(report.Errors(), report.Questions()...)
	}
	for _, r := range report.Checks {
		if !r.Skipped && r.Verdict == belay.VerdictUnknown && !r.Asks {
			ev.Note = fmt.Sprintf("%s: %s", r.Check, r.Why)
			break
		}
	}
	if report.Verdict == belay.VerdictPass {
		ev.Note = warningsLine(report)
	}
	ev.FeatureLimit = d.Session.Config.Limits.FeatureRetries
	ev.FeatureRetries, err = d.featureRetries()
	return ev, err
}

// warningsLine lists the warnings of a report, because accepted work has no visible report.
func warningsLine(report belay.Report) string {
	var titles []string
	n := 0
	for _, c := range report.Checks {
		for _, f := range c.Findings {
			if f.Severity == belay.SeverityWarning {
				n++
				titles = append(titles, f.Title)
			}
		}
	}
	switch titles = slices.Compact(titles); n {
	case 0:
		return ""
	case 1:
		return "1 warning: " + titles[0]
	}
	return fmt.Sprintf("%d warnings: %s", n, strings.Join(titles, "; "))
}

// featureRetries counts the retries of the feature's other tasks.
func (d *Driver) featureRetries() (int, error) {
	if d.Record.Task.Feature == "" {
		return 0, nil
	}
	all, err := d.Session.Records(nil)
	if err != nil {
		return 0, err
	}
	n := 0
	for _, r := range all {
		if r.Task.ID != d.Record.Task.ID && r.Task.Feature == d.Record.Task.Feature {
			n += r.State.Retries + r.State.Reviewed
		}
	}
	return n, nil
}

// captureLeftovers takes a snapshot of files that the checks themselves left in the tree (a
// coverage file, a cache), so that they do not count as the agent's work and a rollback removes
// them.
func (d *Driver) captureLeftovers(ctx context.Context, c loop.Command) error {
	captured, err := d.Session.Snaps.Get(ctx, c.Target)
	if err != nil {
		return err
	}
	tree, err := d.Session.Snaps.StoreFilesTree(ctx, d.Session.SnapshotExtent(d.Record))
	if err != nil || tree == captured.Tree {
		return err
	}
	_, err = d.takeOnce(ctx, d.snapshotMeta(belay.KindAfter, c.Attempt, c.ID+session.EndMark, "files left by the checks"))
	return err
}

// judgeAll checks the change, and whether the files that belay wrote for agents were edited.
func (d *Driver) judgeAll(ctx context.Context, t belay.Task, w session.Work, before, after belay.SnapshotID,
	progress func(check.Progress)) (belay.Report, error) {
	report, err := d.Session.Judge(ctx, t, w, before, after, progress)
	if err != nil {
		return report, err
	}
	checks, err := d.Session.JudgePlan(ctx, d.Record, report.Checks)
	if err != nil {
		return report, err
	}
	if len(checks) > len(report.Checks) {
		report.Checks, report.Verdict = checks, belay.Judge(checks)
	}
	edited := d.Session.EditedContext(d.Record)
	if len(edited) == 0 {
		return report, nil
	}
	result := belay.CheckResult{Check: "context", Verdict: belay.VerdictFail, Summary: "files written by belay were edited"}
	for _, path := range edited {
		result.Findings = append(result.Findings, belay.Finding{
			Check: "context", Severity: belay.SeverityError, Category: belay.CategoryRules, Title: "a file written by belay was edited",
			Detail:         path + " is generated from the task's context; editing it has no effect",
			Recommendation: "do not edit it; use the commands of belay context",
		}.Sign())
	}
	report.Checks = append(report.Checks, result)
	report.Verdict = belay.Judge(report.Checks)
	return report, nil
}

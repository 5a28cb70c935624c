package lint

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/belay-dev/belay/internal/belay"

	"github.com/belay-dev/belay/internal/proc"
	"github.com/belay-dev/belay/internal/testreport"
)

// addReport adds the report of a linter that ended by itself. A remark without a severity is an
// error if the linter's exit code is not 0, a warning otherwise.
func (w *lintRun) addReport(l belay.Linter, report Report, err error, end proc.Ending, tail string) {
	switch {
	case err != nil:
		w.noteFailure(l, fmt.Sprintf("could not read its report (it %s): %s", end, err))
		return
	case len(report.Remarks) == 0 && report.Suppressed == 0 && end.Code != 0:
		w.noteFailure(l, fmt.Sprintf("it %s without a readable report: %s", end, lastLine(tail, end)))
		return
	case report.Incomplete:
		w.noteFailure(l, "its report is incomplete: "+strings.Join(report.Warnings, "; "))
	}
	w.ran++
	w.suppressed += report.Suppressed
	for _, m := range report.Remarks {
		severity := m.Severity
		switch {
		case severity == "" && end.Code != 0:
			severity = belay.SeverityError
		case severity == "":
			severity = belay.SeverityWarning
		}
		w.remarks = append(w.remarks, locatedRemark{m, l.Name, severity})
	}
}

// settleEdits reports what the linters changed in the tree.
func (w *lintRun) settleEdits(ctx context.Context, settle func(context.Context) (Edits, error)) {
	edits, err := settle(context.WithoutCancel(ctx)) // a cancelled linter may have changed files too
	if err != nil {
		w.found = append(w.found, belay.Finding{
			Severity: belay.SeverityWarning, Category: belay.CategoryLint,
			Title: "could not check whether a linter changed files", Detail: err.Error(),
		})
		return
	}
	if w.edits = len(edits.Paths); w.edits == 0 {
		return
	}
	f := belay.Finding{
		Severity: belay.SeverityWarning, Category: belay.CategoryLint,
		Title:          "a linter changed files; the changes were reverted",
		Detail:         strings.Join(edits.Paths[:min(w.edits, 20)], "\n"),
		Recommendation: "run the linter in report-only mode: without --fix, or with --check",
	}
	if !edits.Reverted {
		f.Title = "files changed while the linters ran"
	}
	if w.edits > 20 {
		f.Detail += fmt.Sprintf("\nand %d more", w.edits-20)
	}
	w.found = append(w.found, f)
}

// checkResult returns the result for the remarks on changed lines.
func (w *lintRun) checkResult() belay.CheckResult {
	if len(w.remarks) > 0 && !w.in.All && w.in.FindAdded != nil {
		var err error
		if w.wasAdded, err = w.in.FindAdded(); err != nil {
			w.failureReasons = append(w.failureReasons, "the changed lines could not be determined: "+err.Error())
			w.remarks = nil
		}
	}
	found, elsewhere := w.findings()
	result := belay.Of(Name, w.summary(len(found), elsewhere), append(found, w.found...))
	switch {
	case len(w.failureReasons) > 0 && result.Verdict == belay.VerdictPass:
		result.Verdict, result.Why = belay.VerdictUnknown, strings.Join(w.failureReasons, "; ")
	case w.ran == 0 && result.Verdict == belay.VerdictPass:
		result = belay.Skipped(Name, strings.Join(w.skippedReasons, "; "))
	}
	for _, why := range w.skippedReasons {
		result.Findings = append(result.Findings, belay.Finding{
			Check: Name, Severity: belay.SeverityNote, Category: belay.CategoryLint, Title: "a detected linter could not run", Detail: why,
		}.Sign())
	}
	if w.in.Logs != nil {
		result.Log, _ = w.in.Logs("lint.log", strings.NewReader(w.logs.String())) // the findings are complete without the log
	}
	return result
}

// findings returns the remarks on the change without duplicates, and the number of others.
func (w *lintRun) findings() (found []belay.Finding, elsewhere int) {
	seen := map[string]bool{}
	var counted []locatedRemark
	for _, s := range w.remarks {
		file := w.tree.find(s.remark.File, w.statusByPath)
		key := fmt.Sprint(file, "\x00", s.remark.Line, "\x00", s.remark.Rule, "\x00", s.remark.Message)
		switch {
		case seen[key]:
			continue
		case !w.isAboutChange(s, file):
			elsewhere++
		default:
			s.remark.File = file
			counted = append(counted, s)
		}
		seen[key] = true
	}
	slices.SortStableFunc(counted, func(a, b locatedRemark) int { return severityRank(a.severity) - severityRank(b.severity) })
	for _, s := range counted {
		found = append(found, s.toFinding())
	}
	return belay.Brief(found, "more linter remarks"), elsewhere
}

func severityRank(s belay.Severity) int {
	return slices.Index([]belay.Severity{belay.SeverityError, belay.SeverityQuestion, belay.SeverityWarning, belay.SeverityNote}, s)
}

// isAboutChange reports whether a remark is about the change: on an added line, or on an added
// file.
func (w *lintRun) isAboutChange(s locatedRemark, file string) bool {
	switch {
	case w.in.All:
		return true
	case file == "":
		return false
	case s.remark.Line == 0:
		return w.statusByPath[file] == "A"
	}
	return w.wasAdded != nil && w.wasAdded(file, s.remark.Line, max(s.remark.Line, min(s.remark.EndLine, s.remark.Line+200)))
}

func (s locatedRemark) toFinding() belay.Finding {
	first, rest, _ := strings.Cut(s.remark.Message, "\n")
	title := s.linter + ": " + testreport.Clip(first, 200)
	if s.remark.Rule != "" {
		title += " (" + testreport.Clip(s.remark.Rule, 80) + ")"
	}
	f := belay.Finding{
		Severity: s.severity, Category: belay.CategoryLint, Title: title, Detail: strings.TrimSpace(rest),
		File: s.remark.File, Line: s.remark.Line, EndLine: s.remark.EndLine,
	}
	if s.severity == belay.SeverityError {
		f.Recommendation = "fix what " + s.linter + " reports for this line; do not suppress it"
	}
	return f
}

func (w *lintRun) summary(found, elsewhere int) string {
	if w.ran == 0 {
		return "could not run"
	}
	where := "on changed lines"
	if w.in.All {
		where = "in all"
	}
	text := fmt.Sprintf("%s, %s %s", belay.Count(w.ran, "linter", "linters"), belay.Count(found, "remark", "remarks"), where)
	if elsewhere > 0 {
		text += fmt.Sprintf(", %d elsewhere", elsewhere)
	}
	if w.suppressed > 0 {
		text += fmt.Sprintf(", %d suppressed by the project", w.suppressed)
	}
	return text
}

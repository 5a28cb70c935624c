package check

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/belay-dev/belay/internal/belay"

	"github.com/belay-dev/belay/internal/testrun"
)

// checkScope checks whether the task changed only its own files, and all expected ones.
func checkScope(ctx context.Context, in Input) belay.CheckResult {
	files, expect := in.Scope.Files, in.Scope.Expect
	if len(files) == 0 && len(expect) == 0 && len(in.Request.Bounds) == 0 {
		return belay.Skipped(nameScope, "no file scope was given")
	}
	if err := validateGlobs(files, expect); err != nil {
		return belay.Unknown(nameScope, err.Error())
	}
	changes := withoutBelayFiles(in.Changes)
	var extra []belay.Finding
	for _, c := range changes {
		if ctx.Err() != nil {
			return belay.Unknown(nameScope, testrun.UnfinishedReason(ctx))
		}
		if len(files) > 0 && !belay.Match(files, c.Path) {
			extra = append(extra, in.strayFinding(c, files))
		}
	}
	missing := unmetFindings(expect, changes)
	beyond, err := in.boundFindings(ctx, changes)
	if err != nil {
		return belay.Unknown(nameScope, err.Error())
	}
	broken := 0
	for _, f := range beyond {
		if f.Severity == belay.SeverityError {
			broken++
		}
	}
	summary := belay.Count(len(changes), "file", "files") + ", all within the task's files"
	switch {
	case broken > 0:
		summary = belay.Count(broken, "change", "changes") + " that the request rules out"
	case len(files)+len(expect) == 0:
		summary = belay.Count(len(changes), "file", "files") + ", all where the request allows it"
	case len(files) == 0:
		summary = belay.Count(len(expect), "expected file", "expected files") + " changed"
	}
	if n := len(extra); n > 0 && len(missing) == 0 &&
		!slices.ContainsFunc(extra, func(f belay.Finding) bool { return f.Severity == belay.SeverityError }) {
		summary = belay.Count(n, "ignored file", "ignored files") + " outside the task's files"
	} else if n+len(missing) > 0 {
		summary = fmt.Sprintf("%s outside the task's files, %d expected but not changed",
			belay.Count(len(extra), "file", "files"), len(missing))
	}
	extra = belay.Brief(extra, "more files changed outside the task's files")
	beyond = belay.Brief(beyond, "more changes that the request rules out")
	return belay.Of(nameScope, summary, slices.Concat(extra, missing, beyond))
}

func (in Input) strayFinding(c belay.Change, files []string) belay.Finding {
	if slices.Contains(in.Uncertain, c.Path) {
		return belay.Finding{
			Severity: belay.SeverityWarning, Category: belay.CategoryScope, File: c.Path, Title: "outside the task's files",
			Detail: fmt.Sprintf("%s was %s; git ignores it, so a tool may have written it", c.Path, changeVerb(c)),
		}
	}
	return belay.Finding{
		Severity: belay.SeverityError, Category: belay.CategoryScope, File: c.Path,
		Title:          "outside the task's files",
		Detail:         fmt.Sprintf("%s was %s; the task's files are %s", c.Path, changeVerb(c), joinGlobs(files)),
		Recommendation: revertAdvice(c) + ", and change only the task's files",
	}
}

// unmetFindings returns a finding for every expected glob without a change.
func unmetFindings(expect []string, changes []belay.Change) []belay.Finding {
	var out []belay.Finding
	for _, one := range expect {
		met := false
		for _, c := range changes {
			if met = belay.Covers(one, c.Path); met {
				break
			}
		}
		if met {
			continue
		}
		f := belay.Finding{
			Severity: belay.SeverityError, Category: belay.CategoryScope,
			Title:          "expected to change but did not: " + one,
			Recommendation: "change it as the task asks",
		}
		if !strings.ContainsAny(one, `*?[{\`) && !strings.HasSuffix(one, "/") {
			f.File = strings.TrimPrefix(one, "./")
		}
		out = append(out, f)
	}
	return out
}

// validateGlobs returns the first error among the globs of all lists.
func validateGlobs(lists ...[]string) error {
	for _, globs := range lists {
		for _, one := range globs {
			if err := belay.Valid(one); err != nil {
				return err
			}
		}
	}
	return nil
}

// joinGlobs joins a limited number of globs on one line.
func joinGlobs(globs []string) string {
	if len(globs) > 12 {
		return fmt.Sprintf("%s and %d more", strings.Join(globs[:12], ", "), len(globs)-12)
	}
	return strings.Join(globs, ", ")
}

package check

import (
	"context"
	"fmt"
	"strings"

	"github.com/belay-dev/belay/internal/belay"

	"github.com/belay-dev/belay/internal/syntax"
	"github.com/belay-dev/belay/internal/testrun"
)

// checkRules checks that the task did not change files that instruct agents or run automatically. A
// glob of Scope.Files allows such a file only if it names it: src/** does not permit an AGENTS.md
// in src. What the request asks for, and what a person changed, is not a finding; a harmless change
// of a CI file is a warning. Good work also changes texts for agents, CI files and commit hooks, so
// those are a question. Settings that run automatically reject.
func checkRules(ctx context.Context, in Input) belay.CheckResult {
	if err := validateGlobs(in.Scope.Files); err != nil {
		return belay.Unknown(nameRules, err.Error())
	}
	var found []belay.Finding
	allowed, errors, questions := 0, 0, 0
	for _, c := range withoutBelayFiles(in.Changes) {
		if ctx.Err() != nil {
			return belay.Unknown(nameRules, testrun.UnfinishedReason(ctx))
		}
		rule := belay.Rule(c.Path)
		if rule == "" || globNamesRule(in.Scope.Files, rule, c.Path) {
			continue
		}
		if in.ChangedByHand != nil && in.ChangedByHand(c.Path) || asksForChange(in.Request, in.Words, c.Path, rule) {
			allowed++
			continue
		}
		f := belay.Finding{
			Severity: belay.SeverityError, Category: belay.CategoryRules, File: c.Path,
			Title:          "agent instructions or automation changed",
			Detail:         fmt.Sprintf("%s was %s, and the task's files do not name it", c.Path, changeVerb(c)),
			Recommendation: revertAdvice(c) + "; if the task needs this change, its text must name the file, or use --files " + c.Path,
		}
		switch {
		case in.isKnownHarmless(ctx, c.Path, isHarmlessChange):
			f.Severity = belay.SeverityWarning
			f.Detail += "; when it runs, with which rights and with which code is unchanged"
			f.Recommendation = "review it before you commit or push: it may run then"
		case dependsOnPurpose(strings.ToLower(c.Path), rule):
			questions++
			f.Severity = belay.SeverityQuestion
			f.Recommendation = revertAdvice(c) + " unless the task needs this change; a person has to approve it"
		default:
			errors++
		}
		found = append(found, f)
	}
	summary := "agent instructions and automation are unchanged"
	switch {
	case errors > 0:
		summary = belay.Count(errors, "rule file", "rule files") + " changed but not named by the task"
	case questions > 0:
		summary = belay.Count(questions, "rule file", "rule files") + " changed but not named by the task: a person has to approve"
	case len(found) > 0:
		summary = belay.Count(len(found), "rule file", "rule files") + " changed without new triggers, rights or code"
	case allowed > 0:
		summary = belay.Count(allowed, "rule file", "rule files") + " changed by hand or as the task asks"
	}
	return belay.Of(nameRules, summary, belay.Brief(found, "more rule files changed"))
}

// globNamesRule reports whether one of the globs covers path and contains the rule literally.
func globNamesRule(globs []string, rule, path string) bool {
	for _, one := range globs {
		if strings.Contains(strings.ToLower(one), rule) && belay.Covers(one, path) {
			return true
		}
	}
	return false
}

// isKnownHarmless reports whether the change of a file is certainly harmless, which is false for a
// file that cannot be read.
func (in Input) isKnownHarmless(ctx context.Context, path string, harmless func(*syntax.File, []*syntax.File) bool) bool {
	if in.Texts == nil {
		return false
	}
	files, err := in.files(ctx)
	if err != nil {
		return false
	}
	for _, f := range files {
		if f.Path == path {
			return harmless(f, files)
		}
	}
	return false
}

package check

import (
	"context"
	"fmt"
	"strings"

	"github.com/belay-dev/belay/internal/belay"
	"github.com/belay-dev/belay/internal/check/answer"
	"github.com/belay-dev/belay/internal/check/edit"
	"github.com/belay-dev/belay/internal/check/suite"
	"github.com/belay-dev/belay/internal/glob"
	"github.com/belay-dev/belay/internal/instructions"
)

// rules asks whether the task left alone what instructs agents and what runs by
// itself. A glob of Scope.Files allows such a file only when it names it: src/** is
// no permission to leave an AGENTS.md in src. So does a request that speaks of it. A change of a file that CI runs which
// grants it nothing is a warning.
func rules(ctx context.Context, in Input) belay.CheckResult {
	if err := validGlobs(in.Scope.Files); err != nil {
		return answer.Unknown(nameRules, err.Error())
	}
	var found []belay.Finding
	errors := 0
	for _, c := range work(in.Changes) {
		if ctx.Err() != nil {
			return answer.Unknown(nameRules, suite.Unfinished(ctx))
		}
		rule := instructions.Rule(c.Path)
		if rule == "" || namedIn(in.Scope.Files, rule, c.Path) {
			continue
		}
		f := belay.Finding{
			Severity: belay.SeverityError, Category: belay.CategoryRules, File: c.Path,
			Title:          "instructions for agents or automation changed",
			Detail:         fmt.Sprintf("%s was %s and the task's files do not name it", c.Path, changeVerb(c)),
			Recommendation: putBack(c) + "; only a person can add it to the task's files, by name",
		}
		switch {
		case asksFor(in.Request, in.Words, c.Path, rule):
			f.Severity, f.Recommendation = belay.SeverityNote, ""
			f.Detail = fmt.Sprintf("%s was %s, which the task asks for", c.Path, changeVerb(c))
		case runsInCI(strings.ToLower(c.Path)) && in.known(ctx, c.Path, grantsNothing):
			f.Severity = belay.SeverityWarning
			f.Detail += "; triggers, permissions, secrets and foreign code are as they were"
			f.Recommendation = "look at it before you push: CI runs it"
		case strings.HasPrefix(rule, ".pre-commit-config.") && in.known(ctx, c.Path, onlyVersions):
			f.Severity = belay.SeverityWarning
			f.Detail += "; only versions differ"
			f.Recommendation = "look at it before you commit: its hooks run then"
		default:
			errors++
		}
		found = append(found, f)
	}
	summary := "rules for agents and automation are untouched"
	switch {
	case errors > 0:
		summary = answer.Count(errors, "rule file", "rule files") + " changed without being named by the task"
	case len(found) > 0:
		summary = answer.Count(len(found), "rule file", "rule files") + " changed"
	}
	return answer.Of(nameRules, summary, answer.Brief(found, "more rule files changed"))
}

// namedIn tells whether one of the globs covers path and spells the rule out.
func namedIn(globs []string, rule, path string) bool {
	for _, one := range globs {
		if strings.Contains(strings.ToLower(one), rule) && glob.Covers(one, path) {
			return true
		}
	}
	return false
}

// known tells whether the change of a file is of a harmless kind. Of one that cannot be read nothing is
// known.
func (in Input) known(ctx context.Context, path string, harmless func(*edit.File) bool) bool {
	if in.Texts == nil {
		return false
	}
	files, err := in.files(ctx)
	if err != nil {
		return false
	}
	for _, f := range files {
		if f.Path == path {
			return harmless(f)
		}
	}
	return false
}

package session

import (
	"fmt"
	"slices"
	"strings"

	"github.com/belay-dev/belay/internal/belay"
)

// addPlanResult appends the result of a plan's markers to the other checks, so that a failure is
// reported once: the plan leaves out what a check reports at the same place, and a check leaves out
// its warnings about what the plan rejects. Verdicts are unchanged.
func addPlanResult(checks []belay.CheckResult, plan belay.CheckResult) []belay.CheckResult {
	all := slices.Clone(checks)
	for i, c := range all {
		if c.Verdict == belay.VerdictFail {
			continue // rejecting findings are never left out
		}
		all[i].Findings = slices.DeleteFunc(slices.Clone(c.Findings), func(f belay.Finding) bool {
			return f.Severity == belay.SeverityWarning && slices.ContainsFunc(plan.Findings, func(of belay.Finding) bool {
				return of.Severity == belay.SeverityError && isSameFinding(f, of)
			})
		})
	}
	left := func(f belay.Finding) (by string) {
		for _, c := range all {
			for _, told := range c.Findings {
				if isSameFinding(told, f) && (told.Severity == f.Severity || told.Severity == belay.SeverityError) {
					return c.Check
				}
			}
		}
		return ""
	}
	var by string
	plan.Findings = slices.DeleteFunc(slices.Clone(plan.Findings), func(f belay.Finding) bool {
		name := left(f)
		by = max(by, name)
		return name != ""
	})
	if by != "" {
		plan.Summary += "; for the rest see " + by
	}
	return append(all, plan)
}

// isSameFinding reports whether the findings of a check and of a plan are the same, about the same
// place. The plan puts the section before the sentence, the check puts its place after it.
func isSameFinding(told, planned belay.Finding) bool {
	sentence := strings.TrimSuffix(told.Title, fmt.Sprintf(": %s:%d", told.File, told.Line))
	_, says, _ := strings.Cut(planned.Title, ": ")
	if told.Category != belay.CategoryContract || planned.Category != belay.CategoryContract {
		return false
	}
	samePlace := told.File != "" && told.File == planned.File && told.Line == planned.Line
	return samePlace && says != "" && (sentence == says || strings.HasSuffix(sentence, ": "+says))
}

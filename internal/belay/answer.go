package belay

import (
	"fmt"
	"slices"
	"strings"
)

// Most is the number of findings of one kind that are listed individually.
const Most = 100

// Of signs the findings and derives the verdict: an error rejects, a question leaves the decision
// to a person, warnings and notes do neither.
func Of(check, summary string, findings []Finding) CheckResult {
	r := CheckResult{Check: check, Verdict: VerdictPass, Summary: summary}
	for _, f := range findings {
		f.Check = check
		switch {
		case f.Severity == SeverityError:
			r.Verdict, r.Asks = VerdictFail, false
		case f.Severity == SeverityQuestion && r.Verdict == VerdictPass:
			r.Verdict, r.Asks = VerdictUnknown, true
		}
		r.Findings = append(r.Findings, f.Sign())
	}
	return r
}

// Unknown returns the result of a check that could not run or reached no verdict, with the reason.
func Unknown(check, why string) CheckResult {
	return CheckResult{Check: check, Verdict: VerdictUnknown, Summary: "could not run", Why: why}
}

// Skipped returns the result of a check that was skipped, with the reason.
func Skipped(check, why string) CheckResult {
	return CheckResult{Check: check, Verdict: VerdictUnknown, Skipped: true, Summary: "skipped", Why: why}
}

// Brief keeps the most severe findings and adds one, as severe as the most severe of the rest, with
// the number of the others, so that the report on fifty thousand stray files is readable.
func Brief(findings []Finding, title string) []Finding {
	if len(findings) <= Most {
		return findings
	}
	severities := []Severity{SeverityError, SeverityQuestion, SeverityWarning, SeverityNote}
	findings = slices.SortedStableFunc(slices.Values(findings), func(a, b Finding) int {
		return slices.Index(severities, a.Severity) - slices.Index(severities, b.Severity)
	})
	rest := findings[Most:]
	var names []string
	for _, f := range rest[:min(len(rest), 20)] {
		names = append(names, f.File)
	}
	more := Finding{
		Severity: rest[0].Severity, Category: rest[0].Category, Title: title,
		Detail:         fmt.Sprintf("%d more, among them %s", len(rest), strings.Join(names, ", ")),
		Recommendation: rest[0].Recommendation,
	}
	return append(findings[:Most:Most], more)
}

// Count writes a number with its noun.
func Count(n int, one, many string) string {
	if n == 1 {
		return "1 " + one
	}
	return fmt.Sprintf("%d %s", n, many)
}

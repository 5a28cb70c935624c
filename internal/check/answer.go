package check

import (
	"fmt"
	"strings"

	"github.com/belay-dev/belay/internal/belay"
)

// answered signs the findings and judges by them: an error refuses, warnings and
// notes do not.
func answered(check, summary string, findings []belay.Finding) belay.CheckResult {
	r := belay.CheckResult{Check: check, Verdict: belay.VerdictPass, Summary: summary}
	for _, f := range findings {
		f.Check = check
		if f.Severity == belay.SeverityError {
			r.Verdict = belay.VerdictFail
		}
		r.Findings = append(r.Findings, f.Sign())
	}
	return r
}

func unknown(check, why string) belay.CheckResult {
	return belay.CheckResult{Check: check, Verdict: belay.VerdictUnknown, Summary: "could not tell", Why: why}
}

func skipped(check, why string) belay.CheckResult {
	return belay.CheckResult{Check: check, Verdict: belay.VerdictUnknown, Skipped: true, Summary: "skipped", Why: why}
}

// brief keeps the first findings and says in a last one of the same severity and
// category how many more there are, so that fifty thousand stray files make a
// report that can be read.
func brief(findings []belay.Finding, title string) []belay.Finding {
	if len(findings) <= mostFindings {
		return findings
	}
	rest := findings[mostFindings:]
	var names []string
	for _, f := range rest[:min(len(rest), 20)] {
		names = append(names, f.File)
	}
	more := belay.Finding{
		Severity: rest[0].Severity, Category: rest[0].Category, Title: title,
		Detail:         fmt.Sprintf("%d more, among them %s", len(rest), strings.Join(names, ", ")),
		Recommendation: rest[0].Recommendation,
	}
	return append(findings[:mostFindings:mostFindings], more)
}

// count writes a number with its noun.
func count(n int, one, many string) string {
	if n == 1 {
		return "1 " + one
	}
	return fmt.Sprintf("%d %s", n, many)
}

// putBack says how to take one change back.
func putBack(c belay.Change) string {
	switch c.Status {
	case "A":
		return "remove the file"
	case "D":
		return "bring the file back as it was"
	}
	return "put the file back as it was"
}

// changeVerb says what happened to the file.
func changeVerb(c belay.Change) string {
	switch c.Status {
	case "A":
		return "added"
	case "D":
		return "deleted"
	case "T":
		return "turned into another kind of file"
	}
	return "modified"
}

package check

import (
	"fmt"
	"slices"

	"github.com/belay-dev/belay/internal/belay"
)

// classifyOutcome returns one of three results of a requirement: shown, with the evidence;
// contradicted, which rejects; or not shown, which is a warning. Earlier steps may have accepted
// less, but words added somewhere are not evidence. from is the index of its first finding.
func (j *contractJudge) classifyOutcome(m belay.Met, r belay.Requirement, from int) belay.Met {
	found := j.findings[min(from, len(j.findings)):]
	has := func(s belay.Severity) bool {
		return slices.ContainsFunc(found, func(f belay.Finding) bool { return f.Severity == s })
	}
	counted := m.Before != nil && m.After != nil // and the marker matches: a list of unchanged length fixes nothing
	if counted {
		switch n := *m.After - *m.Before; m.Marker {
		case belay.MarkAdd:
			counted = n > 0
		case belay.MarkRemove:
			counted = n < 0
		case belay.MarkPreserved:
			counted = n >= 0
		default:
			counted = false
		}
	}
	switch {
	case has(belay.SeverityError):
		m.Verdict = belay.MetNot
	case (m.Verdict == belay.MetYes || m.Verdict == belay.MetMore) && (counted || len(m.Evidence) > 0):
		m.Verdict = belay.MetYes
		if len(m.Evidence) == 0 {
			m.Evidence = []string{evidenceText(fmt.Sprintf("%s: %d before, %d after", m.List, *m.Before, *m.After), place{m.File, m.Line})}
		}
	default:
		if m.Verdict = belay.MetUnknown; !has(belay.SeverityWarning) {
			j.addWarning("", 0, "not shown: "+r.Text, r)
		}
	}
	return m
}

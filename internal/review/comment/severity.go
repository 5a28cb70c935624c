package comment

import (
	"slices"
	"strings"
)

var severities = []Severity{Critical, Major, Minor, Note}

// labelIn is the label that a sentence gives what it names, "" when it gives none: at the
// start, in brackets, after "severity", as "is a blocker", at the end.
func labelIn(s string) Severity {
	if says("tally", s) {
		return ""
	}
	for _, shape := range []string{"label1", "label2", "label3", "label4", "label5", "label6", "label7", "shouted"} {
		if m := cue(shape).FindStringSubmatch(s); m != nil {
			return severityOf(strings.ToLower(strings.Join(m[1:], "")))
		}
	}
	return ""
}

// labelOver is the label that a heading gives what stands below it. A short one may be
// made of any label, a title of several words is read as a sentence.
func labelOver(s string) Severity {
	if got := labelIn(s); got != "" || len(strings.Fields(s)) > 5 || says("tally", s) {
		return got
	}
	if m := cue("titled").FindStringSubmatch(s); m != nil {
		return severityOf(strings.ToLower(m[1]))
	}
	return ""
}

func severityOf(w string) Severity {
	if len(w) == 2 && w[1] >= '0' && w[1] <= '5' { // P0 to P5; S1 is the worst of the others
		level := int(w[1]-'0') - strings.Count(w, "s")
		return severities[min(max(level, 0), len(severities)-1)]
	}
	for _, s := range severities {
		if slices.Contains(strings.Split(sections()[string(s)], "|"), w) {
			return s
		}
	}
	return map[string]Severity{"must": Major, "may": Note}[w]
}

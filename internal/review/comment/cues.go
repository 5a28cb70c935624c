package comment

import (
	_ "embed"
	"regexp"
	"slices"
	"strings"
	"sync"
)

//go:embed cues.txt
var cueText string

// cueTexts are the sections of cues.txt by name.
var cueTexts = sync.OnceValue(func() map[string]string {
	out := map[string]string{}
	for _, section := range strings.Split(cueText, "\n## ")[1:] {
		name, text, _ := strings.Cut(section, "\n")
		out[name] = strings.ReplaceAll(text, "\n", "")
	}
	return out
})

// cues are the expressions of cues.txt by name. They are compiled for the first review: most
// commands read none.
var cues = sync.OnceValue(func() map[string]*regexp.Regexp {
	all := "([ps][0-5]"
	for _, s := range severities {
		all += "|" + cueTexts()[string(s)]
	}
	out := map[string]*regexp.Regexp{}
	for name, text := range cueTexts() {
		out[name] = regexp.MustCompile(strings.ReplaceAll(text, "%label", all+")"))
	}
	return out
})

func cue(name string) *regexp.Regexp { return cues()[name] }

// hasCue reports whether the cue with this name matches a text.
func hasCue(name, s string) bool { return cue(name).MatchString(s) }

// stance is what a text does with the places that it names.
type stance int

const (
	stancePlain   stance = iota // a statement
	stanceAsks                  // asks for a change
	stanceAside                 // names without asking: a summary, evidence
	stancePraises               // approves
	stanceSettles               // done, or not to be done here
	stanceWonders               // asks a question
)

var reasons = map[stance]string{stanceAside: "only mentioned", stancePraises: "found good", stanceSettles: "settled",
	stanceWonders: "a question"}

// headingStance returns the stance of a heading for the text below it.
func headingStance(s string) stance {
	short := len(strings.Fields(s)) <= 7
	switch {
	case hasCue("doneHead", s), hasCue("laterHead", s) && short:
		return stanceSettles
	case hasCue("goodHead", s) && short:
		return stancePraises
	case hasCue("askHead", s), short && sentenceLabel(s) != "":
		return stanceAsks
	case hasCue("asideHead", s) && short:
		return stanceAside
	}
	return stancePlain
}

// sentenceStance returns the stance of a sentence. After a "but" the rest counts.
func sentenceStance(s string) stance {
	at := cue("turns").FindAllStringIndex(s, -1)
	if at == nil {
		return clauseStance(s)
	}
	last := at[len(at)-1]
	if rest := clauseStance(s[last[1]:]); rest != stancePlain {
		return rest
	}
	if first := clauseStance(s[:last[0]]); first != stancePraises {
		return first
	}
	return stanceAsks // "good, but …": the rest is not good
}

func clauseStance(s string) stance {
	switch {
	case hasCue("doneWords", s):
		return stanceSettles
	case hasCue("offStart", s):
		return stanceAside
	case hasCue("question", s) && !hasCue("polite", s):
		return stanceWonders
	case hasCue("askWords", s), hasCue("wishWords", s):
		return stanceAsks
	case hasCue("goodWords", s), hasCue("briefGood", s):
		return stancePraises
	}
	return stancePlain
}

var severities = []Severity{Critical, Major, Minor, Note}

// sentenceLabel returns the severity that a sentence gives, "" for none: at the start, in brackets,
// after "severity", as "is a blocker", at the end.
func sentenceLabel(s string) Severity {
	if hasCue("tally", s) {
		return ""
	}
	for _, shape := range []string{"label1", "label2", "label3", "label4", "label5", "label6", "label7", "shouted"} {
		if m := cue(shape).FindStringSubmatch(s); m != nil {
			return severityOf(strings.ToLower(strings.Join(m[1:], "")))
		}
	}
	return ""
}

func severityOf(w string) Severity {
	if len(w) == 2 && w[1] >= '0' && w[1] <= '5' { // P0 to P5; S1 is the worst of the others
		level := int(w[1]-'0') - strings.Count(w, "s")
		return severities[min(max(level, 0), len(severities)-1)]
	}
	for _, s := range severities {
		if slices.Contains(strings.Split(cueTexts()[string(s)], "|"), w) {
			return s
		}
	}
	return map[string]Severity{"must": Major, "may": Note}[w]
}

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

// sections are the texts of cues.txt by name.
var sections = sync.OnceValue(func() map[string]string {
	out := map[string]string{}
	for _, section := range strings.Split(cueText, "\n## ")[1:] {
		name, text, _ := strings.Cut(section, "\n")
		out[name] = strings.ReplaceAll(text, "\n", "")
	}
	return out
})

// cues are the expressions of cues.txt by name. They are made when the first review is
// read: most commands read none.
var cues = sync.OnceValue(func() map[string]*regexp.Regexp {
	all := "([ps][0-5]"
	for _, s := range severities {
		all += "|" + sections()[string(s)]
	}
	out := map[string]*regexp.Regexp{}
	for name, text := range sections() {
		out[name] = regexp.MustCompile(strings.ReplaceAll(text, "%label", all+")"))
	}
	return out
})

func cue(name string) *regexp.Regexp { return cues()[name] }

// says reports whether the cue of a name is in a text.
func says(name, s string) bool { return cue(name).MatchString(s) }

// mark says how what is named somewhere is meant.
type mark int

const (
	plain   mark = iota // says something, no more
	asks                // asks for a change
	aside               // names without asking: a summary, evidence
	praises             // finds good
	settles             // done, or not to be done here
	wonders             // asks a question
)

var reasons = map[mark]string{aside: "only mentioned", praises: "found good", settles: "settled", wonders: "a question"}

// over is how a heading means what is below it.
func over(s string) mark {
	short := len(strings.Fields(s)) <= 7
	switch {
	case says("doneHead", s), says("laterHead", s) && short:
		return settles
	case says("goodHead", s) && short:
		return praises
	case says("askHead", s), short && labelOver(s) != "":
		return asks
	case says("asideHead", s) && short:
		return aside
	}
	return plain
}

// meant is how a sentence means what it names. After a "but" the rest counts.
func meant(s string) mark {
	at := cue("turns").FindAllStringIndex(s, -1)
	if at == nil {
		return clause(s)
	}
	last := at[len(at)-1]
	if rest := clause(s[last[1]:]); rest != plain {
		return rest
	}
	if first := clause(s[:last[0]]); first != praises {
		return first
	}
	return asks // "good, but …" names what is not
}

func clause(s string) mark {
	switch {
	case says("doneWords", s):
		return settles
	case says("offStart", s):
		return aside
	case says("question", s) && !says("polite", s):
		return wonders
	case says("askWords", s), says("wishWords", s):
		return asks
	case says("goodWords", s), says("briefGood", s):
		return praises
	}
	return plain
}

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

// labelOver is the label that a heading gives what is below it. A short one may be
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

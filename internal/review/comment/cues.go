package comment

import (
	_ "embed"
	"regexp"
	"strings"
	"sync"
)

//go:embed cues.txt
var cueText string

// sections are the texts of cues.txt by name.
var sections = sync.OnceValue(func() map[string]string {
	out, name := map[string]string{}, ""
	for line := range strings.Lines(cueText) {
		line = strings.TrimSuffix(line, "\n")
		if n, ok := strings.CutPrefix(line, "## "); ok {
			name = n
		} else if name != "" {
			out[name] += line
		}
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

// says reports whether the cue of a name stands in a text.
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

var reasons = map[mark]string{aside: "only mentioned", praises: "found good", settles: "settled, or not for this change", wonders: "a question"}

// over is how a heading means what stands below it.
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
	question := says("question", s) && !says("polite", s)
	switch {
	case says("doneWords", s):
		return settles
	case says("offStart", s):
		return aside
	case question:
		return wonders
	case says("askWords", s), says("wishWords", s):
		return asks
	case says("goodWords", s), says("briefGood", s):
		return praises
	}
	return plain
}

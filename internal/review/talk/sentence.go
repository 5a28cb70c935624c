package talk

import (
	"strings"

	"github.com/belay-dev/belay/internal/review/token"
)

// Sentences cuts tokens into sentences.
func Sentences(toks []token.Token) [][2]int {
	var out [][2]int
	from := 0
	for i := range toks {
		if i-from > 400 { // no sentence: what is said of a name is near it
			out = append(out, [2]int{from, i})
			from = i
		}
		if i > from && toks[i].Nl && newLine(toks, from, i) {
			out = append(out, [2]int{from, i})
			from = i
		}
		if toks[i].Kind == 'p' && ends(toks, i) {
			out = append(out, [2]int{from, i + 1})
			from = i + 1
		}
	}
	if from < len(toks) {
		out = append(out, [2]int{from, len(toks)})
	}
	return out
}

func ends(toks []token.Token, i int) bool {
	switch toks[i].Text {
	case "。", "！", "？", "!", "?", "…":
		return true
	case ".":
		if i+1 >= len(toks) || toks[i+1].Nl {
			return true
		}
		gap := toks[i+1].Lo > toks[i].Lo+1
		if !gap || i == 0 || toks[i-1].Kind == 'w' && abbreviation(toks[i-1].Lower) && (toks[i-1].Lower != "no" || toks[i+1].Kind == 'n') {
			return false
		}
		return toks[i-1].Kind != 'p' || toks[i-1].Text != "."
	}
	return false
}

func abbreviation(w string) bool {
	switch w {
	case "e.g", "i.e", "g", "cf", "l", "ll", "ln", "z", "etc", "vs", "ca", "approx", "bzw", "resp", "nr", "no", "ex", "b", "vgl", "fig":
		return true
	}
	return false
}

// newLine tells whether a line break ends a sentence: the next line starts with a label,
// a name or a line, and is not just a long line broken there.
func newLine(toks []token.Token, from, i int) bool {
	if LabelAt(toks, i) != "" || field(toks[i:]) {
		return true
	}
	start := i - 1
	for start > from && !toks[start].Nl {
		start--
	}
	wrapped := toks[i-1].Lo-toks[start].Lo > 56 && toks[i-1].Kind != 'p'
	if toks[i-1].Kind == 'p' && strings.Contains(":；;", toks[i-1].Text) {
		return true
	}
	if toks[i].Kind == 'p' && strings.Contains("✓✔✅✗✘❌✖☒✕", toks[i].Text) || series(toks[start], toks[i]) {
		return true
	}
	return (toks[i].Kind == 'm' || toks[i].Kind == 'L') && !wrapped || listed(toks, start, i)
}

// series tells two lines that begin with marks of one series: "F1 …", "F2 …".
func series(a, b token.Token) bool {
	letters := strings.TrimRight(b.Text, "0123456789")
	return a.Kind == 'w' && b.Kind == 'w' && letters != "" && letters != b.Text && len(letters) <= 5 && letters != "L" && strings.ToUpper(letters) == letters && strings.TrimRight(a.Text, "0123456789") == letters
}

// listed tells lines that each have a name of their own and a way of starting: "me: a.go",
// "@ann a.go", "* a.go".
func listed(toks []token.Token, start, i int) bool {
	if !hasMention(toks, start, i) || !(toks[i].Kind == 'p' && toks[i].Text != "(" || headed(toks[i:])) {
		return false
	}
	for j := i; j < len(toks) && j < i+10 && (j == i || !toks[j].Nl); j++ {
		if toks[j].Kind == 'm' {
			return true
		}
	}
	return false
}

// headed tells a line that begins with one to three words and a colon.
func headed(toks []token.Token) bool {
	for j := 1; j < len(toks) && j < 4 && !toks[j].Nl; j++ {
		if toks[j].Kind == 'p' && strings.Contains(":：]", toks[j].Text) {
			return true
		}
		if toks[j].Kind != 'w' {
			return false
		}
	}
	return false
}

// field tells "File: x", "**Fix:** y" at the start.
func field(toks []token.Token) bool {
	return len(toks) > 1 && toks[0].Kind == 'w' && toks[1].Kind == 'p' && (toks[1].Text == ":" || toks[1].Text == "：") &&
		(toks[0].Strong || fields[toks[0].Lower])
}

// fields are the words that reviewers put before a colon to say what follows.
var fields = map[string]bool{"file": true, "files": true, "location": true, "where": true, "path": true, "line": true, "lines": true, "fix": true, "severity": true, "status": true,
	"priority": true, "problem": true, "issue": true, "datei": true, "archivo": true, "fichier": true, "arquivo": true, "suggestion": true, "recommendation": true, "description": true}

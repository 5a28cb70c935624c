package token

import (
	"strings"

	"github.com/belay-dev/belay/internal/review/spot"
)

var between = map[string]bool{"to": true, "through": true, "thru": true, "till": true, "until": true, "bis": true, "a": true, "à": true, "al": true,
	"até": true, "hasta": true, "au": true, "ao": true, "tot": true, "по": true, "至": true, "到": true, "から": true}

var onward = map[string]bool{"on": true, "onward": true, "onwards": true, "down": true, "downward": true, "downwards": true, "ff": true, "and": false, "an": true, "auf": false}

var below = map[string]bool{"below": true, "past": true, "beyond": true, "after": true, "unterhalb": true, "nach": true, "debajo": true, "après": true, "depois": true, "abaixo": true}

var openers = map[string]bool{"from": true, "ab": true, "desde": true, "starting": true, "since": true, "after": false, "partir": true}

// joinLines replaces "lines 12 to 20", "42行目", "Zeile 7" by one token.
func joinLines(toks []Token) []Token {
	out := toks[:0:0]
	for i := 0; i < len(toks); {
		if toks[i].Kind == 'm' { // "a.go, around 88", "a.go (12-20)"
			out = append(out, toks[i])
			i++
			if spans, n := trailing(toks[i-1].M, toks[i:]); n > 0 {
				out = append(out, Token{Kind: 'L', Spans: spans, Lo: toks[i].Lo, Nl: toks[i].Nl})
				i += n
			} else if spans, n := loose(toks[i:]); n > 0 && !(len(toks[i-1].M.Spans) > 0 && toks[i].Kind == 'n') { // "a.yml:4 8081 -> 8080"
				out = append(out, Token{Kind: 'L', Spans: spans, Lo: toks[i].Lo, Nl: toks[i].Nl})
				i += n
			}
			continue
		}
		if i+1 < len(toks) && toks[i+1].Kind == 'n' && repeats(out, toks[i]) { // "same below at 51"
			if spans, n := more(toks, i+1, nil, true); n == len(toks) || toks[n].Kind == 'p' || toks[n].Nl {
				out = append(out, Token{Kind: 'L', Spans: spans, Lo: toks[i].Lo, Nl: toks[i].Nl})
				i = n
				continue
			}
		}
		spans, n := keyed(toks[i:])
		if n == 0 {
			out = append(out, toks[i])
			i++
			continue
		}
		t := Token{Kind: 'L', Spans: enclosed(out, spans), Lo: toks[i].Lo, Nl: toks[i].Nl}
		n += running(out, toks[i+n:], &t, toks[i].Kind == 'n')
		out = append(out, t)
		i += n
	}
	return out
}

// repeats tells an "at" after "same", "again", "ditto": the number behind it is a line.
func repeats(before []Token, t Token) bool {
	if t.Lower != "at" && t.Lower != "on" && t.Lower != "in" {
		return false
	}
	for j := len(before) - 1; j >= 0 && j >= len(before)-4 && before[j].Kind == 'w'; j-- {
		switch before[j].Lower {
		case "same", "ditto", "again", "likewise", "dito", "idem":
			return true
		}
	}
	return false
}

// enclosed makes one range of two lines after "between".
func enclosed(before []Token, spans []spot.Span) []spot.Span {
	if len(spans) != 2 || spans[0].Start != spans[0].End || spans[1].Start != spans[1].End || spans[0].End >= spans[1].Start {
		return spans
	}
	for i := len(before) - 1; i >= 0 && i >= len(before)-2; i-- {
		switch before[i].Lower {
		case "between", "entre", "zwischen", "tra", "fra", "tussen", "между":
			return []spot.Span{{Start: spans[0].Start, End: spans[1].End}}
		}
	}
	return spans
}

// Numbered reads the numbers that lines of a text start with as lines of the file it is
// about: "12: unused", "40-44: leaks".
func Numbered(toks []Token) []Token {
	out := toks[:0:0]
	for i := 0; i < len(toks); {
		if toks[i].Nl && toks[i].Kind == 'n' {
			spans, n := more(toks[i:], 0, nil, true)
			if n > 0 && i+n < len(toks) && toks[i+n].Kind == 'p' && strings.Contains(":：)–—-", toks[i+n].Text) {
				out = append(out, Token{Kind: 'L', Spans: spans, Lo: toks[i].Lo, Nl: true})
				i += n
				continue
			}
		}
		out = append(out, toks[i])
		i++
	}
	return out
}

// tabled reads the numbers that lines of a text start with, below a line that holds only a
// name, as lines of that file: "a.go", "  33  leaks".
func tabled(toks []Token) []Token {
	var out []Token
	var m *spot.Mention
	for i := 0; i < len(toks); {
		t := toks[i]
		if t.Nl && t.Kind != 'n' {
			m = nil
			if n := i + 1; t.Kind == 'm' && len(t.M.Spans) == 0 && t.M.Dir == "" {
				if n < len(toks) && toks[n].Text == ":" {
					n++
				}
				if n < len(toks) && toks[n].Nl && toks[n].Kind == 'n' {
					m = t.M
				}
			}
		}
		if m != nil && t.Nl {
			if spans, n := more(toks[i:], 0, nil, false); n > 0 && i+n < len(toks) && !toks[i+n].Nl && (toks[i+n].Kind == 'w' || toks[i+n].Kind == 'c' || strings.Contains(":-–—", toks[i+n].Text)) {
				out = append(out, Token{Kind: 'L', Spans: spans, Lo: t.Lo, Nl: true})
				i += n
				continue
			}
		}
		out = append(out, t)
		i++
	}
	return out
}

// keyed reads a list of lines that a word for lines says it is; n is what it took.
func keyed(toks []Token) ([]spot.Span, int) {
	t := toks[0]
	switch {
	case t.Kind == 'L':
		return more(toks, 1, t.Spans, true)
	case t.Kind == 'w' && (lex().phrases[t.Lower]&Where != 0 || strings.HasSuffix(t.Lower, "第") || strings.HasSuffix(t.Lower, "行")):
		i := 1
		for i < len(toks) && i < 3 && toks[i].Kind == 'p' && strings.Contains(".:#°~=", toks[i].Text) {
			i++
		}
		if i < len(toks) && toks[i].Kind == 'w' && (around[toks[i].Lower] || toks[i].Lower == "number" || toks[i].Lower == "no" || toks[i].Lower == "nr") {
			i++
		}
		if i >= len(toks) || toks[i].Kind != 'n' {
			return nil, 0
		}
		if t.Lower == "z" && t.Text != "Z" || strings.HasSuffix(t.Lower, "第") && !followedBy(toks[i:], "行") {
			return nil, 0
		}
		spans, n := more(toks, i, nil, strings.HasSuffix(t.Lower, "s") || t.Lower == "ll" || t.Lower == "zeilen" || t.Lower == "righe" || strings.HasSuffix(t.Lower, "и") || Wide([]rune(t.Text)[0]))
		if n > 0 && n < len(toks) && toks[n].Kind == 'w' && toks[n].Text == "行" { // "第3行": of no number there is no line
			n++
		}
		return spans, n
	case t.Kind == 'n' && followedBy(toks, "行"):
		return more(toks, 0, nil, true)
	case t.Kind == 'w' && t.Lower == "from" && len(toks) > 2 && toks[1].Kind == 'n' && toks[2].Kind == 'w' && onward[toks[2].Lower]:
		return []spot.Span{{Start: toks[1].Num, End: 0}}, 3
	}
	return nil, 0
}

// followedBy tells whether a list of numbers ends in this word.
func followedBy(toks []Token, word string) bool {
	for i := 0; i < len(toks) && i < 14; i++ {
		t := toks[i]
		if t.Kind == 'w' && strings.HasPrefix(t.Lower, word) {
			return true
		}
		if t.Kind != 'n' && t.Kind != 'L' && !(t.Kind == 'w' && (between[t.Lower] || t.Lower == "と" || t.Lower == "和")) && !(t.Kind == 'p' && strings.Contains("-–—〜～~,、", t.Text)) {
			return false
		}
	}
	return false
}

// running looks whether lines run on: "from line 30 on", "ab Zeile 30", "30行目以降".
func running(before, after []Token, t *Token, eastern bool) int {
	last := &t.Spans[len(t.Spans)-1]
	if last.Start != last.End {
		return 0
	}
	if len(after) > 0 && after[0].Kind == 'w' {
		for _, w := range []string{"以降", "起", "开始", "之后", "以后", "から", "行目以降", "行以降", "行起", "行目から", "行开始", "行之后"} {
			if strings.HasPrefix(after[0].Lower, w) {
				last.End = 0
				return 1
			}
		}
		if onward[after[0].Lower] {
			last.End = 0
			return 1
		}
	}
	if len(after) > 1 && (after[0].Lower == "and" && (after[1].Lower == "below" || after[1].Lower == "following" || after[1].Lower == "onwards" || after[1].Lower == "on") ||
		after[0].Lower == "en" && after[1].Lower == "adelante" || after[0].Lower == "em" && after[1].Lower == "diante" || after[0].Lower == "et" && strings.HasPrefix(after[1].Lower, "suiv")) {
		last.End = 0
		return 2
	}
	if len(after) > 3 && (after[0].Lower == "to" || after[0].Lower == "until") && after[1].Lower == "the" && (after[2].Lower == "end" || after[2].Lower == "bottom") {
		last.End = 0
		return 3
	}
	if n := len(before); n > 1 && below[before[n-1].Lower] && before[n-2].Class&Every|lex().phrases[before[n-2].Lower]&Every != 0 { // "everything below line 9"
		last.End = 0
		return 0
	}
	for i := len(before) - 1; i >= 0 && i >= len(before)-3; i-- {
		w := before[i].Lower
		if before[i].Kind != 'w' {
			break
		}
		if i > 0 && (before[i-1].Lower == "apart" || before[i-1].Lower == "aside" || before[i-1].Lower == "away") { // "apart from line 12"
			break
		}
		if openers[w] {
			if w != "from" && w != "since" || !Takes(before[:i]) {
				last.End = 0
			}
			break
		}
		if w != "at" && w != "la" && w != "de" && w != "da" && w != "a" {
			break
		}
	}
	return 0
}

// Outward tells a verb that takes something out of where it is: "extract", "move".
func Outward(w string) bool { return outward[w] || lex().phrases[w]&Moved != 0 }

// Takes tells whether a verb of taking out governs a "from".
func Takes(before []Token) bool {
	for i := len(before) - 1; i >= 0 && i >= len(before)-8; i-- {
		if before[i].Kind == 'w' && (lex().phrases[before[i].Lower]&(Gone|Moved) != 0 || outward[before[i].Lower]) {
			return true
		}
	}
	return false
}

var outward = map[string]bool{"extract": true, "split": true, "factor": true, "lift": true, "hoist": true, "pull": true, "separate": true, "auslagern": true, "extraer": true, "sépare": true, "extraire": true, "extrair": true, "extraia": true}

var around = map[string]bool{"around": true, "about": true, "near": true, "approx": true, "approximately": true, "ca": true, "circa": true, "roughly": true, "um": true,
	"vers": true, "cerca": true, "at": true, "etwa": true, "somewhere": true, "alrededor": true, "environ": true}

// loose reads a number right after a path: "around 88", "~88", "(12)", ", 12-20".
func loose(toks []Token) ([]spot.Span, int) {
	i, paren, near := 0, false, false
	for i < len(toks) && i < 4 && (toks[i].Kind == 'p' && strings.Contains(",(~≈@+[:", toks[i].Text) || toks[i].Kind == 'w' && around[toks[i].Lower] || toks[i].Lower == "de" && near) {
		paren = paren || toks[i].Text == "(" || toks[i].Text == "["
		near = near || toks[i].Kind == 'w' || strings.Contains("~≈@+", toks[i].Text)
		i++
	}
	if i >= len(toks) || toks[i].Kind != 'n' {
		return nil, 0
	}
	spans, n := more(toks, i, nil, paren)
	if n == 0 {
		return nil, 0
	}
	if toks[0].Text == "," && n < len(toks) && toks[n].Text == ")" { // "(a.go, 41)"
		return spans, n
	}
	ends := n >= len(toks) || toks[n].Kind == 'p' && !strings.Contains("%×/*", toks[n].Text) || toks[n].Nl
	ranged := spans[0].End > spans[0].Start
	if paren && !(n < len(toks) && strings.Contains(")],;:", toks[n].Text)) && !near {
		return nil, 0
	}
	if toks[0].Text == ":" && !ranged && !near || i > 0 && toks[i-1].Text == "+" && toks[i].Num == 1 { // "a.go: +1" is a vote
		return nil, 0
	}
	if ranged && (ends || toks[n].Kind == 'w' && !unit(toks[n].Lower)) {
		return spans, n
	}
	if near && (ends || toks[n].Kind == 'w' && !unit(toks[n].Lower)) || paren || ranged && ends || ends && toks[0].Kind == 'n' {
		return spans, n
	}
	return nil, 0
}

func unit(w string) bool {
	switch w {
	case "lines", "times", "ms", "s", "seconds", "minutes", "percent", "warnings", "errors", "places", "tests", "kb", "mb", "bytes", "columns", "o'clock":
		return true
	}
	return false
}

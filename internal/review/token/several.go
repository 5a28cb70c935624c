package token

import (
	"strings"

	"github.com/belay-dev/belay/internal/review/spot"
)

// more reads numbers and ranges from i on; a list goes on over commas where several lines
// were announced.
func more(toks []Token, i int, spans []spot.Span, several bool) ([]spot.Span, int) {
	end := i
	for i < len(toks) {
		if toks[i].Kind == 'L' && end < i {
			spans, i = append(spans, toks[i].Spans...), i+1
		} else if toks[i].Kind == 'n' && toks[i].Num > 0 && toks[i].Num <= spot.Most {
			s := spot.Span{Start: toks[i].Num, End: toks[i].Num}
			i++
			j := i
			if j+1 < len(toks) && toks[j].Text == "." && toks[j+1].Text == "." && toks[j+1].Lo == toks[j].Lo+1 { // 12..14
				j++
			}
			if j < len(toks) && (toks[j].Kind == 'p' && (spot.Dash(toks[j].Text) > 0 || j > i) || toks[j].Kind == 'w' && between[toks[j].Lower]) {
				j++
				for j < len(toks) && toks[j].Kind == 'w' && (lex().phrases[toks[j].Lower]&Where != 0 || toks[j].Lower == "la") {
					j++
				}
				if j < len(toks) && toks[j].Kind == 'n' && toks[j].Num >= s.Start {
					s.End, i = toks[j].Num, j+1
				}
			}
			spans = append(spans, s)
		} else if end == i && len(spans) > 0 {
			// the list starts with lines that were read already
		} else {
			break
		}
		end = i
		next := separator(toks, i, several)
		if next < 0 {
			break
		}
		i = next
	}
	if len(spans) == 0 {
		return nil, 0
	}
	if end < len(toks) && toks[end].Kind == 'w' && strings.HasPrefix(toks[end].Lower, "行") && (toks[end].Lower == "行" || toks[end].Lower == "行目") {
		end++
	}
	return spans, end
}

var Joins = map[string]bool{"and": true, "und": true, "et": true, "y": true, "e": true, "as": false, "en": true, "и": true, "or": true, "o": true, "と": true, "和": true, "行目と": true, "及び": true, "also": true, "sowie": true}

// separator is where the next number of a list stands, or -1.
func separator(toks []Token, i int, several bool) int {
	j := i
	for j < len(toks) && j < i+4 {
		t := toks[j]
		if j == i && t.Kind == 'p' && t.Text == "," && j+1 < len(toks) && toks[j+1].Kind == 'w' && Joins[toks[j+1].Lower] { // "line 12, and again at 40"
			j++
			continue
		}
		if j == i && t.Text == "," && j+1 < len(toks) && toks[j+1].Kind == 'n' && toks[j+1].Lo == t.Lo+1 { // "l 12,14"
			return j + 1
		}
		if j > i && t.Kind == 'p' && t.Text == ":" && j+1 < len(toks) && toks[j+1].Kind == 'n' && toks[j+1].Lo == t.Lo+1 { // "a.go:44 and :51"
			j++
			continue
		}
		if t.Kind == 'p' && (t.Text == "&" || t.Text == "、" || t.Text == "+" || several && (t.Text == "," || t.Text == "/")) || t.Kind == 'w' && Joins[t.Lower] || j > i && (t.Lower == "again" || t.Lower == "on" || t.Lower == "at") {
			j++
			continue
		}
		break
	}
	if n := spread(toks, j); j > i && n > 0 {
		return n
	}
	if j == i || j >= len(toks) {
		return -1
	}
	if toks[j].Kind == 'L' {
		return j
	}
	if toks[j].Kind != 'n' || j+1 < len(toks) && toks[j+1].Kind == 'w' && !Joins[toks[j+1].Lower] && !between[toks[j+1].Lower] && !strings.HasPrefix(toks[j+1].Lower, "行") && !several {
		return -1
	}
	return j
}

// spread reads over the words of "line 9 and the two uses on 22 and 31": where the number is,
// or 0.
func spread(toks []Token, i int) int {
	for j := i; j < len(toks) && j < i+5 && toks[j].Kind == 'w'; j++ {
		if j > i && (toks[j].Lower == "on" || toks[j].Lower == "at") && j+1 < len(toks) && toks[j+1].Kind == 'n' {
			return j + 1
		}
	}
	return 0
}

// trailing reads ", 44, 90" after "a.go:10": more lines of it, if a list goes on to its end so.
func trailing(m *spot.Mention, toks []Token) ([]spot.Span, int) {
	if len(m.Spans) == 0 || len(toks) < 2 || toks[0].Text != "," && toks[0].Text != "&" && toks[0].Text != "+" && !Joins[toks[0].Lower] {
		return nil, 0
	}
	at := 1
	if toks[1].Text == ":" && len(toks) > 2 && toks[2].Lo == toks[1].Lo+1 { // "a.go:44 and :51"
		at = 2
	}
	if toks[at].Kind != 'n' {
		return nil, 0
	}
	spans, n := more(toks, at, nil, true)
	if n > 0 && at == 2 {
		return spans, n
	}
	if n > 0 && n < len(toks) && toks[n].Kind == 'w' && (lex().phrases[toks[n].Lower]&Copula != 0 || toks[n].Lower == "both") { // "a.go:12 and 14 are"
		return spans, n
	}
	if n > 0 && (n >= len(toks) || toks[n].Nl || toks[n].Kind == 'p' && strings.Contains(";.):", toks[n].Text)) {
		return spans, n
	}
	return nil, 0
}

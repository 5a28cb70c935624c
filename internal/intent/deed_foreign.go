package intent

import (
	"slices"
	"strings"

	"github.com/belay-dev/belay/internal/belay"
	"github.com/belay-dev/belay/internal/lazyregexp"
)

// foreign reads a sentence of another language with the little that is known of it:
// where clauses join, its common verbs, how a thing is left alone, how a complaint
// sounds. The words stay unchanged.
func (p *reader) foreign(s Sentence, b Block, line, sent int) {
	tongue := Speak(p.Lang)
	start, join := 0, ""
	add := func(end int, lead string) {
		if end > start {
			p.acts = append(p.acts, p.understood(Clause{T: s.Tokens[start:end], Join: join, Block: b, Line: line,
				Sent: sent, Close: s.Close}, tongue))
		}
		start, join = end+1, lead
	}
	for i, t := range s.Tokens {
		switch {
		case t.Low == ";":
			add(i, ";")
		case t.Low == ":":
			add(i, ":")
			return // what follows says which, or what goes wrong
		case t.Low == "," && p.foreignOpens(s.Tokens[i+1:], tongue), tongue.Join[t.Low] && p.foreignOpens(s.Tokens[i+1:], tongue):
			add(i, t.Low)
		}
	}
	add(len(s.Tokens), "")
}

// foreignOpens reports that what follows a conjunction has a verb that asks or leaves
// alone at its start, or in German at its end.
func (p *reader) foreignOpens(t []Token, tongue Tongue) bool {
	low := Lows(t)
	for len(low) > 0 && (tongue.Join[low[0]] || tongue.Polite[low[0]]) {
		if low[0] == "bitte" && len(low) > 3 {
			return true
		}
		low = low[1:]
	}
	if len(low) == 0 {
		return false
	}
	if _, ok := tongue.Verb(low[0]); ok {
		return true
	}
	if _, ok := tongue.Verb(low[len(low)-1]); ok && p.Lang == "de" && len(low) > 2 {
		return true
	}
	line := " " + strings.Join(low, " ") + " "
	piece, _, _ := strings.Cut(line, " , ")
	if len(low) > 3 && (at(piece+" ", tongue.Must) > 0 || at(piece+" ", tongue.Wish) >= 0 || at(piece+" ", tongue.Gone) > 0) {
		return true
	}
	if at(line, tongue.None) == 0 && len(strings.Fields(piece)) < 6 {
		return true
	}
	return at(piece+" ", tongue.Keep) > 0 || at(line, tongue.Hands) == 0 || at(piece+" ", tongue.Wrong) > 0 && len(low) > 2
}

// at is where the first of the phrases starts in a line, -1 when none is there.
func at(line string, phrases []string) int {
	if ph := earliest(line, phrases); ph != "" {
		return strings.Index(line, ph)
	}
	return -1
}

// understood reads one clause of another language.
func (p *reader) understood(c Clause, tongue Tongue) Act {
	low := c.Low()
	a := Act{C: c, Core: Span{From: 0, To: len(low)}, Pronoun: false}
	a.Also = slices.ContainsFunc(low[:min(3, len(low))], func(w string) bool { return tongue.Also[w] })
	line := " " + strings.Join(low, " ") + " "
	if b, ok := p.foreignKeep(a, line, tongue); ok {
		return b
	}
	if ph := first(line, tongue.Gone); ph != "" {
		return foreignAsks(a, belay.MarkRemove, ph)
	}
	if i, sense, ok := p.foreignVerb(low, tongue); ok {
		a = foreignAsks(a, MarkerOf(sense), low[i])
		a.Obj, a.Made = min(i+1, len(low)-1), sense == Make
		if a.Marker == belay.MarkFix && len(low) < 3 {
			a.Deed = Mend
		}
		return a
	}
	if ph := first(line, tongue.Wish); ph != "" {
		a.Made = true
		return foreignAsks(a, belay.MarkAdd, ph)
	}
	if ph := first(line, tongue.Must); ph != "" && len(low) > 2 {
		if slices.ContainsFunc(low, func(w string) bool { return tongue.Also[w] }) {
			return foreignAsks(a, belay.MarkAdd, ph)
		}
		return foreignAsks(a, belay.MarkModify, ph)
	}
	if ph := first(line, tongue.Wrong); ph != "" {
		a.Deed, a.Marker, a.Strength, a.Verb = Complaint, belay.MarkFix, Plain, strings.TrimSpace(ph)
		return a
	}
	return p.foreignThing(a, low, tongue)
}

func foreignAsks(a Act, m belay.Marker, by string) Act {
	a.Deed, a.Marker, a.Verb = Request, m, strings.TrimSpace(by)
	return a
}

// foreignKeep reads what is to stay: an order to leave it, in front of it or behind it, or
// by itself behind a deed ("… sin tocar el pie").
func (p *reader) foreignKeep(a Act, line string, tongue Tongue) (Act, bool) {
	n := len(a.C.T)
	if ph := first(line, tongue.Hands); ph != "" {
		from := strings.Count(line[:strings.Index(line, ph)+len(ph)-1], " ")
		to := n
		for i := from + 1; i < n; i++ {
			if w := a.C.T[i].Low; i+1 < n && (tongue.So[w] || w == ",") {
				to = i // "lass die Preise, wie sie sind"
				break
			}
		}
		kept := []Span{{From: min(from, n), To: to}}
		if at := strings.Count(line[:strings.Index(line, ph)+1], " ") - 1; at > 1 && without.Has(strings.Fields(ph)[0]) {
			left := a.C
			left.T = a.C.T[:at]
			if b := p.understood(left, tongue); b.Deed == Request || b.Deed == Mend {
				b.C, b.Keeps, b.Core.To = a.C, kept, at
				return b, true
			}
		}
		a.Deed, a.Keeps = Keep, kept
		return a, true
	}
	if ph := earliest(line, tongue.Keep); ph != "" && strings.Index(line, ph) > 0 {
		to := strings.Count(line[:strings.Index(line, ph)+1], " ") - 1
		if next := to + strings.Count(ph, " ") - 1; next < n && tongue.Persist[a.C.T[next].Low] {
			return a, false // "o preço fica negativo"
		}
		for to > 1 && (tongue.Polite[a.C.T[to-1].Low] || tongue.So[a.C.T[to-1].Low] || a.C.T[to-1].Low == "se" || a.C.T[to-1].Low == ",") {
			to--
		}
		a.Deed, a.Keeps = Keep, []Span{{From: 0, To: to}}
		return a, true
	}
	return a, false
}

// earliest is the phrase that stands first in a line, the longest of those that do.
func earliest(line string, phrases []string) string {
	best, at := "", -1
	for _, ph := range phrases {
		if i := strings.Index(line, ph); i >= 0 && (at < 0 || i < at || i == at && len(ph) > len(best)) {
			best, at = ph, i
		}
	}
	return best
}

// foreignThing reads a thing that is named without a verb.
func (p *reader) foreignThing(a Act, low []string, tongue Tongue) Act {
	switch c := a.C; {
	case len(low) > 2 && (low[0] == "bitte" || low[1] == "bitte"):
		return foreignAsks(a, belay.MarkModify, "bitte")
	case tongue.Article[low[0]] && slices.ContainsFunc(low[:min(len(low), 5)], Product):
		a.Made = true
		return foreignAsks(a, belay.MarkAdd, "a thing named")
	case c.Block.Kind == Item:
		return foreignAsks(a, belay.MarkAdd, "a thing named")
	}
	return a
}

// without are the words that lead from a deed to what it is to leave alone.
var without = lazyregexp.Of("sin sans ohne senza sem zonder")

func first(line string, phrases []string) string {
	for _, ph := range phrases {
		if strings.Contains(line, ph) {
			return ph
		}
	}
	return ""
}

// foreignVerb finds the verb that asks: the first word that is one, or in German the
// last, where infinitives and particles stand.
func (p *reader) foreignVerb(low []string, tongue Tongue) (int, Sense, bool) {
	for i := 0; i < min(len(low), 6); i++ {
		if i > 0 && (low[i-1] == "beim" || low[i-1] == "zum" || low[i-1] == "vom") {
			continue // "beim Speichern": a noun
		}
		if s, ok := tongue.Verb(low[i]); ok {
			if s == Make && i+1 < len(low) && !tongue.Article[low[i+1]] {
				s = Modify
			}
			return i, s, true
		}
		if !tongue.Polite[low[i]] && !tongue.Join[low[i]] && low[i] != "," && i > 0 {
			break
		}
	}
	if last := len(low) - 1; last > 0 && p.Lang == "de" {
		s, ok := tongue.Verb(low[last])
		return last, s, ok
	}
	return 0, None, false
}

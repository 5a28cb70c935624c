package intent

import (
	"slices"
	"strings"

	"github.com/belay-dev/belay/internal/belay"
	"github.com/belay-dev/belay/internal/lazyregexp"
)

// readForeignSentence interprets a sentence of another language by the little that is known of it:
// conjunctions, common verbs, phrases for leaving something unchanged and for complaints. The words
// stay unchanged.
func (p *reader) readForeignSentence(s Sentence, b Block, line, sent int) {
	tongue := ForeignLanguageOf(p.Lang)
	start, join := 0, ""
	add := func(end int, lead string) {
		if end > start {
			p.acts = append(p.acts, p.readForeignClause(Clause{Tokens: s.Tokens[start:end], Join: join, Block: b, Line: line,
				Sentence: sent, EndMark: s.EndMark}, tongue))
		}
		start, join = end+1, lead
	}
	for i, t := range s.Tokens {
		switch {
		case t.Lower == ";":
			add(i, ";")
		case t.Lower == ":":
			add(i, ":")
			return // the rest lists which ones, or describes the fault
		case t.Lower == "," && p.opensForeignClause(s.Tokens[i+1:], tongue), tongue.Join[t.Lower] &&
			p.opensForeignClause(s.Tokens[i+1:], tongue):
			add(i, t.Lower)
		}
	}
	add(len(s.Tokens), "")
}

// opensForeignClause reports whether the words behind a conjunction have a verb that asks for
// something or leaves it unchanged at their start, or in German at their end.
func (p *reader) opensForeignClause(t []Token, tongue ForeignLanguage) bool {
	low := LowerWords(t)
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
	if len(low) > 3 && (firstPhraseAt(piece+" ", tongue.Must) > 0 || firstPhraseAt(piece+" ", tongue.Wish) >= 0 ||
		firstPhraseAt(piece+" ", tongue.Removal) > 0) {
		return true
	}
	if firstPhraseAt(line, tongue.NoneOf) == 0 && len(strings.Fields(piece)) < 6 {
		return true
	}
	return firstPhraseAt(piece+" ", tongue.Keep) > 0 || firstPhraseAt(line, tongue.HandsOff) == 0 ||
		firstPhraseAt(piece+" ", tongue.Wrong) > 0 && len(low) > 2
}

// firstPhraseAt returns the offset of the earliest phrase in a line, -1 if there is none.
func firstPhraseAt(line string, phrases []string) int {
	if ph := earliestPhrase(line, phrases); ph != "" {
		return strings.Index(line, ph)
	}
	return -1
}

// readForeignClause interprets one clause of another language.
func (p *reader) readForeignClause(c Clause, tongue ForeignLanguage) Act {
	low := c.Lower()
	a := Act{Clause: c, Core: Span{From: 0, To: len(low)}, Pronoun: false}
	a.IsAdditional = slices.ContainsFunc(low[:min(3, len(low))], func(w string) bool { return tongue.Also[w] })
	line := " " + strings.Join(low, " ") + " "
	if b, ok := p.readForeignKeep(a, line, tongue); ok {
		return b
	}
	if ph := firstPhrase(line, tongue.Removal); ph != "" {
		return asForeignRequest(a, belay.MarkRemove, ph)
	}
	if i, sense, ok := p.findForeignVerb(low, tongue); ok {
		a = asForeignRequest(a, MarkerOf(sense), low[i])
		a.ObjectStart, a.IsNew = min(i+1, len(low)-1), sense == Make
		if a.Marker == belay.MarkFix && len(low) < 3 {
			a.Kind = RepairIt
		}
		return a
	}
	if ph := firstPhrase(line, tongue.Wish); ph != "" {
		a.IsNew = true
		return asForeignRequest(a, belay.MarkAdd, ph)
	}
	if ph := firstPhrase(line, tongue.Must); ph != "" && len(low) > 2 {
		if slices.ContainsFunc(low, func(w string) bool { return tongue.Also[w] }) {
			return asForeignRequest(a, belay.MarkAdd, ph)
		}
		return asForeignRequest(a, belay.MarkModify, ph)
	}
	if ph := firstPhrase(line, tongue.Wrong); ph != "" {
		a.Kind, a.Marker, a.Strength, a.Verb = Complaint, belay.MarkFix, Plain, strings.TrimSpace(ph)
		return a
	}
	return p.readForeignThing(a, low, tongue)
}

func asForeignRequest(a Act, m belay.Marker, by string) Act {
	a.Kind, a.Marker, a.Verb = Request, m, strings.TrimSpace(by)
	return a
}

// readForeignKeep finds what must stay unchanged: an order to leave it, before or after it, or at
// the end of another order ("… sin tocar el pie").
func (p *reader) readForeignKeep(a Act, line string, tongue ForeignLanguage) (Act, bool) {
	n := len(a.Clause.Tokens)
	if ph := firstPhrase(line, tongue.HandsOff); ph != "" {
		from := strings.Count(line[:strings.Index(line, ph)+len(ph)-1], " ")
		to := n
		for i := from + 1; i < n; i++ {
			if w := a.Clause.Tokens[i].Lower; i+1 < n && (tongue.HowItIs[w] || w == ",") {
				to = i // "lass die Preise, wie sie sind"
				break
			}
		}
		kept := []Span{{From: min(from, n), To: to}}
		if at := strings.Count(line[:strings.Index(line, ph)+1], " ") - 1; at > 1 && withoutWords.Has(strings.Fields(ph)[0]) {
			left := a.Clause
			left.Tokens = a.Clause.Tokens[:at]
			if b := p.readForeignClause(left, tongue); b.Kind == Request || b.Kind == RepairIt {
				b.Clause, b.Keeps, b.Core.To = a.Clause, kept, at
				return b, true
			}
		}
		a.Kind, a.Keeps = Keep, kept
		return a, true
	}
	if ph := earliestPhrase(line, tongue.Keep); ph != "" && strings.Index(line, ph) > 0 {
		to := strings.Count(line[:strings.Index(line, ph)+1], " ") - 1
		if next := to + strings.Count(ph, " ") - 1; next < n && tongue.WrongStates[a.Clause.Tokens[next].Lower] {
			return a, false // "o preço fica negativo"
		}
		for to > 1 && (tongue.Polite[a.Clause.Tokens[to-1].Lower] || tongue.HowItIs[a.Clause.Tokens[to-1].Lower] ||
			a.Clause.Tokens[to-1].Lower == "se" || a.Clause.Tokens[to-1].Lower == ",") {
			to--
		}
		a.Kind, a.Keeps = Keep, []Span{{From: 0, To: to}}
		return a, true
	}
	return a, false
}

// earliestPhrase returns the phrase that occurs first in a line, the longest if several begin
// there.
func earliestPhrase(line string, phrases []string) string {
	best, at := "", -1
	for _, ph := range phrases {
		if i := strings.Index(line, ph); i >= 0 && (at < 0 || i < at || i == at && len(ph) > len(best)) {
			best, at = ph, i
		}
	}
	return best
}

// readForeignThing interprets a thing named without a verb.
func (p *reader) readForeignThing(a Act, low []string, tongue ForeignLanguage) Act {
	switch c := a.Clause; {
	case len(low) > 2 && (low[0] == "bitte" || low[1] == "bitte"):
		return asForeignRequest(a, belay.MarkModify, "bitte")
	case tongue.Article[low[0]] && slices.ContainsFunc(low[:min(len(low), 5)], IsProduct):
		a.IsNew = true
		return asForeignRequest(a, belay.MarkAdd, "a thing named")
	case c.Block.Kind == Item:
		return asForeignRequest(a, belay.MarkAdd, "a thing named")
	}
	return a
}

// withoutWords are the words between an order and what it must leave unchanged.
var withoutWords = lazyregexp.Of("sin sans ohne senza sem zonder")

func firstPhrase(line string, phrases []string) string {
	for _, ph := range phrases {
		if strings.Contains(line, ph) {
			return ph
		}
	}
	return ""
}

// findForeignVerb finds the verb that asks for something: the first verb, or in German the last
// word, the position of infinitives and particles.
func (p *reader) findForeignVerb(low []string, tongue ForeignLanguage) (int, Sense, bool) {
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

package ask

import (
	"slices"
	"strings"

	"github.com/belay-dev/belay/internal/ask/concern"
	"github.com/belay-dev/belay/internal/ask/fault"
	"github.com/belay-dev/belay/internal/ask/stay"

	"github.com/belay-dev/belay/internal/ask/deed"
	"github.com/belay-dev/belay/internal/ask/grammar"
	"github.com/belay-dev/belay/internal/ask/prose"
	"github.com/belay-dev/belay/internal/ask/words"
	"github.com/belay-dev/belay/internal/belay"
)

// lastly decides what a message without a clear request is about: a faint complaint, a
// log, the title of a ticket, or nothing that can be known.
func (p *parse) lastly() {
	if len(p.out) > 0 || len(p.doubts) > 0 {
		return
	}
	for _, a := range p.acts {
		if p.fresh && a.Deed == deed.Anew {
			p.emit(a, belay.MarkAdd, "it is to be made anew")
			return
		}
	}
	for pass := range 5 {
		for _, a := range p.acts {
			section := a.C.Block.Section()
			ok := pass == 0 && a.Deed == deed.Complaint && section != prose.Around && section != prose.Expected && (section != prose.Title || a.Strength == fault.Faint) ||
				pass == 1 && a.Deed == deed.Material ||
				pass == 2 && (a.Deed == deed.Request || a.Deed == deed.Complaint) && section == prose.Title ||
				pass == 3 && a.Deed == deed.Ground && a.C.Join != "because" && a.C.Join != "if" && section != prose.Around && (statesFact(a.C.Low()) || fault.NoWay(a.C.Low()) || p.lang != "" && p.lang != "?" && len(a.C.T) > 3 && a.C.Close != "?" || len(p.acts) == 1 && (possible(a.C.Low()) || grammar.Does(a.C.Low()))) ||
				pass == 4 && (a.Deed == deed.Request || a.Deed == deed.Complaint) && section == prose.Expected
			if !ok || a.Deed == deed.Complaint && bare(a.C.Low()) {
				continue
			}
			if a.Deed == deed.Request && pass < 4 {
				p.emit(a, a.Marker, "by “"+a.Verb+"”")
				return
			}
			if lacking(a.C.Low()) {
				p.emit(a, belay.MarkAdd, "there is none yet, and nothing else is asked")
				return
			}
			p.emit(a, belay.MarkFix, "nothing else is asked")
			for j, b := range p.acts {
				equal := b.Deed == deed.Complaint && (b.C.Join == "and" || b.C.Join == ",") && !b.Pronoun
				if b.C.Sent == a.C.Sent && b.C.Line == a.C.Line && !concern.Same(a, b) && (equal || (b.Deed == deed.Ground || b.Deed == deed.Complaint) && p.beside(j)) {
					p.emit(b, belay.MarkFix, "nothing else is asked")
				}
			}
			return
		}
	}
	for i, a := range p.acts {
		if low := a.C.Low(); a.Deed == deed.Keep && len(p.acts) == 1 && len(low) > 3 && low[0] == "no" && slices.ContainsFunc(low[2:], func(w string) bool { return words.Preposition(w) || grammar.Conditional(w) }) {
			p.preserve = nil
			p.emit(a, belay.MarkFix, "what is not there, and nothing else is asked")
			return
		}
		if low := a.C.Low(); a.Deed == deed.Keep && len(a.Keeps) == 1 && stay.Behaves(low) {
			p.preserve = nil
			p.acts[i].Deed = deed.Request
			p.emit(a, belay.MarkModify, "what is not to happen, and nothing else is asked")
			return
		}
	}
	why := []string{"what is wanted is not said"}
	if p.lang == "?" {
		why = []string{"this language is not read; the words are kept as they are"}
	}
	p.doubts = append(p.doubts, belay.Doubt{Words: strings.TrimSpace(p.msg[:min(len(p.msg), 80)]), Readings: why})
}

// statesFact reports a statement about how something is now, by itself: a message that
// says no more reports what is wrong.
func statesFact(low []string) bool {
	n, _ := grammar.Strip(low)
	if n >= len(low) || len(low)-n < 2 || words.Pronoun(low[n]) || words.Subject(low[n]) || grammar.Idle(low[n:]) {
		return false
	}
	i, ok := grammar.Predicate(low[n:])
	return ok && !words.Modal(low[n+i]) && low[n+i] != "was" && low[n+i] != "were" && low[n+i] != "had" && low[n+i] != "will"
}

// lacking reports that something does not exist yet: "we don't have a sitemap yet".
func lacking(low []string) bool {
	line := " " + strings.Join(low, " ") + " "
	if fault.NoWay(low) {
		return true
	}
	return strings.HasSuffix(line, " yet ") && (strings.Contains(line, " have ") || strings.Contains(line, " there is no ") || strings.Contains(line, " there are no ") || strings.Contains(line, " there's no ") || strings.Contains(line, " has no ") || strings.Contains(line, " exist "))
}

// possible reports what something can do now: "white can castle out of check".
func possible(low []string) bool {
	i := slices.Index(low, "can")
	return i > 0 && i < 9 && i+2 < len(low) && !slices.ContainsFunc(low[:i], func(w string) bool { return w == "that" || w == "which" || w == "so" })
}

// bare reports a complaint that names nothing: "it doesn't work anymore".
func bare(low []string) bool {
	if i := slices.IndexFunc(low, func(w string) bool { return w == "since" || w == "after" }); i > 1 && i+1 < len(low) && words.Subject(low[i+1]) {
		low = low[:i] // "it's broken since you changed it"
	}
	for _, w := range low {
		if !words.Pronoun(w) && !words.Auxiliary(w) && !words.Negative(w) && !words.Filler(w) && w != "work" && w != "works" && w != "working" && w != "anymore" && w != "any" && w != "more" && w != "again" && w != "broken" && w != "still" && w != "wrong" && w != "longer" && w != "ugly" && w != "weird" && w != "bad" && w != "horrible" && w != "awful" && w != "strange" && w != "terrible" && w != "meh" && w != "its" {
			return false
		}
	}
	return true
}

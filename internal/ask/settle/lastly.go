package settle

import (
	"slices"

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
func (p *Message) lastly() {
	if len(p.Out) > 0 || len(p.Doubts) > 0 {
		return
	}
	for _, a := range p.Acts {
		if p.Fresh && a.Deed == deed.Anew {
			p.emit(a, belay.MarkAdd, "it is to be made anew")
			return
		}
	}
	for _, a := range p.Acts {
		if a.Deed == deed.Ground && concern.Suffices(a.C.Low()) && a.C.Join == "" && len(a.C.T) > 2 && !slices.ContainsFunc(p.Acts, func(b deed.Act) bool { return b.Deed == deed.Complaint && b.Strength == fault.Plain }) {
			p.emit(a, belay.MarkModify, "so much is enough, and nothing else is asked")
			return
		}
	}
	for pass := range 5 {
		for _, a := range p.Acts {
			section := a.C.Block.Section()
			ok := pass == 0 && a.Deed == deed.Complaint && section != prose.Around && section != prose.Expected && (section != prose.Title || a.Strength == fault.Faint) ||
				pass == 1 && a.Deed == deed.Material ||
				pass == 2 && (a.Deed == deed.Request || a.Deed == deed.Complaint) && section == prose.Title ||
				pass == 3 && a.Deed == deed.Ground && a.C.Join != "because" && a.C.Join != "if" && section != prose.Around && (concern.StatesFact(a.C.Low()) || fault.NoWay(a.C.Low()) || p.Lang != "" && p.Lang != "?" && len(a.C.T) > 3 && a.C.Close != "?" || len(p.Acts) == 1 && (concern.Possible(a.C.Low()) || grammar.Does(a.C.Low()))) ||
				pass == 4 && (a.Deed == deed.Request || a.Deed == deed.Complaint) && section == prose.Expected
			if !ok || a.Deed == deed.Complaint && concern.Bare(a.C.Low()) {
				continue
			}
			if a.Deed == deed.Request && pass < 4 {
				p.emit(a, a.Marker, "by “"+a.Verb+"”")
				return
			}
			if concern.Lacking(a.C.Low()) {
				p.emit(a, belay.MarkAdd, "there is none yet, and nothing else is asked")
				return
			}
			p.emit(a, belay.MarkFix, "nothing else is asked")
			for j, b := range p.Acts {
				equal := b.Deed == deed.Complaint && (b.C.Join == "and" || b.C.Join == ",") && !b.Pronoun
				if b.C.Sent == a.C.Sent && b.C.Line == a.C.Line && a.Nr != b.Nr && (equal || (b.Deed == deed.Ground || b.Deed == deed.Complaint) && p.beside(j)) {
					p.emit(b, belay.MarkFix, "nothing else is asked")
				}
			}
			return
		}
	}
	for _, a := range p.Acts {
		if low := a.C.Low(); a.Deed == deed.Ground && p.Lang == "" && len(p.Acts) > 2 && len(low) > 4 && grammar.Definite(low[0]) && grammar.Finite(low) && a.C.Close != "?" && a.C.Join != "because" && a.C.Join != "if" {
			p.emit(a, belay.MarkFix, "told, and nothing is asked")
			return
		}
	}
	if low := p.single(); len(low) > 4 && (low[0] == "you're" || low[0] == "you") && p.Lang == "" && !slices.Contains(low, "can") {
		p.emit(p.Acts[0], belay.MarkFix, "what is done, and nothing else is said")
		return
	}
	for i, a := range p.Acts {
		if low := a.C.Low(); a.Deed == deed.Keep && len(p.Acts) == 1 && len(low) > 3 && low[0] == "no" && slices.ContainsFunc(low[2:], func(w string) bool { return words.Preposition(w) || grammar.Conditional(w) }) {
			p.Preserve = nil
			p.emit(a, belay.MarkFix, "what is not there, and nothing else is asked")
			return
		}
		if low := a.C.Low(); a.Deed == deed.Keep && len(a.Keeps) == 1 && (stay.Behaves(low) || stay.Holds(low)) {
			p.Preserve = nil
			p.Acts[i].Deed = deed.Request
			p.emit(a, belay.MarkModify, "what is not to happen, and nothing else is asked")
			return
		}
	}
	why := []string{"what is wanted is not said"}
	if p.Lang == "?" {
		why = []string{"this language is not read; the words are kept as they are"}
	}
	p.Doubts = append(p.Doubts, belay.Doubt{Words: Beginning(p.Text), Readings: why})
}

// single is the only clause of a message of one.
func (p *Message) single() []string {
	if len(p.Acts) != 1 || p.Acts[0].Deed != deed.Ground || p.Acts[0].C.Close == "?" {
		return nil
	}
	return p.Acts[0].C.Low()
}

package ask

import (
	"github.com/belay-dev/belay/internal/ask/deed"
	"github.com/belay-dev/belay/internal/ask/fresh"
	"github.com/belay-dev/belay/internal/ask/grammar"
	"github.com/belay-dev/belay/internal/belay"
)

// isFresh decides whether something whole is to be built.
func (p *parse) isFresh() bool {
	for _, a := range p.acts {
		if a.Deed == deed.Anew {
			p.note(a, a.Verb, "start over: fresh")
			return true
		}
	}
	return fresh.Message{Text: p.msg, Lang: p.lang, PlanExists: p.in.PlanExists, Files: p.in.Files, Blocks: p.blocks, Acts: p.acts}.Whole()
}

// kind is the type of the request, in the order in which the types are checked.
func (p *parse) kind() belay.RequestType {
	if len(p.doubts) > 0 {
		return belay.Unclear
	}
	if p.fresh {
		return belay.Fresh
	}
	for _, f := range p.out {
		if f.Marker != belay.MarkFix {
			return belay.Mutation
		}
	}
	return belay.Bugfix
}

func (p *parse) note(a deed.Act, by, means string) {
	if len(a.C.T) > 0 && by == "" {
		by = a.C.Text(p.msg, grammar.Span{From: 0, To: len(a.C.T)})
	}
	p.reasons[a.Nr] = means
	p.why = append(p.why, Evidence{by, means})
}

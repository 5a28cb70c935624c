package settle

import (
	"slices"

	"github.com/belay-dev/belay/internal/ask/deed"
	"github.com/belay-dev/belay/internal/ask/fresh"
	"github.com/belay-dev/belay/internal/belay"
)

// isFresh decides whether something whole is to be built.
func (p *Message) isFresh() bool {
	for _, a := range p.Acts {
		if a.Deed == deed.Anew {
			p.note(a, a.Verb, "start over: fresh")
			return true
		}
	}
	return fresh.Message{Text: p.Text, Lang: p.Lang, Blocks: p.Blocks, Acts: p.Acts}.Whole()
}

// kind is the type of the request, in the order in which the types are checked.
func (p *Message) Kind() belay.RequestType {
	if len(p.Doubts) > 0 {
		return belay.Unclear
	}
	if p.Fresh {
		return belay.Fresh
	}
	for _, f := range p.Out {
		if f.Marker != belay.MarkFix {
			return belay.Mutation
		}
	}
	return belay.Bugfix
}

func (p *Message) note(a deed.Act, by, means string) {
	p.Why = append(p.Why, Evidence{by, means})
}

// Emitted reports an act that asks for something itself.
func (p *Message) Emitted(a deed.Act) bool {
	return slices.ContainsFunc(p.Out, func(f Found) bool { return f.Act.Nr == a.Nr })
}

package settle

import (
	"slices"
	"strings"

	"github.com/belay-dev/belay/internal/ask/fault"
	"github.com/belay-dev/belay/internal/ask/fresh"

	"github.com/belay-dev/belay/internal/ask/deed"
	"github.com/belay-dev/belay/internal/ask/grammar"
	"github.com/belay-dev/belay/internal/ask/prose"
	"github.com/belay-dev/belay/internal/ask/words"
	"github.com/belay-dev/belay/internal/belay"
)

// freshly reads an act of a message that asks for a whole: the whole is one ADD, each
// feature one more; what it is built with and how it looks asks for nothing.
func (p *Message) freshly(a deed.Act) {
	low := a.C.Low()
	if len(low) == 0 {
		return // pasted
	}
	n, _ := grammar.Strip(low)
	if last := low[len(low)-1]; len(low) < 5 && (last == "have" || last == "include" || last == "need" || last == "needs" || last == "support") && deed.IsWish(a.Verb) {
		p.note(a, "", "opens a list")
		return
	}
	first := len(p.Out) == 0
	if len(low) < 4 && slices.Contains(low, "empty") && (slices.Contains(low, "repo") || slices.Contains(low, "repository") || slices.Contains(low, "folder")) {
		return
	}
	if !first && a.Verb == "a thing named" && a.C.Sent == p.Out[0].Act.C.Sent+1 && fresh.Subjectless(low[n:]) {
		p.note(a, "", "what the whole does")
		return
	}
	switch a.Deed {
	case deed.Request:
		if !first && a.C.Join == "or" || !first && fresh.Continues(p.Acts, a, low[n:]) {
			p.note(a, "", "goes on with what can be done with it")
			return
		}
	case deed.Anew:
		i := slices.IndexFunc(low, func(w string) bool { return w == "with" || w == "as" || w == "using" || w == "in" })
		if i < 0 || i+1 >= len(low) || i+2 == len(low) && len(p.Acts) > 0 && p.Acts[len(p.Acts)-1].C.Sent > a.C.Sent && !p.Acts[len(p.Acts)-1].C.Group {
			return
		}
		a.Core.From, a.Obj = i+1, i+1
	case deed.Ground:
		if first && a.C.Join == "" && a.C.Frag && fresh.Names(low) {
			break
		}
		if !first && a.C.Join == "" && len(low) > 2 && low[0] == "with" && grammar.Articled(low[1]) {
			break // "With a cache."
		}
		if !first && (fresh.Feature(a, low[n:]) || fresh.Whereby(p.Acts, a, low[n:])) {
			break
		}
		if !first && a.C.Frag && (a.C.Join == "," || a.C.Join == "and") && len(low) == 1 && len(low[0]) > 3 && !words.Tech(low[0]) && !words.Filler(low[0]) && a.C.T[0].Form == prose.Word && (a.C.Sent != p.Out[0].Act.C.Sent || p.pieces(a) > 2) {
			break // "…, search, backlinks"
		}
		return
	case deed.Complaint:
		if a.C.Block.Kind != prose.Item && (first || a.Strength == fault.Plain || !fresh.Feature(a, low[n:])) {
			return
		}
	default:
		return
	}
	if why := p.noFeature(a, low, n, first); why != "" {
		p.note(a, "", why)
		return
	}
	a.Marker = belay.MarkAdd
	p.emit(a, belay.MarkAdd, "part of something new")
}

// noFeature is why a clause of a message that asks for a whole is no feature of it, or "". low
// are its words, those of its deed from n on; first says that nothing was asked for before.
func (p *Message) noFeature(a deed.Act, low []string, n int, first bool) string {
	if a.Verb == "can" && fresh.Anew(slices.DeleteFunc(slices.Clone(p.Acts), func(b deed.Act) bool { return b.C.Sent != a.C.Sent })) {
		return "why it starts over" // "start over please, … and one can smell it"
	}
	if i := slices.IndexFunc(p.Acts, func(b deed.Act) bool { return b.C.Sent == a.C.Sent && b.Deed == deed.Keep }); i >= 0 && a.C.Join == "," && (low[0] == "just" || low[0] == "only" || low[0] == "simply") {
		return "what there is in its place: part of what is not wanted"
	}
	if !first && a.Obj < len(low) && low[a.Obj] == "one" && (a.Obj+1 == len(low) || low[a.Obj+1] == "please") {
		return "the same whole"
	}
	if !first && low[0] == "to" && a.C.Join == "," || !first && len(low) > 2 && a.C.Join == "" && slices.Contains(low, "can") && slices.Contains(low, "wait") {
		return "what it is for, or not yet"
	}
	if !first && a.Verb == "a thing named" && low[0] == "just" {
		return "how little it may be"
	}
	if !first && fresh.Styled(a, low[n:]) {
		return "with what or in which style: part of the whole"
	}
	if !first && a.Pronoun && p.describing(a, low[n:]) {
		return "says more about the one before"
	}
	if first && a.Marker == belay.MarkModify && a.Deed == deed.Request && !fresh.Anew(p.Acts) && a.Obj < len(low) && grammar.Definite(low[a.Obj]) && !deed.Creates(a.Verb) {
		return "about what is there, not about what is to be made"
	}
	if first && fresh.Announces(p.Acts, low, a) {
		return "opens a list"
	}
	return ""
}

// describing reports a sentence about the whole itself, right behind it: "it reads the
// mails and saves …".
func (p *Message) describing(a deed.Act, rest []string) bool {
	if grammar.Imperative(rest) > 0 {
		switch a.Verb {
		case "make", "keep", "use", "write", "run", "build", "host", "deploy", "call", "name", "put":
			return true
		}
		return a.Marker == belay.MarkRemove
	}
	return len(p.Out) == 1 && a.Verb != "must" && !strings.HasPrefix(a.Verb, "must") && !deed.IsWish(a.Verb)
}

// pieces is how many clauses the sentence of a has.
func (p *Message) pieces(a deed.Act) (n int) {
	for _, b := range p.Acts {
		if b.C.Sent == a.C.Sent && b.C.Line == a.C.Line {
			n++
		}
	}
	return n
}

package ask

import (
	"slices"
	"strings"

	"github.com/belay-dev/belay/internal/ask/deed"
	"github.com/belay-dev/belay/internal/ask/grammar"
	"github.com/belay-dev/belay/internal/ask/words"
	"github.com/belay-dev/belay/internal/belay"
)

// isFresh decides whether something whole is to be built: the user starts over, or
// there is no plan and the first thing asked for is a whole of its own.
func (p *parse) isFresh() bool {
	line := " " + strings.ToLower(p.msg[:min(len(p.msg), 600)]) + " "
	asks := false
	for _, a := range p.acts {
		if a.Deed == deed.Anew {
			p.note(a, a.Verb, "start over: fresh")
			return true
		}
		asks = asks || a.Deed == deed.Request
	}
	if p.in.PlanExists || slices.ContainsFunc(p.acts, func(a deed.Act) bool {
		return a.Deed == deed.Material || a.Deed == deed.Complaint && a.Strength == grammar.Plain
	}) {
		return false
	}
	for _, s := range []string{"from scratch", "from nothing", "from zero", "repo is empty", "empty repo", "greenfield", "new project", "new service", "new app ", "nothing here yet"} {
		if strings.Contains(line, s) {
			return true
		}
	}
	if !asks {
		return false
	}
	for _, a := range p.acts {
		if a.Deed != deed.Request {
			continue
		}
		return a.Marker == belay.MarkAdd && p.whole(a)
	}
	return false
}

// whole reports a request for a whole: made, with a noun for such a thing near.
func (p *parse) whole(a deed.Act) bool {
	low := a.C.Low()
	switch a.Verb {
	case "add", "include", "support", "show", "document", "allow", "let", "insert", "log", "needs", "need":
		return a.Verb == "need" && a.Made
	}
	if isWish(a.Verb) && a.Verb != "need" && p.lang == "" {
		return false // "the logo should link to the shop"
	}
	o := low[min(a.Obj, len(low)):]
	if p.lang != "" {
		o = low
	}
	if a.Verb == "a thing named" && len(o) > 0 && grammar.Articled(o[0]) && slices.ContainsFunc(o, words.Tool) {
		return true // "a webhook relay in go"
	}
	for i, w := range o[:min(len(o), 12)] {
		if i > 0 && (w == "that" || w == "which" || w == "who" || w == "where") {
			break
		}
		if w == "page" && i < 4 || words.Product(w) || strings.HasSuffix(w, "-app") || strings.HasSuffix(w, "-website") {
			return a.Made || p.lang != "" || a.Verb == "a thing named" || grammar.Indefinite(o) || a.Verb != ""
		}
	}
	return deed.Creates(a.Verb) && grammar.Indefinite(o) && !slices.ContainsFunc(o[:min(len(o), 5)], words.Part)
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
	p.why = append(p.why, Evidence{by, means})
}

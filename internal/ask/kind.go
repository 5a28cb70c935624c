package ask

import (
	"slices"
	"strings"

	"github.com/belay-dev/belay/internal/ask/words"
	"github.com/belay-dev/belay/internal/belay"
)

// isFresh decides whether something whole is to be built: the user starts over, or
// there is no plan and the first thing asked for is a whole of its own.
func (p *parse) isFresh() bool {
	line := " " + strings.ToLower(p.msg[:min(len(p.msg), 600)]) + " "
	asks := false
	for _, a := range p.acts {
		if a.deed == anew {
			p.note(a, a.verb, "start over: fresh")
			return true
		}
		asks = asks || a.deed == request
	}
	if p.in.PlanExists || slices.ContainsFunc(p.acts, func(a act) bool { return a.deed == material || a.deed == complaint && a.strength == plain }) {
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
		if a.deed != request {
			continue
		}
		return a.marker == belay.MarkAdd && p.whole(a)
	}
	return false
}

// whole reports a request for a whole: made, with a noun for such a thing near.
func (p *parse) whole(a act) bool {
	low := a.c.low()
	switch a.verb {
	case "add", "include", "support", "show", "document", "allow", "let", "insert", "log", "needs", "need":
		return a.verb == "need" && a.made
	}
	o := low[min(a.obj, len(low)):]
	if p.lang != "" {
		o = low
	}
	for i, w := range o[:min(len(o), 12)] {
		if i > 0 && (w == "that" || w == "which" || w == "who" || w == "where") {
			break
		}
		if w == "page" && i < 4 || words.Product(w) || strings.HasSuffix(w, "-app") || strings.HasSuffix(w, "-website") {
			return a.made || p.lang != "" || a.verb == "a thing named" || indefinite(o) || a.verb != ""
		}
	}
	return creating[a.verb] && indefinite(o) && !slices.Contains(o, "test") && !slices.Contains(o, "tests")
}

var creating = map[string]bool{"create": true, "build": true, "generate": true, "set up": true, "put together": true, "scaffold": true, "bootstrap": true, "develop": true, "start": true, "begin": true, "make": true, "write": true, "prototype": true}

// kind is the type of the request, in the order in which the types are checked.
func (p *parse) kind() belay.RequestType {
	if len(p.doubts) > 0 {
		return belay.Unclear
	}
	if p.fresh {
		return belay.Fresh
	}
	for _, f := range p.out {
		if f.marker != belay.MarkFix {
			return belay.Mutation
		}
	}
	return belay.Bugfix
}

func (p *parse) note(a act, by, means string) {
	if len(a.c.t) > 0 && by == "" {
		by = a.c.text(p.msg, span{0, len(a.c.t)})
	}
	p.why = append(p.why, Evidence{by, means})
}

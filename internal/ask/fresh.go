package ask

import (
	"slices"
	"strings"

	"github.com/belay-dev/belay/internal/ask/reading"

	"github.com/belay-dev/belay/internal/ask/concern"
	"github.com/belay-dev/belay/internal/ask/fault"

	"github.com/belay-dev/belay/internal/ask/deed"
	"github.com/belay-dev/belay/internal/ask/grammar"
	"github.com/belay-dev/belay/internal/ask/prose"
	"github.com/belay-dev/belay/internal/ask/words"
	"github.com/belay-dev/belay/internal/belay"
)

// freshly reads an act of a message that asks for a whole: the whole is one ADD, each
// feature one more; what it is built with and how it looks asks for nothing.
func (p *parse) freshly(a deed.Act) {
	low := a.C.Low()
	n, _ := grammar.Strip(low)
	first := len(p.out) == 0
	if len(low) < 4 && slices.Contains(low, "empty") && (slices.Contains(low, "repo") || slices.Contains(low, "repository") || slices.Contains(low, "folder")) {
		return
	}
	if !first && a.Verb == "a thing named" && a.C.Sent == p.out[0].a.C.Sent+1 && subjectless(low[n:]) {
		p.note(a, "", "what the whole does")
		return
	}
	switch a.Deed {
	case deed.Request:
		if !first && a.C.Join == "or" || !first && p.continues(a, low[n:]) {
			p.note(a, "", "goes on with what can be done with it")
			return
		}
	case deed.Anew:
		i := slices.IndexFunc(low, func(w string) bool { return w == "with" || w == "as" || w == "using" || w == "in" })
		if i < 0 || i+1 >= len(low) || i+2 == len(low) && len(p.acts) > 0 && p.acts[len(p.acts)-1].C.Sent > a.C.Sent && !p.acts[len(p.acts)-1].C.Group {
			return
		}
		a.Core.From, a.Obj = i+1, i+1
	case deed.Ground:
		if first && a.C.Join == "" && a.C.Frag && p.names(low) {
			break
		}
		if !first && (p.feature(a, low[n:]) || p.whereby(a, low[n:])) {
			break
		}
		if !first && a.C.Frag && (a.C.Join == "," || a.C.Join == "and") && len(low) == 1 && len(low[0]) > 3 && !words.Tech(low[0]) && !words.Filler(low[0]) && a.C.T[0].Form == prose.Word {
			break // "…, search, backlinks"
		}
		return
	case deed.Complaint:
		if a.C.Block.Kind != prose.Item && (first || a.Strength == fault.Plain || !p.feature(a, low[n:])) {
			return
		}
	default:
		return
	}
	if a.Verb == "can" && anew(slices.DeleteFunc(slices.Clone(p.acts), func(b deed.Act) bool { return b.C.Sent != a.C.Sent })) {
		return // "start over please, … and one can smell it"
	}
	if i := slices.IndexFunc(p.acts, func(b deed.Act) bool { return b.C.Sent == a.C.Sent && b.Deed == deed.Keep }); i >= 0 && a.C.Join == "," && (low[0] == "just" || low[0] == "only" || low[0] == "simply") {
		p.note(a, "", "what there is in its place: part of what is not wanted")
		return
	}
	if !first && a.Verb == "a thing named" && low[0] == "just" {
		p.note(a, "", "how little it may be")
		return
	}
	if !first && p.styled(a, low[n:]) {
		p.note(a, "", "with what or in which style: part of the whole")
		return
	}
	if !first && a.Pronoun && p.describing(a, low[n:]) {
		p.note(a, "", "says more about the one before")
		return
	}
	if first && a.Marker == belay.MarkModify && a.Deed == deed.Request && !anew(p.acts) && a.Obj < len(low) && grammar.Definite(low[a.Obj]) && !deed.Creates(a.Verb) {
		p.note(a, "", "about what is there, not about what is to be made")
		return
	}
	if first && p.announces(low, a) {
		return
	}
	a.Marker = belay.MarkAdd
	p.emit(a, belay.MarkAdd, "part of something new")
}

// anew reports that somebody starts over.
func anew(acts []deed.Act) bool {
	return slices.ContainsFunc(acts, func(b deed.Act) bool { return b.Deed == deed.Anew })
}

// subjectless reports what the whole does, without saying "it": "reads a file and draws the
// graph".
func subjectless(rest []string) bool {
	if len(rest) < 3 || rest[1] != "the" && !grammar.Articled(rest[1]) && rest[1] != "all" && rest[1] != "my" && rest[1] != "every" {
		return false
	}
	_, end := words.Base(rest[0], grammar.AnyVerb)
	return end == "s" || words.Acting(rest[0])
}

// continues reports the second half of what somebody does with the thing: "where nurses scan the
// code and mark it dirty".
func (p *parse) continues(a deed.Act, rest []string) bool {
	i := slices.IndexFunc(p.acts, func(b deed.Act) bool { return concern.Same(a, b) })
	if i < 1 || a.C.Join != "and" || grammar.Imperative(rest) == 0 || !a.Pronoun {
		return false
	}
	before := p.acts[i-1]
	return before.C.Sent == a.C.Sent && before.C.Join == "because" && before.Deed == deed.Ground
}

// whereby reports the first of several clauses that say what can be done with the whole: "an
// app where staff can ask for days off, the manager can refuse, and everyone sees the list".
func (p *parse) whereby(a deed.Act, rest []string) bool {
	i := slices.IndexFunc(p.acts, func(b deed.Act) bool { return concern.Same(a, b) })
	if a.C.Join != "because" || i < 0 || i+1 >= len(p.acts) || len(rest) < 3 || !slices.Contains(grammar.Actors, rest[0]) {
		return false
	}
	next := p.acts[i+1]
	if next.C.Sent != a.C.Sent || next.C.Join != "," && next.C.Join != "and" {
		return false
	}
	low := next.C.Low()
	at, _ := grammar.Modal(low)
	return at > 0 && slices.Contains(grammar.Actors, low[at-1])
}

// names reports a sentence that names the new thing without asking for it.
func (p *parse) names(low []string) bool {
	for _, w := range low {
		if words.Product(w) || w == "page" {
			return true
		}
	}
	return false
}

// announces reports words that only open a list of what to create.
func (p *parse) announces(low []string, a deed.Act) bool {
	if low[len(low)-1] == "please" {
		low = low[:len(low)-1]
	}
	if n := len(low); n > 1 && n < 4 && low[n-2] == "new" && (low[n-1] == "repo" || low[n-1] == "project" || low[n-1] == "repository" || low[n-1] == "idea") {
		return true
	}
	if n := len(low); n < 8 && slices.Contains(low, "new") && (slices.Contains(low, "project") || slices.Contains(low, "repo")) && !slices.Contains(low, "with") && len(p.acts) > 1 && p.acts[1].C.Sent == a.C.Sent {
		return true // "start a new project for me: …"
	}
	return reading.Preamble(low) || len(low) == 2 && low[0] == "start" && low[1] == "over"
}

// feature reports a statement about what the new thing does, in a sentence of its own,
// about somebody who uses it.
func (p *parse) feature(a deed.Act, rest []string) bool {
	if len(rest) < 2 || a.C.Join == "because" || a.C.Join == "if" {
		return false
	}
	if m := rest[0]; strings.HasPrefix(rest[1], "/") && (m == "get" || m == "post" || m == "put" || m == "delete" || m == "patch") && grammar.Finite(rest) && a.C.Join == "" {
		return true // "POST /payouts takes a payout"
	}
	if len(rest) > 2 && (rest[0] == "everyone" || rest[0] == "everybody" || rest[0] == "anyone") && strings.HasSuffix(rest[1], "s") {
		return true
	}
	if at, ok := grammar.Predicate(rest); ok && at > 0 && slices.Contains(grammar.Actors, rest[at-1]) && !words.Subject(rest[0]) || slices.Contains(grammar.Actors, rest[0]) && !words.Subject(rest[0]) && grammar.Imperative(rest[1:]) > 0 {
		return true
	}
	if at, ok := grammar.Predicate(rest); ok && at > 0 && (rest[at] == "go" || rest[at] == "goes") && !words.Subject(rest[0]) && at+1 < len(rest) && words.Preposition(rest[at+1]) {
		return true // "Concert dates go on the front page"
	}
	i, k := grammar.Modal(rest)
	return i > 0 && k > 0 && !words.Subject(rest[0])
}

// styled reports a sentence of nothing but tools, style and polite words.
func (p *parse) styled(a deed.Act, rest []string) bool {
	if a.C.Group || a.C.Block.Kind == prose.Item && slices.ContainsFunc(rest, func(w string) bool { return w == "page" || words.Product(w) || words.Part(w) }) {
		return false
	}
	if len(rest) > 1 && (rest[0] == "like" || rest[0] == "e.g") {
		return true // "like `tool in > out`"
	}
	if len(rest) < 4 && (rest[len(rest)-1] == "repo" || rest[len(rest)-1] == "repository") {
		return true
	}
	if line := strings.Join(rest, " "); strings.Contains(line, "run on ") || strings.Contains(line, "live on ") || strings.Contains(line, "work on ") || strings.Contains(line, "be written in") || strings.Contains(line, "hosted on") {
		return true
	}
	if pluses(rest) {
		return true // "postfix + dovecot + rspamd": what it consists of
	}
	if a.Verb != "a thing named" && a.Deed != deed.Ground {
		return len(rest) > 0 && (a.Verb == "use" || a.Verb == "using")
	}
	other, in := 0, false
	for _, w := range rest {
		_, num := grammar.Value(w)
		if !words.Tech(w) && !num && w != "," && !words.Filler(w) {
			other++
		}
		in = in || w == "in" || w == "out"
	}
	last := rest[len(rest)-1]
	return other == 0 || other*2 < len(rest) && len(rest) > 2 || in && (last == "in" || last == "out")
}

// pluses reports names that are strung together by plus signs.
func pluses(rest []string) bool {
	for i, w := range rest {
		if (i%2 == 1) != (w == "+") {
			return false
		}
	}
	return len(rest) > 2 && len(rest)%2 == 1
}

// describing reports a sentence about the whole itself, right behind it: "it reads the
// mails and saves …".
func (p *parse) describing(a deed.Act, rest []string) bool {
	if grammar.Imperative(rest) > 0 {
		switch a.Verb {
		case "make", "keep", "use", "write", "run", "build", "host", "deploy", "call", "name", "put":
			return true
		}
		return a.Marker == belay.MarkRemove
	}
	return len(p.out) == 1 && a.Verb != "must" && !strings.HasPrefix(a.Verb, "must") && !deed.IsWish(a.Verb)
}

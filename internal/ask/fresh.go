package ask

import (
	"slices"
	"strings"

	"github.com/belay-dev/belay/internal/ask/prose"
	"github.com/belay-dev/belay/internal/ask/words"
	"github.com/belay-dev/belay/internal/belay"
)

// freshly reads an act of a message that asks for a whole: the whole is one ADD, each
// feature one more; what it is built with and how it looks asks for nothing.
func (p *parse) freshly(a act) {
	low := a.c.low()
	n, _ := strip(low)
	first := len(p.out) == 0
	switch a.deed {
	case request:
	case ground:
		if first && a.c.join == "" && a.c.frag && p.names(low) {
			break
		}
		if !first && p.feature(a, low[n:]) {
			break
		}
		return
	case complaint:
		if a.c.block.Kind != prose.Item {
			return
		}
	default:
		return
	}
	if !first && p.styled(a, low[n:]) {
		p.note(a, "", "with what or in which style: part of the whole")
		return
	}
	if !first && a.pronoun && p.describing(a, low[n:]) {
		p.note(a, "", "says more about the one before")
		return
	}
	if first && p.announces(low, a) {
		return
	}
	a.marker = belay.MarkAdd
	p.emit(a, belay.MarkAdd, "part of something new")
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
func (p *parse) announces(low []string, a act) bool {
	return preamble(low) || len(low) == 2 && low[0] == "start" && low[1] == "over" || a.deed == anew
}

// feature reports a statement about what the new thing does, in a sentence of its own,
// about somebody who uses it.
func (p *parse) feature(a act, rest []string) bool {
	if len(rest) < 2 || a.c.join == "because" || a.c.join == "if" {
		return false
	}
	if at, ok := predicate(rest); ok && at > 0 && slices.Contains(actors, rest[at-1]) && !words.Subject(rest[0]) || slices.Contains(actors, rest[0]) && !words.Subject(rest[0]) && imperative(rest[1:]) > 0 {
		return true
	}
	i, k := modal(rest)
	return i > 0 && k > 0 && !words.Subject(rest[0])
}

// styled reports a sentence of nothing but tools, style and polite words.
func (p *parse) styled(a act, rest []string) bool {
	if a.c.group {
		return false
	}
	if line := strings.Join(rest, " "); strings.Contains(line, "run on ") || strings.Contains(line, "live on ") || strings.Contains(line, "work on ") || strings.Contains(line, "be written in") || strings.Contains(line, "hosted on") {
		return true
	}
	if a.verb != "a thing named" && a.deed != ground {
		return len(rest) > 0 && (a.verb == "use" || a.verb == "using")
	}
	other, in := 0, false
	for _, w := range rest {
		_, num := value(w)
		if !words.Tech(w) && !num && w != "," && !words.Filler(w) {
			other++
		}
		in = in || w == "in" || w == "out"
	}
	last := rest[len(rest)-1]
	return other == 0 || other*2 < len(rest) && len(rest) > 2 || in && (last == "in" || last == "out")
}

// describing reports a sentence about the whole itself, right behind it: "it reads the
// mails and saves …".
func (p *parse) describing(a act, rest []string) bool {
	if imperative(rest) > 0 {
		switch a.verb {
		case "make", "keep", "use", "write", "run", "build", "host", "deploy", "call", "name", "put":
			return true
		}
		return a.marker == belay.MarkRemove
	}
	return len(p.out) == 1 && a.verb != "must" && !strings.HasPrefix(a.verb, "must") && !isWish(a.verb)
}

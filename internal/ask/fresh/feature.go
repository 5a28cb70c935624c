package fresh

import (
	"slices"
	"strings"

	"github.com/belay-dev/belay/internal/ask/deed"
	"github.com/belay-dev/belay/internal/ask/grammar"
	"github.com/belay-dev/belay/internal/ask/prose"
	"github.com/belay-dev/belay/internal/ask/reading"
	"github.com/belay-dev/belay/internal/ask/words"
)

// Anew reports that somebody starts over.
func Anew(acts []deed.Act) bool {
	return slices.ContainsFunc(acts, func(b deed.Act) bool { return b.Deed == deed.Anew })
}

// Subjectless reports what the whole does, without saying "it": "reads a file and draws the
// graph".
func Subjectless(rest []string) bool {
	if len(rest) < 3 || rest[1] != "the" && !grammar.Articled(rest[1]) && rest[1] != "all" && rest[1] != "my" && rest[1] != "every" {
		return false
	}
	_, end := words.Base(rest[0], grammar.AnyVerb)
	return end == "s" || words.Acting(rest[0])
}

// Continues reports the second half of what somebody does with the thing: "where nurses scan the
// code and mark it dirty".
func Continues(acts []deed.Act, a deed.Act, rest []string) bool {
	i := a.Nr
	if i == 1 && a.C.Join == "," && a.Pronoun && len(acts[0].C.T) < 5 && acts[0].Verb == "a thing named" && deed.IsWish(a.Verb) {
		return true // "rust crate please, it should parse NMEA": what the thing is
	}
	if i < 1 || a.C.Join != "and" || grammar.Imperative(rest) == 0 || !a.Pronoun {
		return false
	}
	before := acts[i-1]
	return before.C.Sent == a.C.Sent && before.C.Join == "because" && before.Deed == deed.Ground
}

// Whereby reports the first of several clauses that say what can be done with the whole: "an
// app where staff can ask for days off, the manager can refuse, and everyone sees the list".
func Whereby(acts []deed.Act, a deed.Act, rest []string) bool {
	i := a.Nr
	if a.C.Join != "because" || i+1 >= len(acts) || len(rest) < 3 || !slices.Contains(grammar.Actors, rest[0]) {
		return false
	}
	next := acts[i+1]
	if next.C.Sent != a.C.Sent || next.C.Join != "," && next.C.Join != "and" {
		return false
	}
	low := next.C.Low()
	at, _ := grammar.Modal(low)
	return at > 0 && low[0] != "where" && slices.Contains(grammar.Actors, low[at-1])
}

// Names reports a sentence that names the new thing without asking for it.
func Names(low []string) bool {
	for _, w := range low {
		if words.Product(w) || w == "page" {
			return true
		}
	}
	return false
}

// Announces reports words that only open a list of what to create.
func Announces(acts []deed.Act, low []string, a deed.Act) bool {
	if low[len(low)-1] == "please" {
		low = low[:len(low)-1]
	}
	if n := len(low); n > 1 && n < 4 && low[n-2] == "new" && (low[n-1] == "repo" || low[n-1] == "project" || low[n-1] == "repository" || low[n-1] == "idea") {
		return true
	}
	if n := len(low); n < 8 && slices.Contains(low, "new") && (slices.Contains(low, "project") || slices.Contains(low, "repo")) && !slices.Contains(low, "with") && len(acts) > 1 && acts[1].C.Sent == a.C.Sent {
		return true // "start a new project for me: …"
	}
	return reading.Preamble(low) || len(low) == 2 && low[0] == "start" && low[1] == "over"
}

// Feature reports a statement about what the new thing does, in a sentence of its own,
// about somebody who uses it.
func Feature(a deed.Act, rest []string) bool {
	if len(rest) < 2 || a.C.Join == "because" || a.C.Join == "if" {
		return false
	}
	if len(rest[0]) > 2 && (rest[0][0] == '/' || rest[0][0] == '!') && len(rest) > 2 {
		return true // "/dinner asks everybody"
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
	if (rest[0] == "i" || rest[0] == "we") && rest[1] == "can" && len(rest) > 2 && (a.C.Join == "," || a.C.Join == "and") {
		return true // "people pick a slot, I can print the grid"
	}
	i, k := grammar.Modal(rest)
	return i > 0 && k > 0 && !words.Subject(rest[0])
}

// Styled reports a sentence of nothing but tools, style and polite words.
func Styled(a deed.Act, rest []string) bool {
	if len(rest) == 0 {
		return true // polite words alone
	}
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

// Package clause cuts a sentence into clauses: where a conjunction, a comma, a colon or
// nothing at all leads to something that can be asked for by itself. It knows nothing of the
// message around the sentence. It touches no file, process, clock or network.
package clause

import (
	"slices"
	"strings"

	"github.com/belay-dev/belay/internal/ask/fault"

	"github.com/belay-dev/belay/internal/ask/grammar"
	"github.com/belay-dev/belay/internal/ask/stay"

	"github.com/belay-dev/belay/internal/ask/prose"
	"github.com/belay-dev/belay/internal/ask/words"
)

// Clause is a stretch of a sentence that can ask for one thing.
type Clause struct {
	T     []prose.Token // without asides
	Join  string        // what led to it: "", ",", "and", ";", "->", ":", "if", "because"
	Topic string        // the word or two before a colon that it stands under
	Block prose.Block
	Line  int    // of the block in the message
	Sent  int    // of the sentence in the message
	Close string // the mark that ended the sentence
	Group bool   // one piece of an enumeration after a colon or between commas
	Frag  bool   // the sentence has no verb at all
	Yet   bool   // an "although" follows: it is not as it should be
	Colon bool   // it stands behind a colon, whatever else led to it
	Gap   bool   // the verb is that of the clause before: "bump X to 1 and Y to 2"
}

func (c Clause) Low() []string { return Lows(c.T) }

func Lows(t []prose.Token) []string {
	out := make([]string, len(t))
	for i := range t {
		out[i] = t[i].Low
		if t[i].Form != prose.Word && t[i].Form != prose.Mark {
			out[i] = "\"" // whatever is in quotes or backquotes is a thing, not a word
		}
	}
	return out
}

// Clauses cuts a sentence. tail is what a conjunction must lead into to begin a new
// clause: an imperative, somebody doing something, or a thing called new.
func Clauses(s prose.Sentence) []Clause {
	t := slices.DeleteFunc(slices.Clone(s.Tokens), func(t prose.Token) bool { return t.Form == prose.Aside })
	frag := !grammar.HasVerb(Lows(t))
	var out []Clause
	start, main, join := 0, 0, ""
	cut := func(end, next int, lead string) {
		if end > start {
			out = append(out, Clause{T: t[start:end], Join: join, Colon: join == ":", Close: s.Close, Frag: frag})
		}
		if lead != "because" {
			main = next
		}
		start, join = next, lead
	}
	low := Lows(t)
	list := false // in a list of things that are each asked for by name: a page, a section and …
	for i := 0; i < len(t); i++ {
		if i < start {
			continue
		}
		if join == "because" && low[i] == "and" && main < start && !slices.Contains(low[main:start], "that") {
			if next, more := Listed(low, main, i, list); next > 0 && grammar.Articled(low[next]) {
				cut(i, next, "and") // "a page where people can sign up and a list of …"
				i, list = next-1, more
				continue
			}
		}
		if next, more := Listed(low, start, i, list); next > 0 {
			cut(i, next, "and")
			i, list = next-1, more
			continue
		}
		if lead, next := boundary(low, start, i, frag); next > 0 {
			cut(i, next, lead)
			i = next - 1
		}
	}
	if len(low) > 2 && low[0] == "so" && low[1] == "that" && start == 0 {
		start, join = 2, "because"
	}
	cut(len(t), len(t), "")
	out = heads(out)
	for i := 1; i < len(out); i++ {
		switch out[i].Join {
		case "main":
			out[i-1].Join, out[i].Join = "if", ""
		case "gap":
			out[i].Join, out[i].Gap = "and", true
		case "although":
			out[i-1].Yet, out[i].Join = true, "because"
		}
	}
	return out
}

// heads takes a verbless beginning of a sentence apart, in front of a clause with a verb:
// "two-factor login, a page of sessions, and sessions should end …". Each is a thing named.
func heads(in []Clause) []Clause {
	if len(in) < 2 || in[0].Frag || in[1].Join != "," && in[1].Join != "and" && in[1].Join != "but" || grammar.HasVerb(in[0].Low()) {
		return in
	}
	low := in[0].Low()
	n, _ := grammar.Strip(low)
	_, kept, _ := stay.Keeps(in[1].Low())
	if last := low[len(low)-1]; last == "first" || last == "last" || strings.HasSuffix(low[0], "ing") {
		return in
	}
	if n >= len(low) || len(low)-n < 2 || !slices.Contains(low[n:], ",") && !kept && !(len(low)-n > 2 && in[1].Join == "and" && grammar.Finite(in[1].Low())) && !(len(low)-n > 3 && in[1].Join == "," && slices.ContainsFunc(low[n+1:], words.Preposition)) || grammar.Told(low[n:]) || grammar.Idle(low) || words.Preposition(low[n]) || slices.ContainsFunc(low, words.Auxiliary) || !kept && !wishful(in[1].Low()) {
		return in
	}
	var out []Clause
	start := 0
	for i := 0; i <= len(low); i++ {
		if i < len(low) && low[i] != "," {
			continue
		}
		if i > start {
			c := in[0]
			c.T, c.Frag = in[0].T[start:i], true
			if start > 0 {
				c.Join = ","
			}
			out = append(out, c)
		}
		start = i + 1
	}
	return append(out, in[1:]...)
}

// wishful reports a clause that says what is to be.
func wishful(low []string) bool {
	n, s := grammar.Strip(low)
	_, k := grammar.Modal(low[n:])
	return s.Opener || k > 0 || grammar.Imperative(low[n:]) > 0
}

// Listed reads a list whose things have an article each: "add a page about limits, a
// section with entries and screenshots". Unlike "a page with a title and a text" each is
// Asked for by itself.
func Listed(low []string, start, i int, list bool) (next int, more bool) {
	if i <= start || low[i] != "," && low[i] != "and" {
		return 0, false
	}
	next = i + 1
	last := low[i] == "and"
	if !last && next < len(low) && low[next] == "and" {
		last, next = true, next+1
	}
	if last && next+1 < len(low) && (low[next] == "then" || low[next] == "also") {
		next++
	}
	if next >= len(low) || opens(low[next:]) && !grammar.Articled(low[next]) {
		return 0, false
	}
	left := low[start:i]
	n, s := grammar.Strip(left)
	if n >= len(left) || !list && slices.Contains(left, "with") || slices.Contains(left, "that") || slices.Contains(left, "between") || slices.Contains(left, ":") || slices.Contains(left, "which") {
		return 0, false
	}
	o := left[n:]
	if k := grammar.Imperative(o); k > 0 && k < len(o) {
		b, _ := words.Base(o[0], grammar.AnyVerb)
		if sense, _ := words.Verb(b); sense != words.Add && sense != words.Make && sense != words.Show && b != "" {
			return 0, false
		}
		o = o[k:]
	} else if !s.Want && !list {
		return 0, false
	}
	if grammar.Articled(low[next]) && low[next] != "some" && (grammar.Articled(o[0]) || s.Want || list) || list && last {
		return next, !last
	}
	return 0, false
}

// boundary says whether a clause ends before i: what leads on and where the next one
// starts. next is 0 when none ends.
func boundary(low []string, start, i int, frag bool) (lead string, next int) {
	switch w := low[i]; w {
	case "->", "=>", "→":
		if grammar.HasVerb(low[start:i]) || opens(low[i+1:]) {
			return w, i + 1
		}
	case ";", "—", "–", "•":
		return w, i + 1
	case "-", "--":
		return ";", i + 1
	case ":":
		return ":", i + 1
	case ",":
		return comma(low, start, i, frag)
	case "+", "&", "plus", "or", "and", "but", "then", "so", "with", "including", "incl", "without":
		if i > start {
			return conjunction(low, start, i, frag)
		}
	default:
		return unmarked(low, start, i)
	}
	return "", 0
}

// conjunction decides at a word that may lead to another clause.
func conjunction(low []string, start, i int, frag bool) (string, int) {
	left, right := low[start:i], low[i+1:]
	switch w := low[i]; w {
	case "+", "&", "plus":
		if !words.Determiner(low[i-1]) && plusOpens(low, i) {
			return "+", i + 1
		}
		if w == "plus" && tested(right) && repairs(left) {
			return "and", i + 1
		}
	case "or":
		if _, whole, ok := stay.Keeps(left); ok && whole && opens(right) && len(left) > 3 && words.Determiner(right[0]) && grammar.Finite(right) {
			return "because", i + 1 // "… mustn't change or the tests break"
		}
		if slices.Contains(left, "whether") {
			return "", 0
		}
		if grammar.Negated(left) && len(left) < 4 {
			return "", 0 // "don't add or change …"
		}
		if frag && len(right) > 0 && right[0] == "no" || opens(right) && !joinsSubjects(left, right) && i > start+1 {
			return w, i + 1
		}
	case "and", "but", "then":
		if k := slices.Index(left, "between"); w == "and" && k >= 0 && !slices.Contains(left[k:], "and") {
			return "", 0
		}
		if w == "and" && gapped(left, right) {
			return "gap", i + 1
		}
		if opens(right) && !joinsSubjects(left, right) || frag && w == "and" && len(right) > 2 && grammar.Articled(right[0]) && words.Comparative(right[1]) && !slices.Contains(left, "with") {
			return w, i + 1
		}
	case "so":
		if len(right) > 0 && right[0] == "that" {
			return "because", i + 2
		}
		if opens(right) {
			return "so", i + 1
		}
	case "with", "including", "incl":
		if tested(right) && repairs(left) {
			return "and", i + 1
		}
	case "without":
		if len(right) > 0 && grammar.Gerund(right[0]) && orders(left) {
			return "without", i
		}
	}
	return "", 0
}

// unmarked decides at any other word: a clause that nothing announces, or a subordinate one.
func unmarked(low []string, start, i int) (string, int) {
	w := low[i]
	if runsOn(low, start, i) {
		return "then", i
	}
	if i > start && i+1 < len(low) && (w == "although" || w == "though") {
		return "although", i + 1
	}
	if (w == "who" || w == "which") && restrictive(low[start:], i-start) {
		return "", 0
	}
	if i > start && words.Subordinator(w) && !(w == "since" && !opens(low[i+1:])) && !(len(w) > 2 && w[0] == 'w' && (i == start+1 || grammar.AnyVerb(low[i-1]) || low[i-1] == "see" || low[i-1] == "know")) {
		return "because", i + 1
	}
	return "", 0
}

// restrictive reports a relative clause inside a wish: "cards of people who leave should go
// to the lead". What is wished is said behind it.
func restrictive(low []string, i int) bool {
	if i < 1 || slices.ContainsFunc(low[:i], words.Modal) || grammar.Imperative(low) > 0 {
		return false
	}
	for j := i + 2; j < min(len(low), i+8) && low[j] != ","; j++ {
		if low[j] == "should" || low[j] == "must" || low[j] == "shouldn't" || low[j] == "mustn't" {
			return true
		}
	}
	return false
}

// tested reports a test that comes with something: "a regression test".
func tested(low []string) bool {
	for i := 0; i < min(len(low), 4); i++ {
		if low[i] == "test" || low[i] == "tests" {
			return true
		}
		if words.Preposition(low[i]) || words.Determiner(low[i]) && i > 0 {
			return false
		}
	}
	return false
}

// repairs reports an order to repair something.
func repairs(low []string) bool {
	n, _ := grammar.Strip(low)
	if n >= len(low) || grammar.Imperative(low[n:]) == 0 {
		return false
	}
	b, _ := words.Base(low[n], grammar.AnyVerb)
	sense, _ := words.Verb(b)
	return sense == words.Fix
}

// orders reports a clause that asks for a deed, which can be done without another one.
func orders(low []string) bool {
	n, s := grammar.Strip(low)
	return n < len(low) && (grammar.Imperative(low[n:]) > 0 || s.Opener && s.Verb || !grammar.Finite(low[n:]))
}

// joinsSubjects reports two things that do one thing together: "the account page and
// the order history are …".
func joinsSubjects(left, right []string) bool {
	n, _ := grammar.Strip(right)
	if _, ok := stay.Subject(right); ok && len(left) < 6 && words.Determiner(left[0]) && !grammar.HasVerb(left) {
		return true // "the German version and the prices stay"
	}
	return !grammar.HasVerb(left) && n < len(right) && grammar.Imperative(right[n:]) == 0 && grammar.Finite(right[n:]) && len(left) < 6
}

// runsOn reports a new clause that nothing announces, as in chats: "it feels floaty make
// it snappier", "bar is broken please fix".
func runsOn(low []string, start, i int) bool {
	if i-start < 2 || i+1 >= len(low) || words.Auxiliary(low[i-1]) || words.Subject(low[i-1]) || words.Preposition(low[i-1]) || low[i-1] == "and" || low[i-1] == "," || low[i-1] == "not" {
		return false
	}
	if low[i] == "please" && i+1 < len(low) {
		return grammar.Imperative(low[i+1:]) > 0 || low[i+1] == "to" || low[i+1] == "don't"
	}
	if _, end := words.Base(low[i], grammar.AnyVerb); end != "" || !grammar.AnyVerb(low[i]) || !grammar.Finite(low[start:i]) {
		return false
	}
	if words.ActBase(low[i-1]) || grammar.AnyVerb(low[i-1]) && !grammar.Nounish[low[i-1]] {
		return false // "hit save"
	}
	next := low[i+1]
	return (next == "it" || next == "them" || next == "this") && low[i] != "have" && !strings.HasPrefix(low[i-1], "help")
}

// comma decides at a comma: it ends a condition that stands in front, leads to a new
// clause, or is one of a list.
func comma(low []string, start, i int, frag bool) (string, int) {
	rest := low[i+1:]
	if i == start {
		return ",", i + 1
	}
	if k, _ := grammar.Strip(low[start:i]); start+k < i && k > 0 && k < 3 && (low[start+k] == "if" || low[start+k] == "when") && len(rest) > 0 && !words.Preposition(rest[0]) {
		return "main", i + 1 // "and if you have time, a filter"
	}
	if grammar.Conditional(low[start]) && !grammar.HasVerb(low[:start]) && len(rest) > 0 && !words.Preposition(rest[0]) {
		return "main", i + 1
	}
	if len(rest) > 2 && (rest[0] == "which" || rest[0] == "who" || rest[0] == "whose") && !frag {
		return "because", i + 1
	}
	if len(rest) > 2 && (rest[0] == "no" && rest[1] == "matter" || rest[0] == "regardless") {
		return "because", i + 1
	}
	if len(rest) > 2 && rest[0] == "so" && rest[1] != "that" && opens(rest[1:]) {
		return "so", i + 2
	}
	if len(rest) > 3 && rest[0] == "and" && (rest[1] == "a" || rest[1] == "an") && orders(low[start:i]) && !slices.ContainsFunc(low[start:i], func(w string) bool {
		return w == "into" || w == "with" || w == "between" || w == "a" || w == "an" || w == ","
	}) {
		return "and", i + 2 // "skip known files, and a flag to import them anyway"
	}
	if len(rest) > 0 && words.Conjunction(rest[0]) {
		if opens(rest[1:]) || frag && !appositive(low[start:i]) {
			return rest[0], i + 2
		}
		return "", 0
	}
	if frag && appositive(low[start:i]) && slices.Contains(rest, "and") && !slices.Contains(rest, ",") {
		return "", 0 // "two environments, staging and prod"
	}
	if opens(rest) || frag && !(len(rest) > 1 && rest[0] == "not") && !slices.ContainsFunc(low[start:i], func(w string) bool { return w == "that" || w == "which" }) {
		return ",", i + 1
	}
	if gapped(low[start:i], rest) {
		return "gap", i + 1
	}
	return "", 0
}

// gapped reports a second object with its own goal behind a verb that is said once: "bump
// node to 20 and the base image to bookworm".
func gapped(left, right []string) bool {
	n, _ := grammar.Strip(left)
	if n >= len(left) || grammar.Imperative(left[n:]) == 0 {
		return false
	}
	b, _ := words.Base(left[n], grammar.AnyVerb)
	if sense, _ := words.Verb(b); sense != words.Modify && sense != words.Put {
		return false
	}
	to := slices.Index(left, "to")
	if len(right) == 0 || words.Preposition(right[0]) || words.Filler(right[0]) || words.Conjunction(right[0]) {
		return false
	}
	if to < n+2 || to+1 >= len(left) {
		return false
	}
	for i := 1; i < min(len(right), 6); i++ {
		switch {
		case right[i] == "to":
			return i+1 < len(right) && grammar.Imperative(right) == 0 && grammar.Imperative(right[i+1:]) == 0
		case right[i] == "," || right[i] == "and" || words.Preposition(right[i]) && right[i] != "of" && right[i] != "from":
			return false
		}
	}
	return false
}

// appositive reports a number of things whose names follow.
func appositive(low []string) bool {
	n, ok := words.Number(low[0])
	return ok && n > 1 && !slices.Contains(low, "more")
}

// plusOpens tells "make it rounder + dark mode" from "s3 + cloudfront + acm": one plus,
// with a whole request on one of its sides.
func plusOpens(low []string, i int) bool {
	if i+1 < len(low) && words.Tool(low[i+1]) {
		return false
	}
	if opens(low[i+1:]) {
		return true
	}
	if low[i] == "+" && slices.ContainsFunc(low[i+1:], func(w string) bool { return w == "with" || w == "by" }) && slices.ContainsFunc(low[:i], func(w string) bool { return w == "replace" || w == "swap" || w == "exchange" }) {
		return false // "replace black + isort with ruff"
	}
	n := 0
	for _, w := range low {
		if w == "+" || w == "plus" || w == "&" {
			n++
		}
	}
	return n == 1 && (grammar.HasVerb(low[:i]) || low[i] == "plus" || slices.ContainsFunc(low[:i], words.Comparative))
}

// opens reports whether words that follow a comma or a conjunction begin a clause.
func opens(low []string) bool {
	n, said := grammar.Strip(low)
	if n >= len(low) {
		return false
	}
	rest := low[n:]
	piece := rest
	if i := slices.IndexFunc(rest, func(w string) bool { return w == "," || w == "and" || w == ";" || w == "—" || w == "–" }); i > 0 {
		piece = rest[:i]
	}
	if fault.Said(piece) {
		return true // ", two moods not working, …"
	}
	if (rest[0] == "can" || rest[0] == "could") && len(rest) > 3 && (words.Determiner(rest[1]) || words.Pronoun(rest[1])) {
		return true
	}
	if said.Only && grammar.AnyVerb(rest[0]) && len(rest) > 1 || said.Opener || said.Also || grammar.Imperative(rest) > 0 || grammar.Negated(rest) || grammar.Finite(rest) {
		return true
	}
	switch rest[0] {
	case "keep", "leave", "keeping", "preserving", "without", "no", "new", "another", "same":
		return true
	case "a", "an", "the":
		if len(rest) > 1 && rest[1] == "new" {
			return true
		}
	case "backward", "backwards", "backward-compatible", "backwards-compatible":
		return true
	case "not":
		return false
	}
	if strings.HasPrefix(rest[0], "-") && len(rest) > 1 {
		return true
	}
	if _, ok := words.Number(rest[0]); ok {
		return len(rest) > 1 && (rest[1] == "more" || rest[1] == "new")
	}
	if n := len(piece); n > 3 && n < 8 && grammar.Old(piece) && !words.Preposition(piece[0]) && !words.Determiner(piece[0]) && piece[0] != "instead" && piece[0] != "rather" && piece[0] != "not" && !slices.Contains(piece, "not") && grammar.Numeric(piece[0]) {
		return true // "5 retries rather than 3"
	}
	if n := len(piece); n > 1 && n < 5 && !words.Preposition(piece[0]) && !words.Determiner(piece[0]) && (words.Comparative(piece[n-1]) || piece[n-1] == "off") {
		return true
	}
	if _, ok := stay.Subject(piece); ok || len(piece) < 6 && grammar.Valued(piece) && !words.Preposition(piece[0]) && !words.Subordinator(piece[0]) {
		return true
	}
	return words.Comparative(rest[0]) && len(rest) > 1
}

// Text is the stretch of the message, for a phrase and for what is kept verbatim.
func (c Clause) Text(msg string, s grammar.Span) string {
	t := c.T[s.From:s.To]
	if len(t) == 0 {
		return ""
	}
	return strings.TrimSpace(msg[t[0].At:t[len(t)-1].End])
}

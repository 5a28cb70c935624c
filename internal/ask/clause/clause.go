// Package clause cuts a sentence into clauses: where a conjunction, a comma, a colon or
// nothing at all leads to something that can be asked for by itself. It knows nothing of the
// message around the sentence. It touches no file, process, clock or network.
package clause

import (
	"slices"
	"strings"

	"github.com/belay-dev/belay/internal/ask/grammar"
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
	Deed  bool   // one of several deeds of a new thing, not the first
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
	low := Lows(t)
	frag := verbless(low)
	var out []Clause
	start, main, join := 0, 0, ""
	cut := func(end, next int, lead string) {
		for end > start && low[end-1] == "," {
			end-- // ", and" ends it
		}
		if end > start && !(end == start+1 && low[start] == "please" && len(out) > 0) {
			out = append(out, Clause{T: t[start:end], Join: join, Colon: join == ":", Close: s.Close, Frag: frag})
		}
		if lead != "because" && lead != "gap" {
			main = next
		}
		start, join = next, lead
	}
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
		if join == "gap" && (low[i] == "," || low[i] == "and") && i+1 < len(low) && gapped(low[main:i], low[i+1:]) {
			at := main
			cut(i, i+1, "gap")
			main = at // "the port to 8080, the host to x and the level to y"
			continue
		}
		if lead, next := boundary(low, start, i, frag); next > 0 {
			cut(i, next, lead)
			if lead == ":" || lead == ";" || lead == "—" || lead == "–" {
				frag = frag || verbless(low[next:]) // a colon begins anew
			}
			i = next - 1
		}
	}
	if len(low) > 2 && low[0] == "so" && low[1] == "that" && start == 0 {
		start, join = 2, "because"
	}
	cut(len(t), len(t), "")
	out = tails(heads(out))
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

// verbless reports words of which nothing is said: they only name things.
func verbless(low []string) bool { return !grammar.HasVerb(low) || bareRow(low) }

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
	if granted(low, start, i) {
		return next, !last
	}
	left := low[start:i]
	n, s := grammar.Strip(left)
	if n >= len(left) || !list && slices.Contains(left, "with") && !closed(left) || !(list && last && low[i] == ",") && slices.Contains(left, "that") || slices.Contains(left, "between") || slices.Contains(left, "showing") || slices.Contains(left, "listing") || slices.Contains(left, "containing") || slices.Contains(left, ":") || slices.Contains(left, "which") {
		return 0, false
	}
	o := left[n:]
	if h := slices.Index(o, "have"); h > 1 && h < 5 && h+1 < len(o) && (words.Modal(o[h-1]) || o[h-1] == "to" || o[h-1] == "also") && grammar.Articled(o[h+1]) {
		o, s.Want = o[h+1:], true // "it should have a timer, a star and …"
	}
	if k := grammar.Imperative(o); k > 0 && k < len(o) {
		b, _ := words.Base(o[0], grammar.AnyVerb)
		if sense, _ := words.Verb(b); sense != words.Add && sense != words.Make && sense != words.Show && b != "" {
			return 0, false
		}
		o = o[k:]
	} else if !s.Want && !list && !(n == 0 && named(low, start, i)) {
		return 0, false
	}
	if grammar.Articled(low[next]) && low[next] != "some" && (grammar.Articled(o[0]) || s.Want || list) || list && last {
		return next, !last
	}
	return 0, false
}

// named reports a sentence of three or more things with an article each: "a list of hikes, a
// sign-up button, and a packing list you can tick off".
func named(low []string, start, i int) bool {
	if low[i] != "," || !grammar.Articled(low[start]) && (start == 0 || low[start-1] != ":") || grammar.HasVerb(low[start:i]) && !grammar.Articled(low[start]) || grammar.Finite(low[start:i]) {
		return false
	}
	for j := i + 2; j+2 < len(low); j++ {
		if low[j] == "," && low[j+1] == "and" && grammar.Articled(low[j+2]) {
			return true
		}
	}
	return false
}

// Text is the stretch of the message, for a phrase and for what is kept verbatim.
func (c Clause) Text(msg string, s grammar.Span) string {
	t := c.T[s.From:s.To]
	if len(t) == 0 {
		return ""
	}
	return strings.TrimSpace(msg[t[0].At:t[len(t)-1].End])
}

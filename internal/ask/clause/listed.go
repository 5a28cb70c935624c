package clause

import (
	"slices"

	"github.com/belay-dev/belay/internal/ask/grammar"
	"github.com/belay-dev/belay/internal/ask/words"
)

// listed reads a list whose things have an article each: "add a page about limits, a
// section with entries and screenshots". Unlike "a page with a title and a text" each is
// asked for by itself. It gives where the next of them begins behind the word i, 0 when none does,
// and whether the list goes on.
func listed(low []string, start, i int, list bool) (next int, more bool) {
	if i <= start || low[i] != "," && low[i] != "and" {
		return 0, false
	}
	next, last := nextThing(low, i)
	if next >= len(low) || opens(low[next:]) && !grammar.Articled(low[next]) {
		return 0, false
	}
	if granted(low, start, i) {
		return next, !last
	}
	left := low[start:i]
	n, s := grammar.Strip(left)
	if n >= len(left) || !list && slices.Contains(left, "with") && !closed(left) || !(list && last && low[i] == ",") && slices.Contains(left, "that") || slices.ContainsFunc(left, holds) {
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

// nextThing is where a thing begins behind the comma or "and" at i, and whether it is the last of its
// list.
func nextThing(low []string, i int) (next int, last bool) {
	next, last = i+1, low[i] == "and"
	if !last && next < len(low) && low[next] == "and" {
		next, last = next+1, true
	}
	if last && next+1 < len(low) && (low[next] == "then" || low[next] == "also") {
		next++
	}
	return next, last
}

// holds reports a word behind which a list is of what a thing has, not of things asked for.
func holds(w string) bool {
	switch w {
	case "between", "showing", "listing", "containing", "which", ":":
		return true
	}
	return false
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

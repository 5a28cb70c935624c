// Package number finds the stated number of things that a requirement acts on. Measures,
// versions, limits, times and old values are none. It touches no file, process, clock or network.
package number

import (
	"slices"
	"strings"

	"github.com/belay-dev/belay/internal/ask/deed"
	"github.com/belay-dev/belay/internal/ask/fault"
	"github.com/belay-dev/belay/internal/ask/grammar"
	"github.com/belay-dev/belay/internal/ask/words"
	"github.com/belay-dev/belay/internal/belay"
)

// Of is the stated number of things a requirement acts on, nil when none is stated; "due" is two
// in Italian alone.
func Of(a deed.Act, m belay.Marker, lang string) *int {
	n := count(a, m)
	if n == nil {
		n = reached(a, m)
	}
	if n != nil || lang != "it" {
		return n
	}
	if low := a.C.Low(); slices.Contains(low[:max(0, len(low)-1)], "due") {
		two := 2
		return &two
	}
	return nil
}

// count is the stated number of things a requirement acts on, nil when none is stated.
// Measures, versions, limits, times and old values are no counts.
func count(a deed.Act, m belay.Marker) *int {
	low := a.C.Low()
	from := a.Core.From
	if m != belay.MarkFix && a.Obj < len(low) && a.Verb != "we want" && !deed.IsWish(a.Verb) {
		from = a.Obj
	}
	if from >= len(low) {
		return nil
	}
	if m == belay.MarkFix && (grammar.Conditional(low[from]) || slices.Contains(low, "same") && !strings.Contains(strings.Join(low, " "), "do the same")) {
		return nil // how many it takes for it to happen: "two workers pick up the same job"
	}
	for i := from; i < len(low) && i < from+10; i++ {
		w := low[i]
		if words.Subordinator(w) || w == "not" || w == "instead" || w == "rather" || i > from && (w == "if" || w == "when" || w == ":" || w == "with") {
			return nil
		}
		if (w == "for" || w == "on") && i+2 < len(low) && (low[i+1] == "all" || low[i+1] == "the" || low[i+1] == "these") && words.Several(low[i+2]) {
			continue // "limits for all three workers"
		}
		if words.Preposition(w) && w != "of" && w != "to" && w != "into" && w != "in" && i > from || deed.IsWish(w) && i > from+1 {
			if w == "into" {
				continue
			}
			return nil
		}
		if n, ok := words.Number(w); ok && counts(low, i, from, m) {
			return &n
		}
	}
	return nil
}

// facets are singular nouns behind a number that belong to a name: "two factor login".
var facets = map[string]bool{"factor": true, "step": true, "way": true, "column": true, "phase": true, "stage": true, "level": true, "tier": true, "finger": true, "pass": true, "player": true, "sided": true, "dimensional": true, "part": true, "line": true, "digit": true}

var months = map[string]bool{"january": true, "february": true, "march": true, "april": true, "may": true, "june": true, "july": true, "august": true, "september": true, "october": true, "november": true, "december": true}

func valued(w string) bool { _, ok := grammar.Value(w); return ok }

// counts tells a number of things from all the other numbers.
func counts(low []string, i, from int, m belay.Marker) bool {
	if j := slices.Index(low, "of"); j > i && j+1 < len(low) && low[j-1] == "instead" && valued(low[j+1]) {
		return false // "2 consumers instead of 1": a new value and an old one
	}
	if j := slices.Index(low, "than"); j > i && j+1 < len(low) && low[j-1] == "rather" && valued(low[j+1]) {
		return false
	}
	if i > 0 && (low[i-1] == "a" || low[i-1] == "an") && low[i] != "dozen" {
		return false // "a 2048 clone"
	}
	if fault.Status(low[i:]) || valuing(low, i) || name(low, i, from, m) {
		return false // "404 page"
	}
	if low[i] == "both" && i == from && i+2 < len(low) && words.Preposition(low[i+1]) && (low[i+1] == "to" || !slices.Contains(low[i+1:], "and")) {
		return true // "limit both to 1.2"
	}
	if low[i] == "one" || low[i] == "1" || i+1 >= len(low) || i-from > 6 {
		return low[i] == "both"
	}
	next := low[i+1]
	if facets[next] {
		return false
	}
	if words.Filler(next) {
		return false
	}
	if words.Unit(next) || next == "," || next == "\"" || next == "and" || words.Preposition(next) && next != "of" || words.Auxiliary(next) && low[i] != "both" || next == "-" || next == "->" || next == "→" || next == "/" || next == "is" || next == "instead" || next == "not" {
		return false
	}
	if months[next] || slices.Contains(low[i:min(i+4, len(low))], "per") {
		return false // 29 February
	}
	if next == "things" || next == "small" || next == "changes" || next == "points" {
		return next == "points" && false
	}
	if i > from && words.Tool(low[i-1]) {
		return false // python 2
	}
	if i > from {
		switch low[i-1] {
		case "at", "from", "every", "port", "version", "level", "than", "under", "over", "after", "before", "by", "step", "epoch", "per", "least", "most", "about", "around", "last", "first", "to", "in", "is", "are", "chapter", "section", "phase", "release", "v", "next", "within", "top", "only":
			return false
		}
	}
	if m == belay.MarkFix && i > from && strings.HasSuffix(low[from], "ing") {
		return false // "opening two windows logs me out"
	}
	if m == belay.MarkFix && i > from+1 {
		return words.Wrong(next) || words.Soft(next)
	}
	return true
}

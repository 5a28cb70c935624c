// Package number finds the stated number of things that a requirement acts on. Measures,
// versions, limits, times and old values are none. It touches no file, process, clock or network.
package number

import (
	"slices"
	"strings"

	"github.com/belay-dev/belay/internal/ask/deed"
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

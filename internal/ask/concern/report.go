package concern

import (
	"slices"

	"github.com/belay-dev/belay/internal/ask/deed"
	"github.com/belay-dev/belay/internal/ask/fault"
	"github.com/belay-dev/belay/internal/ask/grammar"
	"github.com/belay-dev/belay/internal/ask/prose"
)

// Report takes the weak requests back in a message that only tells what happens: somebody
// complains, nobody asks for anything in so many words, and what looks like a request is how it
// should be, what was used, or who did what.
func Report(acts []deed.Act) {
	told, asked := false, false
	for _, a := range acts {
		switch a.Deed {
		case deed.Complaint:
			if slices.ContainsFunc(acts, func(b deed.Act) bool {
				return b.Deed == deed.Request && b.Verb == "a thing named" && (b.C.Sent == a.C.Sent || b.C.Sent < a.C.Sent && (a.Also || a.Nth))
			}) {
				return // one of a row: "health endpoint, json logs", "a page; also the form is broken"
			}
			told = told || a.C.Join != "because" && a.C.Join != "if" && (a.Strength == fault.Plain || grammar.Finite(a.C.Low()))
		case deed.Ground:
			told = told || happening(a.C.Low())
		case deed.Request:
			asked = asked || !weak(a)
		case deed.Doubt, deed.Anew, deed.Material:
			return
		}
	}
	if !told || asked {
		return
	}
	for i := range acts {
		if a := &acts[i]; a.Deed == deed.Request && !(a.Pronoun && deed.IsWish(a.Verb) && i > 0 && acts[i-1].C.Sent == a.C.Sent) {
			a.Deed = deed.Ground
		}
	}
}

// happening reports what comes of what somebody does: "when I open the second chapter the app
// closes", "after I pressed sync all tasks were there three times".
func happening(low []string) bool {
	if len(low) < 6 || low[0] != "when" && low[0] != "after" && low[0] != "if" && low[0] != "whenever" && low[0] != "every" {
		return false
	}
	return slices.Contains(low[:4], "i") || slices.Contains(low[:4], "you") || slices.Contains(low[:4], "we")
}

// weak reports a request that nothing but its shape makes one.
func weak(a deed.Act) bool {
	if a.C.Block.Kind != prose.Para || a.C.Block.Section() != prose.Open || a.C.Topic != "" || a.C.Group || a.C.Join == "so" || a.Also || a.Nth || a.C.Close == "?" {
		return false
	}
	low := a.C.Low()
	n, s := grammar.Strip(low)
	if s.Please || slices.Contains(low, "please") || n >= len(low) {
		return false
	}
	switch {
	case deed.IsWish(a.Verb) && (a.Pronoun || low[0] == "others"):
		return !slices.Contains(low, "only")
	case a.Verb == "a thing named":
		_, value := grammar.Value(low[n])
		return !s.Opener && !value && !grammar.Articled(low[n]) && !grammar.Old(low) && !grammar.MoreThings(low) && !slices.Contains(low, "too") && grammar.Compared(low) == 0 && a.C.Join != "and" && a.C.Join != "+"
	}
	return low[0] == "i" && n == 3 && low[1] == "have" && low[2] == "to" || (low[n] == "installed" || low[n] == "restarted" || low[n] == "tried") && a.C.Join == "and"
}

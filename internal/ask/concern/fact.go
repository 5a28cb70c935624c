package concern

import (
	"slices"
	"strings"

	"github.com/belay-dev/belay/internal/ask/deed"
	"github.com/belay-dev/belay/internal/ask/fault"
	"github.com/belay-dev/belay/internal/ask/grammar"
	"github.com/belay-dev/belay/internal/ask/words"
	"github.com/belay-dev/belay/internal/belay"
)

// Leads reports words that turn from a reason to what is wanted.
func Leads(low []string) bool {
	line := strings.Join(low[:min(4, len(low))], " ")
	for _, p := range []string{"so ", "what we want is", "what i want is", "what we need is", "therefore ", "instead ", "hence ", "that's why "} {
		if strings.HasPrefix(line+" ", p) {
			return true
		}
	}
	return false
}

// Wishes reports words that turn from a complaint to what is wanted instead of a repair.
func Wishes(low []string) bool {
	line := strings.Join(low[:min(4, len(low))], " ") + " "
	for _, p := range []string{"i'd like ", "i would like ", "we'd like ", "we need ", "i need ", "i want ", "we want ", "can we have ", "could we have ", "can i have ", "could i have "} {
		if strings.HasPrefix(line, p) {
			return true
		}
	}
	return false
}

// Cure reports a short request for something new right behind a complaint, which is what
// is to be done about it: "… is not mentioned. Add a section."
func Cure(a *deed.Act) bool {
	low := a.C.Low()
	if a.Deed != deed.Request || a.Marker != belay.MarkAdd || a.Also || a.Obj >= len(low) || len(low)-a.Obj > 3 {
		return false
	}
	return grammar.Articled(low[a.Obj]) && !slices.Contains(low, "test") && !slices.Contains(low, "tests")
}

// StatesFact reports a statement about how something is now, by itself: a message that
// says no more reports what is wrong.
func StatesFact(low []string) bool {
	n, _ := grammar.Strip(low)
	if n >= len(low) || len(low)-n < 2 || words.Pronoun(low[n]) || words.Subject(low[n]) || grammar.Idle(low[n:]) {
		return false
	}
	i, ok := grammar.Predicate(low[n:])
	return ok && !words.Modal(low[n+i]) && low[n+i] != "was" && low[n+i] != "were" && low[n+i] != "had" && low[n+i] != "will"
}

// Lacking reports that something does not exist yet: "we don't have a sitemap yet".
func Lacking(low []string) bool {
	line := " " + strings.Join(low, " ") + " "
	if fault.NoWay(low) {
		return true
	}
	return strings.HasSuffix(line, " yet ") && (strings.Contains(line, " have ") || strings.Contains(line, " there is no ") || strings.Contains(line, " there are no ") || strings.Contains(line, " there's no ") || strings.Contains(line, " has no ") || strings.Contains(line, " exist "))
}

// Possible reports what something can do now: "white can castle out of check".
func Possible(low []string) bool {
	i := slices.Index(low, "can")
	return i > 0 && i < 9 && i+2 < len(low) && !slices.ContainsFunc(low[:i], func(w string) bool { return w == "that" || w == "which" || w == "so" })
}

// nameless are words of a complaint that says nothing of what is wrong with which thing.
var nameless = map[string]bool{"something": true, "there's": true, "there": true, "bug": true, "problem": true, "issue": true, "error": true, "same": true, "yesterday": true, "as": true, "with": true, "app": true, "site": true, "website": true,
	"a": true, "the": true, "an": true, "on": true, "my": true, "phone": true, "laptop": true, "computer": true, "machine": true, "here": true, "me": true, "for": true, "last": true, "week": true, "today": true, "now": true, "thing": true, "everything": true, "whole": true, "program": true, "system": true, "right": true, "correct": true, "correctly": true, "properly": true, "before": true, "help": true, "doing": true, "happened": true, "happens": true, "happening": true, "it's": true, "doesnt": true, "nothing": true, "pls": true, "why": true, "like": true}

// Bare reports a complaint that names nothing: "it doesn't work anymore".
func Bare(low []string) bool {
	if i := slices.IndexFunc(low, func(w string) bool { return w == "since" || w == "after" }); i > 1 && i+1 < len(low) && words.Subject(low[i+1]) {
		low = low[:i] // "it's broken since you changed it"
	}
	for _, w := range low {
		if !words.Pronoun(w) && !words.Auxiliary(w) && !words.Negative(w) && !words.Filler(w) && w != "work" && w != "works" && w != "working" && w != "anymore" && w != "any" && w != "more" && w != "again" && w != "broken" && w != "still" && w != "wrong" && w != "longer" && w != "ugly" && w != "weird" && w != "bad" && w != "horrible" && w != "awful" && w != "strange" && w != "terrible" && w != "meh" && w != "its" && !nameless[w] {
			return false
		}
	}
	return true
}

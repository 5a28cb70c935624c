package object

import (
	"slices"
	"strings"

	"github.com/belay-dev/belay/internal/ask/grammar"
	"github.com/belay-dev/belay/internal/ask/words"
	"github.com/belay-dev/belay/internal/belay"
)

// ButNot reports what is in one place and not in the other: "orders are in the bank but not in
// the system".
func ButNot(rest []string) bool {
	i := slices.Index(rest, "but")
	at, ok := grammar.Predicate(rest)
	return ok && at > 0 && i > at && i+2 < len(rest) && rest[i+1] == "not" && (words.Preposition(rest[i+2]) || grammar.Definite(rest[i+2])) && !words.Modal(rest[at])
}

// Possesses reports what something has by its nature: "Polish has three plural forms, not two".
func Possesses(rest []string) bool {
	at, ok := grammar.Predicate(rest)
	return ok && at > 0 && (rest[at] == "has" || rest[at] == "have") && !slices.Contains(rest, "instead")
}

// Contradicts reports what something does, and what it should do it to: "the arrow keys move
// the page, not the selection". With a value it is what it should be ("warns at 85, not 95").
func Contradicts(rest []string) bool {
	i := slices.Index(rest, "not")
	at, ok := grammar.Predicate(rest)
	return ok && at > 1 && i > at+1 && rest[i-1] == "," && i+1 < len(rest) && grammar.Definite(rest[i+1]) && grammar.Definite(rest[0]) && !words.Auxiliary(rest[at]) && !slices.ContainsFunc(rest, grammar.Numeric)
}

// FromNow reports a statement of how it is to be: "from now on the number starts with
// the year".
func FromNow(low []string) bool {
	if n := len(low); n > 4 && low[n-3] == "from" && low[n-2] == "now" && low[n-1] == "on" {
		return true
	}
	line := strings.Join(low[:min(4, len(low))], " ") + " "
	for _, p := range []string{"from now on ", "from today ", "from today on ", "in future ", "in the future ", "henceforth ", "going forward "} {
		if strings.HasPrefix(line, p) {
			return true
		}
	}
	return false
}

// Gesture are what somebody does to get something done.
var Gesture = map[string]bool{"clicking": true, "tapping": true, "pressing": true, "hovering": true, "swiping": true, "dragging": true, "scrolling": true, "double-clicking": true, "right-clicking": true, "pinching": true, "shaking": true, "dropping": true}

// deeds are nouns of doing: "cart page redesign", "removal of the old API".
var deeds = map[string]belay.Marker{"redesign": belay.MarkModify, "refactoring": belay.MarkModify, "refactor": belay.MarkModify, "rewrite": belay.MarkModify, "migration": belay.MarkModify,
	"upgrade": belay.MarkModify, "removal": belay.MarkRemove, "deletion": belay.MarkRemove, "renaming": belay.MarkModify, "replacement": belay.MarkModify, "overhaul": belay.MarkModify, "facelift": belay.MarkModify}

// Nominal reads a deed that is named and not ordered. Something new is a thing, not a deed.
func Nominal(low []string) (belay.Marker, bool) {
	if grammar.Articled(low[0]) {
		return "", false
	}
	for i, w := range low {
		if i > 3 || i > 0 && (words.Preposition(w) || w == ",") {
			break
		}
		if m, ok := deeds[w]; ok && (i+1 == len(low) || !deedNoun(low[i+1])) {
			return m, true
		}
	}
	return "", false
}

// deedNoun reports a noun behind a noun of doing, which is then what it is about:
// "migration guide".
func deedNoun(w string) bool {
	return !words.Preposition(w) && !words.Subordinator(w) && w != "," && w != "please" && w != "and" && w != "with"
}

// Operation are verbs for what a program does while it runs.
var Operation = map[string]bool{"rotate": true, "lock": true, "unlock": true, "close": true, "reopen": true, "clear": true, "refresh": true, "reset": true, "expire": true, "reload": true, "restart": true, "recalculate": true, "wipe": true, "pause": true, "block": true, "release": true, "push": true, "redirect": true, "rebuild": true}

// Event reports words for what sets something off: "on login", "after 10 tries", "when …".
func Event(o []string) bool {
	for i := 0; i+1 < len(o); i++ {
		switch o[i] {
		case "before":
			return i > 1 && words.Unit(o[i-1])
		case "on":
			return o[i+1] == "every" || o[i+1] == "each" || events[o[i+1]] || grammar.Gerund(o[i+1])
		case "after":
			return i+2 < len(o) && o[i+1] == "a" && words.Unit(o[i+2]) || grammar.Numeric(o[i+1]) || grammar.Gerund(o[i+1]) || words.Several(o[i+1])
		case "when", "whenever", "once", "automatically":
			return i > 0
		}
	}
	return false
}

var events = map[string]bool{"login": true, "logout": true, "save": true, "start": true, "startup": true, "error": true, "errors": true, "failure": true, "push": true, "merge": true, "close": true, "exit": true, "click": true, "esc": true, "escape": true, "enter": true, "signup": true, "release": true, "connect": true, "disconnect": true, "crash": true, "timeout": true, "boot": true, "shutdown": true, "scroll": true, "demand": true}

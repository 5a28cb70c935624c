package intent

import (
	"slices"

	"github.com/belay-dev/belay/internal/lazyregexp"
)

// readProhibition finds "don't touch X" and "don't use anything that …". If only one way of
// changing is excluded and nothing is named that stays, the entire prohibition is kept.
func readProhibition(low []string) (Span, bool) {
	if i := handsOffLength(low); i > 0 {
		return objectSpan(low, i), true // "hands off the api", "stay out of the auth code"
	}
	i := prohibitionLength(low)
	if i == 0 {
		return Span{}, false
	}
	for i < len(low) && urgingWords.Has(low[i]) {
		i++
	}
	if i >= len(low) || isIdleProhibition(low[i:]) {
		return Span{}, i < len(low) && low[i] == "forget"
	}
	if i+3 < len(low) && low[i+1] == "or" && IsTouchVerb(low[i+2]) {
		i += 2 // "don't add or change any migrations"
	}
	for _, p := range touchPhrases {
		if len(low) > i+len(p) && slices.Equal(low[i:i+len(p)], p) {
			return objectSpan(low, i+len(p)), true
		}
	}
	n := len(low)
	whole := Span{From: 0, To: n}
	if changeVerbs.Has(low[i]) && low[0] != "without" {
		return whole, true
	}
	if IsTouchVerb(low[i]) && !(n > 2 && low[n-1] == "much" && low[n-2] == "too") {
		return objectSpan(low, i+1), true
	}
	if last := slices.Index(low, ","); last > 0 && n-last < 4 {
		whole.To = last
	}
	return whole, true
}

// prohibitionLength counts the words of a prohibition before its verb: "don't", "not to",
// "without".
func prohibitionLength(low []string) int {
	switch {
	case low[0] == "never" && len(low) > 1 && (IsPreposition(low[1]) || IsAdverb(low[1]) || len(low) < 3):
		return 0 // "never locally": a circumstance
	case (low[0] == "don't" || low[0] == "never") && IsProhibition(low):
		return 1
	case len(low) > 1 && (low[0] == "do" && low[1] == "not" || low[0] == "not" && low[1] == "to"):
		return 2
	case low[0] == "without" && len(low) > 1 && IsGerund(low[1]):
		return 1
	}
	return 0
}

// handsOffLength counts the words of "hands off", "stay out of", "steer clear of".
func handsOffLength(low []string) int {
	switch {
	case len(low) > 2 && low[0] == "hands" && low[1] == "off":
		return 2
	case len(low) > 3 && isOneOf(low[0], "stay", "keep", "steer") && isOneOf(low[1], "away", "out", "clear") &&
		(low[2] == "from" || low[2] == "of"):
		return 3
	}
	return 0
}

// isIdleProhibition reports a denied verb that forbids nothing: "(don't) hesitate", "(don't) ask me
// why".
func isIdleProhibition(low []string) bool {
	if low[0] == "ask" {
		return len(low) == 1 || low[1] == "me" || low[1] == "why" || low[1] == "us"
	}
	return idleVerbs.Has(low[0])
}

var (
	// changeVerbs are verbs for one way of changing a thing; their prohibition excludes only that.
	changeVerbs = lazyregexp.Of(`rename reorder convert regenerate reset overwrite replace translate update rewrite refactor
	renumber remove delete drop move reformat`)

	// idleVerbs are verbs that forbid nothing when denied: "don't laugh", "(they) don't count as
	// errors".
	idleVerbs = lazyregexp.Of(`laugh blame shout judge panic bother hate count matter exist happen belong match fit arrive respond
	seem expect
		know forget worry think hesitate mind care understand need want like`)

	// urgingWords are words between a denial and its verb: "don't you dare (touch it)".
	urgingWords = lazyregexp.Of(`just you ever dare please even`)
)

// touchPhrases are phrasal verbs; their prohibition leaves a thing unchanged.
var touchPhrases = [][]string{{"go", "near"}, {"come", "near"}, {"mess", "up"}, {"mess", "with"},
	{"mess", "around", "with"}, {"fiddle", "with"}, {"fiddle", "around", "with"}, {"lay", "a", "finger", "on"},
	{"tamper", "with"}, {"interfere", "with"}, {"meddle", "with"}, {"meddle", "in"}, {"play", "with"},
	{"tinker", "with"}, {"get", "rid", "of"}, {"throw", "away"}, {"take", "away"}}

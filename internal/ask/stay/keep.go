// Package stay finds what a clause wants left as it is: "keep X", "don't touch X", "X must not
// change", "without changing X", "everything except X". It answers with the stretch of words
// that is to stay. It touches no file, process, clock or network.
package stay

import (
	"slices"

	"github.com/belay-dev/belay/internal/ask/grammar"

	"github.com/belay-dev/belay/internal/ask/words"
)

// touching are verbs whose prohibition leaves a thing as it is: what is kept is their
// Object.
var touching = map[string]bool{"touch": true, "change": true, "modify": true, "break": true, "alter": true, "edit": true, "mess": true,
	"rename": true, "remove": true, "delete": true, "move": true, "convert": true, "refactor": true, "reformat": true, "rewrite": true, "drop": true,
	"renumber": true, "reorder": true, "overwrite": true, "regenerate": true, "reset": true, "affect": true, "lose": true, "disturb": true, "update": true, "replace": true, "adjust": true, "sacrifice": true, "harm": true, "hurt": true, "damage": true, "spoil": true, "ruin": true, "shorten": true, "reword": true, "restyle": true, "redesign": true, "translate": true, "compromise": true, "clobber": true, "tweak": true, "shift": true, "degrade": true}

func touches(w string) bool {
	b, _ := words.Base(w, func(b string) bool { return touching[b] })
	return b != ""
}

// Keeps finds what a clause wants left alone. whole says that the clause asks for
// nothing else; ok that it is about keeping at all.
func Keeps(low []string) (what grammar.Span, whole, ok bool) {
	n, _ := grammar.Strip(low)
	if n >= len(low) {
		return grammar.Span{}, false, false
	}
	n += framed(low[n:])
	rest := low[n:]
	if n := len(rest); n > 3 && n < 10 && (rest[0] == "the" || rest[0] == "our") && !slices.ContainsFunc(rest[:n-2], words.Auxiliary) && (rest[n-1] == "fine" || rest[n-1] == "ok" || rest[n-1] == "okay" || rest[n-1] == "good") && (rest[n-2] == "is" || rest[n-2] == "are") && len(low) == n {
		return grammar.Span{From: 0, To: n - 2}, true, true // "the csv export is fine"
	}
	if len(rest) > 2 && (rest[0] == "we" || rest[0] == "i" || rest[0] == "you") && (rest[1] == "keep" || rest[1] == "leave") && !grammar.Gerund(rest[2]) {
		rest, n = rest[1:], n+1
	}
	if i := chosen(rest); i > 0 {
		rest, n = rest[i:], n+i
	}
	if len(rest) > 2 && (rest[0] == "nothing" || rest[0] == "none") && words.Modal(rest[1]) && (touches(rest[2]) || len(rest) > 3 && touches(rest[3])) {
		return grammar.Span{From: n, To: len(low)}, true, true
	}
	if compatible(rest) {
		to := len(rest)
		for to > 1 && words.Filler(rest[to-1]) {
			to--
		}
		return grammar.Span{From: n, To: n + to}, true, true
	}
	if i := slices.Index(rest, "keep"); i > 1 && i < 6 && words.Preposition(rest[0]) && i+1 < len(rest) && !words.Subject(rest[i-1]) {
		if s, ok := keepOrder(rest[i:]); ok {
			return grammar.Span{From: s.From + n + i, To: s.To + n + i}, true, true // "in the guides keep the order"
		}
	}
	if i := slices.IndexFunc(rest, func(w string) bool { return w == "work" || w == "works" }); low[0] == "so" && i > 1 && rest[i-1] == "still" {
		return grammar.Span{From: n, To: n + i - 1}, true, true // "so that existing plugins still work"
	}
	if len(rest) > 2 && rest[0] == "while" && (rest[1] == "keeping" || rest[1] == "preserving" || rest[1] == "leaving") {
		s := Object(rest, 2)
		return grammar.Span{From: s.From + n, To: s.To + n}, true, true
	}
	if len(rest) > 2 && (rest[0] == "nobody" || rest[0] == "noone") && touches(rest[1]) {
		s := Object(rest, 2)
		return grammar.Span{From: s.From + n, To: s.To + n}, true, true // "nobody touches the config format"
	}
	if i := slices.Index(rest, "without"); i >= 0 && i+2 < len(rest) && (rest[i+1] == "new" || rest[i+1] == "any" || rest[i+1] == "additional" || rest[i+1] == "extra" || rest[i+1] == "more") && !grammar.Gerund(rest[i+1]) {
		return grammar.Span{From: n + i, To: len(low)}, i == 0, true // "without new dependencies"
	}
	if nothingNew(rest) {
		return grammar.Span{From: n, To: len(low)}, true, true
	}
	if unchanged(rest) {
		to := len(low)
		for to > n+2 && words.Filler(low[to-1]) {
			to--
		}
		return grammar.Span{From: n, To: to}, true, true
	}
	if s, whole, ok := unaided(rest); ok {
		return grammar.Span{From: s.From + n, To: s.To + n}, whole, true
	}
	if s, whole, ok := unaided(low); ok && !whole {
		return s, false, true
	}
	for _, rule := range []func([]string) (grammar.Span, bool){rather, Parted, excepted, besides, unharmed, sticking, declined, aboutElse, oneself, keepsOwn, keepOrder, unwanted, none, Prohibition, noThing, fronted, Subject, sameThing, asNow} {
		if s, ok := rule(rest); ok {
			return grammar.Span{From: s.From + n, To: s.To + n}, true, true
		}
	}
	if i := slices.Index(low, "while"); i > n && i+2 < len(low) && (low[i+1] == "keeping" || low[i+1] == "preserving" || low[i+1] == "leaving") {
		return Object(low, i+2), false, true // "upgrade while keeping the format"
	}
	if i, to := slices.Index(low, "so"), slices.Index(low, "still"); i > n && to > i+2 && to+1 < len(low) && (low[to+1] == "work" || low[to+1] == "works") {
		if low[i+1] == "that" {
			i++
		}
		return grammar.Span{From: i + 1, To: to}, false, true // "refactor it so that existing plugins still work"
	}
	if s, ok := meanwhile(low, n); ok {
		return s, false, true
	}
	if i := slices.Index(low, "without"); i > 0 && i+1 < len(low) && grammar.Gerund(low[i+1]) && touches(low[i+1]) {
		return Object(low, i+2), false, true
	}
	return grammar.Span{}, false, false
}

// keepOrder reads "keep X working", "leave X alone".
func keepOrder(low []string) (grammar.Span, bool) {
	switch low[0] {
	case "let":
		if len(low) > 3 && low[2] == "keep" {
			return Object(low, 3), true // "let it keep its name"
		}
		if k := len(low); k > 3 && words.Determiner(low[1]) {
			if low[k-1] == "be" {
				return grammar.Span{From: 1, To: k - 1}, true // "let the footer be"
			}
			if i := slices.Index(low, "stay"); i > 2 && (i+1 == k || low[i+1] == "as") {
				return grammar.Span{From: 1, To: i}, true // "let the footer stay"
			}
		}
		return grammar.Span{}, false
	case "do":
		if len(low) > 2 && (low[1] == "keep" || low[1] == "leave" || low[1] == "preserve" || low[1] == "maintain") {
			return Object(low, 2), true
		}
		return grammar.Span{}, false
	case "keep", "leave", "preserve", "retain", "maintain", "keeping", "preserving", "leaving", "retaining", "maintaining":
		if low[0] == "leaving" && len(low) > 2 && low[1] == "out" {
			return Object(low, 2), true
		}
		if len(low) > 2 && low[0] == "keep" && low[1] == "away" {
			return grammar.Span{}, false
		}
	default:
		return grammar.Span{}, false
	}
	if n := len(low); n > 2 && (low[n-1] == "simple" || low[n-1] == "short" || low[n-1] == "small" || low[n-1] == "minimal" || low[n-1] == "light" || low[n-1] == "tidy" || low[n-1] == "fast") && low[n-2] != "as" {
		return grammar.Span{}, false // "keep the install simple": how it is to be
	}
	if Retains(low) || Lasting(low) || Omits(low) {
		return grammar.Span{}, false
	}
	if len(low) > 3 && (low[2] == "hands" && low[3] == "off" || low[2] == "fingers" && low[3] == "off") {
		return Object(low, 4), true // "keep your hands off the payment flow"
	}
	if len(low) < 2 || low[1] == "out" || low[1] == "up" || low[1] == "playing" || low[1] == "recording" || low[1] == "getting" || low[1] == "me" || low[1] == "us" {
		return grammar.Span{}, false
	}
	return Object(low, 1), true
}

// Retains reports how much is to be kept for how long: "keep 14 days of backups", "keep the
// last five".
func Retains(low []string) bool {
	if len(low) < 3 || low[0] != "keep" && low[0] != "retain" {
		return false
	}
	if (low[1] == "a" || low[1] == "an") && len(low) > 3 && low[3] == "of" {
		return true // "keep a copy of every mail"
	}
	i := 1
	for i < len(low)-1 && (low[i] == "the" || low[i] == "only" || low[i] == "last" || low[i] == "at" || low[i] == "least" || low[i] == "most" || low[i] == "up" || low[i] == "to" || low[i] == "latest") {
		i++
	}
	if i == 2 && low[1] == "the" && i+1 < len(low) && !words.Unit(low[i+1]) && low[i+1] != "latest" && low[i+1] != "newest" && low[i+1] != "last" && low[i+1] != "most" {
		return false // "keep the 8 flavors": those that are there
	}
	return grammar.Numeric(low[i]) && low[i] != "both"
}

// Lasting reports a state that is to go on for some time: "keep members logged in for a
// month", "keep the screen on while it plays".
func Lasting(low []string) bool {
	if low[0] != "keep" {
		return false
	}
	for i := 2; i < len(low); i++ {
		if low[i] == "for" && i+2 < len(low) && grammar.Numeric(low[i+1]) && words.Unit(low[i+2]) {
			return true // "keep the logs for 30 days"
		}
		switch low[i] {
		case "logged", "signed":
			return i+1 < len(low) && low[i+1] == "in"
		case "on", "open", "awake", "alive":
			return i+1 < len(low) && (low[i+1] == "for" || low[i+1] == "while" || low[i+1] == "during" || low[i+1] == "until")
		}
	}
	return false
}

// Omits reports what is to be no part of something: "leave archived posts out of the search".
// "Leave X out of this" is about the work.
func Omits(low []string) bool {
	i := slices.Index(low, "out")
	return low[0] == "leave" && i > 1 && i+2 < len(low) && low[i+1] == "of" && !words.Pronoun(low[i+2]) && low[i+2] != "scope"
}

// Object is the noun phrase from i on, without what is said about how to keep it.
func Object(low []string, i int) grammar.Span {
	for i < len(low) && (low[i] == "with" || low[i] == "either" || low[i] == "please") {
		i++
	}
	to := i
	for to < len(low) && !keptTail[low[to]] && !(to > i && to+1 < len(low) && (low[to] == "on" || low[to] == "to") && grammar.Numeric(low[to+1])) && low[to] != "," && low[to] != ";" && !(to > i && (words.Subordinator(low[to]) || words.Auxiliary(low[to]) && !inRelative(low[i+1:to]))) {
		to++
	}
	if to-i > 2 && low[to-2] == "in" && low[to-1] == "peace" {
		to -= 2
	}
	if to-i > 2 && low[to-2] == "of" && low[to-1] == "course" {
		to -= 2
	}
	for to > i && (low[to-1] == "and" || low[to-1] == "is" || low[to-1] == "in") {
		to--
	}
	if to-i == 1 && words.Pronoun(low[i]) && low[i] != "everything" {
		return grammar.Span{From: i, To: i} // "leave it": what it is was said before
	}
	return grammar.Span{From: i, To: to}
}

// Joined reports that a conjunction joins two things that one order leaves alone, or that there
// is to be none of: "keep the screens and the tests as they are", "no accounts and no passwords".
func Joined(left, right []string) bool {
	n, _ := grammar.Strip(left)
	if n >= len(left) || len(right) < 2 {
		return false
	}
	if right[0] == "no" {
		return left[n] == "no" && len(left)-n < 4 || slices.Contains(left, "no") && slices.ContainsFunc(left, words.Auxiliary)
	}
	switch left[n] {
	case "keep", "leave", "preserve":
	default:
		return false
	}
	return words.Determiner(right[0]) && len(left)-n < 6 && !slices.ContainsFunc(left[n+1:], func(w string) bool { return keptTail[w] || w == "," }) &&
		slices.ContainsFunc(right, func(w string) bool { return keptTail[w] }) && !slices.ContainsFunc(right[:min(3, len(right))], words.Auxiliary)
}

// inRelative reports that what stands in front of a verb begins a relative clause: "(the links)
// we (have mailed)", "(anything) that (is exported)".
func inRelative(low []string) bool {
	return len(low) > 0 && slices.ContainsFunc(low, func(w string) bool {
		return w == "that" || w == "which" || w == "who" || w == "we" || w == "i" || w == "you" || w == "they"
	})
}

var keptTail = map[string]bool{"as": true, "alone": true, "untouched": true, "unchanged": true, "intact": true, "working": true, "alive": true, "though": true, "tho": true,
	"around": true, "like": true, "exactly": true, "while": true, "when": true, "if": true, "please": true, "available": true, "compatible": true, "running": true,
	"for": true, "stable": true, "until": true, "otherwise": true, "thanks": true, "yet": true, "but": true, "the-same": true, "because": true, "unless": true, "ok": true, "at": true, "either": true, "green": true, "anyway": true}

// Prohibition reads "don't touch X" and "don't use anything that …".
func Prohibition(low []string) (grammar.Span, bool) {
	i := 0
	switch {
	case low[0] == "never" && len(low) > 1 && (words.Preposition(low[1]) || grammar.Adverb(low[1]) || len(low) < 3):
		return grammar.Span{}, false // "never locally": when it happens
	case (low[0] == "don't" || low[0] == "never") && grammar.Negated(low):
		i = 1
	case len(low) > 1 && (low[0] == "do" && low[1] == "not" || low[0] == "not" && low[1] == "to"):
		i = 2
	case low[0] == "without" && len(low) > 1 && grammar.Gerund(low[1]):
		i = 1
	case len(low) > 2 && (low[0] == "hands" && low[1] == "off"):
		i = 2
	case len(low) > 3 && (low[0] == "stay" || low[0] == "keep" || low[0] == "steer") && (low[1] == "away" || low[1] == "out" || low[1] == "clear") && (low[2] == "from" || low[2] == "of"):
		i = 3
	default:
		return grammar.Span{}, false
	}
	if low[0] == "hands" || low[0] == "stay" || low[0] == "steer" || low[0] == "keep" {
		return Object(low, i), true // "hands off the api", "stay out of the auth code"
	}
	for i < len(low) && (low[i] == "just" || low[i] == "you" || low[i] == "ever" || low[i] == "dare" || low[i] == "please" || low[i] == "even") {
		i++
	}
	if i >= len(low) || idle[low[i]] || low[i] == "know" || low[i] == "forget" || low[i] == "worry" || low[i] == "think" || low[i] == "ask" && (i+1 == len(low) || low[i+1] == "me" || low[i+1] == "why" || low[i+1] == "us") || low[i] == "hesitate" || low[i] == "mind" || low[i] == "care" || low[i] == "understand" || low[i] == "need" || low[i] == "want" || low[i] == "like" {
		return grammar.Span{}, i < len(low) && low[i] == "forget"
	}
	if i+3 < len(low) && low[i+1] == "or" && touches(low[i+2]) {
		i += 2 // "don't add or change any migrations"
	}
	for _, p := range meddling {
		if len(low) > i+len(p) && slices.Equal(low[i:i+len(p)], p) {
			return Object(low, i+len(p)), true
		}
	}
	if one[low[i]] && low[0] != "without" {
		return grammar.Span{From: 0, To: len(low)}, true
	}
	if n := len(low); touches(low[i]) && !(n > 2 && low[n-1] == "much" && low[n-2] == "too") {
		return Object(low, i+1), true
	}
	to := len(low)
	if last := slices.Index(low, ","); last > 0 && len(low)-last < 4 {
		to = last
	}
	return grammar.Span{From: 0, To: to}, true
}

// one are verbs of one way to change a thing: their prohibition rules that out and no other.
var one = map[string]bool{"rename": true, "reorder": true, "convert": true, "regenerate": true, "reset": true, "overwrite": true, "replace": true, "translate": true, "update": true, "rewrite": true, "refactor": true, "renumber": true,
	"remove": true, "delete": true, "drop": true, "move": true, "reformat": true}

// meddling are verbs of several words whose prohibition leaves a thing as it is.
var meddling = [][]string{{"go", "near"}, {"come", "near"}, {"mess", "up"}, {"mess", "with"}, {"mess", "around", "with"}, {"fiddle", "with"}, {"fiddle", "around", "with"}, {"lay", "a", "finger", "on"}, {"tamper", "with"}, {"interfere", "with"}, {"meddle", "with"}, {"meddle", "in"}, {"play", "with"}, {"tinker", "with"}, {"get", "rid", "of"}, {"throw", "away"}, {"take", "away"}}

// idle are verbs whose denial asks for nothing: "don't laugh", "(they) don't count as errors".
var idle = map[string]bool{"laugh": true, "blame": true, "shout": true, "judge": true, "panic": true, "bother": true, "hate": true, "count": true, "matter": true, "exist": true, "happen": true, "belong": true, "match": true, "fit": true, "arrive": true, "respond": true, "seem": true, "expect": true}

// Behaves reports a prohibition that is about what the product does, not about what is to
// be left alone: "don't show the price to guests".
func Behaves(low []string) bool {
	n, _ := grammar.Strip(low)
	if n+2 >= len(low) || low[n] != "don't" && !(low[n] == "do" && low[n+1] == "not") {
		return false
	}
	i := n + 1
	if low[n] == "do" {
		i++
	}
	b, end := words.Base(low[i], grammar.AnyVerb)
	sense, _ := words.Verb(b)
	if end == "" && (b == "run" || b == "build" || b == "deploy" || b == "trigger" || b == "start" || b == "publish") {
		return slices.ContainsFunc(low[i+1:], func(w string) bool {
			return w == "on" || w == "for" || w == "if" || w == "when" || w == "unless" || w == "until"
		}) // "don't run the tests on draft PRs"
	}
	return end == "" && (sense == words.Show || sense == words.Capable || sense == words.Modify && !touches(low[i]))
}

// Holds reports a state that is to outlast something: "keep the filter when going back", "keep
// the draft between visits". By itself it asks for that.
func Holds(low []string) bool {
	n, _ := grammar.Strip(low)
	if n+3 >= len(low) || low[n] != "keep" && low[n] != "preserve" && low[n] != "retain" {
		return false
	}
	return slices.ContainsFunc(low[n+2:], func(w string) bool {
		return w == "when" || w == "while" || w == "between" || w == "across" || w == "after" || w == "during"
	})
}

// unwanted reads "I don't want the wifi code touched", "nobody should touch X".
func unwanted(low []string) (grammar.Span, bool) {
	switch {
	case len(low) > 3 && (low[0] == "i" || low[0] == "we") && low[1] == "don't" && (low[2] == "want" || low[2] == "need"):
		if len(low) > 6 && low[3] == "to" && low[4] == "see" && (touches(low[len(low)-1])) {
			return grammar.Span{From: 5, To: len(low) - 1}, true // "I don't want to see the config format change"
		}
		if k := len(low); k < 8 && low[2] == "need" || k < 7 && (low[3] == "any" || low[3] == "a" || low[3] == "an" || !words.Determiner(low[3]) && !words.Pronoun(low[3])) {
			if s, ok := undesired(low); ok {
				return s, true
			}
		}
		for i := 4; i < len(low); i++ {
			if _, end := words.Base(low[i], func(b string) bool { return touching[b] }); end == "ed" {
				if low[i-1] == "be" && low[i-2] == "to" {
					i -= 2
				}
				return grammar.Span{From: 3, To: i}, true
			}
			if low[i] == "to" && i+1 < len(low) && (low[i+1] == "change" || low[i+1] == "break" || low[i+1] == "move") && i+2 >= len(low)-1 {
				return grammar.Span{From: 3, To: i}, true
			}
		}
	case len(low) > 4 && (low[0] == "i" || low[0] == "we" || low[0] == "i'd") && (low[1] == "want" || low[1] == "like"):
		for i := 3; i < len(low); i++ {
			if low[i] == "untouched" || low[i] == "unchanged" || low[i] == "intact" || low[i] == "left" && i+1 < len(low) && (low[i+1] == "alone" || low[i+1] == "as") || low[i] == "kept" && i+1 < len(low) && low[i+1] == "as" {
				return grammar.Span{From: 2, To: i}, true // "I want the tests left alone"
			}
		}
	case len(low) > 3 && (low[0] == "nobody" || low[0] == "nothing") && words.Modal(low[1]) && touches(low[2]):
		return Object(low, 3), low[0] == "nobody"
	}
	return grammar.Span{}, false
}

package intent

import (
	"slices"

	"github.com/belay-dev/belay/internal/lazyregexp"
)

// readKeepOrder finds "keep X working", "leave X alone".
func readKeepOrder(low []string) (Span, bool) {
	switch low[0] {
	case "do":
		if len(low) > 2 && (low[1] == "keep" || low[1] == "leave" || low[1] == "preserve" || low[1] == "maintain") {
			return objectSpan(low, 2), true
		}
		return Span{}, false
	case "leaving":
		if len(low) > 2 && low[1] == "out" {
			return objectSpan(low, 2), true
		}
	}
	if !keepVerbs.Has(low[0]) {
		return Span{}, false
	}
	if len(low) > 3 && (low[2] == "hands" && low[3] == "off" || low[2] == "fingers" && low[3] == "off") {
		return objectSpan(low, 4), true // "keep your hands off the payment flow"
	}
	if len(low) < 2 || continuingVerbs.Has(low[1]) {
		return Span{}, false
	}
	return objectSpan(low, 1), true
}

var (
	keepVerbs = lazyregexp.Of(`keep leave preserve retain maintain keeping preserving leaving retaining maintaining`)

	// continuingVerbs are words behind "keep" that change its meaning: "keep out", "keep playing".
	continuingVerbs = lazyregexp.Of(`out up playing recording getting me us`)
)

// readUnchanged finds "on desktop nothing changes", "nothing else".
func readUnchanged(low []string) (Span, bool) {
	i := slices.Index(low, "nothing")
	if i < 0 || i > 4 || i+1 >= len(low) || len(low) > 8 {
		return Span{}, false
	}
	if i > 0 && isOneOf(low[i-1], "did", "does", "had", "has") {
		return Span{}, false
	}
	if w := low[i+1]; w != "changes" && w != "else" {
		return Span{}, false
	}
	if next := low[i+2:]; len(next) > 0 && !IsPreposition(next[0]) && !IsFiller(next[0]) && !isOneOf(next[0], "changes", "should", "must") {
		return Span{}, false
	}
	to := len(low)
	for to > 2 && IsFiller(low[to-1]) {
		to--
	}
	return Span{From: 0, To: to}, true
}

// choiceLength counts the words before "keep" and "leave" in "we'll keep the API", "you may leave
// it as it is".
func choiceLength(low []string) int {
	switch low[0] {
	case "we", "i", "you", "we'll", "i'll", "i'd", "we'd", "you'll":
	default:
		return 0
	}
	for i := 1; i < min(len(low)-1, 4); i++ {
		switch low[i] {
		case "keep", "leave":
			if IsDeterminer(low[i+1]) && low[i+1] != "a" && low[i+1] != "all" && low[i+1] != "this" {
				return i
			}
			return 0
		case "may", "can", "should", "must", "will", "have", "to", "need", "just", "also":
		default:
			return 0
		}
	}
	return 0
}

// readUntouched finds "nothing may change", "none should ever break".
func readUntouched(low []string) (Span, bool) {
	ok := len(low) > 2 && isOneOf(low[0], "nothing", "none") && IsModal(low[1])
	return Span{From: 0, To: len(low)}, ok && slices.ContainsFunc(low[2:min(len(low), 4)], IsTouchVerb)
}

package intent

import (
	"strings"
	"sync"

	"github.com/belay-dev/belay/internal/lazyregexp"
)

// Tail reports words that, behind the name of a thing and a colon or a comma, leave it alone:
// "(public API:) hands off", "(the footer:) don't touch please".
func Tail(low []string) bool {
	for len(low) > 1 && (Filler(low[len(low)-1]) || low[len(low)-1] == "!" || low[len(low)-1] == ",") {
		low = low[:len(low)-1]
	}
	for len(low) > 1 && (Filler(low[0]) || low[0] == "to" && low[1] == "be") {
		low = low[1:]
	}
	if len(low) == 0 || len(low) > 5 {
		return false
	}
	return tails()[strings.Join(low, " ")]
}

var tails = sync.OnceValue(func() map[string]bool {
	out := map[string]bool{}
	for p := range strings.SplitSeq("hands off|don't touch|do not touch|don't touch it|don't touch that|don't touch "+
		"them|don't touch those|do not touch it|never touch|no touching|not to be touched|not to be changed|don't "+
		"change|do not change|don't change it|don't change them|no change|no changes|"+
		"leave alone|leave it alone|leave them alone|leave that alone|leave it|leave them|leave as is|leave it as "+
		"is|leave as it is|leave them as they are|leave it as it is|leave be|leave it be|left alone|let it be|"+
		"keep as is|keep as it is|keep it as is|keep it as it is|keep them as they are|as is|as it is|as they are|as "+
		"before|as today|as now|unchanged|untouched|stays|stay|stays as is|stays as it is|stay as they are|remains|remain|"+
		"off limits|off-limits|taboo|frozen|sacred|same as before|same as now|the same as before|the same as now|out of "+
		"scope|not in scope|not part of this|not my problem|don't mess with it|don't even look at it|not this time", "|") {
		out[p] = true
	}
	return out
})

// Parted reads a thing and, behind a colon or a comma, that it is to be left: "everything below
// the fold: don't touch".
func Parted(low []string) (Span, bool) {
	for i := 1; i+1 < len(low); i++ {
		if low[i] == ":" || low[i] == "," {
			n, _ := Strip(low)
			if n >= i || !Tail(low[i+1:]) {
				return Span{}, false
			}
			to := i
			if at, ok := Predicate(low[n:i]); ok && at > 0 && Definite(low[n]) {
				to = n + at // "the API belongs to another team, don't touch"
			}
			return Span{From: n, To: to}, nominal(low[n:to])
		}
	}
	return Span{}, false
}

// fronted reads a thing that stands in front of an order to leave it: "the apply job you
// don't touch", "adults I don't want changed".
func fronted(low []string) (Span, bool) {
	for i := 1; i+1 < len(low); i++ {
		if low[i] == "," || low[i] == ":" {
			return Span{}, false
		}
		k := 0
		switch low[i] {
		case "you", "we", "i", "nobody", "please", "i'd", "we'd":
			k = 1
		case "don't", "do":
		default:
			continue
		}
		if leaves(low[i+k:], low[i]) && nominal(low[:i]) {
			return Span{From: 0, To: i}, true
		}
	}
	return Span{}, false
}

// leaves reports an order to leave alone without an object of its own, said by who.
func leaves(low []string, who string) bool {
	for len(low) > 1 && (Filler(low[len(low)-1]) || low[len(low)-1] == "!" || low[len(low)-1] == "either" || low[len(low)-1] == "anyway") {
		low = low[:len(low)-1]
	}
	if len(low) == 0 {
		return false
	}
	if who == "nobody" {
		return len(low) == 1 && Touches(low[0])
	}
	n := denial(low)
	if n == 0 {
		return speakers.Has(who) && (wishedToStay(low, who) || ordered(low, who))
	}
	if n >= len(low) {
		return false
	}
	if Touches(low[n]) {
		return n+1 == len(low) || low[n+1] == "at" || low[n+1] == "ever"
	}
	return low[n] == "want" && len(low) > n+1 && len(low) < n+5 && Touched(low[len(low)-1])
}

var (
	// speakers are words for who wants or is to do something.
	speakers = lazyregexp.Of(`i'd we'd you we i please`)

	deniers    = lazyregexp.Of(`don't won't mustn't shouldn't never`)
	modalVerbs = lazyregexp.Of(`do must should may will`)
	asItIs     = lazyregexp.Of(`as alone untouched unchanged be`)
)

// denial counts the words of a denial: "don't", "must not".
func denial(low []string) int {
	if deniers.Has(low[0]) {
		return 1
	}
	if len(low) > 1 && low[1] == "not" && modalVerbs.Has(low[0]) {
		return 2
	}
	return 0
}

// wished reads, behind "the rest I" or "the footer I'd", "like as it is" and "want left alone".
func wishedToStay(low []string, who string) bool {
	if len(low) < 3 || low[0] != "like" && low[0] != "want" {
		return false
	}
	if low[0] == "like" && low[1] == "as" {
		return true
	}
	return who != "please" && (low[1] == "left" || low[1] == "kept" && (low[2] == "as" || low[2] == "the"))
}

// ordered reads, behind "the footer we" or "the rest please", "leave" and "keep as it is".
func ordered(low []string, who string) bool {
	if len(low) == 1 {
		return low[0] == "leave" && (who == "we" || who == "you" || who == "i'd")
	}
	return (low[0] == "leave" || low[0] == "keep") && asItIs.Has(low[1])
}

package intent

import (
	"slices"

	"github.com/belay-dev/belay/internal/lazyregexp"
)

// keepOrder reads "keep X working", "leave X alone".
func keepOrder(low []string) (Span, bool) {
	switch low[0] {
	case "let":
		return letBe(low)
	case "do":
		if len(low) > 2 && (low[1] == "keep" || low[1] == "leave" || low[1] == "preserve" || low[1] == "maintain") {
			return object(low, 2), true
		}
		return Span{}, false
	case "leaving":
		if len(low) > 2 && low[1] == "out" {
			return object(low, 2), true
		}
	}
	if !keeping.Has(low[0]) || behaviour(low) {
		return Span{}, false
	}
	if len(low) > 3 && (low[2] == "hands" && low[3] == "off" || low[2] == "fingers" && low[3] == "off") {
		return object(low, 4), true // "keep your hands off the payment flow"
	}
	if len(low) < 2 || goingOn.Has(low[1]) {
		return Span{}, false
	}
	return object(low, 1), true
}

var (
	keeping = lazyregexp.Of(`keep leave preserve retain maintain keeping preserving leaving retaining maintaining`)

	// goingOn are words behind "keep" that make it another verb: "keep out", "keep playing".
	goingOn = lazyregexp.Of(`out up playing recording getting me us`)

	// manners are how a thing is to be, not become: "keep the install simple".
	manners = lazyregexp.Of(`simple short small minimal light tidy fast`)
)

// behaviour reports that an order to keep says how the thing is to be, or what it is to do.
func behaviour(low []string) bool {
	n := len(low)
	if n > 2 && (low[0] == "keep" && low[1] == "away" || manners.Has(low[n-1]) && low[n-2] != "as") {
		return true
	}
	return Retains(low) || Lasting(low) || Omits(low)
}

// letBe reads "let the footer be", "let it keep its name".
func letBe(low []string) (Span, bool) {
	k := len(low)
	if k < 4 {
		return Span{}, false
	}
	if low[2] == "keep" {
		return object(low, 3), true
	}
	if !Determiner(low[1]) {
		return Span{}, false
	}
	if low[k-1] == "be" {
		return Span{From: 1, To: k - 1}, true
	}
	i := slices.Index(low, "stay")
	return Span{From: 1, To: i}, i > 2 && (i+1 == k || low[i+1] == "as") // "let the footer stay"
}

// placed reads an order behind a place: "in the guides keep the order".
func placed(low []string) (Span, bool) {
	i := slices.Index(low, "keep")
	if i < 2 || i > 5 || i+1 >= len(low) || !Preposition(low[0]) || Subject(low[i-1]) {
		return Span{}, false
	}
	s, ok := keepOrder(low[i:])
	return shift(s, i), ok
}

// whileKeeping reads "while keeping the format".
func whileKeeping(low []string) (Span, bool) {
	if len(low) < 3 || low[0] != "while" || low[1] != "keeping" && low[1] != "preserving" && low[1] != "leaving" {
		return Span{}, false
	}
	return object(low, 2), true
}

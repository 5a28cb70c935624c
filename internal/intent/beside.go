package intent

import (
	"slices"

	"github.com/belay-dev/belay/internal/lazyregexp"
)

// stillWorksFirst reads a clause that says what the one before it was for: "so that existing
// plugins still work".
func stillWorksFirst(low []string, n int) (s Span, whole, ok bool) {
	rest := low[n:]
	i := slices.IndexFunc(rest, func(w string) bool { return w == "work" || w == "works" })
	return Span{From: n, To: n + i - 1}, true, low[0] == "so" && i > 1 && rest[i-1] == "still"
}

// stillWorks reads "refactor it so that existing plugins still work".
func stillWorks(low []string, n int) (s Span, whole, ok bool) {
	i, to := slices.Index(low, "so"), slices.Index(low, "still")
	if i <= n || to < i+3 || to+1 >= len(low) || low[to+1] != "work" && low[to+1] != "works" {
		return s, false, false
	}
	if low[i+1] == "that" {
		i++
	}
	return Span{From: i + 1, To: to}, false, true
}

// withoutNew reads "without new dependencies".
func withoutNew(low []string, n int) (s Span, whole, ok bool) {
	rest := low[n:]
	i := slices.Index(rest, "without")
	if i < 0 || i+2 >= len(rest) || !additional.Has(rest[i+1]) || Gerund(rest[i+1]) {
		return s, false, false
	}
	return Span{From: n + i, To: len(low)}, i == 0, true
}

var additional = lazyregexp.Of(`new any additional extra more`)

// unaided reads "make it green without disable comments". Words in front of what asks ("can it")
// may be what makes it a wish, so the whole clause is tried as well.
func unaided(low []string, n int) (s Span, whole, ok bool) {
	if s, whole, ok := Unaided(low[n:]); ok {
		return shift(s, n), whole, true
	}
	s, whole, ok = Unaided(low)
	return s, false, ok && !whole
}

// keepingBeside reads "upgrade while keeping the format".
func keepingBeside(low []string, n int) (s Span, whole, ok bool) {
	i := slices.Index(low, "while")
	if i <= n {
		return s, false, false
	}
	s, ok = whileKeeping(low[i:])
	return shift(s, i), false, ok
}

// withoutTouching reads "upgrade without changing the format".
func withoutTouching(low []string, _ int) (s Span, whole, ok bool) {
	i := slices.Index(low, "without")
	if i < 1 || i+1 >= len(low) || !Gerund(low[i+1]) || !Touches(low[i+1]) {
		return s, false, false
	}
	return object(low, i+2), false, true
}

// meanwhile reads what is to stay as it is while something is done: "format it while the comments
// survive", "make it lock free with the public interface untouched", "as long as the API stays
// the same".
func meanwhile(low []string, n int) (s Span, whole, ok bool) {
	for i := n + 1; i+2 < len(low); i++ {
		if from := onCondition(low, i); from > 0 {
			s, ok := StaySubject(low[from:])
			return shift(s, from), false, ok && s.To > s.From
		}
		if low[i] != "while" && low[i] != "with" {
			continue
		}
		last := low[len(low)-1]
		unhurt := last == "unchanged" || last == "untouched" || last == "intact" || low[i] == "while" && oneOf(last, "survive", "survives")
		if unhurt && nominal(low[i+1:len(low)-1]) {
			return Span{From: i + 1, To: len(low) - 1}, false, true
		}
	}
	return s, false, false
}

// onCondition is where the condition behind "such that" or "as long as" at i begins, or 0.
func onCondition(low []string, i int) int {
	switch {
	case low[i] == "such" && low[i+1] == "that":
		return i + 2
	case i+4 < len(low) && low[i] == "as" && low[i+1] == "long" && low[i+2] == "as":
		return i + 3
	}
	return 0
}

package intent

import (
	"slices"
	"strings"
)

func Gerund(w string) bool {
	_, end := Base(w, AnyVerb)
	return end == "ing" || len(w) > 5 && w[len(w)-3:] == "ing"
}

func AnyVerb(b string) bool { _, ok := Verb(b); return ok || b == "touch" || b == "break" }

// negated reports a prohibition at the start: "don't …", "do not …", "never …".
func Negated(low []string) bool {
	if _, end := Base(low[min(1, len(low)-1)], AnyVerb); low[0] == "never" &&
		(end == "s" || end == "ed" || states.Has(low[min(1, len(low)-1)])) {
		return false // "and never comes back"
	}
	return len(low) > 1 && (low[0] == "don't" || low[0] == "never")
}

// Imperative counts the words of the verb that a clause begins with, 0 when it does
// not begin with one.
func Imperative(low []string) int {
	if len(low) == 0 {
		return 0
	}
	if _, n := Phrase(low); n > 0 {
		return n
	}
	w := low[0]
	method := len(low) > 1 && strings.HasPrefix(low[1], "/") && (w == "get")
	if len(low) == 2 || len(low) > 2 && Preposition(low[2]) {
		if end, ok := Fails(low[1]); ok && end == "ed" && !oneOf(w, "retry", "rerun", "fix") {
			return 0 // "deploy failed"
		}
	}
	if w == "" || w[0] == '-' || method || judgedDeed(low) {
		return 0
	}
	if _, i := Apart(w, low); i > 0 || UnknownVerb(low) {
		return 1
	}
	b, end := Base(w, AnyVerb)
	begins := false
	switch {
	case b == "":
		begins = misspelled(low)
	case end != "":
	case len(low) == 1:
		begins = !Nounish.Has(w)
	case !Nounish.Has(w):
		begins = !Auxiliary(low[1])
	default:
		return nounishVerb(low)
	}
	if begins {
		return 1
	}
	return 0
}

// misspelled reports whether a clause begins with a verb that is spelled wrong.
func misspelled(low []string) bool {
	fixed, ok := Spelled(low[0])
	if !ok || len(low) < 2 || Nounish.Has(fixed) {
		return false
	}
	return !Finite(low) && !Auxiliary(low[1]) && !WrongSenses(low[0])
}

// judgedDeed reports a deed of which something is said: "book a room twice is possible".
func judgedDeed(low []string) bool {
	i := slices.Index(low, "is")
	if i < 2 || i+1 >= len(low) || slices.ContainsFunc(low[:i], func(w string) bool {
		return Subordinator(w) || Conditional(w) || oneOf(w, "that", "what", "it", ",", "how")
	}) {
		return false
	}
	switch low[i+1] {
	case "possible", "impossible", "allowed", "broken", "wrong", "not":
		return true
	}
	return false
}

// HasVerb reports whether a sentence has any verb in a place where one counts.
func HasVerb(low []string) bool {
	n, s := Strip(low)
	if s.Opener || n < len(low) && (Imperative(low[n:]) > 0 || Negated(low[n:])) {
		return true
	}
	for i, w := range low {
		if i > 0 && (w == "which" || w == "who" || w == "that") {
			return false // what follows tells of a thing
		}
		if Auxiliary(w) && !(i > 1 && Asked(low, i)) {
			return true
		}
		if i > 0 && (thirdPerson(low, i) || plainVerb(low, i)) {
			return true
		}
		if (w == "," || w == "and") && i+1 < len(low) && Imperative(low[i+1:]) > 0 && !Nounish.Has(low[i+1]) {
			return true
		}
	}
	return false
}

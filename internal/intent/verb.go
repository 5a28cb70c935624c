package intent

import (
	"slices"
	"strings"
)

func IsGerund(w string) bool {
	_, end := BaseForm(w, IsAnyVerb)
	return end == "ing" || len(w) > 5 && w[len(w)-3:] == "ing"
}

func IsAnyVerb(b string) bool { _, ok := VerbSense(b); return ok || b == "touch" || b == "break" }

// IsProhibition reports a prohibition at the start: "don't …", "do not …", "never …".
func IsProhibition(low []string) bool {
	if _, end := BaseForm(low[min(1, len(low)-1)], IsAnyVerb); low[0] == "never" &&
		(end == "s" || end == "ed" || stateVerbs.Has(low[min(1, len(low)-1)])) {
		return false // "and never comes back"
	}
	return len(low) > 1 && (low[0] == "don't" || low[0] == "never")
}

// ImperativeLength counts the words of the verb at the start of a clause, 0 if there is none.
func ImperativeLength(low []string) int {
	if len(low) == 0 {
		return 0
	}
	if _, n := ReadPhrasalVerb(low); n > 0 {
		return n
	}
	w := low[0]
	method := len(low) > 1 && strings.HasPrefix(low[1], "/") && (w == "get")
	if len(low) == 2 || len(low) > 2 && IsPreposition(low[2]) {
		if end, ok := FailingForm(low[1]); ok && end == "ed" && !isOneOf(w, "retry", "rerun", "fix") {
			return 0 // "deploy failed"
		}
	}
	if w == "" || w[0] == '-' || method || isJudgedAct(low) {
		return 0
	}
	if _, i := SeparateParticle(w, low); i > 0 || IsUnknownVerb(low) {
		return 1
	}
	b, end := BaseForm(w, IsAnyVerb)
	begins := false
	switch {
	case b == "":
		begins = beginsMisspelled(low)
	case end != "":
	case len(low) == 1:
		begins = !IsNounish.Has(w)
	case !IsNounish.Has(w):
		begins = !IsAuxiliary(low[1])
	default:
		return nounishVerb(low)
	}
	if begins {
		return 1
	}
	return 0
}

// beginsMisspelled reports whether a clause begins with a misspelled verb.
func beginsMisspelled(low []string) bool {
	fixed, ok := CorrectSpelling(low[0])
	if !ok || len(low) < 2 || IsNounish.Has(fixed) {
		return false
	}
	return !HasFiniteVerb(low) && !IsAuxiliary(low[1]) && !IsWrongWord(low[0])
}

// isJudgedAct reports an action that is the subject of a statement: "book a room twice is
// possible".
func isJudgedAct(low []string) bool {
	i := slices.Index(low, "is")
	if i < 2 || i+1 >= len(low) || slices.ContainsFunc(low[:i], func(w string) bool {
		return IsSubordinator(w) || IsConditional(w) || isOneOf(w, "that", "what", "it", ",", "how")
	}) {
		return false
	}
	switch low[i+1] {
	case "possible", "impossible", "allowed", "broken", "wrong", "not":
		return true
	}
	return false
}

// HasVerb reports whether a sentence has a verb other than in a relative clause.
func HasVerb(low []string) bool {
	n, s := ReadPrefix(low)
	if s.HasOpener || n < len(low) && (ImperativeLength(low[n:]) > 0 || IsProhibition(low[n:])) {
		return true
	}
	for i, w := range low {
		if i > 0 && (w == "which" || w == "who" || w == "that") {
			return false // the rest describes a thing
		}
		if IsAuxiliary(w) && !(i > 1 && IsSubordinateAuxiliary(low, i)) {
			return true
		}
		if i > 0 && (isThirdPerson(low, i) || isPlainVerb(low, i)) {
			return true
		}
		if (w == "," || w == "and") && i+1 < len(low) && ImperativeLength(low[i+1:]) > 0 && !IsNounish.Has(low[i+1]) {
			return true
		}
	}
	return false
}

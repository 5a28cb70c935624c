package intent

// HasFiniteVerb reports whether a clause has a subject and a finite verb: an auxiliary behind the
// first word, or a third person.
func HasFiniteVerb(low []string) bool {
	_, ok := PredicateAt(low)
	return ok
}

// PredicateAt returns the position of a clause's finite verb.
func PredicateAt(low []string) (int, bool) {
	for i, w := range low {
		switch {
		case i > 0 && i < 5 && isOneOf(w, "who", "that", "which") && !IntroducesNew(low[0]) && !IsAnyVerb(low[0]):
			return 0, false
		case i > 1 && isOneOf(w, "when", "if", "while", "once", "whenever", "wherever") && !IsConditional(low[0]):
			return 0, false
		case i > 0 && (isOneOf(w, ",", ";", ":") || IsSubordinator(w) || w == "that" && i > 1):
			return 0, false
		case i > 0 && IsAuxiliary(w) && !IsSubordinateAuxiliary(low, i):
			return i, true
		case i == 0 && isOneOf(w, "it's", "that's", "there's", "they're", "we're", "i'm", "i've"):
			return 0, true
		case i > 0 && isThirdPerson(low, i):
			return i, true
		case i > 0 && isPlainVerb(low, i):
			return i, true
		}
	}
	return 0, false
}

// IsSubordinateAuxiliary reports an auxiliary of a subordinate clause: "how it is", "to be".
func IsSubordinateAuxiliary(low []string, i int) bool {
	if low[i-1] == "to" || low[i] == "be" && !IsModal(low[i-1]) {
		return true
	}
	for j := max(0, i-4); j < i; j++ {
		switch low[j] {
		case "like", "as", "than":
			return j > 0
		case "when", "if", "how", "what", "while", "once", "why", "before", "after":
			return j > 0 || low[j] == "what"
		}
	}
	return false
}

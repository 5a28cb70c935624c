package intent

// Finite reports whether a clause has a subject and something it does: an auxiliary
// behind the first word, or a verb's third person.
func Finite(low []string) bool {
	_, ok := Predicate(low)
	return ok
}

// Predicate is where the finite verb of a clause stands.
func Predicate(low []string) (int, bool) {
	for i, w := range low {
		switch {
		case i > 0 && i < 5 && oneOf(w, "who", "that", "which") && !Articled(low[0]) && !AnyVerb(low[0]):
			if at := behindRelative(low, i); at > 0 {
				return at, true // "guests who cancel are charged"
			}
			return 0, false
		case i > 1 && oneOf(w, "when", "if", "while", "once", "whenever", "wherever") && !Conditional(low[0]):
			return 0, false
		case i > 0 && (oneOf(w, ",", ";", ":") || Subordinator(w) || w == "that" && i > 1):
			return 0, false
		case i > 0 && Auxiliary(w) && !Asked(low, i):
			return i, true
		case i == 0 && oneOf(w, "it's", "that's", "there's", "they're", "we're", "i'm", "i've"):
			return 0, true
		case i > 0 && thirdPerson(low, i):
			return i, true
		case i > 0 && plainVerb(low, i):
			return i, true
		}
	}
	return 0, false
}

// bound reports a word that the auxiliary behind it belongs to.
func bound(w string) bool {
	return w == "to" || Auxiliary(w) || Subject(w) || Negative(w)
}

// behindRelative is where the predicate stands behind a clause that tells of its subject: the
// first auxiliary that another verb stands before. 0 is none.
func behindRelative(low []string, from int) int {
	if from+2 < len(low) && (Modal(low[from+1]) || low[from+2] == ",") {
		return 0
	}
	for i := from + 2; i < len(low); i++ {
		switch w := low[i]; {
		case oneOf(w, ",", "and", "or", "when", "if", "while") || Subordinator(w):
			return 0
		case Auxiliary(w) && !Modal(w) && !oneOf(w, "been", "be", "being") && !bound(low[i-1]):
			return i
		}
	}
	return 0
}

// Asked reports an auxiliary that belongs to a smaller clause: "how it is", "to be".
func Asked(low []string, i int) bool {
	if low[i-1] == "to" || low[i] == "be" && !Modal(low[i-1]) {
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

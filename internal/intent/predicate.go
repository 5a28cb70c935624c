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

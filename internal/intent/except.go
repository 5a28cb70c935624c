package intent

// Exception returns what an order excludes: "all files except the legacy folder", "show it
// everywhere but on the login page".
func Exception(low []string) (Span, bool) {
	for i := 2; i+1 < len(low); i++ {
		from := i + 1
		switch {
		case low[i] == "except" || low[i] == "excluding":
		case low[i] == "apart" && low[i+1] == "from",
			low[i] == "other" && low[i+1] == "than" && (low[i-1] == "everything" || low[i-1] == "anything" || low[i-1] == "nothing"):
			from = i + 2
		case low[i] == "but" && low[i+1] == "not" && i+2 < len(low) && IsDefinite(low[i+2]):
			from = i + 2
		case low[i] == "but" && (low[i-1] == "everything" || low[i-1] == "all" || low[i-1] == "everywhere"):
		default:
			continue
		}
		for from < len(low) && IsPreposition(low[from]) {
			from++
		}
		if from < len(low) {
			s := objectSpan(low, from)
			return s, s.To > s.From
		}
	}
	return Span{}, false
}

// readException finds an exception that is a clause: "everything but the admin area", "with the
// exception of prod".
func readException(low []string) (Span, bool) {
	i := 0
	switch {
	case len(low) > 2 && isOneOf(low[0], "everything", "all", "everywhere") && (low[1] == "but" || low[1] == "except"):
		i = 2
	case len(low) > 4 && low[0] == "with" && low[2] == "exception" && low[3] == "of":
		i = 4
	case len(low) > 1 && (low[0] == "except" || low[0] == "excluding"):
		i = 1
	default:
		return Span{}, false
	}
	for i < len(low) && (IsPreposition(low[i]) || low[i] == "for") {
		i++
	}
	if i >= len(low) || low[i] == "when" || low[i] == "if" || low[i] == "that" || HasFiniteVerb(low[i:]) {
		return Span{}, false
	}
	s := objectSpan(low, i)
	return s, s.To > s.From
}

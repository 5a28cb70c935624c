package intent

import (
	"slices"
)

// verdict reads a whole statement that comes to "leave it": "X shall not be altered", "X has to
// go on working", "X is final". at is where its subject ends.
func verdict(low []string) (at int, ok bool) {
	if Pronoun(low[0]) && low[0] != "everything" || Articled(low[0]) || oneOf(low[0], "there", "nothing", "nobody") || Conjunction(low[0]) {
		return 0, false
	}
	for i := 1; i < len(low); i++ {
		if oneOf(low[i], ",", ":") || low[i] == "\"" && i > 6 || Conditional(low[i]) && low[i] != "as" {
			return 0, false
		}
		k, m := ModalVerb(low[i:])
		if k == 0 || i+k > len(low) {
			continue
		}
		m.still = m.still || low[i-1] == "still" && m.binds
		if rest := low[i+k:]; m.leaves(low[:i], rest) || low[i] == "can" && !m.Denied && len(rest) == 1 && rest[0] == "wait" {
			i = subjectBefore(low, i)
			return i, i > 1 || !Subject(low[0]) || low[0] == "everything"
		}
	}
	return 0, false
}

// leaves reports that a modal verb with what follows it comes to leaving its subject as it is.
func (m Must) leaves(subject, rest []string) bool {
	switch {
	case m.Copula && final(rest, m.Denied):
		return true
	case m.Denied:
		return spares(rest) || m.toBe && len(rest) > 1 && rest[0] == "be"
	case m.binds:
		return m.still || outlasts(rest) || existingThing(subject) && goesOn(rest)
	case !m.Copula || len(rest) == 0:
		return false
	}
	return rest[0] == "left" && left(rest) || m.still && (rest[0] == "needed" || rest[0] == "required")
}

// subjectBefore is where the subject of the verb at i ends: in front of adverbs, and of a verb
// that was joined to this one.
func subjectBefore(low []string, i int) int {
	for i > 1 {
		switch w := low[i-1]; {
		case w == "and" || w == "but":
			if at, ok := Predicate(low[:i-1]); ok && at > 0 {
				return at // "the API is used by customers and must not change"
			}
		case !trailing.Has(w) && w != "therefore":
			return i
		}
		i--
	}
	return i
}

// spares reports, behind a modal verb that denies, that the thing is not to become another:
// "(must not) shift", "(is not to) be modified".
func spares(rest []string) bool {
	if len(rest) == 0 {
		return false
	}
	switch rest[0] {
	case "change", "move", "shift", "differ", "vary", "drift", "budge", "deviate", "suffer", "regress":
		return len(rest) == 1 || !Determiner(rest[1]) && !Articled(rest[1]) || rest[1] == "a"
	case "be", "get":
		if len(rest) > 1 && (rest[1] == "different" || rest[0] == "get" && Comparative(rest[1])) {
			return true // "must not get slower"
		}
		return len(rest) > 1 && Touched(rest[1]) || len(rest) > 2 && Adverb(rest[1]) && Touched(rest[2])
	}
	return false
}

// nowThere reports a word in front of a thing that is there before the work begins.
func nowThere(w string) bool {
	return w == "old" || w == "current" || w == "existing" || w == "present"
}

// undisturbed reads what follows "go on": nothing, "as today", "unchanged", "working".
func undisturbed(rest []string) bool {
	if len(rest) == 0 || oneOf(rest[0], "as", "undisturbed", "unchanged") {
		return true
	}
	return Gerund(rest[0]) && !slices.Contains(rest, "for")
}

// outlasts reports, behind a modal verb, that the thing is to go on as it is: "(must) survive",
// "(has to) go on working", "(should) come out as today".
func outlasts(rest []string) bool {
	if len(rest) == 0 {
		return false
	}
	more := rest[1:]
	switch rest[0] {
	case "survive":
		return len(more) == 0 || oneOf(more[0], ",", "intact", "too") || len(more) < 3 && Determiner(more[0]) && Work(more[len(more)-1])
	case "keep", "retain":
		return len(more) > 1 && oneOf(more[0], "its", "their")
	case "go", "carry":
		return len(more) > 0 && more[0] == "on" && undisturbed(more[1:])
	case "remain", "stay":
		return len(more) == 0 || !Persists[more[0]] && !oneOf(more[0], "logged", "signed")
	case "continue":
		return len(more) == 0 || oneOf(more[0], "to", "as")
	case "match":
		return len(more) > 1 && slices.ContainsFunc(more[:2], func(w string) bool { return nowThere(w) || w == "today's" })
	case "pass":
		return len(more) == 1 && oneOf(more[0], "unchanged", "unmodified", "as-is")
	case "be":
		return len(more) > 0 && (left(more) || exactly(more))
	case "come", "look", "behave", "work", "render", "print", "read", "sound", "feel", "act", "respond", "run", "taste",
		"display", "sort", "appear":
		return asEver(more)
	}
	return false
}

// existing reports a thing that is told to be there now: "existing configs", "the old links".
func existingThing(low []string) bool {
	return slices.ContainsFunc(low[:min(3, len(low))], func(w string) bool { return nowThere(w) || w == "older" })
}

// goesOn reports a verb for what a thing did until now and is to do after the change: "(old
// links must) resolve".
func goesOn(rest []string) bool {
	if len(rest) == 0 {
		return false
	}
	switch rest[0] {
	case "be":
		return len(rest) > 1 && usable.Has(rest[1])
	case "work", "load", "open", "pass", "compile", "run", "resolve", "import", "parse", "build", "play", "validate":
		return len(rest) < 4
	}
	return false
}

package intent

import (
	"slices"
	"strings"
)

// fixedReadings returns the readings of words that are ambiguous in any context, or nil.
func fixedReadings(low []string) []string {
	for _, rule := range []func([]string) []string{referenceReadings, partialReadings, choiceReadings, whichReadings,
		channelReadings, identityReadings} {
		if r := rule(low); r != nil {
			return r
		}
	}
	return nil
}

// elsewherePhrases are phrases that refer to something outside of the message.
var elsewherePhrases = []string{" same as last time", " same as before ", " do the same ", " same again ", " like last time ",
	" as discussed ", " as we discussed ", " like we said ", " as agreed ", " you know what ", " what we talked about ", " the usual "}

// referenceReadings finds a clause that refers to something said or done before, or elsewhere.
func referenceReadings(low []string) []string {
	line := " " + strings.Join(low, " ") + " "
	if slices.ContainsFunc(elsewherePhrases, func(p string) bool { return strings.Contains(line, p) }) {
		return []string{"what was done before is meant, which this message does not name"}
	}
	switch low[0] {
	case "undo", "revert", "redo", "restore", "repeat", "reverse":
		if len(low) == 1 || len(low) < 4 && IsPronoun(low[1]) {
			return []string{"what is meant was said or done before, and this message does not name it"}
		}
	}
	return nil
}

// partialReadings finds "half of the alerts should be slack".
func partialReadings(low []string) []string {
	if len(low) < 4 || low[1] != "of" || !slices.ContainsFunc(low, IsModal) {
		return nil
	}
	switch low[0] {
	case "half", "some", "most", "part", "several", "many":
		return []string{"those that are there are converted", "others are added beside those that are there"}
	}
	return nil
}

// choiceReadings finds two things joined by "or", of which one is to be chosen: "pdf or excel", "a
// modal or a drawer for the filters".
func choiceReadings(low []string) []string {
	i, n := slices.Index(low, "or"), len(low)
	if i < 1 || i+1 >= n || IsTool(low[i-1]) && IsTool(low[i+1]) {
		return nil
	}
	two := []string{strings.Join(low[:i], " "), strings.Join(low[i+1:], " ")}
	articled := i > 1 && n < 11 && IntroducesNew(low[0]) && low[i+1] == low[0]
	if (articled || n <= 5 && !slices.ContainsFunc(low, IsAuxiliary)) && ImperativeLength(low) == 0 && !HasVerb(low) {
		return two
	}
	return nil
}

// whichReadings finds a thing without saying which of several it is: "the first one", "number 3 on
// the list", "the other sensor too".
func whichReadings(low []string) []string {
	for len(low) > 1 && IsFiller(low[len(low)-1]) {
		low = low[:len(low)-1]
	}
	n := len(low)
	switch last := low[n-1]; {
	case last == "one" && n > 1 && n <= 4 && low[0] == "the":
		return []string{"which one is meant is not said"}
	case n > 1 && n < 7 && isOneOf(low[0], "number", "item", "point") && IsNumeric(low[1]) && !HasVerb(low):
		return []string{"which ones are meant, and what is to be done, is not said"}
	case n <= 6 && (slices.Contains(low, "thing") || slices.Contains(low, "stuff")) && !IsPreposition(low[0]) && !HasVerb(low):
		return []string{"which thing is meant, and what is to be done with it, is not said"}
	}
	if i := slices.Index(low, "other"); i > 0 && i+2 == n && low[i-1] == "the" && n <= 5 && !strings.HasSuffix(low[n-1], "s") {
		return []string{"which other one is meant is not said"}
	}
	return nil
}

// channelReadings finds "login should be with Google", "could the fees go through Stripe", "the
// mails should be in French": a new way or form, without saying whether it is added to the existing
// one or replaces it.
func channelReadings(low []string) []string {
	n := len(low)
	for n > 4 && IsFiller(low[n-1]) {
		n--
	}
	at := slices.IndexFunc(low, IsModal)
	if at < 0 || at > 4 || n < 5 || n > 9 {
		return nil
	}
	beside := slices.Contains(low, "also") || slices.Contains(low, "too")
	if beside || NamesOldValue(low) || IsSubject(low[0]) || IsDeterminer(low[n-1]) || IsNumeric(low[n-1]) {
		return nil
	}
	if verb, way := low[n-3], low[n-2]; verb == "be" && isOneOf(way, "with", "in", "via") ||
		isOneOf(verb, "go", "run") && (way == "through" || way == "via") {
		return []string{"it takes the place of what there is", "it is offered beside what there is"}
	}
	return nil
}

// identityReadings finds "customer should be client": whether the name, the kind or the behaviour
// is to change is open.
func identityReadings(low []string) []string {
	if n := len(low); n == 4 && isOneOf(low[1], "should", "must") && low[2] == "be" && isBareNoun(low[0]) && isBareNoun(low[3]) {
		return []string{"only the name changes", "one kind of thing is converted into the other", "one is offered beside the other"}
	}
	return nil
}

// isBareNoun reports whether a word can name a thing by itself, judged by its form.
func isBareNoun(w string) bool {
	others := []func(string) bool{IsAuxiliary, IsPreposition, IsComparative, IsNegative, IsPronoun, IsDeterminer, IsNumeric, IsFormatWord}
	if w == `"` || isAny(w, others) || hasEnding(w, "able", "ible", "ed", "ly", "ous", "ive", "ful", "less", "ic", "al") {
		return false
	}
	_, ending := BaseForm(w, IsAnyVerb)
	return ending != "ed" && ending != "ing"
}

// oldRecordReadings finds "the old users": old rows, or code about them.
func oldRecordReadings(o []string) []string {
	if len(o) != 3 || !IsDeterminer(o[0]) || !strings.HasSuffix(o[2], "s") {
		return nil
	}
	switch o[1] {
	case "old", "unused", "inactive", "duplicate", "stale", "obsolete", "outdated", "dead", "expired":
		return []string{"delete the " + o[2] + " themselves: their data", "delete the code for them", "hide or archive them"}
	}
	return nil
}

// isMakeBetter finds "make X better", which does not say in what respect.
func isMakeBetter(o []string) bool {
	for len(o) > 1 && IsFiller(o[len(o)-1]) {
		o = o[:len(o)-1]
	}
	if len(o) == 0 || len(o) > 4 {
		return false
	}
	switch o[len(o)-1] {
	case "better", "nicer", "nice", "good", "great", "modern", "cool", "professional", "prettier", "pretty", "beautiful", "pop", "robust":
		return true
	}
	return false
}

// LoneReadings returns the readings of a request that is the entire message and too short: "the
// logo", "change the colors", "fix the login". rest is what follows the introducing words; named
// means that it has no verb.
func LoneReadings(rest []string, named bool) (readings []string) {
	for len(rest) > 1 && (IsFiller(rest[len(rest)-1]) || rest[len(rest)-1] == "!") {
		rest = rest[:len(rest)-1]
	}
	n := len(rest)
	if n == 0 || n > 4 || slices.ContainsFunc(rest, func(w string) bool { return w == `"` || strings.ContainsAny(w, "./_-") }) {
		return nil
	}
	if !named {
		return openReadings(rest[0], rest[1:])
	}
	if n > 1 && IsDeterminer(rest[0]) && !IntroducesNew(rest[0]) && ComparisonAt(rest) == 0 {
		return []string{"what is to be done with it is not said"}
	}
	return nil
}

// openReadings returns what a verb with up to three words behind it leaves open.
func openReadings(verb string, what []string) []string {
	if len(what) == 0 || slices.ContainsFunc(what, IsPreposition) || ComparisonAt(append([]string{"x"}, what...)) > 0 {
		return nil
	}
	definite := IsDefinite(what[0])
	switch verb {
	case "change", "alter", "modify", "adjust", "edit", "replace", "swap", "update":
		if definite {
			return []string{"what it is to become is not said"}
		}
	case "fix", "repair", "correct":
		if definite && len(what) == 2 && !hasKnownFault(what[1]) {
			return []string{"what is wrong with it is not said"}
		}
	}
	sense, ok := VerbSense(verb)
	changes := ok && (sense == Modify || sense == Remove || sense == Add)
	if changes && len(what) == 1 && (IsPronoun(what[0]) || isOneOf(what[0], "that", "this")) {
		return []string{"what it is done to was said before, and this message does not name it"}
	}
	return nil
}

// hasKnownFault reports a thing with an obvious fault if it needs fixing.
func hasKnownFault(w string) bool {
	switch w = strings.TrimSuffix(w, "s"); w {
	case "build", "ci", "test", "lint", "pipeline", "type", "warning", "typo", "leak", "race", "link", "regression",
		"deadlock", "conflict", "crash", "formatting", "spelling":
		return true
	}
	return IsWrongWord(w) || IsSoftFault(w)
}

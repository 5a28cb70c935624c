// Package vague finds what can be read in two ways by the words alone: what was said elsewhere, a
// choice, a part of several things, one thing that is to be another, a change without what to.
// It answers with the readings. It touches no file, process, clock or network.
package vague

import (
	"slices"
	"strings"

	"github.com/belay-dev/belay/internal/ask/grammar"
	"github.com/belay-dev/belay/internal/ask/words"
)

// Readings finds what can be read in two ways whatever the verb is.
func Readings(low []string) []string {
	for _, rule := range []func([]string) []string{unsaid, opinion, partly, choice, which, channel, tongue, done, via} {
		if r := rule(low); r != nil {
			return r
		}
	}
	if a, b := alternatives(low); a != "" {
		return []string{a, b}
	}
	return identity(low)
}

// unsaid reads a clause that means what was said or done before, or elsewhere.
func unsaid(low []string) []string {
	line := " " + strings.Join(low, " ") + " "
	for _, p := range elsewhere {
		if strings.Contains(line, p) && !(strings.Contains(p, "thing ") && len(low) > 5 && words.Determiner(low[0]) && grammar.Finite(low)) && !(strings.Contains(p, "same") && grammar.Finite(low) && low[0] != "do") {
			return []string{"what was done before is meant, which this message does not name"}
		}
	}
	if theOther(low) {
		return []string{"which other one is meant is not said"}
	}
	if strings.HasSuffix(line, " like before ") && len(low) < 4 {
		return []string{"what was done before is meant, which this message does not name"}
	}
	if strings.Contains(line, " do something about ") && !slices.ContainsFunc(low, func(w string) bool {
		_, fails := words.Fails(w)
		return fails || words.Wrong(w) || words.Soft(w) && w != "old" || w == "it" || w == "this" || w == "that"
	}) {
		return []string{"what is to be done about it is not said"}
	}
	return nil
}

// aside are nouns of which there are two, so that the other one is known.
var aside = map[string]bool{"day": true, "side": true, "end": true, "hand": true, "way": true, "week": true, "night": true, "direction": true, "ones": true, "people": true, "half": true, "person": true, "party": true, "player": true}

// theOther reports a request about "the other list" where nothing says what the one is.
func theOther(low []string) bool {
	i := slices.Index(low, "other")
	if i < 1 || i+1 >= len(low) || low[i-1] != "the" || i < 2 && grammar.Imperative(low) == 0 {
		return false
	}
	if at, n := grammar.Modal(low); grammar.Imperative(low) == 0 && at+n == 0 && grammar.Finite(low) {
		return false
	}
	noun := low[i+1]
	if aside[noun] {
		return false
	}
	if strings.HasSuffix(noun, "s") && !strings.HasSuffix(noun, "ss") || grammar.Numeric(noun) || !bareNoun(noun) {
		return false
	}
	return !slices.ContainsFunc(low[:i], func(w string) bool {
		return w == "one" || w == "this" || w == "both" || w == "from" || w == "between" || w == "and" || w == "first" || w == "left"
	})
}

// elsewhere are phrases that point to what a message does not hold.
var elsewhere = []string{" same as last time", " same as before ", " same thing ", " do the same ", " same again ", " like last time ", " as discussed ", " as we discussed ", " like we said ", " like we discussed ", " like we talked ", " as we talked ", " same as yesterday ", " same as for ", " i don't know whether ", " i don't know which ", " not sure whether ", " not decided yet ", " same as last week ", " the usual ", " whatever is easier", " not sure yet ", " not sure which ", " haven't decided ", " can't decide ", " undecided ", " or something ", " or whatever ", " whichever is easier", " whatever you prefer", " either way is fine", " the new thing ", " the other page ", " the other thing ", " the other screen ", " the other one ", " that thing ", " the thing ", " you know what ", " the other one ", " as usual ", " as we said ", " as i said ", " as you said ", " as agreed ", " as mentioned ", " like the previous ", " as in the previous ", " option a ", " option b ", " option c ", " option 1 ", " option 2 ", " option one ", " option two ", " do what we did ", " do what you did ", " what we did to ", " what you did to ", " like the others ", " go with that ", " go with it ", " go with this one ", " go with that one ", " what we have for the other", " as we have for the other", " like in the other ", " like on the other ", " as in the other ", " the same way as in the other ", " like the other one "}

// opinion reads "do we need redis here": somebody asks, and orders nothing.
func opinion(low []string) []string {
	if len(low) > 3 && low[0] == "do" && (low[1] == "we" || low[1] == "i") && (low[2] == "need" || low[2] == "want") {
		return []string{"it is to be done", "somebody is asked for an opinion"}
	}
	return nil
}

// partly reads "half of the alerts should be slack".
func partly(low []string) []string {
	if Part(low) && (slices.ContainsFunc(low, words.Modal) || slices.Contains(low, "into")) {
		return []string{"those that are there are converted", "others are added beside those that are there"}
	}
	return nil
}

// choice reads two things with an "or" between them, of which one is to be chosen: "reports
// as pdf or as excel", "a modal or a drawer for the filters", "could be a list or a table".
func choice(low []string) []string {
	i := slices.Index(low, "or")
	if i < 1 || i+1 >= len(low) {
		return nil
	}
	if words.Tool(low[i-1]) && words.Tool(low[i+1]) && len(low) < 6 {
		return nil // "bash or go": with what it is made
	}
	n, two := len(low), []string{strings.Join(low[:i], " "), strings.Join(low[i+1:], " ")}
	switch {
	case low[0] == "could" && low[1] == "be" && n > 4:
		return []string{strings.Join(low[min(2, i):i], " "), two[1]}
	case low[i+1] == "only" && !grammar.HasVerb(low[:i]),
		n <= 5 && !slices.ContainsFunc(low, words.Auxiliary) && grammar.Imperative(low) == 0,
		i == 1 && words.Comparative(low[0]) && words.Comparative(low[2]):
		return two
	case i+2 >= n:
		return nil
	case i > 1 && n < 11 && (low[0] == "a" || low[0] == "an" || low[0] == "the") && low[i+1] == low[0] && !grammar.HasVerb(low),
		i > 1 && n <= 8 && words.Preposition(low[i+1]) && slices.Contains(low[:i], low[i+1]) && !grammar.HasVerb(low[:i]):
		return two
	}
	return nil
}

// which reads a thing that is pointed at without saying which of several it is: "the first
// one", "number 3 on the list", "add the missing ones", "use a different one".
func which(low []string) []string {
	for len(low) > 1 && low[len(low)-1] == "please" {
		low = low[:len(low)-1]
	}
	n := len(low)
	orders := grammar.Imperative(low) > 0
	last := low[n-1]
	switch {
	case n <= 6 && strings.Contains(" "+strings.Join(low, " ")+" ", " the other way ") && (!grammar.HasVerb(low) || low[0] == "the"),
		last == "one" && n > 2 && n <= 4 && low[0] == "the" && !slices.ContainsFunc(low, words.Comparative),
		last == "one" && n > 1 && n <= 4 && orders && indistinct(low[n-2]) && low[n-2] != "into" && !slices.ContainsFunc(low, brings):
		return []string{"which one is meant is not said"}
	case n > 1 && n < 7 && (low[0] == "number" || low[0] == "item" || low[0] == "point") && grammar.Numeric(low[1]) && !grammar.HasVerb(low),
		n > 2 && n < 5 && low[0] == "all" && low[1] == "of" && words.Pronoun(low[2]),
		n < 6 && last == "ones" && orders:
		return []string{"which ones are meant, and what is to be done, is not said"}
	case n <= 6 && (slices.Contains(low, "thing") || slices.Contains(low, "stuff")) && !words.Preposition(low[0]) && !grammar.HasVerb(low):
		return []string{"which thing is meant, and what is to be done with it, is not said"}
	case n > 2 && n < 7 && (low[0] == "use" || low[0] == "try" || low[0] == "pick") && low[1] == "a" && low[2] == "different":
		return []string{"which one is not said"}
	}
	if n > 3 && low[0] == "do" && (last == "too" || last == "as" && low[n-2] == "well") && slices.Contains(low, "other") {
		return []string{"which other one is meant is not said"}
	}
	if i := slices.Index(low, "other"); i > 0 && low[i-1] == "the" && i+2 == n && !aside[last] && n <= 9 && (n <= 5 && orders || i > 1 && words.Preposition(low[i-2]) && !slices.ContainsFunc(low[:i], func(w string) bool { return w == "one" || w == "from" || w == "first" || w == "both" })) {
		return []string{"which other one is meant is not said"}
	}
	return nil
}

// indistinct reports a word in front of "one" that does not say which: a number in a row, an
// article, "other".
func indistinct(w string) bool {
	switch w {
	case "first", "second", "third", "fourth", "last", "other", "next", "previous", "the", "that", "this", "wrong", "right", "old", "new", "different", "same", "middle", "upper", "lower", "left", "better", "bad", "good", "correct":
		return true
	}
	_, verb := words.Verb(w)
	return verb
}

// brings reports a word by which "one" is something new.
func brings(w string) bool {
	switch w {
	case "a", "another", "add", "make", "create", "write", "build":
		return true
	}
	return false
}

// alternatives reads two deeds of which one is to be chosen: "should be chunked or
// rejected", "remove or hide the banner". Somebody who can do either gets both.
func alternatives(low []string) (one, other string) {
	i := slices.Index(low, "or")
	if i < 1 || i+1 >= len(low) {
		return "", ""
	}
	if words.Tool(low[i-1]) && words.Tool(low[i+1]) {
		return "", ""
	}
	verb := func(w string) (string, string) { return words.Base(w, grammar.AnyVerb) }
	if len(low) <= 5 && i+2 == len(low) && i == 2 && (low[0] == "add" || low[0] == "use" || low[0] == "make" || low[0] == "build") && bareNoun(low[1]) && bareNoun(low[3]) {
		return low[1], low[3]
	}
	a, endA := verb(low[i-1])
	b, endB := verb(low[i+1])
	switch {
	case i > 2 && low[i-2] == "be" && i+2 == len(low) && (low[0] == "can" || low[0] == "could" || low[0] == "should" || slices.Contains(low[:i], "should")):
		return low[i-1], low[i+1] // "be optional or removed"
	case a == "" || b == "" || endA != endB:
		return "", ""
	case i == 1 && endA == "" && i+2 < len(low) && !grammar.Nounish[low[0]]:
		return low[0], low[2]
	case endA == "ed" && i > 2 && low[i-2] == "be" && (low[i-3] == "should" || low[i-3] == "must"):
		return low[i-1], low[i+1]
	}
	return "", ""
}

// Part reports that only some of a number of things are meant: half of the alerts.
func Part(low []string) bool {
	if len(low) < 4 {
		return false
	}
	if (low[0] == "some" || low[0] == "several" || low[0] == "most" || low[0] == "many") && words.Modal(low[2]) {
		return true
	}
	switch low[1] {
	case "few", "third", "thirds", "quarter", "quarters", "part", "couple":
		return low[2] == "of" && len(low) > 4
	}
	switch low[0] {
	case "half", "some", "most", "part", "several":
		return low[1] == "of" || low[0] == "half"
	}
	_, ok := words.Number(low[0])
	return ok && low[1] == "of"
}

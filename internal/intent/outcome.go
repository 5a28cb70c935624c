package intent

import (
	"slices"
	"strings"
)

// Status reports a number by which a server says that it failed.
func Status(low []string) bool {
	switch low[0] {
	case "400", "401", "403", "404", "405", "408", "409", "413", "415", "422", "429", "500", "501", "502", "503", "504":
		return true
	}
	return false
}

// NoWay reports that something cannot be done because there is nothing to do it with.
func NoWay(low []string) bool {
	line := " " + strings.Join(low, " ") + " "
	for _, p := range []string{" no way to ", " can't find a way ", " don't see a way ", " no option to ",
		" no button to ", " no possibility to ", " no easy way ", " there isn't a way "} {
		if strings.Contains(line, p) {
			return true
		}
	}
	return false
}

// status reports a fragment that begins with an error's number or with what is missing:
// "500 on /api/users", "missing semicolon in line 12".
func status(low []string) bool {
	if len(low) < 2 {
		return false
	}
	if Status(low[:1]) {
		return Preposition(low[1]) || Conditional(low[1]) || low[1] == "error" || low[1] == "errors"
	}
	switch low[0] {
	case "missing":
		return !Determiner(low[1])
	}
	return false
}

// instead reports how something is now and what is meant in its place: "it starts at 59
// instead of 60". A wish says it the other way round.
func instead(low []string) bool {
	i := slices.Index(low, "instead")
	at, ok := Predicate(low)
	for k := 1; !ok && k < i; k++ { // "the cron runs at 2 instead of 3"
		b, end := Base(low[k], AnyVerb)
		at, ok = k, b != "" && end == "s" && !Determiner(low[k-1])
	}
	if i < 2 || i+1 >= len(low) || low[i+1] != "of" {
		return false
	}
	if !ok || at == 0 || at > i || Modal(low[at]) || Imperative(low) > 0 {
		return false
	}
	m, n := ModalAt(low)
	return m+n == 0 && low[at] != "needs" && low[at] != "need" && low[at] != "want" && low[at] != "wants"
}

// wishAt is where a clause turns from what is to what should be.
func wishAt(low []string) int {
	for i, w := range low {
		if Reporting[w] && i > 0 {
			return -1 // what somebody or a program says must be
		}
		if oneOf(w, "should", "must", "shall", "shouldn't", "mustn't") && i > 0 {
			return 0
		}
		if oneOf(w, "could", "would", "might") && i > 0 && i+2 < len(low) && low[i+1] == "be" && Compared(low[i+1:]) > 0 {
			return 0
		}
		if oneOf(w, "has", "have", "needs", "need") && i+1 < len(low) && low[i+1] == "to" {
			return 0
		}
	}
	return -1
}

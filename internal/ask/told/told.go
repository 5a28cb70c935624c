// Package told knows what people say that asks for nothing of the work: courtesies, what they
// will do themselves, what they are left to do by hand, guesses, how many it happened to. It
// answers about rows of words. It touches no file, process, clock or network.
package told

import (
	"strings"

	"github.com/belay-dev/belay/internal/ask/words"
)

// Courtesy reports an order about how the two of them will deal with each other: "ping me if
// one slips", "have a nice day", "open a PR when you are done".
func Courtesy(verb string, o []string) bool {
	if len(o) < 1 {
		return false
	}
	switch verb {
	case "propose", "suggest", "report", "mention", "note", "share":
		return o[0] == "the" && len(o) > 1 && o[1] == "following" || o[0] == "something" || o[0] == "that"
	case "ping", "call", "contact", "tell", "shout", "text", "keep", "bear", "excuse", "forgive":
		if len(o) > 1 && (words.Preposition(o[1]) && o[1] != "with" && o[1] != "in" || words.Determiner(o[1])) {
			return false // "ping us on slack when …"
		}
		if verb == "excuse" || verb == "forgive" {
			return o[0] == "my" || o[0] == "the" || o[0] == "me"
		}
		return o[0] == "me" || o[0] == "us" || len(o) > 1 && o[0] == "with" && o[1] == "me"
	case "have", "enjoy":
		if len(o) > 1 && o[0] == "it" && (o[1] == "ready" || o[1] == "done" || o[1] == "live") {
			return true
		}
		switch o[len(o)-1] {
		case "day", "weekend", "evening", "week", "holiday", "one", "night":
			return len(o) < 5
		}
	case "open", "send", "make", "raise", "create", "submit":
		return len(o) > 1 && (o[1] == "pr" || o[1] == "mr" || len(o) > 2 && o[1] == "pull" && o[2] == "request")
	case "take":
		return len(o) > 1 && o[0] == "your" && o[1] == "time"
	}
	return false
}

// OwnPlan reports what the writer is going to do later: "I want to turn it on next week".
func OwnPlan(low []string) bool {
	if len(low) < 6 || low[0] != "i" || low[2] != "to" && low[3] != "to" || low[1] != "want" && low[1] != "plan" && low[1] != "need" && low[1] != "have" && low[1] != "intend" {
		return false
	}
	line := " " + strings.Join(low, " ") + " "
	for _, p := range []string{" next week ", " next month ", " tomorrow ", " later this ", " on monday ", " tonight ", " next year "} {
		if strings.HasSuffix(line, p) {
			return true
		}
	}
	return false
}

// Repeatedly reports what somebody is left to do over and over.
func Repeatedly(low []string) bool {
	line := " " + strings.Join(low, " ") + " "
	for _, p := range []string{" again every ", " again and again ", " every time ", " each time ", " by hand ", " manually ", " twice ", " over and over ", " again "} {
		if strings.Contains(line, p) {
			return true
		}
	}
	return false
}

// Guessed reports a guess in front of a thing: "looks like", "smells like".
func Guessed(before []string) bool {
	n := len(before)
	return n > 1 && before[n-1] == "like" && (before[n-2] == "looks" || before[n-2] == "seems" || before[n-2] == "smells" || before[n-2] == "sounds" || before[n-2] == "feels")
}

// Crowd reports whom or what something happened to.
func Crowd(w string) bool {
	switch w {
	case "users", "customers", "people", "events", "devices", "times", "installs", "machines", "reports", "crashes", "sessions":
		return true
	}
	return false
}

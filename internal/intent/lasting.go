package intent

import (
	"slices"

	"github.com/belay-dev/belay/internal/lazyregexp"
)

// bounds are words in front of how much there is to be: "the last (five)", "at least (two)".
var bounds = lazyregexp.Of(`the only last at least most up to latest`)

// recent are words by which a number tells which of many are kept: "the five newest".
var recent = lazyregexp.Of(`latest newest last most`)

// Retains reports how much is to be kept for how long: "keep 14 days of backups", "keep the
// last five".
func Retains(low []string) bool {
	if len(low) < 3 || low[0] != "keep" && low[0] != "retain" {
		return false
	}
	if (low[1] == "a" || low[1] == "an") && len(low) > 3 && low[3] == "of" {
		return true // "keep a copy of every mail"
	}
	i := 1
	for i < len(low)-1 && bounds.Has(low[i]) {
		i++
	}
	if i == 2 && low[1] == "the" && i+1 < len(low) && !Unit(low[i+1]) && !recent.Has(low[i+1]) {
		return false // "keep the 8 flavors": those that are there
	}
	return Numeric(low[i]) && low[i] != "both"
}

// Lasting reports a state that is to go on for some time: "keep members logged in for a
// month", "keep the screen on while it plays".
func Lasting(low []string) bool {
	if low[0] != "keep" {
		return false
	}
	for i := 2; i < len(low); i++ {
		if low[i] == "for" && i+2 < len(low) && Numeric(low[i+1]) && Unit(low[i+2]) {
			return true // "keep the logs for 30 days"
		}
		switch low[i] {
		case "logged", "signed":
			return i+1 < len(low) && low[i+1] == "in"
		case "on", "open", "awake", "alive":
			return i+1 < len(low) && (low[i+1] == "for" || low[i+1] == "while" || low[i+1] == "during" || low[i+1] == "until")
		}
	}
	return false
}

// Omits reports what is to be no part of something: "leave archived posts out of the search".
// "Leave X out of this" is about the work.
func Omits(low []string) bool {
	i := slices.Index(low, "out")
	if low[0] != "leave" || i < 2 || i+2 >= len(low) || low[i+1] != "of" {
		return false
	}
	return !Pronoun(low[i+2]) && low[i+2] != "scope"
}

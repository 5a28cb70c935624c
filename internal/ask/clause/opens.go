package clause

import (
	"slices"
	"strings"

	"github.com/belay-dev/belay/internal/ask/fault"
	"github.com/belay-dev/belay/internal/ask/grammar"
	"github.com/belay-dev/belay/internal/ask/stay/barred"
	"github.com/belay-dev/belay/internal/ask/words"
)

// opens reports whether words that follow a comma or a conjunction begin a clause.
func opens(low []string) bool {
	n, said := grammar.Strip(low)
	if n >= len(low) {
		return false
	}
	rest := low[n:]
	piece := pieceOf(rest)
	if fault.Said(piece) {
		return true // ", two moods not working, …"
	}
	if (rest[0] == "can" || rest[0] == "could") && len(rest) > 3 && (words.Determiner(rest[1]) || words.Pronoun(rest[1])) {
		return true
	}
	if said.Only && grammar.AnyVerb(rest[0]) && len(rest) > 1 || said.Opener || said.Also && !words.Preposition(rest[0]) || grammar.Imperative(rest) > 0 || grammar.Negated(rest) || grammar.Finite(rest) {
		return true
	}
	if _, end := words.Base(rest[0], grammar.AnyVerb); said.Please && end == "" && grammar.AnyVerb(rest[0]) && n+1 == len(low) {
		return true // ", please fix"
	}
	if params(piece) || arranged(piece) {
		return true // ", log level warn"
	}
	if yes, sure := begins(rest); sure {
		return yes
	}
	if strings.HasPrefix(rest[0], "-") && len(rest) > 1 {
		return true
	}
	if _, ok := words.Number(rest[0]); ok {
		return len(rest) > 1 && (rest[1] == "more" || rest[1] == "new")
	}
	return goal(piece) || words.Comparative(rest[0]) && len(rest) > 1
}

// begins tells by its first words whether a clause begins; sure is false where they leave it open.
func begins(rest []string) (yes, sure bool) {
	switch rest[0] {
	case "nothing":
		return barred.Nothing(rest), true
	case "be", "take", "try":
		return len(rest) > 4 && (rest[1] == "careful" || rest[1] == "care" || rest[0] == "try") && slices.Contains(rest[1:4], "not"), true
	case "stay", "steer":
		return len(rest) > 3 && (rest[1] == "away" || rest[1] == "out" || rest[1] == "clear"), true
	case "hands":
		return len(rest) > 2 && rest[1] == "off", true
	case "keep", "leave", "keeping", "preserving", "leaving", "without", "no", "new", "another", "same",
		"backward", "backwards", "backward-compatible", "backwards-compatible":
		return true, true
	case "a", "an", "the":
		isNew := len(rest) > 1 && rest[1] == "new"
		return isNew, isNew
	case "not":
		return false, true
	}
	return false, false
}

// goal reports a thing with how it is to be: "5 retries rather than 3", "animations off".
func goal(piece []string) bool {
	n := len(piece)
	bare := !words.Preposition(piece[0]) && !words.Determiner(piece[0])
	if bare && n > 3 && n < 8 && grammar.Old(piece) && piece[0] != "instead" && piece[0] != "rather" && !slices.Contains(piece, "not") && grammar.Numeric(piece[0]) {
		return true
	}
	if bare && n > 1 && n < 5 && (words.Comparative(piece[n-1]) || piece[n-1] == "off") {
		return true
	}
	_, ok := barred.Subject(piece)
	return ok || n < 6 && grammar.Valued(piece) && !words.Preposition(piece[0]) && !words.Subordinator(piece[0])
}

// pieceOf is what stands before the next comma, "and" or the like.
func pieceOf(rest []string) []string {
	if i := slices.IndexFunc(rest, func(w string) bool {
		return w == "," || w == "and" || w == ";" || w == "—" || w == "–" || w == "while"
	}); i > 0 {
		return rest[:i]
	}
	return rest
}

// params reports the name of a setting and what it is to be: "log level warn", "page size 50".
func params(piece []string) bool {
	n := len(piece)
	if n < 3 || n > 4 || words.Determiner(piece[0]) || words.Preposition(piece[0]) || slices.ContainsFunc(piece, words.Preposition) {
		return false
	}
	switch piece[n-2] {
	case "level", "format", "timezone", "theme", "engine", "encoding", "version", "language", "currency", "mode", "policy":
		return !words.Preposition(piece[n-1]) && !grammar.AnyVerb(piece[0]) || piece[0] == "log"
	}
	return false
}

// arranged reports several things and how they are to be put: "results sorted by year".
func arranged(piece []string) bool {
	if len(piece) < 4 || len(piece) > 7 || words.Determiner(piece[0]) || words.Preposition(piece[0]) || !strings.HasSuffix(piece[0], "s") && !strings.HasSuffix(piece[1], "s") {
		return false
	}
	for i, w := range piece[1:min(3, len(piece)-1)] {
		switch w {
		case "sorted", "grouped", "ordered", "aligned", "filtered", "limited", "rounded", "centred", "centered", "split":
			return words.Preposition(piece[i+2])
		}
	}
	return false
}

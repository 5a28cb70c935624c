package clause

import (
	"slices"
	"strings"

	"github.com/belay-dev/belay/internal/ask/fault"
	"github.com/belay-dev/belay/internal/ask/grammar"
	"github.com/belay-dev/belay/internal/ask/stay"
	"github.com/belay-dev/belay/internal/ask/stay/barred"
	"github.com/belay-dev/belay/internal/ask/words"
)

// comma decides at a comma: it ends a condition that stands in front, leads to a new
// clause, or is one of a list.
func comma(low []string, start, i int, frag bool) (string, int) {
	rest := low[i+1:]
	if i == start {
		return ",", i + 1
	}
	if stay.Tail(rest) {
		if _, ok := stay.Parted(low[start:]); ok {
			return "", 0 // "the signature check, hands off"
		}
	}
	if grammar.Conditional(low[start]) && len(rest) > 2 && (rest[0] == "which" || rest[0] == "who") {
		return "because", i + 1
	}
	if k, _ := grammar.Strip(low[start:i]); start+k < i && k > 0 && k < 3 && (low[start+k] == "if" || low[start+k] == "when") && len(rest) > 0 && !words.Preposition(rest[0]) {
		return "main", i + 1 // "and if you have time, a filter"
	}
	if len(rest) > 1 && rest[0] == "please" && rest[1] == ":" {
		return "", 0 // "two more roles, please: …"
	}
	if low[start] == "instead" && i > start+2 && low[start+1] == "of" && !grammar.HasVerb(low[start+2:i]) {
		return "", 0 // "instead of a table, cards"
	}
	if nextKey(low[start:i], rest) || frag && manner(rest) {
		return "", 0
	}
	if n := i - start; n > 2 && low[i-1] == "\"" && len(rest) > 0 && rest[0] == "\"" && words.Preposition(low[i-2]) {
		return "", 0 // "for `list`, `show` and `diff`"
	}
	if n := i - start; frag && n < 3 && len(rest) > 1 && (rest[0] == "the" || rest[0] == "our") && strings.ContainsAny(low[i-1], "/._\"") && !slices.Contains(rest, ",") {
		return "", 0 // "packages/ui, the shared buttons"
	}
	if n := i - start; frag && n > 2 && words.Preposition(low[i-2]) && bareList(rest) {
		return "", 0 // "for clubs, members and fees"
	}
	if k, _ := grammar.Strip(low[start:i]); start+k == i && len(rest) > 0 && !words.Conjunction(rest[0]) {
		return "", 0 // "second, birthdays are off by one"
	}
	if grammar.Conditional(low[start]) && !grammar.HasVerb(low[:start]) && !ledIn(low[start:i]) && len(rest) > 0 && !words.Preposition(rest[0]) {
		return "main", i + 1
	}
	if len(rest) > 2 && (rest[0] == "which" || rest[0] == "who" || rest[0] == "whose") && !frag {
		return "because", i + 1
	}
	if len(rest) > 2 && (rest[0] == "no" && rest[1] == "matter" || rest[0] == "regardless") {
		return "because", i + 1
	}
	if len(rest) > 2 && rest[0] == "so" && rest[1] != "that" && opens(rest[1:]) {
		return "so", i + 2
	}
	if len(rest) > 3 && rest[0] == "and" && (rest[1] == "a" || rest[1] == "an") && orders(low[start:i]) && !slices.ContainsFunc(low[start:i], func(w string) bool {
		return w == "into" || w == "with" || w == "between" || w == "a" || w == "an" || w == ","
	}) {
		return "and", i + 2 // "skip known files, and a flag to import them anyway"
	}
	if skip := another(low[start:i], rest); skip > 0 {
		return "and", i + 1 + skip
	}
	if len(rest) > 0 && words.Conjunction(rest[0]) {
		if opens(rest[1:]) || frag && !appositive(low[start:i]) {
			return rest[0], i + 2
		}
		return "", 0
	}
	if frag && appositive(low[start:i]) && slices.Contains(rest, "and") && !slices.Contains(rest, ",") {
		return "", 0 // "two environments, staging and prod"
	}
	if gapped(low[start:i], rest) {
		return "gap", i + 1
	}
	if opens(rest) || frag && !told(rest) && !(len(rest) > 1 && rest[0] == "not") && !slices.ContainsFunc(low[start:i], func(w string) bool { return w == "that" || w == "which" }) {
		return ",", i + 1
	}
	if n := i - start; start > 1 && low[start-1] == "," && n > 1 && n < 5 && len(rest) > 1 && grammar.AnyVerb(rest[0]) && !grammar.HasVerb(low[start:i]) && !grammar.Finite(rest) {
		return ",", i + 1 // the thing in the middle of orders ends
	}
	if besides(low[start:i], rest) || stated(low[start:i], rest) || between(low[start:i], rest) || midst(low[start:i], rest) {
		return ",", i + 1
	}
	return "", 0
}

// bareList reports the rest of a list of single nouns: "members and fees".
func bareList(rest []string) bool {
	if len(rest) != 3 && len(rest) != 5 {
		return false
	}
	for i, w := range rest {
		if i%2 == 1 && w != "and" && w != "," || i%2 == 0 && (words.Determiner(w) || words.Preposition(w) || words.Comparative(w) || len(w) < 3) {
			return false
		}
	}
	return rest[len(rest)-2] == "and"
}

// ledIn reports a whole statement behind a time: "after the merge the tests hang", "since the
// update nobody can log in".
func ledIn(low []string) bool {
	if len(low) < 6 || low[0] != "after" && low[0] != "since" && low[0] != "before" || words.Subject(low[1]) {
		return false
	}
	for j := 2; j < min(len(low)-2, 6); j++ {
		if words.Auxiliary(low[j]) || words.Subordinator(low[j]) {
			return false
		}
		if words.Determiner(low[j]) && !words.Preposition(low[j-1]) {
			strength, _ := fault.Wrong(low[j:])
			return strength == fault.Plain || grammar.Finite(low[j:])
		}
	}
	return false
}

// gapped reports a second object with its own goal behind a verb that is said once: "bump
// node to 20 and the base image to bookworm".
func gapped(left, right []string) bool {
	n, _ := grammar.Strip(left)
	if shared(left, right) {
		return true
	}
	if becomes(left) && placed("make", left, right) {
		return true
	}
	if n >= len(left) || grammar.Imperative(left[n:]) == 0 {
		return false
	}
	if placed(left[n], left, right) {
		return true
	}
	b, _ := words.Base(left[n], grammar.AnyVerb)
	if sense, _ := words.Verb(b); sense != words.Modify && sense != words.Put && b != "translate" {
		return false
	}
	if left[n] == "make" && len(right) > 2 && len(left) > 2 && (words.Comparative(left[len(left)-1]) || left[len(left)-2] == "more") {
		k, _ := grammar.Strip(right)
		end := slices.IndexFunc(right[min(k, len(right)):], func(w string) bool { return w == "and" || w == "," })
		piece := right[min(k, len(right)):]
		if end > 0 {
			piece = piece[:end]
		}
		return len(piece) > 2 && len(piece) < 6 && grammar.Definite(piece[0]) && (words.Comparative(piece[len(piece)-1]) || piece[len(piece)-2] == "more") // "make the total bold and the overdue ones red"
	}
	to := slices.Index(left, "to")
	if len(right) == 0 || words.Preposition(right[0]) || words.Filler(right[0]) || words.Conjunction(right[0]) {
		return false
	}
	if to < n+2 || to+1 >= len(left) {
		return false
	}
	for i := 1; i < min(len(right), 6); i++ {
		switch {
		case right[i] == "to":
			return i+1 < len(right) && grammar.Imperative(right) == 0 && grammar.Imperative(right[i+1:]) == 0
		case right[i] == "," || right[i] == "and" || words.Preposition(right[i]) && right[i] != "of" && right[i] != "from":
			return false
		}
	}
	return false
}

// appositive reports a number of things whose names follow.
func appositive(low []string) bool {
	n, ok := words.Number(low[0])
	return ok && n > 1 && !slices.Contains(low, "more")
}

// plusOpens tells "make it rounder + dark mode" from "s3 + cloudfront + acm": one plus,
// with a whole request on one of its sides.
func plusOpens(low []string, i int) bool {
	if i+1 < len(low) && words.Tool(low[i+1]) {
		return false
	}
	if opens(low[i+1:]) {
		return true
	}
	if i > 2 && len(low) == i+2 && (words.Determiner(low[i-2]) || words.Preposition(low[i-2])) {
		return false // "in the header + footer"
	}
	if slices.Contains(low[:i], "that") || slices.Contains(low[:i], "which") {
		return false // "that blanks names + birth dates"
	}
	if low[i] == "+" && slices.ContainsFunc(low[i+1:], func(w string) bool { return w == "with" || w == "by" }) && slices.ContainsFunc(low[:i], func(w string) bool { return w == "replace" || w == "swap" || w == "exchange" }) {
		return false // "replace black + isort with ruff"
	}
	n := 0
	for _, w := range low {
		if w == "+" || w == "plus" || w == "&" {
			n++
		}
	}
	return n == 1 && (grammar.HasVerb(low[:i]) || low[i] == "plus" || slices.ContainsFunc(low[:i], words.Comparative))
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

// opens reports whether words that follow a comma or a conjunction begin a clause.
func opens(low []string) bool {
	n, said := grammar.Strip(low)
	if n >= len(low) {
		return false
	}
	rest := low[n:]
	piece := rest
	if i := slices.IndexFunc(rest, func(w string) bool {
		return w == "," || w == "and" || w == ";" || w == "—" || w == "–" || w == "while"
	}); i > 0 {
		piece = rest[:i]
	}
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
	switch rest[0] {
	case "nothing":
		return barred.Nothing(rest)
	case "be", "take", "try":
		return len(rest) > 4 && (rest[1] == "careful" || rest[1] == "care" || rest[0] == "try") && slices.Contains(rest[1:4], "not")
	case "stay", "steer":
		return len(rest) > 3 && (rest[1] == "away" || rest[1] == "out" || rest[1] == "clear")
	case "hands":
		return len(rest) > 2 && rest[1] == "off"
	case "keep", "leave", "keeping", "preserving", "leaving", "without", "no", "new", "another", "same":
		return true
	case "a", "an", "the":
		if len(rest) > 1 && rest[1] == "new" {
			return true
		}
	case "backward", "backwards", "backward-compatible", "backwards-compatible":
		return true
	case "not":
		return false
	}
	if strings.HasPrefix(rest[0], "-") && len(rest) > 1 {
		return true
	}
	if _, ok := words.Number(rest[0]); ok {
		return len(rest) > 1 && (rest[1] == "more" || rest[1] == "new")
	}
	if n := len(piece); n > 3 && n < 8 && grammar.Old(piece) && !words.Preposition(piece[0]) && !words.Determiner(piece[0]) && piece[0] != "instead" && piece[0] != "rather" && piece[0] != "not" && !slices.Contains(piece, "not") && grammar.Numeric(piece[0]) {
		return true // "5 retries rather than 3"
	}
	if n := len(piece); n > 1 && n < 5 && !words.Preposition(piece[0]) && !words.Determiner(piece[0]) && (words.Comparative(piece[n-1]) || piece[n-1] == "off") {
		return true
	}
	if _, ok := barred.Subject(piece); ok || len(piece) < 6 && grammar.Valued(piece) && !words.Preposition(piece[0]) && !words.Subordinator(piece[0]) {
		return true
	}
	return words.Comparative(rest[0]) && len(rest) > 1
}

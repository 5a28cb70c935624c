package clause

import (
	"slices"
	"strings"

	"github.com/belay-dev/belay/internal/ask/fault"
	"github.com/belay-dev/belay/internal/ask/grammar"
	"github.com/belay-dev/belay/internal/ask/words"
)

// comma decides at a comma: it ends a condition that stands in front, leads to a new
// clause, or is one of a list.
func comma(low []string, start, i int, frag bool) (string, int) {
	left, rest := low[start:i], low[i+1:]
	if i == start {
		return ",", i + 1
	}
	if handsOff(low[start:], rest) {
		return "", 0
	}
	if lead := ledOn(left, rest); lead != "" {
		return lead, i + 1
	}
	if inside(left, rest) || frag && insideNames(left, rest) {
		return "", 0
	}
	if grammar.Conditional(left[0]) && !grammar.HasVerb(low[:start]) && !ledIn(left) && len(rest) > 0 && !words.Preposition(rest[0]) {
		return "main", i + 1
	}
	if lead, skip := follows(left, rest, frag); skip > 0 {
		return lead, i + skip
	}
	if skip := another(left, rest); skip > 0 {
		return "and", i + 1 + skip
	}
	if len(rest) > 0 && words.Conjunction(rest[0]) {
		if opens(rest[1:]) || frag && !appositive(left) {
			return rest[0], i + 2
		}
		return "", 0
	}
	if frag && appositive(left) && slices.Contains(rest, "and") && !slices.Contains(rest, ",") {
		return "", 0 // "two environments, staging and prod"
	}
	if gapped(left, rest) {
		return "gap", i + 1
	}
	if opens(rest) || frag && names(left, rest) || start > 1 && low[start-1] == "," && middle(left, rest) || besides(left, rest) || stated(left, rest) || between(left, rest) || midst(left, rest) {
		return ",", i + 1
	}
	return "", 0
}

// ledOn is what a condition in front of a comma leads on to: what is told of its thing, or the
// request.
func ledOn(left, rest []string) string {
	if grammar.Conditional(left[0]) && len(rest) > 2 && (rest[0] == "which" || rest[0] == "who") {
		return "because"
	}
	k, _ := grammar.Strip(left)
	if k > 0 && k < 3 && k < len(left) && (left[k] == "if" || left[k] == "when") && len(rest) > 0 && !words.Preposition(rest[0]) {
		return "main" // "and if you have time, a filter"
	}
	return ""
}

// inside reports a comma inside of what is one thing or one order.
func inside(left, rest []string) bool {
	n := len(left)
	if len(rest) > 1 && rest[0] == "please" && rest[1] == ":" {
		return true // "two more roles, please: …"
	}
	if left[0] == "instead" && n > 2 && left[1] == "of" && !grammar.HasVerb(left[2:]) {
		return true // "instead of a table, cards"
	}
	if nextKey(left, rest) {
		return true
	}
	if n > 2 && left[n-1] == "\"" && len(rest) > 0 && rest[0] == "\"" && words.Preposition(left[n-2]) {
		return true // "for `list`, `show` and `diff`"
	}
	k, _ := grammar.Strip(left)
	return k == n && len(rest) > 0 && !words.Conjunction(rest[0]) // "second, birthdays are off by one"
}

// insideNames reports such a comma in a sentence that only names things.
func insideNames(left, rest []string) bool {
	n := len(left)
	if manner(rest) || n > 2 && words.Preposition(left[n-2]) && bareList(rest) {
		return true // "for clubs, members and fees"
	}
	return n < 3 && len(rest) > 1 && (rest[0] == "the" || rest[0] == "our") && strings.ContainsAny(left[n-1], "/._\"") && !slices.Contains(rest, ",") // "packages/ui, the shared buttons"
}

// follows is what a comma and a word behind it lead to, and how many words on that begins: what is
// told of a thing, what follows from it, one more thing.
func follows(left, rest []string, frag bool) (lead string, skip int) {
	if len(rest) < 3 {
		return "", 0
	}
	switch rest[0] {
	case "which", "who", "whose":
		if !frag {
			return "because", 1
		}
	case "no", "regardless":
		if rest[0] == "regardless" || rest[1] == "matter" {
			return "because", 1
		}
	case "so":
		if rest[1] != "that" && opens(rest[1:]) {
			return "so", 2
		}
	case "and":
		if len(rest) > 3 && (rest[1] == "a" || rest[1] == "an") && orders(left) && !slices.ContainsFunc(left, func(w string) bool {
			return w == "into" || w == "with" || w == "between" || w == "a" || w == "an" || w == ","
		}) {
			return "and", 2 // "skip known files, and a flag to import them anyway"
		}
	}
	return "", 0
}

// names reports one more thing behind a comma in a sentence that only names things, and nothing
// that is told of the one before: ", sent on the 1st".
func names(left, rest []string) bool {
	return !participle(rest) && !(len(rest) > 1 && rest[0] == "not") && !slices.ContainsFunc(left, func(w string) bool { return w == "that" || w == "which" })
}

// middle reports the end of a thing between commas in the middle of orders.
func middle(left, rest []string) bool {
	n := len(left)
	return n > 1 && n < 5 && len(rest) > 1 && grammar.AnyVerb(rest[0]) && !grammar.HasVerb(left) && !grammar.Finite(rest)
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

// appositive reports a number of things whose names follow.
func appositive(low []string) bool {
	n, ok := words.Number(low[0])
	return ok && n > 1 && !slices.Contains(low, "more")
}

// participle reports a participle with a preposition: what is told of the thing named before,
// ", sent on the 1st".
func participle(low []string) bool {
	if len(low) < 3 || !words.Preposition(low[1]) {
		return false
	}
	_, end := words.Base(low[0], grammar.AnyVerb)
	return end == "ed"
}

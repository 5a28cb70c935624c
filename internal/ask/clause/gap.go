package clause

import (
	"slices"
	"strings"

	"github.com/belay-dev/belay/internal/ask/grammar"
	"github.com/belay-dev/belay/internal/ask/words"
)

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
	to := slices.Index(left, "to")
	return to >= n+2 && to+1 < len(left) && aimed(right)
}

// aimed reports a thing and what it is to come to: "the base image to bookworm".
func aimed(right []string) bool {
	if len(right) == 0 || words.Preposition(right[0]) || words.Filler(right[0]) || words.Conjunction(right[0]) {
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

// placed reports a second thing and its place behind a verb that is said once: "move the logo
// left and the menu right".
func placed(verb string, left, right []string) bool {
	switch verb {
	case "move", "put", "place", "align", "make", "turn", "shift", "paint", "color", "colour":
	default:
		return false
	}
	p := upTo(right)
	n, m := len(left), len(p)
	return n > 2 && m > 2 && m < 6 && grammar.Definite(p[0]) && outlook(left[n-1]) && outlook(p[m-1]) && !words.Preposition(p[m-2]) && !words.Determiner(p[m-2]) && !slices.ContainsFunc(p, words.Auxiliary)
}

// shared reports a second thing that gets something, with the verb said once: "give each user
// an avatar and each team a colour".
func shared(left, right []string) bool {
	gives := slices.IndexFunc(left, func(w string) bool { return w == "give" || w == "gives" || w == "get" || w == "gets" || w == "needs" })
	p := upTo(right)
	if gives < 0 || len(p) < 4 || p[0] != "every" && p[0] != "each" && p[0] != "the" || !slices.ContainsFunc(left[gives:], grammar.Articled) || slices.Contains(left, "with") {
		return false
	}
	for i := 2; i < min(len(p)-1, 4); i++ {
		if p[i] == "a" || p[i] == "an" {
			return !slices.ContainsFunc(p[1:i], func(w string) bool {
				return words.Preposition(w) || words.Auxiliary(w) || grammar.AnyVerb(w) && !grammar.Nounish[w]
			})
		}
	}
	return false
}

// becomes reports a wish of how something should be: "the footer should be smaller".
func becomes(left []string) bool {
	i := slices.Index(left, "be")
	return i > 1 && i+3 > len(left)-1 && (left[i-1] == "should" || left[i-1] == "must")
}

// outlook reports a word at the end of a thing that says where or how it is to be.
func outlook(w string) bool {
	switch w {
	case "left", "right", "up", "down", "bold", "italic", "grey", "gray", "green", "red", "blue", "black", "white", "yellow", "orange", "purple", "pink", "sticky", "visible", "invisible", "optional", "mandatory", "required", "clickable", "transparent", "round", "square", "lowercase", "uppercase":
		return true
	}
	return words.Comparative(w) && strings.HasSuffix(w, "er")
}

// wished reports a second thing and what it is to do, behind a wish: "I want the tabs to be
// sticky and the footer to disappear".
func wished(left, right []string) bool {
	n, s := grammar.Strip(left)
	if !s.Opener || n+3 > len(left) || !slices.Contains(left[n+1:], "to") || len(right) < 4 || right[0] != "there" && !words.Determiner(right[0]) {
		return false
	}
	for i := 1; i < min(len(right)-1, 6); i++ {
		if right[i] == "to" {
			return (right[i+1] == "be" || right[i+1] == "have" || grammar.AnyVerb(right[i+1]) || words.ActBase(right[i+1])) && (i > 1 || right[0] == "there")
		}
		if right[i] == "," || right[i] == "and" || words.Preposition(right[i]) {
			return false
		}
	}
	return false
}

// exists is how many words only say that there is to be something: "and there to be a button".
func exists(right []string) int {
	if len(right) > 3 && right[0] == "there" && right[1] == "to" && right[2] == "be" {
		return 3
	}
	return 0
}

// whereas reports a second wish behind "while": "the login should have a captcha while the
// signup page gets a checkbox".
func whereas(left, right []string) bool {
	if len(right) < 4 || !words.Determiner(right[0]) {
		return false
	}
	demands := func(low []string) bool {
		return slices.ContainsFunc(low, func(w string) bool { return w == "should" || w == "must" || w == "gets" || w == "needs" })
	}
	return demands(left) && demands(upTo(right)[1:])
}

// perhaps is how many words behind an "and" only say that the next thing is not pressing: "and,
// if possible, a setting". It is 0 when no thing with an article follows.
func perhaps(right []string) int {
	i := 0
	if i < len(right) && right[i] == "," {
		i++
	}
	switch {
	case i+1 < len(right) && right[i] == "if" && (right[i+1] == "possible" || right[i+1] == "feasible"):
		i += 2
	case i+2 < len(right) && right[i] == "if" && (right[i+1] == "at" || right[i+1] == "it's" || right[i+1] == "that's"):
		i += 3
	case i < len(right) && (right[i] == "maybe" || right[i] == "perhaps" || right[i] == "possibly" || right[i] == "ideally" || right[i] == "preferably" || right[i] == "optionally"):
		i++
	default:
		return 0
	}
	if i < len(right) && right[i] == "," {
		i++
	}
	if i+1 < len(right) && (right[i] == "a" || right[i] == "an") {
		return i
	}
	return 0
}

// midst reports a thing without an article in a list of things that are added: "add a filter
// by year, sorting by price, and a button".
func midst(left, rest []string) bool {
	n, _ := grammar.Strip(left)
	if n+2 >= len(left) || grammar.Imperative(left[n:]) == 0 || !grammar.Articled(left[n+1]) || slices.ContainsFunc(left, func(w string) bool {
		return w == "with" || w == "that" || w == "which" || w == "of" || w == "for" || w == "showing" || w == "between"
	}) {
		return false
	}
	b, _ := words.Base(left[n], grammar.AnyVerb)
	if sense, _ := words.Verb(b); sense != words.Add && sense != words.Make {
		return false
	}
	at := slices.Index(rest, ",")
	return at > 1 && at < 5 && at+3 < len(rest) && rest[at+1] == "and" && (rest[at+2] == "a" || rest[at+2] == "an") && !words.Preposition(rest[0]) && !words.Conjunction(rest[0]) && !words.Determiner(rest[0])
}

// further reports one more deed behind orders, by a verb that is no order by itself: "celebrate
// when the goal is hit, and work without cookies".
func further(left, right []string) bool {
	n, _ := grammar.Strip(left)
	return n < len(left) && len(right) > 2 && grammar.Imperative(left[n:]) > 0 && words.ActBase(right[0]) && !strings.HasSuffix(right[0], "s") && (words.Preposition(right[1]) && right[1] != "of" || words.Determiner(right[1]))
}

// noted reports a noun behind "with a … and" that looks like an order: "with a player and show
// notes".
func noted(left, right []string) bool {
	i := len(left) - 3
	return i > 0 && left[i] == "with" && (left[i+1] == "a" || left[i+1] == "an") && bareNoun(right)
}

// bareNoun reports a word that could be an order, and a noun without an article behind it.
func bareNoun(right []string) bool {
	p := upTo(right)
	return len(p) == 2 && grammar.Nounish[p[0]] && !words.Determiner(p[1]) && !words.Pronoun(p[1]) && !words.Preposition(p[1])
}

// another reports one more request behind ", and" that no order announces, and how many words
// lead to it: a second deed or wish, a thing that is to be otherwise, one that may be.
func another(left, rest []string) (skip int) {
	if len(rest) < 2 || rest[0] != "and" && rest[0] != "but" {
		return 0
	}
	right := rest[1:]
	if n := perhaps(right); n > 0 && orders(left) && !slices.Contains(left, "with") {
		return 1 + n
	}
	switch {
	case rest[0] != "and":
	case len(right) > 2 && right[0] == "to" && (grammar.Imperative(right[1:]) > 0 || words.ActBase(right[1])) && !grammar.Finite(left):
		return 2 // "I want to attach photos, and to draw on them"
	case wished(left, right) || further(left, right):
		return 1 + exists(right)
	case turned(left, right) || grammar.Articled(right[0]) && musts(left):
		return 1
	}
	return 0
}

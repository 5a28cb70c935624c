package clause

import (
	"slices"
	"strings"

	"github.com/belay-dev/belay/internal/ask/fault"
	"github.com/belay-dev/belay/internal/ask/grammar"
	"github.com/belay-dev/belay/internal/ask/words"
)

// pairs are two words that are one deed or one pair of directions, whatever joins them: "drag
// & drop", "count up or down".
var pairs = map[string]string{"drag": "drop", "copy": "paste", "search": "replace", "find": "replace", "pick": "place", "start": "stop", "up": "down", "left": "right", "in": "out", "on": "off",
	"back": "forth", "plus": "minus", "pros": "cons", "play": "pause", "show": "hide", "undo": "redo", "pinch": "zoom", "question": "answer", "drop": "drag", "point": "click", "press": "hold", "cut": "paste", "pan": "zoom", "login": "logout"}

// paired reports a conjunction inside such a pair.
func paired(low []string, i int) bool {
	if i < 1 || i+1 >= len(low) || pairs[low[i-1]] != low[i+1] {
		return false
	}
	if i < 2 || low[i] != "and" && low[i] != "or" || words.Determiner(low[i-2]) || words.Preposition(low[i+1]) || !grammar.AnyVerb(low[i+1]) {
		return true
	}
	// Two orders have an object of their own: "copy and paste the key", unlike "add copy and paste".
	return i+2 >= len(low) || words.Preposition(low[i+2])
}

// signs reports a plus or minus that is a thing by itself: "big + and - buttons".
func signs(low []string, i int) bool {
	next := ""
	if i+1 < len(low) {
		next = low[i+1]
	}
	switch low[i] {
	case "and", "or", "/":
		return i > 0 && (low[i-1] == "+" || low[i-1] == "plus") && (next == "-" || next == "minus")
	case "+":
		return next == "and" || next == "or" || next == "/"
	case "-":
		return i > 1 && (low[i-1] == "and" || low[i-1] == "or" || low[i-1] == "/") && (low[i-2] == "+" || low[i-2] == "plus")
	}
	return false
}

// renewed reports an arrow between the value of today and the one to come: "after 10 s -> 60".
func renewed(left, right []string) bool {
	old := false
	for _, w := range left[max(0, len(left)-2):] {
		if _, ok := grammar.Value(w); ok {
			old = true
		}
	}
	if !old || len(right) == 0 {
		return false
	}
	if _, ok := grammar.Value(right[0]); !ok {
		return false
	}
	return len(right) == 1 || len(right) == 2 && words.Unit(right[1]) || right[1] == "," || right[1] == "and" || right[1] == ";"
}

// nextKey reports the second key of an order: "sort by lesson, then class".
func nextKey(left, rest []string) bool {
	for len(rest) > 0 && (rest[0] == "and" || rest[0] == "then" || rest[0] == "by") {
		if rest[0] == "then" {
			i := slices.Index(left, "by")
			p := upTo(rest[1:])
			if len(p) > 0 && p[0] == "by" {
				p = p[1:]
			}
			return i > 0 && i+4 > len(left) && len(p) > 0 && len(p) < 4 && !grammar.HasVerb(p) && slices.ContainsFunc(left[:i], func(w string) bool {
				return strings.HasPrefix(w, "sort") || strings.HasPrefix(w, "order") || strings.HasPrefix(w, "group")
			})
		}
		rest = rest[1:]
	}
	return false
}

// manner reports a few words behind a comma that say how, where or when, and name nothing:
// ", as PWA", ", on the card", ", every day".
func manner(rest []string) bool {
	p := upTo(rest)
	if len(p) < 2 || len(p) > 4 || len(p) < len(rest) && rest[len(p)] == "and" {
		return false
	}
	switch p[0] {
	case "as", "on", "at", "via", "through", "per":
		return true
	case "every":
		return words.Unit(p[1]) || p[1] == "day" || p[1] == "night" || p[1] == "week" || p[1] == "month" || p[1] == "hour" || p[1] == "minute" || p[1] == "time"
	}
	return false
}

// upTo is what stands before the next comma or "and".
func upTo(rest []string) []string {
	if i := slices.IndexFunc(rest, func(w string) bool { return w == "," || w == "and" || w == ";" || w == "but" }); i > 0 {
		return rest[:i]
	}
	return rest
}

// besides reports a thing behind a comma that comes to what the sentence said: "every question
// gets a timer, a translation for the result screen as well".
func besides(left, rest []string) bool {
	p := upTo(rest)
	n := len(p)
	if n < 4 || p[n-1] != "too" && (p[n-1] != "well" || p[n-2] != "as") || words.Preposition(p[0]) || words.Subject(p[0]) || grammar.Conditional(p[0]) || words.Subordinator(p[0]) {
		return false
	}
	return grammar.Finite(left) || grammar.Imperative(left) > 0
}

// stated reports a second statement behind a first one: "the page isn't highlighted, the logo
// links to the wrong site". What a definite subject does stands in front of where it does it.
func stated(left, rest []string) bool {
	if len(rest) < 5 || rest[0] != "the" && rest[0] != "our" && rest[0] != "my" || !grammar.Finite(left) && !fault.Said(left) || grammar.Imperative(left) > 0 {
		return false
	}
	p := upTo(rest)
	for i := 2; i < min(len(p)-1, 4); i++ {
		w := p[i]
		b, end := words.Base(w, grammar.AnyVerb)
		if b != "" && end == "s" && !strings.HasSuffix(p[i-1], "s") && !words.Preposition(p[i-1]) && (words.Preposition(p[i+1]) && p[i+1] != "of" && p[i+1] != "for" || words.Determiner(p[i+1])) {
			return true
		}
	}
	return false
}

// turned reports a thing and how it is to be, behind an order whose verb is not said again:
// "put the results on the page, and the score font bigger in the card".
func turned(left, right []string) bool {
	n, _ := grammar.Strip(left)
	if len(right) < 4 || !grammar.Definite(right[0]) || n >= len(left) || grammar.Imperative(left[n:]) == 0 {
		return false
	}
	p := upTo(right)
	for i := 2; i < min(len(p), 6); i++ {
		if words.Preposition(p[i]) {
			return false
		}
		if words.Comparative(p[i]) && strings.HasSuffix(p[i], "er") && (i+1 == len(p) || words.Preposition(p[i+1])) {
			return true
		}
	}
	return false
}

// musts reports a statement that something has to be there: "a dry run is a must". A thing
// behind "and" has to be there too.
func musts(left []string) bool {
	n := len(left)
	return n > 3 && (left[n-1] == "must" && left[n-2] == "a" || left[n-1] == "needed" || left[n-1] == "required" || left[n-1] == "essential" || left[n-1] == "mandatory") && slices.ContainsFunc(left, words.Auxiliary)
}

// between reports a thing named in the middle of orders: "seed everything, early stopping,
// resume from checkpoint".
func between(left, rest []string) bool {
	n, _ := grammar.Strip(left)
	at := slices.Index(rest, ",")
	if at < 2 || at > 4 || at+2 >= len(rest) || n >= len(left) || !grammar.AnyVerb(left[n]) || len(left)-n > 6 {
		return false
	}
	p, next := rest[:at], rest[at+1:]
	if grammar.HasVerb(p) || words.Determiner(p[0]) || words.Preposition(p[0]) || slices.Contains(p, "and") || slices.Contains(left, "with") {
		return false
	}
	return next[0] != "and" && next[0] != "or" && grammar.AnyVerb(next[0]) && !grammar.Finite(next)
}

// granted reports a list of things with an article each behind a verb of giving, whose first
// has none: "give the cache compression, a maximal size and a flag".
func granted(low []string, start, i int) bool {
	n, _ := grammar.Strip(low[start:i])
	if start+n >= i || low[start+n] != "give" || low[i] != "," || i+2 >= len(low) || !grammar.Articled(low[i+1]) || slices.Contains(low[start:i], "with") {
		return false
	}
	for j := i + 2; j+1 < len(low); j++ {
		if low[j] == "," || low[j] == "and" {
			return grammar.Articled(low[j+1]) || low[j] == "," && j+2 < len(low) && low[j+1] == "and" && grammar.Articled(low[j+2])
		}
	}
	return false
}

// closed reports a "with" whose things have been counted up already: "a page with a player and
// show notes, a feed, and a search".
func closed(left []string) bool {
	i := slices.Index(left, "with")
	return i > 0 && slices.Contains(left[i:], "and")
}

// bareRow reports the beginning of a row of things whose first word could be an order as well:
// "cover page, abstract, outline". An order would have an article before a single thing.
func bareRow(low []string) bool {
	parts := split(low)
	if len(parts) < 3 {
		return false
	}
	if !bareThing(parts[0]) {
		return false
	}
	for _, p := range parts[1:] {
		if len(p) == 0 || grammar.HasVerb(p) && !(len(p) == 2 && grammar.Nounish[p[0]]) {
			return false
		}
	}
	return true
}

// bareThing reports two words of which the first could be a verb, and no article between them:
// "cover page", "upload limit 20 MB".
func bareThing(p []string) bool {
	if len(p) > 2 && len(p) < 5 {
		_, num := grammar.Value(p[2])
		if !num {
			return false
		}
		p = p[:2]
	}
	return len(p) == 2 && grammar.Nounish[p[0]] && !words.Determiner(p[1]) && !words.Pronoun(p[1]) && !words.Preposition(p[1]) && !strings.HasSuffix(p[1], "s") && p[1] != "everything"
}

// split cuts words at commas, and at an "and" behind one.
func split(low []string) (out [][]string) {
	start := 0
	for i := 0; i <= len(low); i++ {
		if i < len(low) && low[i] != "," {
			continue
		}
		out = append(out, low[start:i])
		start = i + 1
		if start < len(low) && low[start] == "and" {
			start++
		}
	}
	return out
}

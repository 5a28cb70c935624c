// Package grammar reads the words of one clause by their order: where the verb stands, what
// comes before it, what is negated, compared, new or old. It answers about rows of words in
// lower case and knows nothing of the message around them. It touches no file, process, clock
// or network.
package grammar

import (
	"slices"
	"strings"

	"github.com/belay-dev/belay/internal/ask/words"
)

func Gerund(w string) bool {
	_, end := words.Base(w, AnyVerb)
	return end == "ing" || len(w) > 5 && w[len(w)-3:] == "ing"
}

func AnyVerb(b string) bool { _, ok := words.Verb(b); return ok || b == "touch" || b == "break" }

// negated reports a prohibition at the start: "don't …", "do not …", "never …".
func Negated(low []string) bool {
	if _, end := words.Base(low[min(1, len(low)-1)], AnyVerb); low[0] == "never" && (end == "s" || end == "ed" || states[low[min(1, len(low)-1)]]) {
		return false // "and never comes back"
	}
	return len(low) > 1 && (low[0] == "don't" || low[0] == "never" || low[0] == "do" && low[1] == "not" || low[0] == "not" && low[1] == "to")
}

// Imperative counts the words of the verb that a clause begins with, 0 when it does
// not begin with one.
func Imperative(low []string) int {
	if len(low) == 0 {
		return 0
	}
	if _, n := words.Phrase(low); n > 0 {
		return n
	}
	w := low[0]
	method := len(low) > 1 && strings.HasPrefix(low[1], "/") && (w == "get" || w == "post" || w == "put" || w == "delete" || w == "patch")
	if end, ok := words.Fails(low[min(1, len(low)-1)]); ok && end == "ed" && len(low) > 1 && (len(low) == 2 || words.Preposition(low[2])) && w != "retry" && w != "rerun" && w != "fix" {
		return 0 // "deploy failed"
	}
	if w == "" || w[0] == '-' || method || mishap(low) || compound(low) || judgedDeed(low) {
		return 0
	}
	if _, i := Apart(w, low); i > 0 || UnknownVerb(low) {
		return 1
	}
	if i := strings.LastIndexByte(w, '-'); i > 0 && i < len(w)-2 && AnyVerb(w[i+1:]) && len(low) > 1 && !(len(low) == 2 && kinds[low[1]]) && !words.Auxiliary(low[1]) && low[1] != "," {
		return 1 // right-align, auto-save
	}
	if b, end := words.Base(w, AnyVerb); b == "" || end != "" {
		if b != "" {
			return 0
		}
		if fixed, ok := words.Spelled(w); !ok || len(low) < 2 || Finite(low) || Nounish[fixed] || words.Auxiliary(low[1]) || words.Wrong(w) {
			return 0
		}
		return 1
	}
	if len(low) == 1 {
		if Nounish[w] {
			return 0
		}
		return 1
	}
	if !Nounish[w] {
		if words.Auxiliary(low[1]) {
			return 0
		}
		return 1
	}
	return nounishVerb(low)
}

// compound reports a verb's form that stands in a subject: "backfill dag ignores the end
// date". What it would act on has no article, and does something itself.
func compound(low []string) bool {
	if len(low) < 4 || Nounish[low[0]] || words.Determiner(low[1]) || words.Pronoun(low[1]) || words.Preposition(low[1]) || low[1] == "\"" || !AnyVerb(low[0]) {
		return false
	}
	for i := 2; i < min(len(low), 5); i++ {
		if words.Subordinator(low[i]) || words.Preposition(low[i]) || Conditional(low[i]) || low[i] == "that" || low[i] == "," || low[i] == "and" {
			return false
		}
		if words.Acts(low[i]) && !words.Determiner(low[i-1]) {
			return true // "deploy page tells you to …"
		}
		if end, ok := words.Fails(low[i]); ok && end == "s" && i+1 < len(low) && words.Determiner(low[i+1]) || low[i] == "isn't" || low[i] == "doesn't" || low[i] == "is" || low[i] == "does" {
			return true
		}
	}
	return false
}

// mishap reports what goes wrong while something is done: "lint errors in src/api", "build
// failure on arm64". Nobody orders it.
func mishap(low []string) bool {
	if len(low) < 2 {
		return false
	}
	switch low[1] {
	case "error", "errors", "failure", "failures", "warnings", "conflict", "conflicts", "problem", "problems", "timeout", "timeouts", "loop", "loops", "leak", "leaks":
	default:
		return false
	}
	if len(low) > 2 && !words.Preposition(low[2]) && !words.Auxiliary(low[2]) && !Conditional(low[2]) || len(low) > 2 && low[2] == "to" {
		return false
	}
	switch low[0] {
	case "lint", "build", "compile", "import", "export", "deploy", "load", "merge", "sync", "parse", "render", "upload", "download", "test", "format", "migrate", "link", "publish", "validate", "type", "redirect", "retry":
		return true
	}
	return false
}

// judgedDeed reports a deed of which something is said: "book a room twice is possible".
func judgedDeed(low []string) bool {
	i := slices.Index(low, "is")
	if i < 2 || i+1 >= len(low) || slices.ContainsFunc(low[:i], func(w string) bool {
		return words.Subordinator(w) || Conditional(w) || w == "that" || w == "what" || w == "it" || w == "," || w == "how"
	}) {
		return false
	}
	switch low[i+1] {
	case "possible", "impossible", "allowed", "broken", "wrong", "not":
		return true
	}
	return false
}

// HasVerb reports whether a sentence has any verb in a place where one counts.
func HasVerb(low []string) bool {
	n, s := Strip(low)
	if s.Opener || n < len(low) && (Imperative(low[n:]) > 0 || Negated(low[n:])) {
		return true
	}
	for i, w := range low {
		if i > 0 && (w == "which" || w == "who" || w == "that") {
			return false // what follows tells of a thing
		}
		if words.Auxiliary(w) && !(i > 1 && Asked(low, i)) || i > 0 && (thirdPerson(low, i) || plainVerb(low, i)) {
			return true
		}
		if (w == "," || w == "and") && i+1 < len(low) && Imperative(low[i+1:]) > 0 && !Nounish[low[i+1]] {
			return true
		}
	}
	return false
}

// askedBehind is where an order stands behind a place and "could you": "on the shipments page
// could you make the table sortable".
func askedBehind(low []string) int {
	if len(low) < 6 || !words.Preposition(low[0]) {
		return 0
	}
	for j := 2; j < min(len(low)-2, 7); j++ {
		if low[j] != "could" && low[j] != "can" && low[j] != "would" && low[j] != "please" {
			continue
		}
		k := j + 1
		if low[j] != "please" {
			if low[k] != "you" && low[k] != "we" {
				return 0
			}
			k++
		}
		for k < len(low) && words.Filler(low[k]) {
			k++
		}
		if k < len(low) && Imperative(low[k:]) > 0 {
			return k
		}
		return 0
	}
	return 0
}

// Fronted finds the order behind a place or time that stands in front of it without a
// comma: "on mobile hide the sidebar", "after login go to the last page". 0 is none.
func Fronted(low []string) int {
	if j := askedBehind(low); j > 0 {
		return j
	}
	if len(low) < 4 || !words.Preposition(low[0]) || low[0] == "to" || low[0] == "of" || low[0] == "than" || low[0] == "by" || low[0] == "like" || low[0] == "as" || Finite(low) {
		return 0
	}
	for j := 2; j < min(len(low)-1, 6); j++ {
		if words.Determiner(low[j-1]) || words.Preposition(low[j-1]) || low[j] == "," || Conditional(low[j]) {
			continue
		}
		b, end := words.Base(low[j], AnyVerb)
		if end != "" || b == "" && !words.IsPhrase(low[j:]) {
			continue
		}
		if Imperative(low[j:]) > 0 && (!Nounish[low[j]] || words.Determiner(low[j+1])) {
			return j
		}
	}
	return 0
}

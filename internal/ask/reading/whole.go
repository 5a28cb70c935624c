package reading

import (
	"slices"
	"strings"

	"github.com/belay-dev/belay/internal/ask/deed"
	"github.com/belay-dev/belay/internal/ask/grammar"
	"github.com/belay-dev/belay/internal/ask/words"
)

// Whole reports a request for a whole: made, with a noun for such a thing near.
func Whole(a deed.Act, lang string) bool {
	low := a.C.Low()
	switch a.Verb {
	case "add", "include", "support", "show", "document", "allow", "let", "insert", "log", "needs", "need":
		return a.Verb == "need" && a.Made
	}
	if deed.IsWish(a.Verb) && a.Verb != "need" && lang == "" {
		return false // "the logo should link to the shop"
	}
	o := low[min(a.Obj, len(low)):]
	if lang != "" {
		o = low
	}
	if a.Verb == "a thing named" && len(o) > 0 && grammar.Articled(o[0]) && slices.ContainsFunc(o, words.Tool) {
		return true // "a webhook relay in go"
	}
	for i, w := range o[:min(len(o), 12)] {
		if i > 0 && (w == "that" || w == "which" || w == "who" || w == "where") {
			break
		}
		if w == "page" && i < 4 || words.Product(w) || strings.HasSuffix(w, "-app") || strings.HasSuffix(w, "-website") {
			return a.Made || lang != "" || a.Verb == "a thing named" || grammar.Indefinite(o) || a.Verb != ""
		}
	}
	return deed.Creates(a.Verb) && grammar.Indefinite(o) && !slices.ContainsFunc(o[:min(len(o), 5)], words.Part)
}

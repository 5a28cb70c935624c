package stay

import (
	"slices"

	"github.com/belay-dev/belay/internal/ask/grammar"
	"github.com/belay-dev/belay/internal/ask/words"
)

// noThing reads "no login", "no new dependencies": a thing nobody wants, with its
// negation, because nothing is named that stays.
func noThing(low []string) (grammar.Span, bool) {
	if low[0] != "no" || len(low) < 2 || grammar.Finite(low) {
		return grammar.Span{}, false
	}
	if slices.Contains(low, "yet") || slices.Contains(low, "anymore") || low[len(low)-1] == "more" || slices.Contains(low, "so") && low[1] == "way" {
		return grammar.Span{}, false
	}
	switch low[1] {
	case "wait", "longer", "idea", "one", "rush", "hurry", "problem", "worries", "matter", "way", "need", "clue", "thanks", "pressure", "more", ",", "reaction", "response", "effect", "luck", "such":
		return grammar.Span{}, false
	}
	to := len(low)
	if i := slices.Index(low, ","); i > 1 && !slices.Contains(low[:i], "or") {
		to = i
	}
	for to > 2 && (low[to-1] == "please" || low[to-1] == "thanks" || low[to-1] == "!" || low[to-1] == ",") {
		to--
	}
	return grammar.Span{From: 0, To: to}, true
}

// Missed reports a "no" that is a complaint: "no mail after signing up", "no error message".
func Missed(low []string) bool {
	return len(low) > 1 && low[0] == "no" && (symptom[low[len(low)-1]] || slices.ContainsFunc(low[2:], func(w string) bool {
		return w == "after" || w == "when" || w == "since" || w == "even" || w == "whenever"
	}))
}

// symptom are things that are missed where there are none.
var symptom = map[string]bool{"error": true, "errors": true, "message": true, "feedback": true, "sound": true, "result": true, "results": true, "output": true, "sign": true, "trace": true, "explanation": true, "answer": true, "reply": true, "stacktrace": true, "difference": true, "success": true, "warning": true, "entry": true, "confirmation": true}

// sameThing reads "same stages".
func sameThing(low []string) (grammar.Span, bool) {
	if low[0] != "same" || len(low) < 2 || len(low) > 2 && grammar.Finite(low) || slices.Contains(low, "yesterday") || slices.Contains(low, "last") {
		return grammar.Span{}, false
	}
	switch low[1] {
	case "as", "thing", "for", "with", "here", "again", "problem", "issue", "error", "story", "idea", "concept", ",", "goes", "on", "in", "happens":
		return grammar.Span{}, false
	}
	to := len(low)
	for to > 2 && words.Filler(low[to-1]) {
		to--
	}
	for i := 2; i < len(low); i++ {
		switch low[i] {
		case "as", "like":
			return grammar.Span{From: 0, To: to}, slices.ContainsFunc(low[i:], present)
		case "for", "on", "with", "when", "if":
			return grammar.Span{}, false // "same button for the list"
		}
	}
	return grammar.Span{From: 0, To: to}, true
}

// Except is what an order leaves out: "all files except the legacy folder", "everywhere but
// on the login page".
func Except(low []string) (grammar.Span, bool) {
	for i := 2; i+1 < len(low); i++ {
		from := i + 1
		switch {
		case low[i] == "except" || low[i] == "excluding":
		case low[i] == "apart" && low[i+1] == "from", low[i] == "other" && low[i+1] == "than" && (low[i-1] == "everything" || low[i-1] == "anything" || low[i-1] == "nothing"):
			from = i + 2
		case low[i] == "but" && low[i+1] == "not" && i+2 < len(low) && grammar.Definite(low[i+2]):
			from = i + 2
		case low[i] == "but" && (low[i-1] == "everything" || low[i-1] == "all" || low[i-1] == "everywhere"):
		default:
			continue
		}
		for from < len(low) && words.Preposition(low[from]) {
			from++
		}
		if from < len(low) {
			s := Object(low, from)
			return s, s.To > s.From
		}
	}
	return grammar.Span{}, false
}

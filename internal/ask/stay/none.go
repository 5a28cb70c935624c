package stay

import (
	"slices"
	"strings"

	"github.com/belay-dev/belay/internal/ask/grammar"
	"github.com/belay-dev/belay/internal/ask/words"
)

// none reads what there is to be none of, with its negation, because nothing is named that
// stays: "no public method may change", "nothing that needs a server", "zero options".
func none(low []string) (grammar.Span, bool) {
	at := 0
	if i := slices.Index(low, "sake"); i > 0 && i < 4 && low[0] == "for" {
		at = i + 1 // "for heaven's sake no label"
	}
	for at > 0 && at < len(low) && (low[at] == "," || words.Filler(low[at])) {
		at++
	}
	rest := low[at:]
	to := len(rest)
	for to > 1 && (words.Filler(rest[to-1]) || rest[to-1] == "!") {
		to--
	}
	rest = rest[:to]
	whole := grammar.Span{From: at, To: at + to}
	if len(rest) < 2 {
		return whole, false
	}
	switch rest[0] {
	case "no":
		return whole, noChange(rest) || at > 0 && !grammar.Finite(rest)
	case "not":
		return whole, (rest[1] == "a" || rest[1] == "one") && (noChange(rest) || len(rest) > 3 && len(rest) < 6 && rest[2] == "single" && !grammar.Finite(rest))
	case "nothing":
		return whole, nothing(rest)
	case "zero":
		return whole, len(rest) < 4 && unneeded[rest[len(rest)-1]]
	case "leave":
		return whole, len(rest) > 3 && rest[1] == "out" && rest[2] == "any"
	case "without":
		if i := slices.Index(rest, "if"); i > 1 {
			rest = rest[:i] // "without ffmpeg if you can manage"
		}
		return grammar.Span{From: at, To: at + len(rest)}, len(rest) > 1 && len(rest) < 6 && !grammar.Gerund(rest[1]) && !grammar.Finite(rest) && !slices.Contains(rest, ",") && rest[1] != "the"
	}
	if i := slices.Index(rest, "no"); i > 1 && i < 6 && i+1 < len(rest) && lacks(rest[:i]) {
		return grammar.Span{From: at + i, To: at + to}, true
	}
	return whole, independent(rest) || unnoticed(rest)
}

// lacks reports words by which somebody wants that a thing has none of another: "it should have
// (no login)", "it needs (no account)".
func lacks(low []string) bool {
	verb := low[len(low)-1]
	if low[0] == "it" && len(low) == 2 {
		return verb == "needs" || verb == "requires"
	}
	wanted := slices.ContainsFunc(low, func(w string) bool { return w == "should" || w == "must" || w == "shall" })
	return wanted && (verb == "have" || verb == "need" || verb == "be" || verb == "contain" || verb == "require" || verb == "use")
}

// unnoticed reads "users should not notice anything", "nobody should notice".
func unnoticed(low []string) bool {
	i := slices.Index(low, "notice")
	if i < 2 || i > 5 {
		return false
	}
	return words.Modal(low[i-1]) && (low[0] == "nobody" || strings.HasSuffix(low[i-1], "n't")) || low[i-1] == "not" && words.Modal(low[i-2])
}

// unneeded are things that zero of is a wish.
var unneeded = map[string]bool{"options": true, "dependencies": true, "deps": true, "config": true, "configuration": true, "tracking": true, "ads": true, "cookies": true, "javascript": true, "js": true, "frameworks": true, "libraries": true, "changes": true, "downtime": true, "telemetry": true, "analytics": true, "settings": true}

// means are what a program can be made with or without.
var means = map[string]bool{"database": true, "framework": true, "server": true, "backend": true, "login": true, "account": true, "accounts": true, "registration": true, "internet": true, "npm": true, "jquery": true, "bootstrap": true, "react": true, "docker": true, "build": true}

// noChange reads "no public method may change", "not a comma may be touched".
func noChange(low []string) bool {
	for i := 2; i < len(low); i++ {
		k, m := modal(low[i:])
		if k > 0 && i+k < len(low) && !m.copula {
			return !m.denied && spares(low[i+k:]) || touches(low[i+k]) && low[i] != "can"
		}
	}
	return false
}

// nothing reads "nothing that needs a server", "nothing to install", "nothing may be
// uploaded", "nothing else goes in this PR".
func nothing(low []string) bool {
	if len(low) < 3 {
		return len(low) == 2 && low[1] == "more"
	}
	if alters(low[1:]) {
		return true
	}
	switch low[1] {
	case "from", "outside", "beyond", "over", "via", "but", "except", "leaves", "external", "proprietary", "commercial":
		return !slices.ContainsFunc(low, words.Pronoun)
	case "that":
		switch low[2] {
		case "isn't", "needs", "requires", "depends", "wants", "phones", "costs", "uses", "runs", "calls", "breaks", "is", "has", "would", "touches", "changes":
			return true
		}
	case "to":
		switch low[2] {
		case "install", "configure", "download", "buy", "pay", "set", "sign", "register", "compile", "build", "maintain":
			return true
		}
	case "else", "more":
		switch low[2] {
		case "needs", "goes", "gets", "is", "may", "must", "should", "has", "to", "moves", "in", "please", "for", "on", "about", "will", "shall":
			return !slices.Contains(low, "works") && !slices.Contains(low, "wrong")
		}
	case "may", "must", "should", "shall", "can":
		return len(low) > 3 && low[2] == "be" && (touched(low[3]) || handed[low[3]])
	}
	return false
}

// alters reports a verb of changing among words, and no time at which: "(nothing) about the API
// should change", "(nothing) visible changes".
func alters(low []string) bool {
	if slices.ContainsFunc(low, func(w string) bool {
		return w == "when" || w == "after" || w == "if" || w == "until" || w == "although" || w == "i"
	}) {
		return false
	}
	for i, w := range low {
		if i > 0 && (w == "changes" || w == "moves" || w == "breaks") {
			return true
		}
		if i > 0 && words.Modal(low[i-1]) && (touches(w) || w == "be" && i+1 < len(low) && touched(low[i+1])) {
			return true
		}
	}
	return false
}

// Nothing reports a clause that begins with "nothing" and says what there is to be none of.
func Nothing(low []string) bool {
	return len(low) > 1 && low[0] == "nothing" && (nothing(low) || low[1] == "else")
}

// handed are participles of giving something away: "nothing may be uploaded".
var handed = map[string]bool{"uploaded": true, "sent": true, "stored": true, "shared": true, "tracked": true, "leaked": true, "published": true, "installed": true, "logged": true, "collected": true, "lost": true}

// independent reads "must not need internet", "it must not talk to their systems": what the
// thing may not depend on.
func independent(low []string) bool {
	i := 0
	if low[0] == "it" || low[0] == "this" || low[0] == "everything" {
		i = 1
	}
	if i+2 >= len(low) {
		return false
	}
	switch {
	case low[i] == "mustn't" || low[i] == "shouldn't":
		i++
	case low[i+1] == "not" && (low[i] == "must" || low[i] == "should" || low[i] == "may" || low[i] == "shall"):
		i += 2
	default:
		return false
	}
	switch low[i] {
	case "need", "require", "use", "depend", "rely", "talk", "connect", "contact", "phone", "upload", "track", "collect", "cost", "send", "store", "ask", "leave", "install", "share":
		return i+1 < len(low)
	}
	return false
}

// unaided reads what is to be done with "without" and a thing behind it, where nothing but the
// deed can be meant: "make it green without disable comments", "can it work without ads".
func unaided(low []string) (s grammar.Span, whole, ok bool) {
	i := slices.Index(low, "without")
	if i < 2 || i+1 >= len(low) || len(low)-i > 5 || grammar.Gerund(low[i+1]) || slices.Contains(low[i:], ",") {
		return s, false, false
	}
	s = grammar.Span{From: i, To: len(low)}
	for s.To > i+2 && words.Filler(low[s.To-1]) {
		s.To--
	}
	if verb := low[i-1]; verb == "work" || verb == "run" || verb == "do" {
		return s, true, i < 5 && (low[0] == "can" || low[0] == "could" || low[0] == "it" || low[0] == "must" || low[0] == "should")
	}
	n, said := grammar.Strip(low)
	if n+1 < i && (unneeded[low[s.To-1]] || said.Want && means[low[s.To-1]]) && (grammar.Imperative(low[n:]) > 0 || said.Want) {
		return s, false, true // "migrate without downtime"
	}
	if n+1 >= i || grammar.Imperative(low[n:]) == 0 || low[n+1] != "it" && low[n+1] != "them" {
		return s, false, false
	}
	switch low[n] {
	case "make", "get", "fix", "solve", "do":
		return s, false, !words.Determiner(low[i+1])
	}
	return s, false, false
}

// undesired reads "we don't want accounts", "I don't need a login": a thing there is to be none
// of. What is there already ("the old page") is to go.
func undesired(low []string) (grammar.Span, bool) {
	switch low[3] {
	case "the", "this", "that", "these", "those", "my", "our", "your", "it", "them", "to", "you", "people", "users", "anyone", "anybody", "him", "her":
		return grammar.Span{}, false
	}
	for _, w := range low[3:] {
		if w == "anymore" || w == "more" || w == "longer" || w == "to" || w == "," || w == "in" || w == "on" || w == "when" || grammar.Gerund(w) || touched(w) {
			return grammar.Span{}, false
		}
	}
	return grammar.Span{From: 0, To: len(low)}, !slices.ContainsFunc(low[3:], words.Auxiliary)
}

// excepted reads what stands by itself and is left out: "everything but the admin area",
// "with the exception of prod".
func excepted(low []string) (grammar.Span, bool) {
	i := 0
	switch {
	case len(low) > 2 && (low[0] == "everything" || low[0] == "all" || low[0] == "everywhere") && (low[1] == "but" || low[1] == "except"):
		i = 2
	case len(low) > 4 && low[0] == "with" && low[2] == "exception" && low[3] == "of":
		i = 4
	case len(low) > 1 && (low[0] == "except" || low[0] == "excluding"):
		i = 1
	default:
		return grammar.Span{}, false
	}
	for i < len(low) && (words.Preposition(low[i]) || low[i] == "for") {
		i++
	}
	if i >= len(low) || low[i] == "when" || low[i] == "if" || low[i] == "that" || grammar.Finite(low[i:]) {
		return grammar.Span{}, false
	}
	s := Object(low, i)
	return s, s.To > s.From
}

package intent

import (
	"slices"
	"strings"
)

// None reads what there is to be none of, with its negation, because nothing is named that
// stays: "no public method may change", "nothing that needs a server", "zero options".
func NoneOf(low []string) (Span, bool) {
	at := sworn(low)
	rest := low[at:]
	for len(rest) > 1 && (Filler(rest[len(rest)-1]) || rest[len(rest)-1] == "!") {
		rest = rest[:len(rest)-1]
	}
	whole := Span{From: at, To: at + len(rest)}
	if len(rest) < 2 {
		return whole, false
	}
	switch rest[0] {
	case "no":
		return whole, noChange(rest) || at > 0 && !Finite(rest)
	case "not":
		return whole, notOne(rest)
	case "nothing":
		return whole, nothing(rest)
	case "zero":
		return whole, len(rest) < 4 && unneeded.Has(rest[len(rest)-1])
	case "leave":
		return whole, len(rest) > 3 && rest[1] == "out" && rest[2] == "any"
	case "without":
		n, ok := lacking(rest)
		return Span{From: at, To: at + n}, ok
	}
	if i := slices.Index(rest, "no"); i > 1 && i < 6 && i+1 < len(rest) && lacks(rest[:i]) {
		return Span{From: at + i, To: whole.To}, true
	}
	return whole, independent(rest) || unnoticed(rest)
}

// sworn counts the words of "for heaven's sake (no label)".
func sworn(low []string) int {
	at := 0
	if i := slices.Index(low, "sake"); i > 0 && i < 4 && low[0] == "for" {
		at = i + 1
	}
	for at > 0 && at < len(low) && (low[at] == "," || Filler(low[at])) {
		at++
	}
	return at
}

// notOne reads "not a comma may be touched", "not one single test".
func notOne(low []string) bool {
	if low[1] != "a" && low[1] != "one" {
		return false
	}
	return noChange(low) || len(low) > 3 && len(low) < 6 && low[2] == "single" && !Finite(low)
}

// lacking reads "without ffmpeg", and counts the words in front of "if you can manage".
func lacking(low []string) (n int, ok bool) {
	if i := slices.Index(low, "if"); i > 1 {
		low = low[:i]
	}
	n = len(low)
	if n < 2 || n > 5 || low[1] == "the" || Gerund(low[1]) {
		return n, false
	}
	return n, !Finite(low) && !slices.Contains(low, ",")
}

// lacks reports words by which somebody wants that a thing has none of another: "it should have
// (no login)", "it needs (no account)".
func lacks(low []string) bool {
	verb := low[len(low)-1]
	if low[0] == "it" && len(low) == 2 {
		return verb == "needs" || verb == "requires"
	}
	wanted := slices.ContainsFunc(low, func(w string) bool { return w == "should" || w == "must" || w == "shall" })
	return wanted && oneOf(verb, "have", "need", "be", "contain", "require", "use")
}

// unnoticed reads "users should not notice anything", "nobody should notice".
func unnoticed(low []string) bool {
	i := slices.Index(low, "notice")
	if i < 2 || i > 5 {
		return false
	}
	return Modal(low[i-1]) && (low[0] == "nobody" || strings.HasSuffix(low[i-1], "n't")) || low[i-1] == "not" && Modal(low[i-2])
}

// noChange reads "no public method may change", "not a comma may be touched".
func noChange(low []string) bool {
	for i := 2; i < len(low); i++ {
		k, m := ModalVerb(low[i:])
		if k > 0 && i+k < len(low) && !m.Copula {
			return !m.Denied && spares(low[i+k:]) || Touches(low[i+k]) && low[i] != "can"
		}
	}
	return false
}

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
	case "need", "require", "use", "depend", "rely", "talk", "connect", "contact", "phone", "upload", "track",
		"collect", "cost", "send", "store", "ask", "leave", "install", "share":
		return i+1 < len(low)
	}
	return false
}

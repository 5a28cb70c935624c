package stay

import (
	"slices"
	"strings"

	"github.com/belay-dev/belay/internal/ask/grammar"
	"github.com/belay-dev/belay/internal/ask/words"
)

// verdict reads a whole statement that comes to "leave it": "X shall not be altered", "X has to
// go on working", "X is final". at is where its subject ends.
func verdict(low []string) (at int, ok bool) {
	if words.Pronoun(low[0]) && low[0] != "everything" || grammar.Articled(low[0]) || low[0] == "there" || low[0] == "nothing" || low[0] == "nobody" || words.Conjunction(low[0]) {
		return 0, false
	}
	for i := 1; i < len(low); i++ {
		if low[i] == "," || low[i] == ":" || low[i] == "\"" && i > 6 || grammar.Conditional(low[i]) && low[i] != "as" {
			return 0, false
		}
		k, m := modal(low[i:])
		if k == 0 || i+k > len(low) {
			continue
		}
		rest := low[i+k:]
		m.still = m.still || low[i-1] == "still" && m.binds
		if m.copula && (final(rest, m.denied) || len(rest) > 0 && !m.denied && rest[0] == "left" && left(rest)) || !m.denied && (m.binds && (outlasts(rest) || m.still || existing(low[:i]) && goesOn(rest)) || low[i] == "can" && len(rest) == 1 && rest[0] == "wait") || m.denied && (spares(rest) || m.toBe && len(rest) > 1 && rest[0] == "be") || m.copula && m.still && !m.denied && len(rest) > 0 && (rest[0] == "needed" || rest[0] == "required") {
			for i > 1 && (trailing[low[i-1]] || low[i-1] == "therefore" || low[i-1] == "and" || low[i-1] == "but") {
				if low[i-1] == "and" || low[i-1] == "but" {
					if at, ok := grammar.Predicate(low[:i-1]); ok && at > 0 {
						i = at // "the API is used by customers and must not change"
						break
					}
				}
				i--
			}
			return i, i > 0 && !(i == 1 && words.Subject(low[0]) && low[0] != "everything")
		}
	}
	return 0, false
}

// must is what a modal verb with its adverbs says.
type must struct {
	denied bool // "must not", "is not to", "may under no circumstances"
	binds  bool // "must", "has to", "is to"
	copula bool // "is"
	still  bool // "must still", "still have to"
	toBe   bool // "is to", "are not to"
}

// modal reads a modal verb and the adverbs behind it, and counts their words.
func modal(low []string) (n int, m must) {
	switch w := low[0]; w {
	case "must", "should", "shall":
		n, m.binds = 1, true
	case "may", "can", "could", "will", "might", "cannot":
		n, m.denied = 1, w == "cannot"
	case "mustn't", "shouldn't", "shan't", "can't", "won't", "couldn't", "needn't":
		n, m.denied = 1, true
	case "is", "are", "isn't", "aren't":
		n, m.copula, m.denied = 1, true, strings.HasSuffix(w, "n't")
	case "has", "have", "needs", "need", "ought":
		if len(low) < 2 || low[1] != "to" && !(low[1] == "not" && len(low) > 2 && low[2] == "to") {
			return 0, m
		}
		n, m.binds = 1, true
	case "doesn't", "don't", "does", "do":
		for n = 1; n < len(low) && (low[n] == "not" || low[n] == "really" || low[n] == "even"); {
			n++
		}
		if m.denied = w == "doesn't" || w == "don't" || n > 1; !m.denied || n+1 >= len(low) || low[n] != "need" && low[n] != "have" || low[n+1] != "to" {
			return 0, m
		}
		n++ // "doesn't need to be touched"
	default:
		return 0, m
	}
	for n < len(low) {
		k, no := adverbial(low[n:])
		if k == 0 {
			break
		}
		if low[n] == "to" {
			m.toBe = m.copula || m.toBe
			m.binds, m.copula = true, false
		}
		m.still = m.still || low[n] == "still"
		m.denied = m.denied || no
		n += k
	}
	return n, m
}

// adverbial counts the words of what stands between a modal verb and its verb; no says that
// it denies.
func adverbial(low []string) (n int, no bool) {
	switch low[0] {
	case "not", "never":
		return 1, true
	case "to", "also", "please", "really", "always", "still", "ever", "definitely", "absolutely", "simply", "just", "therefore", "likewise", "of-course", "obviously":
		return 1, false
	}
	line := strings.Join(low[:min(4, len(low))], " ") + " "
	for _, p := range []string{"under no circumstances ", "on no account ", "in no way ", "in no case ", "by no means ", "at no point ", "at no time "} {
		if strings.HasPrefix(line, p) {
			return strings.Count(p, " "), true
		}
	}
	for _, p := range []string{"under any circumstances ", "in any way ", "in any case ", "at all costs ", "at any rate ", "of course "} {
		if strings.HasPrefix(line, p) {
			return strings.Count(p, " "), false
		}
	}
	return 0, false
}

// spares reports, behind a modal verb that denies, that the thing is not to become another:
// "(must not) shift", "(is not to) be modified".
func spares(rest []string) bool {
	if len(rest) == 0 {
		return false
	}
	switch rest[0] {
	case "change", "move", "shift", "differ", "vary", "drift", "budge", "deviate", "suffer", "regress":
		return len(rest) == 1 || !words.Determiner(rest[1]) && !grammar.Articled(rest[1]) || rest[1] == "a"
	case "be", "get":
		if len(rest) > 1 && (rest[1] == "different" || rest[0] == "get" && words.Comparative(rest[1])) {
			return true // "must not get slower"
		}
		return len(rest) > 1 && touched(rest[1]) || len(rest) > 2 && grammar.Adverb(rest[1]) && touched(rest[2])
	}
	return false
}

// touched reports the participle of a verb that makes a thing another, or takes it away.
func touched(w string) bool {
	if _, end := words.Base(w, func(b string) bool { return touching[b] }); end == "ed" {
		return true
	}
	switch w {
	case "broken", "lost", "rewritten", "altered", "modified", "edited", "reworked", "restyled", "redesigned", "translated", "shortened", "reworded", "tampered", "overwritten", "harmed", "violated", "retouched", "redone", "meddled", "interfered", "upgraded", "bumped", "migrated", "shifted", "merged", "extended", "tweaked":
		return true
	}
	return false
}

// outlasts reports, behind a modal verb, that the thing is to go on as it is: "(must) survive",
// "(has to) go on working", "(should) come out as today".
func outlasts(rest []string) bool {
	if len(rest) == 0 {
		return false
	}
	more := rest[1:]
	switch rest[0] {
	case "survive":
		return len(more) == 0 || more[0] == "," || more[0] == "intact" || more[0] == "too" || len(more) < 3 && words.Determiner(more[0]) && work[more[len(more)-1]]
	case "keep", "retain":
		return len(more) > 1 && (more[0] == "its" || more[0] == "their")
	case "go", "carry":
		return len(more) > 0 && more[0] == "on" && (len(more) == 1 || more[1] == "as" || more[1] == "undisturbed" || more[1] == "unchanged" || grammar.Gerund(more[1]) && !slices.Contains(more, "for"))
	case "remain", "stay":
		return len(more) == 0 || !grammar.Persists[more[0]] && more[0] != "logged" && more[0] != "signed"
	case "continue":
		return len(more) == 0 || more[0] == "to" || more[0] == "as"
	case "match":
		return len(more) > 1 && slices.ContainsFunc(more[:2], func(w string) bool {
			return w == "old" || w == "current" || w == "existing" || w == "present" || w == "today's"
		})
	case "pass":
		return len(more) == 1 && (more[0] == "unchanged" || more[0] == "unmodified" || more[0] == "as-is")
	case "be":
		return len(more) > 0 && (left(more) || exactly(more))
	case "come", "look", "behave", "work", "render", "print", "read", "sound", "feel", "act", "respond", "run", "taste", "display", "sort", "appear":
		return asEver(more)
	}
	return false
}

// existing reports a thing that is told to be there now: "existing configs", "the old links".
func existing(low []string) bool {
	return slices.ContainsFunc(low[:min(3, len(low))], func(w string) bool {
		return w == "existing" || w == "old" || w == "older" || w == "current" || w == "present"
	})
}

// goesOn reports a verb for what a thing did until now and is to do after the change: "(old
// links must) resolve".
func goesOn(rest []string) bool {
	if len(rest) > 1 && rest[0] == "be" {
		return rest[1] == "readable" || rest[1] == "valid" || rest[1] == "accepted" || rest[1] == "usable" || rest[1] == "reachable" || rest[1] == "available" || rest[1] == "supported"
	}
	if len(rest) == 0 {
		return false
	}
	switch rest[0] {
	case "work", "load", "open", "pass", "compile", "run", "resolve", "import", "parse", "build", "play", "validate":
		return len(rest) < 4
	}
	return false
}

// work are words for what is being done, which things are to survive.
var work = map[string]bool{"change": true, "migration": true, "move": true, "upgrade": true, "update": true, "switch": true, "rewrite": true, "refactoring": true, "refactor": true, "conversion": true, "rename": true, "redesign": true, "this": true, "it": true}

// left reads "(is to be) left as it is", "left unedited".
func left(low []string) bool {
	switch low[0] {
	case "preserved", "respected", "honoured", "honored", "retained":
		return len(low) < 2 || low[1] != "for"
	case "left":
		return len(low) > 1 && (low[1] == "alone" || low[1] == "as" || low[1] == "be" || low[1] == "in" || low[1] == "exactly" || low[1] == "where" || low[1] == "the" || strings.HasPrefix(low[1], "un") || low[1] == "out")
	}
	return false
}

// exactly reads "(must be) exactly what it is now".
func exactly(low []string) bool {
	if len(low) == 1 && (low[0] == "exactly" || low[0] == "precisely") {
		return true // "… where they are now"
	}
	for len(low) > 0 && (low[0] == "exactly" || low[0] == "precisely" || low[0] == "just") {
		low = low[1:]
	}
	return len(low) > 1 && (low[0] == "where" || low[0] == "what" || low[0] == "as" || low[0] == "like" || low[0] == "how") && slices.ContainsFunc(low[1:], present)
}

// asEver reads "(must come out) byte for byte as today", "(must look) the same".
func asEver(low []string) bool {
	for i, w := range low {
		switch w {
		case "same", "identical", "identically", "unchanged", "alike":
			return true
		case "as", "like":
			if i+1 < len(low) && slices.ContainsFunc(low[i+1:], present) {
				return true
			}
		}
	}
	return false
}

// present reports a word for how things are now, or have been.
func present(w string) bool {
	switch w {
	case "now", "today", "before", "currently", "ever", "always", "is", "are", "was", "were", "usual", "present", "do", "does", "did", "used":
		return true
	}
	return false
}

// final reads "(is) final", "(are not) up for debate": what is settled stays.
func final(low []string, denied bool) bool {
	list := settled
	if denied {
		list = unsettled
	}
	line := strings.Join(low, " ") + " "
	for _, p := range list {
		if strings.HasPrefix(line, p+" ") {
			next := low[strings.Count(p, " ")+1:]
			return len(next) == 0 || next[0] == "," || words.Preposition(next[0]) || next[0] == "and" || words.Filler(next[0]) || next[0] == "already"
		}
	}
	return false
}

var (
	settled = []string{"final", "staying", "perfect", "just right", "spot on", "already right", "already fine", "already good", "already ok", "already correct", "good enough", "ok for us", "fine for us", "correct as", "prescribed", "mandated", "regulated", "dictated by", "fixed by", "legally required", "certified", "frozen", "signed off", "sacrosanct", "carved in stone", "cast in stone", "written in stone", "non-negotiable", "off the table",
		"out of bounds", "a no-go", "a no go", "notarised", "notarized", "legally binding", "contractual", "none of our business", "none of your business", "excluded", "exempt", "exempted", "unaffected"}
	unsettled = []string{"touched", "tampered with", "yours to change", "ours to change", "our concern", "your concern", "our job", "your job", "yours", "ours", "concerned", "involved", "part of it", "negotiable", "up for discussion", "up for debate", "up for grabs", "on the table", "our business", "open to discussion", "open for discussion"}
)

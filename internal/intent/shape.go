package intent

import (
	"slices"
	"strings"

	"github.com/belay-dev/belay/internal/lazyregexp"
)

// NamesOldValue reports whether words name what is replaced: instead of, rather than, "85 not 95",
// from A to B.
func NamesOldValue(low []string) bool {
	line := " " + strings.Join(low, " ") + " "
	for _, p := range []string{" instead ", " rather than ", " in place of ", " in favour of ", " in favor of ",
		" in lieu of "} {
		if strings.Contains(line, p) {
			return true
		}
	}
	if i := slices.Index(low, "from"); i > 0 && i+3 < len(low) && low[i+2] == "to" {
		if _, ok := ParseValue(low[i+1]); ok {
			return true
		}
	}
	for i, w := range low {
		if (w == "->" || w == "→" || w == "=>") && i > 0 && i+1 < len(low) {
			return true
		}
		if w == "not" && i > 0 && i+1 < len(low) {
			if _, ok := ParseValue(low[i+1]); ok {
				return true
			}
		}
	}
	return false
}

// ParseValue reports whether a word is a number, with or without a unit, or a colour: two, 5, 30s,
// 3e-4, 512mi, #ff0000.
func ParseValue(w string) (string, bool) {
	if _, ok := ParseNumber(w); ok {
		return w, true
	}
	if w == "" || w[0] >= '0' && w[0] <= '9' {
		return w, w != ""
	}
	return w, w[0] == '#' && len(w) > 3 && strings.Trim(w[1:], "0123456789abcdef") == ""
}

// ComparisonAt returns the position behind a word about how something should look or be, 0 if there
// is none.
func ComparisonAt(low []string) int {
	for i, w := range low {
		if IsComparative(w) && (i > 0 || len(low) > 1) {
			return i + 1
		}
		if w == "more" && i == 0 && len(low) > 1 && !IsDeterminer(low[1]) {
			return 1
		}
	}
	return 0
}

// IsIndefinite reports, by its article, a thing that does not exist yet.
func IsIndefinite(low []string) bool {
	if len(low) == 0 {
		return false
	}
	switch low[0] {
	case "a", "an", "another", "new", "some", "one":
		return true
	case "the", "this", "that", "these", "those", "my", "our", "your", "its", "their", "his", "her", "all", "both",
		"every", "each", "it", "them", "\"":
		return false
	}
	return !IsAuxiliary(low[0])
}

func IsAdverb(w string) bool {
	return len(w) > 4 && strings.HasSuffix(w, "ly") && w != "reply" && w != "apply" && w != "only"
}

// IsDefinite reports a word that introduces an existing thing.
var IsDefinite = lazyregexp.Of("the our my your their its this these those").Has

// IntroducesNew reports a word that introduces a thing that is not known yet.
func IntroducesNew(w string) bool {
	return w == "a" || w == "an" || w == "new" || w == "some"
}

// HasValue reports an existing thing with the value it should have: "batch 64", "http check every
// 30s", "fonts everywhere".
func HasValue(low []string) bool {
	for i := 1; i < len(low); i++ {
		if _, ok := ParseValue(low[i]); !ok {
			continue
		}
		last := i == len(low)-1 || IsConditional(low[i+1])
		to := isOneOf(low[i-1], "at", "to", "every", "after", "under")
		if last && (to || !IsPreposition(low[i-1])) || to && IsUnit(low[i+1]) {
			return low[0] != "a" && low[0] != "an"
		}
	}
	return slices.Contains(low, "everywhere")
}

// SeparateParticle finds the particle of a verb behind its object: "take that dreadful clip-art out".
func SeparateParticle(verb string, low []string) (Sense, int) {
	for i := 2; i < min(len(low), 7); i++ {
		if IsPreposition(low[i]) && !IsParticle(low[i]) || low[i] == "," {
			return None, 0
		}
		if IsParticle(low[i]) {
			if s, ok := PhrasalVerbSense(verb, low[i]); ok && (i == len(low)-1 || !IsDeterminer(low[i+1])) {
				return s, i
			}
		}
	}
	return None, 0
}

// Span is a stretch of a clause's tokens.
type Span struct{ From, To int }

// IsNumeric reports a number, with or without a unit.
func IsNumeric(w string) bool { _, ok := ParseValue(w); return ok }

// IsPersistentState reports states that are a complaint if a thing stays in them.
var IsPersistentState = lazyregexp.Of(`
	open visible blank empty black stuck forever disabled grey gray highlighted there on at in white red active selected after even
	when pending locked logged hidden loading behind constant flat zero nan null undefined`)

// IsReportingVerb reports verbs of speech: a modal in the reported words is no wish.
var IsReportingVerb = lazyregexp.Of(`says said claims thinks tells reports complains insists believes`)

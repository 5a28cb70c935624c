package intent

import (
	"slices"
)

// readSame finds "same stages".
func readSame(low []string) (Span, bool) {
	if low[0] != "same" || len(low) < 2 || len(low) > 2 && HasFiniteVerb(low) {
		return Span{}, false
	}
	switch low[1] {
	case "as", "thing", "for", "with", "here", "again", "problem", "issue", "error", "story", "idea", "concept", ",",
		"goes", "on", "in", "happens":
		return Span{}, false
	}
	to := len(low)
	for to > 2 && IsFiller(low[to-1]) {
		to--
	}
	for i := 2; i < len(low); i++ {
		switch low[i] {
		case "as", "like":
			return Span{From: 0, To: to}, slices.ContainsFunc(low[i:], IsPresent)
		case "for", "on", "with", "when", "if":
			return Span{}, false // "same button for the list"
		}
	}
	return Span{From: 0, To: to}, true
}

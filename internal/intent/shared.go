package intent

import (
	"slices"
)

// SharesContent reports whether two clauses share a content word.
func SharesContent(low, other []string) bool {
	for _, w := range low {
		if len(w) > 3 && slices.Contains(other, w) && !IsPreposition(w) && !IsAuxiliary(w) && !IsDeterminer(w) {
			return true
		}
	}
	return false
}

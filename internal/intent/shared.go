package intent

import (
	"slices"
)

// SharesContent reports a word of content that both clauses have.
func SharesContent(low, other []string) bool {
	for _, w := range low {
		if len(w) > 3 && slices.Contains(other, w) && !IsPreposition(w) && !IsAuxiliary(w) && !IsDeterminer(w) {
			return true
		}
	}
	return false
}

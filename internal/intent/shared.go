package intent

import (
	"slices"
)

// Shares reports a word of content that both clauses have.
func Shares(low, other []string) bool {
	for _, w := range low {
		if len(w) > 3 && slices.Contains(other, w) && !Preposition(w) && !Auxiliary(w) && !Determiner(w) {
			return true
		}
	}
	return false
}

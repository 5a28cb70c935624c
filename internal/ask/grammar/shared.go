package grammar

import (
	"slices"

	"github.com/belay-dev/belay/internal/ask/words"
)

// Shares reports a word of content that both clauses have.
func Shares(low, other []string) bool {
	for _, w := range low {
		if len(w) > 3 && slices.Contains(other, w) && !words.Preposition(w) && !words.Auxiliary(w) && !words.Determiner(w) {
			return true
		}
	}
	return false
}

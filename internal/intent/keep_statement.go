package intent

import (
	"slices"
	"strings"

	"github.com/belay-dev/belay/internal/lazyregexp"
)

// orderModals are verbs that turn a statement into an order.
var orderModals = lazyregexp.Of(`must should may mustn't shouldn't has have needs need can't`)

// findUntouchable finds "X must not be renamed", "X must still load". at is the position of the
// modal.
func findUntouchable(low []string) (at int, ok bool) {
	for i := 1; i+1 < len(low); i++ {
		w := low[i]
		if !orderModals.Has(w) {
			continue
		}
		j := i + 1
		for j < len(low) && (low[j] == "not" || low[j] == "to" || low[j] == "also") {
			j++
		}
		denied := strings.HasSuffix(w, "n't") || slices.Contains(low[i:j], "not")
		switch {
		case j+1 < len(low) && denied && low[j] == "be":
			return i, TouchVerbEnding(low[j+1]) == "ed" && !IsPronoun(low[0])
		case j+1 < len(low) && !denied && low[j] == "still":
			return i, !IsPronoun(low[0]) && i < 7
		}
	}
	return 0, false
}

// findIdentical finds "the output must be byte for byte the same". at is the position of the modal.
func findIdentical(low []string) (at int, ok bool) {
	for i := 1; i+2 < len(low); i++ {
		if (low[i] == "must" || low[i] == "should" || low[i] == "has" || low[i] == "needs") &&
			slices.Contains(low[i:min(i+3, len(low))], "be") {
			for _, w := range low[i+2 : min(len(low), i+9)] {
				if w == "same" || w == "identical" || w == "unchanged" {
					return i, !IsPronoun(low[0]) || low[0] == "everything"
				}
			}
		}
	}
	return 0, false
}

package intent

import (
	"slices"
	"strings"

	"github.com/belay-dev/belay/internal/lazyregexp"
)

// conditions are what a thing stays where nobody asked it to.
var conditions = lazyregexp.Of(`wet cold hot dark low connected full`)

// told reports that "stay" or "keep" only tells of something: "an old token keeps working after
// …", "now the wood stays wet", "alerts and warnings should be the same", "it should keep 14 days".
func toldState(low []string) bool {
	if Conjunction(low[0]) || low[0] == "that" || low[0] == "everybody" || low[0] == "everyone" || low[0] == "now" {
		return true
	}
	i := slices.IndexFunc(low, func(w string) bool { return w == "keep" || w == "keeps" || w == "same" || w == "stays" })
	if i < 1 {
		return false
	}
	next := ""
	if i+1 < len(low) {
		next = low[i+1]
	}
	switch low[i] {
	case "same":
		return next != "as" && next != "way" && slices.Contains(low[:i], "and") && slices.Contains(low[:i], "should")
	case "stays":
		return conditions.Has(next)
	}
	return Numeric(next) || Articled(low[0]) && (slices.Contains(low, "after") || slices.Contains(low, "even"))
}

// unable reports what somebody cannot do, or cannot be done somewhere: "I can't change my
// password", "the slider can't be moved on the phone".
func unableTo(low []string) bool {
	i := slices.IndexFunc(low, func(w string) bool { return w == "can't" || w == "cannot" })
	if i == 1 && Subject(low[0]) && !Pronoun(low[0]) {
		return true
	}
	return i > 0 && i+3 < len(low) && low[i+1] == "be" && Preposition(low[i+3])
}

// orders are verbs by which a statement orders something.
var orders = lazyregexp.Of(`must should may mustn't shouldn't has have needs need can't`)

// untouchable reads "X must not be renamed", "X must still load".
func untouchable(low []string) (at int, ok bool) {
	for i := 1; i+1 < len(low); i++ {
		w := low[i]
		if !orders.Has(w) {
			continue
		}
		j := i + 1
		for j < len(low) && (low[j] == "not" || low[j] == "to" || low[j] == "also") {
			j++
		}
		denied := strings.HasSuffix(w, "n't") || slices.Contains(low[i:j], "not")
		switch {
		case j+1 < len(low) && denied && low[j] == "be":
			return i, Ending(low[j+1]) == "ed" && !Pronoun(low[0])
		case j+1 < len(low) && !denied && low[j] == "still":
			return i, !Pronoun(low[0]) && i < 7
		}
	}
	return 0, false
}

// identical reads "the output must be byte for byte the same": at is where the modal is.
func identical(low []string) (at int, ok bool) {
	for i := 1; i+2 < len(low); i++ {
		if (low[i] == "must" || low[i] == "should" || low[i] == "has" || low[i] == "needs") &&
			slices.Contains(low[i:min(i+3, len(low))], "be") {
			for _, w := range low[i+2 : min(len(low), i+9)] {
				if w == "same" || w == "identical" || w == "unchanged" {
					return i, !Pronoun(low[0]) || low[0] == "everything"
				}
			}
		}
	}
	return 0, false
}

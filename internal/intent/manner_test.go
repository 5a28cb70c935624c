package intent

import (
	"strings"
	"testing"
)

// TestPredicateBehindRelative: what is said of a subject that a clause tells of.
func TestPredicateBehindRelative(t *testing.T) {
	for line, want := range map[string]int{"guests who cancel are charged twice": 3, "customers who come back in the same month are counted as churned": 8,
		"a page that shows which items are sold": -1, "people who can edit": -1} {
		at, ok := Predicate(strings.Fields(line))
		if !ok {
			at = -1
		}
		if at != want {
			t.Errorf("%q: %d, want %d", line, at, want)
		}
	}
}

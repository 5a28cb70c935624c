package check

import (
	"testing"

	"github.com/belay-dev/belay/internal/belay"
)

func TestCountsWhatIsAdded(t *testing.T) {
	t.Parallel()
	for text, n := range map[string]int{
		"Add three providers to the list": 3, "Add 2 more drinks": 2, "we need two new endpoints": 2, "Added four cases": 4, "three tests for the parser": 3,
		"Please add the two missing tests": 2, "füge drei Getränke hinzu": 3, "give me 5 examples": 5, "includes two presets": 2,
		"the menu needs 2 desserts": 2, "Extend the list in a.go by another 3 colours": 3,
	} {
		if !countsWhatIsAdded(belay.Requirement{Text: text, Count: &n}) {
			t.Errorf("%q: %d is what is added", text, n)
		}
	}
	for text, n := range map[string]int{
		"Changed the example in two areas": 2, "A new case covers these three locations": 3, "`max(5)` rejected five emoji": 5,
		"so both get the same function": 2, "Both tests decided by the clock": 2, "retry after 3 failures": 3, "a test for two users": 2,
	} {
		if countsWhatIsAdded(belay.Requirement{Text: text, Count: &n}) {
			t.Errorf("%q: %d counts something else", text, n)
		}
	}
}

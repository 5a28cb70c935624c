package number

import (
	"strings"
	"testing"

	"github.com/belay-dev/belay/internal/belay"
)

// TestCounts: which numbers are of things, one construction each.
func TestCounts(t *testing.T) {
	for text, want := range map[string]bool{
		"three pages for guests": true, "three of the pages": true, "both to 1.2": true, "both in a and b": false, "both": true,
		"one page": false, "2 consumers instead of 1": false, "2 consumers rather than 1": false, "2 consumers rather than one big job": false,
		"404 page": false, "two factor login": false, "29 february": false, "two points": false, "two things": false,
		"2 seconds": false, "2 - 3": false, "2 and 3": false, "two per page": false, "two are": false, "both are": true, "2 in total": false,
	} {
		if got := counts(strings.Fields(text), 0, 0, belay.MarkModify); got != want {
			t.Errorf("%q counts: %v, want %v", text, got, want)
		}
	}
	for text, want := range map[string]bool{
		"a 2048 clone": false, "python 3 scripts": false, "every 5 pages": false, "port 3 pages": false, "the two pages": true,
		"pages two lists": true,
	} {
		if got := counts(strings.Fields(text), 1, 0, belay.MarkModify); got != want {
			t.Errorf("%q counts behind its first word: %v, want %v", text, got, want)
		}
	}
	for text, want := range map[string]bool{
		"opening two windows": false, "robot 7 went": false, "the two tests": true, "tests 2 pages": true,
	} {
		if got := counts(strings.Fields(text), 1, 0, belay.MarkFix); got != want {
			t.Errorf("%q counts in what is wrong: %v, want %v", text, got, want)
		}
	}
	if counts(strings.Fields("on my laptop two pages"), 3, 0, belay.MarkFix) {
		t.Error("a number far behind in what is wrong counts only what is wrong")
	}
}

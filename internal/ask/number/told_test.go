package number

import (
	"strings"
	"testing"
)

func TestToldAndSummed(t *testing.T) {
	for text, want := range map[string]int{
		"6 keys have no french translation": 6, "app.json has three permissions left over": 3, "two levels are unsolvable": 2, "six of the positions are duplicates": 6,
		"sections for five package managers": 5, "the 2024 ones are wrong": 0, "it takes 9 seconds to load": 0, "50 rows , not 500": 0, "20 hits a page": 0, "nothing is told": 0,
	} {
		if got := Told(strings.Fields(text)); value(got) != want {
			t.Errorf("told in %q: %d, want %d", text, value(got), want)
		}
	}
	for text, want := range map[string]int{"both are replaced by the watcher": 2, "all three are unused": 3, "both replaced": 0, "one is unused": 0, "they are unused": 0} {
		if got := Summed(strings.Fields(text)); value(got) != want {
			t.Errorf("summed in %q: %d, want %d", text, value(got), want)
		}
	}
	for text, want := range map[string]bool{"them": true, "those": true, "those in the footer": true, "those pages": false, "the pages": false, "": false} {
		if Them(strings.Fields(text)) != want {
			t.Errorf("them in %q: want %v", text, want)
		}
	}
}

func value(n *int) int {
	if n == nil {
		return 0
	}
	return *n
}

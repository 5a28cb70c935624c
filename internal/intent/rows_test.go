package intent

import (
	"math/rand/v2"
	"os"
	"strings"
	"testing"

	"github.com/belay-dev/belay/internal/testutil"
)

// TestRowsOfWords: no sequence of words makes Parse panic, even with function words where no
// sentence has them. BELAY_ASK_ROWS tries many.
func TestRowsOfWords(t *testing.T) {
	text, err := os.ReadFile("testdata/ask/lines.txt")
	if err != nil {
		t.Fatal(err)
	}
	count := map[string]int{}
	for _, w := range strings.Fields(strings.ToLower(string(text))) {
		count[w]++
	}
	var small, all []string
	for _, w := range strings.Fields(strings.ToLower(string(text))) {
		if n := count[w]; n > 0 {
			all = append(all, w)
			if n > 15 {
				small = append(small, w)
			}
			count[w] = 0
		}
	}
	rows := 1000
	if testing.Short() {
		rows = 300
	}
	if testutil.Wide() {
		rows = 3000
	}
	if os.Getenv("BELAY_ASK_ROWS") != "" {
		rows = 200_000
	}
	marks := []string{" ", " ", " ", " ", " ", ", ", ". ", ": ", "; ", " - ", "\n- ", "\n", "? ", " -> ", " (", ") ", "\n\n"}
	r := rand.New(rand.NewPCG(1, 2))
	for range rows {
		var row []string
		for range 1 + r.IntN(16) {
			if r.IntN(4) > 0 {
				row = append(row, small[r.IntN(len(small))])
			} else {
				row = append(row, all[r.IntN(len(all))])
			}
		}
		text := ""
		for _, w := range row {
			text += w + marks[r.IntN(len(marks))]
		}
		in := Input{Text: text, PlanExists: r.IntN(2) == 0}
		func() {
			defer func() {
				if p := recover(); p != nil {
					t.Errorf("%q: %v", in.Text, p)
				}
			}()
			Parse(in)
		}()
	}
}

package mine

import (
	"os"
	"strings"
	"testing"
)

// held tells whether a review of a batch is held out: every second one, by its number. Its
// figures count, but nobody looks at what is wrong with it.
func held(id string) bool { return id != "" && (id[len(id)-1]-'0')%2 == 0 }

// split parts a batch into the open half and the one held out.
func split(set []example) (open, out []example) {
	for _, e := range set {
		if held(e.ID) {
			out = append(out, e)
		} else {
			open = append(open, e)
		}
	}
	return open, out
}

// TestBatch measures files of labelled reviews named by BELAY_REVIEWS, split by commas:
// both halves, with the errors of the open one only.
func TestBatch(t *testing.T) {
	files := os.Getenv("BELAY_REVIEWS")
	if files == "" {
		t.Skip("BELAY_REVIEWS names no file of labelled reviews")
	}
	for _, file := range strings.Split(files, ",") {
		open, out := split(load(t, file))
		all, _, sev := measure(t, append(open[:len(open):len(open)], out...), false)
		t.Logf("%s: all   %s, severity %.3f", file, all, sev.precision())
		o, _, osev := measure(t, open, true)
		t.Logf("%s: open  %s, severity %.3f", file, o, osev.precision())
		h, _, hsev := measure(t, out, false)
		t.Logf("%s: held  %s, severity %.3f", file, h, hsev.precision())
	}
}

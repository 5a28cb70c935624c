package number

import (
	"strings"
	"testing"

	"github.com/belay-dev/belay/internal/belay"
)

// TestReach: what stands around a number further on in a clause, one construction each.
func TestReach(t *testing.T) {
	for what, q := range map[string]struct {
		ask  func(low []string) bool
		want map[string]bool
	}{
		"plural":  {plural, map[string]bool{"wrong tiles in": true, "people left": true, "of them": true, "class": false, "page": false, "seconds": false, "pages": true, "big , pages": false, "": false}},
		"told":    {told, map[string]bool{"tests fail": true, "page is": true, "tests , fail": false, "tests of": false, "page": false}},
		"valuing": {func(low []string) bool { return valuing(low, 1) }, map[string]bool{"since 2024 pages": true, "c++ 20 files": true, "of 5 pages": true, "show 50 hits a page": true, "show 50 rows not 500": true, "show two rows not three": false, "show 50 rows": false}},
		"wished":  {func(low []string) bool { return wished(low, 3) }, map[string]bool{"it should offer two": true, "it needs the two": true, "should go to two": false, "x y should two": false, "we have seen two": false}},
		"opens":   {func(low []string) bool { return opens(low, 1) }, map[string]bool{"yesterday three": true, ", three": true, "the three": true, "page three": false}},
		"name":    {func(low []string) bool { return name(low, 1, 0, belay.MarkFix) }, map[string]bool{"robot 7 went": true, "the 7 robots": false, "robots 7 went": false, "robot seven went": false}},
	} {
		for text, want := range q.want {
			if got := q.ask(strings.Fields(text)); got != want {
				t.Errorf("%s of %q: %v, want %v", what, text, got, want)
			}
		}
	}
}

package prompt

import (
	"strings"
	"testing"

	"github.com/belay-dev/belay/internal/belay"
)

// TestDetailRepeats: a detail that only repeats its title is not printed below it; a longer one is.
func TestDetailRepeats(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		title, detail string
		want          bool
	}{
		{"not shown: make it faster", "asked for: MODIFY: make it faster", false},
		{"not shown: make it faster", "asked for: MODIFY: make it faster\npossible lists:\n- A (a.ts:1): 1 before, 2 after", true},
		{"still there: a.go", "asked for: REMOVE: delete a.go and b.go", true},
		{"too large", "asked for: MODIFY: too large", true},
		{"not shown: b", "a\nasked for: ADD: b", true},
	} {
		var b strings.Builder
		writeFinding(&b, belay.Finding{Severity: belay.SeverityWarning, Title: tt.title, Detail: tt.detail}, "", maxDetailLines)
		if got := strings.Contains(b.String(), "\n    "); got != tt.want {
			t.Errorf("%q: detail printed %t, want %t", b.String(), got, tt.want)
		}
	}
}

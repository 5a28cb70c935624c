package clause

import (
	"strings"
	"testing"
)

// TestOpens: what begins a clause behind a comma or a conjunction, one construction each.
func TestOpens(t *testing.T) {
	for text, want := range map[string]bool{
		"two moods not working , more": true, "could the menu close": true, "log level warn": true, "results sorted by year": true,
		"nothing else should change": true, "be careful not to break it": true, "be more careful": false, "stay away from it": true, "hands off": false, "hands off it": true,
		"keep the header": true, "backwards compatible": true, "a new page": true, "a page": false, "not the page": false,
		"-v prints more": true, "5 more pages": true, "5 retries rather than 3": false, "animations off": true, "bigger fonts": true, "the page": false, "please": false,
	} {
		if got := opens(strings.Fields(text)); got != want {
			t.Errorf("%q opens: %v, want %v", text, got, want)
		}
	}
}

package scan

import (
	"testing"

	"github.com/belay-dev/belay/internal/belay"
)

// A pattern that cannot match anything is refused, because its author relies on it.
func TestNewRefusesWhatMatchesNothing(t *testing.T) {
	for _, g := range []string{"", "/", "[", "{a", "../x", "a/../b", "a/..", "/.."} {
		if _, err := NewGlobs([]string{".env", g}); belay.CodeOf(err) != belay.CodeUsage {
			t.Errorf("%q: %v", g, err)
		}
	}
	for g, path := range map[string]string{".env": ".env", "/.env": ".env", "a/": "a", "..x/**": "..x/y", "{a,b}/c": "b/c"} {
		in, err := NewGlobs([]string{g})
		if err != nil || !in.Covers(path, false) {
			t.Errorf("%q does not cover %q: %v", g, path, err)
		}
	}
}

package app

import "testing"

// TestNamesPath: a path in a text is not the end or the start of a longer one.
func TestNamesPath(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]bool{
		"func Half, main.go:12": true, "main.go": true, "in main.go": true, "main.go, line 3": true, "see main.go.": true,
		"cmd/main.go:12": false, "domain.go:1": false, "main.go2": false, "x.main.go": false, "": false,
		"cmd/main.go:1 and main.go:2": true,
	} {
		if got := namesPath(text, "main.go"); got != want {
			t.Errorf("%q names main.go: %v", text, got)
		}
	}
}

package intent

import (
	"slices"
	"testing"
)

// TestReferences: a line that only refers to an issue or an address asks for nothing, unless it is
// the entire message.
func TestReferences(t *testing.T) {
	t.Parallel()
	for text, want := range map[string][]string{
		"Land the bar on its final position\n\nCloses #3571":              {"Land the bar on its final position"},
		"Add a flag\n\nRefs https://example.com/a/b/1#c":                  {"Add a flag"},
		"Add a flag\n\nFollow up on #37":                                  {"Add a flag"},
		"Add a flag\n\nFixes owner/name#12, #13 and #14.":                 {"Add a flag"},
		"Add a flag\n\nFix the crash in #12 when the list is empty":       {"Add a flag", "Fix the crash in #12 when the list is empty"},
		"Add a flag\n\nFix https://example.com/a being printed as a link": {"Add a flag", "Fix https://example.com/a being printed as a link"},
		"Fixes #123": {"Fixes #123"},
	} {
		req, _ := Parse(Input{Text: text})
		var got []string
		for _, r := range req.Requirements {
			got = append(got, r.Text)
		}
		if !slices.Equal(got, want) {
			t.Errorf("%q: %q, want %q", text, got, want)
		}
	}
}

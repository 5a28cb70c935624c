package intent

import (
	"slices"
	"testing"
)

// TestPlainWordsNameNoFile: function words and common verbs of a message about something else name
// no file with such a name, nor one with a name that begins with them.
func TestPlainWordsNameNoFile(t *testing.T) {
	files := []string{"internal/plan/notation.go", "internal/cli/work/work.go", "internal/cli/work/working.go", "internal/add/add.go", "internal/fix/fix.go", "src/all.ts", "src/More.tsx",
		"lib/never.rb", "lib/back.rb", "lib/who.rb", "lib/still.py", "app/make.py", "app/change.py", "app/say.go", "app/not.go", "app/other.go", "app/user.go", "stats.go", "cod.go"}
	for text, want := range map[string][]string{
		"Refine the copy, two moods not working, add 2 more drinks for night":      nil,
		"make the hero bigger and don't change anything else":                      nil,
		"the page keeps jumping when I go back, nobody wants that":                 nil,
		"People who have never paid must not see the banner at all":                nil,
		"put a photo of the team on the start page, and take out the other one":    nil,
		"it still does not work, see what I said yesterday, and fix all the rest!": nil,
		"the state of the code is bad, add a linter":                               nil,
		"the notation of moves is wrong":                                           {"internal/plan/notation.go"},
		"stats are empty for new users":                                            {"app/user.go", "stats.go"},
		"app/not.go panics":                                                        {"app/not.go"},
		"Add NumStats in nstats.go: it returns the number of stats":                nil,
	} {
		if r, _ := Parse(Input{text, true, files}); !slices.Equal(r.Affected, want) && len(r.Affected)+len(want) > 0 {
			t.Errorf("%q: %v, want %v", text, r.Affected, want)
		}
	}
}

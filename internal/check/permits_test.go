package check_test

import (
	"testing"

	"github.com/belay-dev/belay/internal/belay"
	"github.com/belay-dev/belay/internal/check"
)

// TestPermits: a path that the request asks to change by name may change, a path that it only
// mentions may not.
func TestPermits(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]bool{
		"Update AGENTS.md": true,
		"Please update the AGENTS.md with the new commands":        true,
		"Add 3.13 to .github/workflows/ci.yml":                     true,
		"add 3.13 to ci.yml":                                       true,
		"Document the build in AGENTS.md":                          true,
		"Update CLAUDE.md and AGENTS.md":                           true,
		"Remove the lint job from ci.yml":                          true,
		"Fix the build as described in AGENTS.md":                  false,
		"Fix the parser according to AGENTS.md":                    false,
		"Add a parser, don't touch AGENTS.md":                      false,
		"Add the commands listed in AGENTS.md":                     false,
		"Read AGENTS.md and fix the parser":                        false,
		"Fix the parser":                                           false,
		"Fix the parser. The rules in AGENTS.md and ci.yml matter": false,
	} {
		path := "AGENTS.md"
		if len(text) > 0 && (text == "add 3.13 to ci.yml" || text == "Add 3.13 to .github/workflows/ci.yml" || text == "Remove the lint job from ci.yml") {
			path = ".github/workflows/ci.yml"
		}
		req := belay.Request{Requirements: []belay.Requirement{{Marker: belay.MarkModify, Text: text}}}
		if got := check.Permits(req, text, path); got != want {
			t.Errorf("%q: %v", text, got)
		}
	}
}

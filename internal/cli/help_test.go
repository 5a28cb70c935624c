package cli

import "testing"

// TestHelpIsShort: what belay help lists fits on a screen and into a head.
func TestHelpIsShort(t *testing.T) {
	t.Parallel()
	n, seen := 0, map[string]bool{}
	for _, g := range helpGroups {
		for _, name := range g.commands {
			if n++; seen[name] {
				t.Errorf("%s stands in two groups", name)
			}
			seen[name] = true
		}
	}
	if n > 20 || len(helpGroups) != 4 { // three, and the rest
		t.Errorf("%d commands in %d groups", n, len(helpGroups)-1)
	}
}

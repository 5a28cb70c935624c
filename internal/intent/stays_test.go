package intent

import (
	"strings"
	"testing"
)

// TestKept parses complete messages: what must stay is in their own words, joined by bars.
func TestKept(t *testing.T) {
	for text, want := range map[string]string{
		"rename the flag but keep the short form":                         "the short form",
		"the sidebar is too wide. don't touch the footer":                 "the footer",
		"the export button is ugly, but leave it":                         "the export button",
		"make the header blue. the footer stays":                          "the footer",
		"there is no audit trail. Add one.":                               "",
		"the save button does nothing, no error no nothing":               "",
		"restyle the table, no new dependencies. and no new dependencies": "no new dependencies",
		"the cron job leaks memory. and don't remove it yet":              "don't remove it yet",
	} {
		if got := strings.Join(readMessage(Input{Text: text, PlanExists: true}).Preserve, "|"); got != want {
			t.Errorf("%q: %q, want %q", text, got, want)
		}
	}
}

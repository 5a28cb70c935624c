package prompt

import (
	"strings"
	"testing"
)

func TestSaid(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"":                              "",
		"\n\n---\n```\ncode\n```\n":     "",
		"did it my way":                 "did it my way",
		"# Summary\n\n- **Added** b\nc": "Added b",
		"# Summary:\r\nAdded b.\r\n":    "Added b.",
		"## Added two drinks ##\nmore":  "Added two drinks",
		"1. [x] first\n2. second":       "first",
		"\ufeffa\x1b[31mb\u202ec":       `a\x1b[31mb\u{202e}c`,
		"a\xffb":                        "a�b",
		strings.Repeat("é", 400):        strings.Repeat("é", 159) + "…",
	} {
		if got := SummaryLine(text); got != want {
			t.Errorf("%q: %q, want %q", text, got, want)
		}
	}
}

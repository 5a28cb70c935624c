package clause

import (
	"strings"
	"testing"
)

// TestListed: where the things of a list begin that are each asked for, one construction each.
// The word in question is the first comma, or the first "and" where there is none.
func TestListed(t *testing.T) {
	type due struct {
		next string // the words from the next thing on
		more bool
	}
	for text, want := range map[string]due{
		"add a page , a section and a footer":               {"a section and a footer", true},
		"add a page , and also a section":                   {"a section", false},
		"add a page and a section":                          {"a section", false},
		"it should have a timer , a star and a bell":        {"a star and a bell", true},
		"give the cache compression , a limit and a flag":   {"a limit and a flag", true},
		"a list of hikes , a button , and a list of things": {"a button , and a list of things", true},
		"add a page with a title , a text and a picture":    {},
		"add a page listing a name , a text and a picture":  {},
		"rename a page , a section and a footer":            {},
		"add a page , fix the login":                        {},
		"the page , a section":                              {},
	} {
		low := strings.Fields(text)
		i := 0
		for k, w := range low {
			if w == "," || i == 0 && w == "and" {
				i = k
				break
			}
		}
		next, more := listed(low, 0, i, false)
		got := due{more: more}
		if next > 0 {
			got.next = strings.Join(low[next:], " ")
		}
		if got != want {
			t.Errorf("%q: %+v, want %+v", text, got, want)
		}
	}
}

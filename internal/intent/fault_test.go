package intent

import (
	"strings"
	"testing"
)

func TestWrong(t *testing.T) {
	for text, want := range map[string]int{
		"the login crashes":                              Plain,
		"esc does not close it":                          Plain,
		"i can't save a patient":                         Plain,
		"coins respawn inside walls":                     Plain,
		"it is deleting not the row i chose but another": Plain,
		"why can i walk here":                            Faint,
		"it still polls":                                 Faint,
		"the button is not so visible":                   Faint,
		"fix the crash":                                  Fine,
		"the error page needs a link":                    Fine,
		"add duplicate detection":                        Fine,
		"the page should not be slow":                    Fine,
		"we don't need it any more":                      Fine,
		"please add a page for broken links":             Fine,
	} {
		if got, by := ComplaintStrength(strings.Fields(text)); got != want {
			t.Errorf("%q: %d by %q, want %d", text, got, by, want)
		}
	}
}

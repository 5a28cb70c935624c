package clause

import (
	"strings"
	"testing"
)

// TestGapped: a second object with its own goal behind a verb that is said once, one construction
// each; the first "and" stands between them.
func TestGapped(t *testing.T) {
	for text, want := range map[string]bool{
		"bump node to 20 and the base image to bookworm":         true,
		"bump node to 20 and from the base image":                false,
		"bump node to 20 and the image of it":                    false,
		"add node to it and the base image to them":              false,
		"make the total bold and the rows red":                   true,
		"make the total more airy and the rows redder":           false,
		"move the logo left and the menu right":                  true,
		"move the logo to the left and the right margin":         false,
		"the footer should be smaller and the header bigger":     true,
		"give each user an avatar and each team a colour":        true,
		"give each user an avatar and each team in need a prize": false,
		"the page is slow and the menu to blame":                 false,
	} {
		left, right, _ := strings.Cut(text, " and ")
		if got := gapped(strings.Fields(left), strings.Fields(right)); got != want {
			t.Errorf("%q: %v, want %v", text, got, want)
		}
	}
}

func TestPerhaps(t *testing.T) {
	for text, want := range map[string]int{
		", if possible , a setting": 4, "maybe a border": 1, "if it's easy , a border": 4, "maybe the border": 0, "a border": 0, "": 0,
	} {
		if got := perhaps(strings.Fields(text)); got != want {
			t.Errorf("%q: %d, want %d", text, got, want)
		}
	}
}

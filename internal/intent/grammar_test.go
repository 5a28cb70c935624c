package intent

import (
	"strings"
	"testing"
)

func TestImperative(t *testing.T) {
	for text, want := range map[string]int{
		"add a page": 1, "get rid of it": 3, "take it out": 1, "telegraph the attack": 1, "upgarde react": 1,
		"test coverage is low": 0, "search no longer works": 0, "the page": 0, "export of orders": 0, "log the temperature": 1, "login page": 0, "supports dark mode": 0,
	} {
		if got := ImperativeLength(strings.Fields(text)); got != want {
			t.Errorf("%q: %d, want %d", text, got, want)
		}
	}
}

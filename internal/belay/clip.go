package belay

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// Clip cuts a text that is longer than most bytes after a word, and adds an ellipsis. A single word
// that is longer is cut.
func Clip(text string, most int) string {
	if len(text) <= most {
		return text
	}
	cut := max(0, most)
	for cut > 0 && !utf8.RuneStart(text[cut]) {
		cut--
	}
	if r, _ := utf8.DecodeRuneInString(text[cut:]); unicode.IsSpace(r) {
		return strings.TrimRight(text[:cut], " \t\n,;:-") + " …"
	}
	if at := strings.LastIndexFunc(text[:cut], unicode.IsSpace); at > 0 {
		return strings.TrimRight(text[:at], " \t\n,;:-") + " …"
	}
	return text[:cut] + "…"
}

package syntax

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// ContainsWord reports whether a text contains a name that is not part of a longer word.
func ContainsWord(text, name string) bool {
	first, _ := utf8.DecodeRuneInString(name)
	last, _ := utf8.DecodeLastRuneInString(name)
	for at := 0; name != ""; {
		i := strings.Index(text[at:], name)
		if i < 0 {
			return false
		}
		end := at + i + len(name)
		before, _ := utf8.DecodeLastRuneInString(text[:at+i])
		after, _ := utf8.DecodeRuneInString(text[end:])
		if !(isPartOfWord(first) && isPartOfWord(before)) && !(isPartOfWord(last) && isPartOfWord(after)) {
			return true
		}
		at = end
	}
	return false
}

func isPartOfWord(c rune) bool {
	return c == '_' || c != utf8.RuneError && (unicode.IsLetter(c) || unicode.IsDigit(c))
}

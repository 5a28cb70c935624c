package intent

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// splitName splits a name at punctuation and capitals, into lower case: StockPage, stock_page,
// stock-page. It is called for every file of a repository, and hardly any name is not ASCII.
func splitName(name string) []string {
	out := make([]string, 0, 4)
	start := 0
	for i := 0; i < len(name); i++ {
		c := name[i]
		switch {
		case c >= utf8.RuneSelf:
			return splitForeignName(name)
		case !isLetter(c) && (c < '0' || c > '9'):
			if i > start {
				out = append(out, strings.ToLower(name[start:i]))
			}
			start = i + 1
		case i > start && isUpper(c) && (isLower(name[i-1]) || isUpper(name[i-1]) && i+1 < len(name) && isLower(name[i+1])):
			out = append(out, strings.ToLower(name[start:i]))
			start = i
		}
	}
	if len(name) > start {
		out = append(out, strings.ToLower(name[start:]))
	}
	return out
}

func isLower(c byte) bool { return c >= 'a' && c <= 'z' }

func isUpper(c byte) bool { return c >= 'A' && c <= 'Z' }

func isLetter(c byte) bool { return isLower(c | 0x20) }

// splitForeignName splits a name with letters of any alphabet.
func splitForeignName(name string) []string {
	var out []string
	start := 0
	runes := []rune(name)
	flush := func(end int) {
		if end > start {
			out = append(out, strings.ToLower(string(runes[start:end])))
		}
	}
	for i, r := range runes {
		switch {
		case !unicode.IsLetter(r) && !unicode.IsDigit(r):
			flush(i)
			start = i + 1
		case i > start && unicode.IsUpper(r) &&
			(unicode.IsLower(runes[i-1]) || i+1 < len(runes) && unicode.IsLower(runes[i+1]) && unicode.IsUpper(runes[i-1])):
			flush(i)
			start = i
		}
	}
	flush(len(runes))
	return out
}

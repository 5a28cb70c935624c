package intent

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// parts cuts a name at marks and capitals: StockPage, stock_page, stock-page. They are in lower
// case. It is asked of every file of a repository, and hardly any has a name that is not ASCII.
func nameParts(name string) []string {
	out := make([]string, 0, 4)
	start := 0
	for i := 0; i < len(name); i++ {
		c := name[i]
		switch {
		case c >= utf8.RuneSelf:
			return foreignParts(name)
		case !letter(c) && (c < '0' || c > '9'):
			if i > start {
				out = append(out, strings.ToLower(name[start:i]))
			}
			start = i + 1
		case i > start && upper(c) && (lower(name[i-1]) || upper(name[i-1]) && i+1 < len(name) && lower(name[i+1])):
			out = append(out, strings.ToLower(name[start:i]))
			start = i
		}
	}
	if len(name) > start {
		out = append(out, strings.ToLower(name[start:]))
	}
	return out
}

func lower(c byte) bool { return c >= 'a' && c <= 'z' }

func upper(c byte) bool { return c >= 'A' && c <= 'Z' }

func letter(c byte) bool { return lower(c | 0x20) }

// foreignParts are the parts of a name with letters of any alphabet.
func foreignParts(name string) []string {
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

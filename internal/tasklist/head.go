package tasklist

import (
	"strings"
)

// headBox is the box in a heading, before its words or at their end.
func headBox(l Line) Box {
	for _, words := range []string{"- " + l.Words, "- " + lastWord(l.Words)} {
		if got := ReadPage([]byte(words)); len(got) == 1 && got[0].Box.State != NoBox {
			return got[0].Box
		}
	}
	return Box{}
}

// headWords are a heading's words without the box.
func headWords(l Line) string {
	sign := headBox(l).Sign
	if sign == "" {
		return l.Words
	}
	words := strings.TrimPrefix(l.Words, sign)
	return strings.TrimSpace(strings.TrimSuffix(words, sign))
}

// lastWord is what is behind the words of a heading: a box such as [ ] holds a blank.
func lastWord(words string) string {
	if at := strings.LastIndexAny(words, "["+Drawn); at >= 0 {
		return words[at:]
	}
	return ""
}

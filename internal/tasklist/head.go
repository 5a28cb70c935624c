package tasklist

import (
	"strings"
)

// headingBox returns the box at the start or the end of a heading.
func headingBox(l Line) Box {
	for _, words := range []string{"- " + l.Text, "- " + lastHeadingWord(l.Text)} {
		if got := ReadPage([]byte(words)); len(got) == 1 && got[0].Box.State != NoBox {
			return got[0].Box
		}
	}
	return Box{}
}

// headingText returns a heading's text without the box.
func headingText(l Line) string {
	sign := headingBox(l).Sign
	if sign == "" {
		return l.Text
	}
	words := strings.TrimPrefix(l.Text, sign)
	return strings.TrimSpace(strings.TrimSuffix(words, sign))
}

// lastHeadingWord returns a heading's text from its last bracket or drawn box. It may contain a
// blank, as [ ] does.
func lastHeadingWord(words string) string {
	if at := strings.LastIndexAny(words, "["+DrawnBoxes); at >= 0 {
		return words[at:]
	}
	return ""
}

package tasklist

import (
	"strings"
)

// headingBox is the box in a heading, before its words or at their end.
func headingBox(l Line) Box {
	for _, words := range []string{"- " + l.Text, "- " + lastHeadingWord(l.Text)} {
		if got := ReadPage([]byte(words)); len(got) == 1 && got[0].Box.State != NoBox {
			return got[0].Box
		}
	}
	return Box{}
}

// headingText are a heading's words without the box.
func headingText(l Line) string {
	sign := headingBox(l).Sign
	if sign == "" {
		return l.Text
	}
	words := strings.TrimPrefix(l.Text, sign)
	return strings.TrimSpace(strings.TrimSuffix(words, sign))
}

// lastHeadingWord is what is behind the words of a heading: a box such as [ ] holds a blank.
func lastHeadingWord(words string) string {
	if at := strings.LastIndexAny(words, "["+DrawnBoxes); at >= 0 {
		return words[at:]
	}
	return ""
}

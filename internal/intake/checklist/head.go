package checklist

import (
	"strings"

	"github.com/belay-dev/belay/internal/intake/page"
)

// headBox is the box in a heading, before its words or at their end.
func headBox(l page.Line) page.Box {
	for _, words := range []string{"- " + l.Words, "- " + lastWord(l.Words)} {
		if got := page.Read([]byte(words)); len(got) == 1 && got[0].Box.State != page.NoBox {
			return got[0].Box
		}
	}
	return page.Box{}
}

// headWords are a heading's words without the box.
func headWords(l page.Line) string {
	sign := headBox(l).Sign
	if sign == "" {
		return l.Words
	}
	words := strings.TrimPrefix(l.Words, sign)
	return strings.TrimSpace(strings.TrimSuffix(words, sign))
}

// lastWord is what stands behind the words of a heading: a box such as [ ] holds a blank.
func lastWord(words string) string {
	if at := strings.LastIndexAny(words, "["+page.Drawn); at >= 0 {
		return words[at:]
	}
	return ""
}

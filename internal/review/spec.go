package review

import (
	"strings"

	"github.com/belay-dev/belay/internal/lazyregexp"
)

// The ID of a requirement at the start of an item or a heading: FR-001, NFR-2, SC-003, REQ-1.2; and
// the headings of OpenSpec and Kiro with a name or a number as ID.
var (
	labelPattern = lazyregexp.New(`^\s*(?:[-*+]|\d+[.)]|` +
		`#{1,6})?\s*(?:\[[ xX]\]\s*)?\**((?:FR|NFR|SC|REQ|UC|AC|R)-\d+(?:\.\d+)*[a-z]?)\**\s*[:.\x{2014}\x{2013}-]?\**\s*(.*)$`)
	headingPattern = lazyregexp.New(`^#{2,4}\s+Requirement(?:\s+(\d+)|:)\s*:?\s*(.*)$`)
)

const (
	maxItems    = 500
	maxItemText = 200 // bytes of an item's text
)

// ReadItems reads the requirements of a document that have an ID, outside of code blocks. A
// repeated ID counts once, at its first place.
func ReadItems(file, text string) []Item {
	var out []Item
	seen := map[string]bool{}
	fenced := false
	n := 0
	for l := range strings.Lines(text) {
		n++
		l = strings.TrimRight(l, "\r\n")
		if t := strings.TrimSpace(l); strings.HasPrefix(t, "```") || strings.HasPrefix(t, "~~~") {
			fenced = !fenced
		}
		if fenced || len(out) == maxItems {
			continue
		}
		i, ok := parseItem(l)
		if ok && !seen[i.ID] {
			seen[i.ID] = true
			i.File, i.Line = file, n
			out = append(out, i)
		}
	}
	return out
}

func parseItem(l string) (Item, bool) {
	if m := labelPattern.FindStringSubmatch(l); m != nil {
		return Item{ID: m[1], Text: shortText(m[2])}, true
	}
	m := headingPattern.FindStringSubmatch(l)
	switch {
	case m == nil:
		return Item{}, false
	case m[1] != "":
		return Item{ID: "Requirement " + m[1], Text: shortText(m[2])}, true
	case shortText(m[2]) == "": // nothing, or only emphasis
		return Item{}, false
	}
	return Item{ID: shortText(m[2]), Text: shortText(m[2])}, true
}

func shortText(s string) string {
	s = strings.TrimSpace(strings.Trim(strings.TrimSpace(s), "*"))
	if len(s) > maxItemText {
		s = strings.ToValidUTF8(s[:maxItemText], "") + "…"
	}
	return s
}

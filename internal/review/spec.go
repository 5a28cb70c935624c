package review

import (
	"strings"

	"github.com/belay-dev/belay/internal/lazyregexp"
)

// An id of a requirement at the start of an item or a heading: FR-001, NFR-2, SC-003,
// REQ-1.2; and OpenSpec's and Kiro's headings, whose names or numbers are the id.
var (
	labelled = lazyregexp.New(`^\s*(?:[-*+]|\d+[.)]|` +
		`#{1,6})?\s*(?:\[[ xX]\]\s*)?\**((?:FR|NFR|SC|REQ|UC|AC|R)-\d+(?:\.\d+)*[a-z]?)\**\s*[:.\x{2014}\x{2013}-]?\**\s*(.*)$`)
	headed = lazyregexp.New(`^#{2,4}\s+Requirement(?:\s+(\d+)|:)\s*:?\s*(.*)$`)
)

const (
	mostItems = 500
	longItem  = 200 // bytes of an item's words
)

// Items reads the requirements of a document, those that have an id. What is in a
// code block is none. An id that comes twice counts where it comes first.
func Items(file, text string) []Item {
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
		if fenced || len(out) == mostItems {
			continue
		}
		i, ok := item(l)
		if ok && !seen[i.ID] {
			seen[i.ID] = true
			i.File, i.Line = file, n
			out = append(out, i)
		}
	}
	return out
}

func item(l string) (Item, bool) {
	if m := labelled.FindStringSubmatch(l); m != nil {
		return Item{ID: m[1], Text: short(m[2])}, true
	}
	m := headed.FindStringSubmatch(l)
	switch {
	case m == nil:
		return Item{}, false
	case m[1] != "":
		return Item{ID: "Requirement " + m[1], Text: short(m[2])}, true
	case short(m[2]) == "": // nothing, or only emphasis
		return Item{}, false
	}
	return Item{ID: short(m[2]), Text: short(m[2])}, true
}

func short(s string) string {
	s = strings.TrimSpace(strings.Trim(strings.TrimSpace(s), "*"))
	if len(s) > longItem {
		s = strings.ToValidUTF8(s[:longItem], "") + "…"
	}
	return s
}

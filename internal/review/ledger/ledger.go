// Package ledger keeps the places a review names, in the order of its text, each taken or
// left and why. What is said later changes what was entered: places are turned down,
// asked for after all, labelled by the number of their item. Hearing that is not its
// business. It touches no file.
package ledger

import (
	"slices"

	"github.com/belay-dev/belay/internal/review/prose"
	"github.com/belay-dev/belay/internal/review/spot"
	"github.com/belay-dev/belay/internal/review/talk"
)

// Entry is a place that is named.
type Entry struct {
	Path     string
	Span     spot.Span
	Severity talk.Severity
	Unit     int    // of the review
	At       int    // the token in its unit
	Line     int    // of the review, from 1
	Weak     bool   // the file as a whole, in passing: lines that follow say it better
	Firm     bool   // in so many words
	Why      string // it was taken
	Off      string // it was left; "" when it is taken
}

// Reason says why a place was taken or left.
func (e Entry) Reason() string {
	if e.Off != "" {
		return e.Off
	}
	return e.Why
}

// Where tells of a unit of the review which finding it is of, and whether it only sums up.
type Where func(unit int) (finding int, summary bool)

// Ledger is what one review names.
type Ledger struct {
	Hits  []Entry
	Units []prose.Unit
	Where Where
}

// most is where entering ends: a review that names more is no review.
const most = 200_000

// Enter adds a place and gives its number; false when the ledger is full.
func (l *Ledger) Enter(e Entry) (int, bool) {
	if len(l.Hits) >= most {
		return 0, false
	}
	l.Hits = append(l.Hits, e)
	return len(l.Hits) - 1, true
}

// Taken are those of some places that are taken.
func (l *Ledger) Taken(hits []int) []int {
	var out []int
	for _, h := range hits {
		if l.Hits[h].Off == "" {
			out = append(out, h)
		}
	}
	return out
}

// OfUnit counts the places of the unit that was entered last.
func (l *Ledger) OfUnit(unit int) int {
	n := 0
	for k := len(l.Hits) - 1; k >= 0 && l.Hits[k].Unit == unit; k-- {
		n++
	}
	return n
}

// SameFinding tells whether a place was named in the finding of a unit.
func (l *Ledger) SameFinding(hit, unit int) bool {
	u := l.Hits[hit].Unit
	if u >= len(l.Units) {
		return false
	}
	a, _ := l.Where(u)
	b, _ := l.Where(unit)
	return a == b
}

// Acquit takes back what was said in passing of files that are then found good.
func (l *Ledger) Acquit(unit int, paths []string) {
	for k := len(l.Hits) - 1; k >= 0 && l.Hits[k].Unit == unit; k-- {
		if h := &l.Hits[k]; h.Off == "" && !h.Firm && slices.Contains(paths, h.Path) {
			h.Off = "found good after all"
		}
	}
}

// Raise takes places that were left for one of these reasons, and gives which.
func (l *Ledger) Raise(hits []int, reasons ...string) []int {
	var out []int
	for _, h := range hits {
		if slices.Contains(reasons, l.Hits[h].Off) {
			l.Hits[h].Off, l.Hits[h].Why = "", "asked for after all"
			out = append(out, h)
		}
	}
	return out
}

// Drop leaves places that were taken.
func (l *Ledger) Drop(hits []int, why string) {
	for _, h := range hits {
		if l.Hits[h].Off == "" {
			l.Hits[h].Off = why
		}
	}
}

// Withdraw leaves what was said of a file, or of some of its lines.
func (l *Ledger) Withdraw(path string, spans []spot.Span) {
	for k := max(0, len(l.Hits)-2000); k < len(l.Hits); k++ {
		if h := &l.Hits[k]; h.Path == path && (len(spans) == 0 || slices.Contains(spans, h.Span)) {
			h.Off = "withdrawn later"
		}
	}
}

// Numbered leaves what was said in the items of these numbers that stand before a unit, or
// in the paragraphs, counted, where no item has a number. It is false when there is none.
func (l *Ledger) Numbered(before int, numbers []int, why string) bool {
	numbered := false
	for _, u := range l.Units[:before] {
		numbered = numbered || u.Number > 0 && u.Kind == prose.Item
	}
	found := false
	nth, last := 0, -1
	for k := range l.Hits {
		h := &l.Hits[k]
		if h.Unit >= before {
			break
		}
		if h.Unit != last {
			nth, last = nth+1, h.Unit
		}
		n := nth
		for u := h.Unit; numbered && u != prose.None; u = l.Units[u].Parent {
			if n = l.Units[u].Number; n > 0 {
				break
			}
		}
		if slices.Contains(numbers, n) {
			h.Off, found = why, true
		}
	}
	return found
}

// Label gives numbered items their labels, and rest to the others. It is false when there
// is none of them.
func (l *Ledger) Label(unit int, given map[int]talk.Severity, rest talk.Severity) bool {
	found := false
	for k := range l.Hits {
		for u := l.Hits[k].Unit; u != prose.None && u < len(l.Units) && u != unit; u = l.Units[u].Parent {
			n := l.Units[u].Number
			if n == 0 || l.Units[u].Kind != prose.Item {
				continue
			}
			if sev := given[n]; sev != "" {
				l.Hits[k].Severity, found = sev, true
			} else if rest != "" {
				l.Hits[k].Severity, found = rest, true
			}
		}
	}
	return found
}

// Finish drops a file as a whole where the review says better which lines it means: in
// passing before or after them in one finding, or in a summary.
func (l *Ledger) Finish() {
	type at struct {
		path string
		unit int
	}
	lined, found, anywhere := map[at]bool{}, map[at]bool{}, map[string]bool{}
	for _, h := range l.Hits {
		if h.Off != "" || h.Unit >= len(l.Units) {
			continue
		}
		finding, summary := l.Where(h.Unit)
		if h.Span.Start > 0 {
			found[at{h.Path, finding}] = true
			for u := h.Unit; u != prose.None && l.Units[u].Kind != prose.Heading && !lined[at{h.Path, u}]; u = l.Units[u].Parent {
				lined[at{h.Path, u}] = true
			}
		}
		if !summary {
			anywhere[h.Path] = true
		}
	}
	for i, h := range l.Hits {
		if h.Off != "" || h.Unit >= len(l.Units) || h.Span.Start > 0 {
			continue
		}
		f, summary := l.Where(h.Unit)
		item := f != prose.None && l.Units[f].Kind != prose.Heading
		if h.Weak && (lined[at{h.Path, h.Unit}] || item && !h.Firm && found[at{h.Path, f}]) {
			l.Hits[i].Off = "its lines are said"
		} else if summary && anywhere[h.Path] {
			l.Hits[i].Off = "a summary of what is said elsewhere"
		}
	}
}

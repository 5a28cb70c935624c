package ledger

import (
	"slices"
	"testing"

	"github.com/belay-dev/belay/internal/review/prose"
	"github.com/belay-dev/belay/internal/review/spot"
	"github.com/belay-dev/belay/internal/review/talk"
)

// three items, numbered, and a paragraph below them.
func ledger() *Ledger {
	l := &Ledger{Where: func(unit int) (int, bool) { return unit, unit == 3 }}
	for n := 1; n <= 3; n++ {
		l.Units = append(l.Units, prose.Unit{Kind: prose.Item, Number: n, Parent: prose.None})
	}
	l.Units = append(l.Units, prose.Unit{Kind: prose.Para, Parent: prose.None})
	for n, p := range []string{"a.go", "b.go", "c.go"} {
		l.Enter(Entry{Path: p, Unit: n, Span: spot.Span{Start: n + 1, End: n + 1}})
	}
	return l
}

func taken(l *Ledger) []string {
	var out []string
	for _, h := range l.Hits {
		if h.Off == "" {
			out = append(out, h.Path)
		}
	}
	return out
}

func TestLater(t *testing.T) {
	for name, c := range map[string]struct {
		do   func(*Ledger)
		want []string
	}{
		"nothing":           {func(*Ledger) {}, []string{"a.go", "b.go", "c.go"}},
		"2 is done":         {func(l *Ledger) { l.Numbered(3, []int{2}, "settled") }, []string{"a.go", "c.go"}},
		"there is no 7":     {func(l *Ledger) { l.Numbered(3, []int{7}, "settled") }, []string{"a.go", "b.go", "c.go"}},
		"withdrawn":         {func(l *Ledger) { l.Withdraw("b.go", nil) }, []string{"a.go", "c.go"}},
		"other lines of it": {func(l *Ledger) { l.Withdraw("b.go", []spot.Span{{Start: 9, End: 9}}) }, []string{"a.go", "b.go", "c.go"}},
		"good after all":    {func(l *Ledger) { l.Acquit(2, []string{"c.go"}) }, []string{"a.go", "b.go"}},
		"left, then raised": {func(l *Ledger) { l.Drop([]int{0, 1}, "a question"); l.Raise([]int{0}, "a question") }, []string{"a.go", "c.go"}},
		"not for that":      {func(l *Ledger) { l.Drop([]int{0}, "settled"); l.Raise([]int{0}, "a question") }, []string{"b.go", "c.go"}},
		"a summary of it":   {func(l *Ledger) { l.Enter(Entry{Path: "a.go", Unit: 3}); l.Finish() }, []string{"a.go", "b.go", "c.go"}},
		"a file in passing": {func(l *Ledger) { l.Enter(Entry{Path: "c.go", Unit: 2, Weak: true}); l.Finish() }, []string{"a.go", "b.go", "c.go"}},
		"a file of its own": {func(l *Ledger) { l.Enter(Entry{Path: "d.go", Unit: 2, Weak: true}); l.Finish() }, []string{"a.go", "b.go", "c.go", "d.go"}},
		"only in a summary": {func(l *Ledger) { l.Enter(Entry{Path: "d.go", Unit: 3}); l.Finish() }, []string{"a.go", "b.go", "c.go", "d.go"}},
		"paragraphs counted": {func(l *Ledger) {
			l.Units[0].Number, l.Units[1].Number, l.Units[2].Number = 0, 0, 0
			l.Numbered(3, []int{3}, "settled")
		}, []string{"a.go", "b.go"}},
	} {
		l := ledger()
		c.do(l)
		if got := taken(l); !slices.Equal(got, c.want) {
			t.Errorf("%s: %q, want %q", name, got, c.want)
		}
	}
}

func TestLabel(t *testing.T) {
	l := ledger()
	if !l.Label(3, map[int]talk.Severity{1: talk.Critical}, talk.Note) || l.Hits[0].Severity != talk.Critical || l.Hits[2].Severity != talk.Note {
		t.Errorf("1 is a blocker, the rest nits: %+v", l.Hits)
	}
}

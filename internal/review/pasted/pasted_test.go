package pasted

import (
	"slices"
	"testing"

	"github.com/belay-dev/belay/internal/review/output"
	"github.com/belay-dev/belay/internal/review/spot"
)

func at(path string, line int, kind output.Kind) Place {
	return Place{Place: output.Place{Path: path, Start: line, End: line, Kind: kind}, Tracked: path}
}

func TestBlock(t *testing.T) {
	lint := New(0, []Place{at("a.go", 3, output.Diagnostic), at("b.go", 4, output.Diagnostic), at("a.go", 9, output.Diagnostic), at("Makefile", 1, output.Aside)})
	if got := lint.Complaints(); !slices.Equal(got, []int{0, 1, 2}) {
		t.Errorf("complaints %v", got)
	}
	if second, ok := Nth([]*Block{lint}, 2); !ok || second.Places[second.K].Tracked != "b.go" {
		t.Errorf("the second: %v %v", second, ok)
	}
	if last, ok := Nth([]*Block{lint}, -1); !ok || last.K != 2 {
		t.Errorf("the last: %v %v", last, ok)
	}
	if _, ok := Nth([]*Block{lint}, 4); ok {
		t.Error("there is no fourth")
	}
	if got := Lines([]*Block{lint}, "a.go"); !slices.Equal(got, []spot.Span{{Start: 3, End: 3}, {Start: 9, End: 9}}) {
		t.Errorf("lines of a.go: %v", got)
	}
	if got := Lines([]*Block{lint}, "a.go"); got != nil {
		t.Errorf("lines that were given are given once: %v", got)
	}
	lint.Leave("noise")
	if len(lint.Complaints()) > 0 || len(Waiting([]*Block{lint})) > 0 {
		t.Error("what was left waits no more")
	}
}

func TestTrace(t *testing.T) {
	js := New(0, []Place{at("src/a.js", 5, output.Frame), at("src/b.js", 6, output.Frame), at("src/a.js", 7, output.Frame)})
	if got := Lines([]*Block{js}, "src/a.js"); !slices.Equal(got, []spot.Span{{Start: 5, End: 5}}) {
		t.Errorf("innermost first: %v", got)
	}
	last := at("x.py", 8, output.Frame)
	first := at("x.py", 2, output.Frame)
	first.Last, last.Last = true, true
	shown := at("tests/test_x.py", 1, output.Frame)
	shown.Last = true
	py := New(1, []Place{shown, first, last})
	if got := Lines([]*Block{js, py}, "x.py"); !slices.Equal(got, []spot.Span{{Start: 8, End: 8}}) {
		t.Errorf("innermost last: %v", got)
	}
	if got := py.Deepest(); got != 2 {
		t.Errorf("deepest: %d", got)
	}
	if p, ok := Stem([]*Block{js, py}, "x"); !ok || p.Tracked != "x.py" {
		t.Errorf("by its name: %v %v", p, ok)
	}
}

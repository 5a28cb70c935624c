package cue

import (
	"slices"
	"testing"

	"github.com/belay-dev/belay/internal/ask/clause"
	"github.com/belay-dev/belay/internal/ask/deed"
	"github.com/belay-dev/belay/internal/ask/prose"
	"github.com/belay-dev/belay/internal/belay"
)

// message is a text as grammar reads its clauses one by one.
func message(text string, kind belay.RequestType) Message {
	m := Message{Text: text, PlanExists: true, Type: kind}
	sent := 0
	for line, b := range prose.Blocks(text) {
		for _, s := range b.Sentences() {
			sent++
			for _, c := range clause.Clauses(s) {
				c.Block, c.Line, c.Sent = b, line, sent
				a := deed.Read(c)
				a.Nr = len(m.Acts)
				m.Acts, m.Made, m.Decided = append(m.Acts, a), append(m.Made, a.Marker), append(m.Decided, a.Marker)
			}
		}
	}
	return m
}

// TestAct holds what is told of a clause: by itself, of its neighbours, of what was decided.
func TestAct(t *testing.T) {
	m := message("Rename the flag (was --fmt), the total is wrong. Please add 2 tests.", belay.Mutation)
	if len(m.Acts) != 3 {
		t.Fatalf("%d acts", len(m.Acts))
	}
	for i, want := range [][]string{
		{"grammar: MODIFY", "is request", "by rename / MODIFY", "begins a sentence", "first", "aside behind", "aside was", "imperative", "begins rename", "stem flag",
			"behind same sentence complaint FIX / MODIFY", "before nothing / MODIFY", "decided 0", "type mutation / MODIFY"},
		{"is complaint", "complains plainly", "joined by ,", "in the middle", "finite", "before same sentence request of complaint", "behind same paragraph please of complaint",
			"decided before same sentence MODIFY", "decided last same sentence MODIFY / FIX", "asked before 1 / FIX", "has is wrong"},
		{"last", "please", "has 0", "ends with .", "decided 2 / ADD", "beside complaint / ADD"},
	} {
		got := m.Act(i)
		for _, c := range want {
			if !slices.Contains(got, c) {
				t.Errorf("act %d has no cue %q", i, c)
			}
		}
	}
}

// TestFresh holds that each cue of something new is said once more.
func TestFresh(t *testing.T) {
	text := "a page with a search"
	plain, whole := message(text, belay.Mutation).Act(0), message(text, belay.Fresh).Act(0)
	if len(whole) != 2*len(plain) || !slices.Contains(whole, "whole: has page") || slices.Contains(plain, "whole: has page") {
		t.Errorf("%d and %d cues", len(plain), len(whole))
	}
}

// TestWhole holds what is told of a message.
func TestWhole(t *testing.T) {
	m := message("can you fix it?", belay.Unclear)
	m.Doubts = []string{"what is wrong is not said"}
	got := m.Whole()
	for _, c := range []string{"type needs-clarification", "clauses 1", "plan / needs-clarification", "doubt: what is wrong is not said", "ends with ?", "has fix it", "word 1 can"} {
		if !slices.Contains(got, c) {
			t.Errorf("no cue %q", c)
		}
	}
	if got := message(text(200), belay.Mutation).Whole(); slices.Contains(got, "has word") || !slices.Contains(got, "word 1 word") {
		t.Error("of a long message more is told than its beginning and end")
	}
	if got := (Message{Type: belay.Mutation}).Whole(); len(got) == 0 {
		t.Error("nothing is told of nothing")
	}
}

func text(n int) string {
	s := ""
	for range n {
		s += "word "
	}
	return s
}

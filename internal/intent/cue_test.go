package intent

import (
	"slices"
	"testing"

	"github.com/belay-dev/belay/internal/belay"
)

// message parses a text clause by clause, with the grammar's decisions.
func message(text string, kind belay.RequestType) messageView {
	m := messageView{Text: text, PlanExists: true, Type: kind}
	sent := 0
	for line, b := range Blocks(text) {
		for _, s := range b.Sentences() {
			sent++
			for _, c := range SplitClauses(s) {
				c.Block, c.Line, c.Sentence = b, line, sent
				a := ReadClause(c)
				a.Index = len(m.Acts)
				m.Acts, m.GrammarMarkers, m.Decided = append(m.Acts, a), append(m.GrammarMarkers, a.Marker), append(m.Decided, a.Marker)
			}
		}
	}
	return m
}

// TestAct tests the cues of a clause: from itself, its neighbours, and earlier decisions.
func TestAct(t *testing.T) {
	m := message("Rename the flag (was --fmt), the total is wrong. Please add 2 tests.", belay.Mutation)
	if len(m.Acts) != 3 {
		t.Fatalf("%d acts", len(m.Acts))
	}
	for i, want := range [][]string{
		{"grammar: request MODIFY", "by rename / request MODIFY", "begins a sentence", "aside behind", "aside was", "imperative", "begins rename", "behind here complaint FIX / request MODIFY",
			"before nothing / request MODIFY", "type mutation / request MODIFY", "as order", "sense modify"},
		{"complains plainly", "joined by ,", "finite", "before here request MODIFY / complaint FIX", "behind near please / complaint FIX", "after here MODIFY",
			"last here MODIFY / complaint FIX", "has is wrong"},
		{"please", "has 0", "ends with .", "last near FIX / request ADD"},
	} {
		got := m.actCues(i)
		for _, c := range want {
			if !slices.Contains(got, c) {
				t.Errorf("act %d has no cue %q", i, c)
			}
		}
	}
}

// TestAlike: more acts in the message do not change the cues of an act, as long as those beside it
// are the same.
func TestAlike(t *testing.T) {
	few, many := "Rename the flag. The total is wrong. Add a page.", "Rename the flag. The total is wrong. Add a page. Drop the banner. Hide the footer. The menu flickers."
	if a, b := message(few, belay.Mutation).actCues(1), message(many, belay.Mutation).actCues(1); !slices.Equal(a, b) {
		t.Errorf("%q\n%q", a, b)
	}
}

// TestAnew: in a message that asks for something new, each cue is repeated.
func TestAnew(t *testing.T) {
	plain, whole := message("a page with a search", belay.Mutation), message("a page with a search", belay.Mutation)
	whole.Anew = 3
	if a, b := plain.actCues(0), whole.actCues(0); len(b) != 2*len(a) || !slices.Contains(b, "new: has page") || slices.Contains(a, "new: has page") {
		t.Errorf("%d and %d cues", len(a), len(b))
	}
}

// TestWholeCues tests the cues of a message.
func TestWholeCues(t *testing.T) {
	m := message("can you fix it?", belay.Unclear)
	m.Doubts = []string{"what is wrong is not said"}
	got := m.messageCues()
	for _, c := range []string{"type needs-clarification", "plan / needs-clarification", "doubt: what is wrong is not said", "ends with ?", "has fix it", "word 1 can"} {
		if !slices.Contains(got, c) {
			t.Errorf("no cue %q", c)
		}
	}
	if got := message(text(200), belay.Mutation).messageCues(); slices.Contains(got, "has word") || !slices.Contains(got, "word 1 word") {
		t.Error("a long message has other cues than its beginning and end")
	}
	if got := (messageView{Type: belay.Mutation}).messageCues(); len(got) == 0 {
		t.Error("an empty message has no cues")
	}
}

func text(n int) string {
	s := ""
	for range n {
		s += "word "
	}
	return s
}

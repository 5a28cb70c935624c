package session

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/belay-dev/belay/internal/belay"
	"github.com/belay-dev/belay/internal/snapshot"
)

// TestSpans: the agent's changes are those between a start and its capture, the checks' those after
// that up to their end; a person's changes in between are in no span.
func TestSpans(t *testing.T) {
	taken := func(id belay.SnapshotID, kind belay.Kind, attempt int, command string) snapshot.Info {
		return snapshot.Info{ID: id, Meta: snapshot.Meta{Kind: kind, Attempt: attempt, Command: command}}
	}
	list := []snapshot.Info{ // in any order
		taken("05", belay.KindAfter, 2, "9-capture"),
		taken("01", belay.KindBefore, 0, "1-snapshot"),
		taken("02", belay.KindAfter, 1, "3-capture"),
		taken("03", belay.KindAfter, 1, "4-check"+EndMark),
		taken("04", belay.KindBefore, 2, "8-attempt"+StartMark),
		taken("06", belay.KindRescue, 0, "11-restore"),
		taken("07", belay.KindManual, 0, ""),
		taken("08", belay.KindStall, 3, "15-capture"),
	}
	want := []Span{
		{From: "01", To: "02", Agent: true},
		{From: "02", To: "03"},
		{From: "04", To: "05", Agent: true}, // a person between 03 and 04
		{From: "05", To: "08", Agent: true},
	}
	if d := cmp.Diff(want, SpansOf("01", list)); d != "" {
		t.Error(d)
	}
	if got := SpansOf("01", nil); len(got) != 0 {
		t.Errorf("%v", got)
	}
}

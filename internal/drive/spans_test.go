package drive

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/belay-dev/belay/internal/belay"
	"github.com/belay-dev/belay/internal/snapshot"
)

// Spans say who changed what: the agent between a start and its capture, the checks
// from there to their end, and a person in between, who is in no span.
func TestSpans(t *testing.T) {
	taken := func(id belay.SnapshotID, kind belay.Kind, attempt int, command string) snapshot.Info {
		return snapshot.Info{ID: id, Meta: snapshot.Meta{Kind: kind, Attempt: attempt, Command: command}}
	}
	list := []snapshot.Info{ // in any order
		taken("05", belay.KindAfter, 2, "9-capture"),
		taken("01", belay.KindBefore, 0, "1-snapshot"),
		taken("02", belay.KindAfter, 1, "3-capture"),
		taken("03", belay.KindAfter, 1, "4-check"+endMark),
		taken("04", belay.KindBefore, 2, "8-attempt"+startMark),
		taken("06", belay.KindRescue, 0, "11-restore"),
		taken("07", belay.KindManual, 0, ""),
		taken("08", belay.KindStall, 3, "15-capture"),
	}
	want := []span{
		{from: "01", to: "02", attempt: 1, agent: true},
		{from: "02", to: "03", attempt: 1},
		{from: "04", to: "05", attempt: 2, agent: true}, // 03 to 04 was a person
		{from: "05", to: "08", attempt: 3, agent: true},
	}
	if d := cmp.Diff(want, spans("01", list), cmp.AllowUnexported(span{})); d != "" {
		t.Error(d)
	}
	if got := spans("01", nil); len(got) != 0 {
		t.Errorf("%v", got)
	}
}

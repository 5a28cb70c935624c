package snapshot

import (
	"strings"
	"testing"
	"time"

	"github.com/belay-dev/belay/internal/belay"
	"github.com/belay-dev/belay/internal/git"
)

// An id follows all ids before it except those that nobody can have made: nothing sorts after an id
// at the end of time.
func TestNewIDsFollowTheTrueOnes(t *testing.T) {
	now := time.Date(2030, 1, 1, 0, 0, 0, 0, time.UTC)
	at := func(d time.Duration) belay.SnapshotID { return newID(now.Add(d), "") }
	old, soon, far := at(-time.Hour), at(time.Hour), at(maxClockAhead+time.Hour)
	end, beyond := belay.SnapshotID("7"+strings.Repeat("z", 25)), belay.SnapshotID(strings.Repeat("z", 26))
	known := &Registry{}
	s := &Store{opts: Options{Registry: known}}
	refs := func(ids ...belay.SnapshotID) (list []git.Ref) {
		for _, id := range ids {
			list = append(list, git.Ref{Name: RefPrefix + string(id)})
		}
		return list
	}
	for _, c := range []struct {
		refs []git.Ref
		want belay.SnapshotID
	}{
		{nil, ""},
		{refs(old), old},
		{refs(old, soon), soon}, // the clock was set back
		{refs(soon, far), soon},
		{refs(old, end, beyond), old},
		{append(refs(old), git.Ref{Name: RefPrefix + strings.Repeat("u", 26)}, git.Ref{Name: "refs/heads/" + string(soon)}), old},
	} {
		got := s.newestID(c.refs, now)
		if got != c.want {
			t.Errorf("newest of %v is %q, want %q", c.refs, got, c.want)
		}
		if id := newID(now, got); id <= got || id >= end || isForeignID(id, now) {
			t.Errorf("%q follows %q", id, got)
		}
	}
	known.Add(Pin{ID: far, Commit: strings.Repeat("a", 40)}) // the clock was wrong when it was taken
	if got := s.newestID(refs(soon, far, end), now); got != far {
		t.Errorf("%q", got)
	}
}

func TestWhatWasSaidFirstStands(t *testing.T) {
	one, two := strings.Repeat("a", 40), strings.Repeat("b", 40)
	k := &Registry{}
	k.Add(Pin{ID: "01", Commit: one}, Pin{ID: "02", Commit: "rubbish"}, Pin{ID: "01", Commit: two})
	if b, said := k.Lookup("01"); !said || b.Commit != one {
		t.Errorf("%+v %v", b, said)
	}
	if _, said := k.Lookup("02"); said {
		t.Error("rubbish was bound")
	}
	s := &Store{opts: Options{Registry: k}}
	if s.checkPin("01", one) != nil || s.checkPin("03", two) != nil || belay.CodeOf(s.checkPin("01", two)) != belay.CodeCannot {
		t.Error("a commit is compared wrongly")
	}
	var none *Registry
	none.Add(Pin{ID: "01", Commit: one})
	if _, said := none.Lookup("01"); said {
		t.Error("a nil registry has a pin")
	}
}

package session

import (
	"encoding/json"
	"os"
	"path/filepath"
	"testing"

	"github.com/belay-dev/belay/internal/belay"
	"github.com/belay-dev/belay/internal/loop"
	"github.com/belay-dev/belay/internal/snapshot"
)

// TestSizes: the entry of a snapshot contains how much it added, even if the record was read again
// meanwhile; for a snapshot that was found, not taken, that is unknown.
func TestSizes(t *testing.T) {
	s := newScene(t)
	read := func(seq int) (e EventEntry) {
		t.Helper()
		s.must(json.Unmarshal(s.rec.Log.Entries[seq-1].Data, &e))
		return e
	}
	first := read(s.rec.Log.Head.Seq)
	packs, err := filepath.Glob(filepath.Join(s.Repo.Common, "objects", "pack", "*.pack"))
	if err != nil || len(packs) != 1 {
		t.Fatal(packs, err)
	}
	at, err := os.Stat(packs[0])
	s.must(err)
	if want := (Size{ID: first.Snapshots[0].ID, Added: at.Size(), Files: 1}); len(first.Sizes) != 1 || first.Sizes[0] != want {
		t.Errorf("%+v, not %+v", first.Sizes, want)
	}
	s.must(os.WriteFile(filepath.Join(s.Repo.Root, "b.txt"), []byte("two\n"), 0o644))
	info, err := s.Snaps.Take(t.Context(), snapshot.Meta{Kind: belay.KindAfter, Task: "T1", Command: s.rec.State.Pending.ID, Journal: s.rec.Log.Head.Hash})
	s.must(err)
	s.rec.AddTaken(info)
	s.must(s.AddNote(t.Context(), s.rec, Note{Kind: "torn", Text: "the record is read again"}))
	s.apply(loop.Event{Kind: loop.EvAttempted, Command: s.rec.State.Pending.ID, Ended: loop.EndedExit, Snapshot: info.ID})
	if e := read(s.rec.Log.Head.Seq); len(e.Sizes) != 1 || e.Sizes[0].ID != info.ID || e.Sizes[0].Added <= 0 || e.Sizes[0].Files != 2 {
		t.Errorf("%+v", e.Sizes)
	}
	again := &Record{}
	found, err := s.Snaps.LookUp(t.Context(), info.ID)
	s.must(err)
	again.AddTaken(found)
	if named, takes := again.withSnapshots(EventEntry{}); !takes || len(named.(EventEntry).Snapshots) != 1 || named.(EventEntry).Sizes != nil {
		t.Errorf("of one that was found: %+v", named)
	}
}

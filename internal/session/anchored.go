package session

import (
	"context"
	"fmt"
	"slices"

	"github.com/belay-dev/belay/internal/belay"
	"github.com/belay-dev/belay/internal/journal"
	"github.com/belay-dev/belay/internal/snapshot"
)

// remember writes outside the repository how far a record goes. It comes after the record
// is on the disk, and it failing costs only that a cut would not be noticed.
func (s *Session) remember(r *Record) {
	if s.Anchors.Problem() != nil {
		return
	}
	st := State{Task: string(r.Log.Task), Open: r.Open(), Seq: r.Log.Head.Seq, Hash: r.Log.Head.Hash}
	for _, b := range r.bound {
		if b.ID == r.State.Before {
			st.Before = &b
		}
	}
	_ = s.Anchors.Write(st)
}

// cut refuses (CodeCannot) a record that does not go on from what is remembered of it.
func (s *Session) cut(task belay.TaskID, log journal.Log) error {
	st, known := s.Anchors.Read(string(task))
	if !known || on(st, log) {
		return nil
	}
	// The log may have been read before what is remembered was written: what that speaks of
	// was in the record by then, so it is there now.
	if now, err := s.Journal.Read(task); err == nil {
		if log = now; on(st, log) {
			return nil
		}
	}
	try := fmt.Sprintf("find out who did it; belay task accept-record %s accepts the current record", task)
	if n := len(log.Entries); n < st.Seq {
		return belay.Refuse(belay.CodeCannot, try, "the record of %s was truncated: %d entries known, %d found", task, st.Seq, n)
	}
	return belay.Refuse(belay.CodeCannot, try, "the record of %s was changed: entry %d differs from the known one", task, st.Seq)
}

// on reports whether a record goes on from what is remembered of it.
func on(st State, log journal.Log) bool {
	return len(log.Entries) >= st.Seq && log.Entries[st.Seq-1].Hash == st.Hash
}

// gone adds to the error of reading a record that is not there that one is known.
func (s *Session) gone(task belay.TaskID, err error) error {
	if belay.CodeOf(err) != belay.CodeNotFound {
		return err
	}
	st, known := s.Anchors.Read(string(task))
	if !known {
		return err
	}
	return belay.Refuse(belay.CodeNotFound, fmt.Sprintf("find out who deleted it; belay task accept-record %s forgets it", task),
		"the record of %s is gone: %d entries are known", belay.VisibleLine(st.Task), st.Seq)
}

// Anchored says how a record compares with what is remembered of it outside the
// repository: "" and nil when it goes on from there, a sentence when nothing is
// remembered, an error when it was cut or changed.
func (s *Session) Anchored(task belay.TaskID, log journal.Log) (not string, err error) {
	if err := s.Anchors.Problem(); err != nil {
		return "not anchored outside the repository: " + err.Error(), nil
	}
	if _, known := s.Anchors.Read(string(task)); !known {
		return "not anchored outside the repository yet: the next entry anchors it", nil
	}
	return "", s.cut(task, log)
}

// Gone gives the tasks whose record is known and not there any more.
func (s *Session) Gone() ([]State, error) {
	ids, err := s.Journal.Tasks()
	if err != nil {
		return nil, err
	}
	there := make([]string, len(ids))
	for i, id := range ids {
		there[i] = string(id)
	}
	return s.Anchors.List(there...)
}

// AcceptRecord goes on with a task's record as it is, whatever is remembered of it, and
// notes that; one that is gone is forgotten. It says what was wrong. CodeUsage when
// nothing is.
func (s *Session) AcceptRecord(ctx context.Context, task belay.TaskID) (what string, err error) {
	r, err := s.LoadAnyway(task)
	if belay.CodeOf(err) == belay.CodeNotFound {
		if _, known := s.Anchors.Read(string(task)); known {
			return err.Error(), s.Anchors.Forget(string(task))
		}
	}
	if belay.CodeOf(err) == belay.CodeCannot {
		return s.acceptDamaged(ctx, task, err)
	}
	if err != nil {
		return "", err
	}
	wrong := s.cut(task, r.Log)
	if wrong == nil {
		return "", belay.Refuse(belay.CodeUsage, "belay log --verify "+string(task), "the record of %s is intact", task)
	}
	what = wrong.Error()
	return what, s.AddNote(ctx, r, Note{Kind: "record-accepted", Text: what})
}

// acceptDamaged goes on with the entries before the first one that is damaged; the record
// as it was is kept beside the new one.
func (s *Session) acceptDamaged(ctx context.Context, task belay.TaskID, damage error) (string, error) {
	log, err := s.Journal.Read(task)
	if belay.CodeOf(err) != belay.CodeCannot || len(log.Entries) == 0 {
		return "", damage
	}
	r, err := s.read(log)
	if err != nil {
		return "", err
	}
	if err := s.Journal.Replace(ctx, log); err != nil {
		return "", err
	}
	what := damage.Error()
	return what, s.AddNote(ctx, r, Note{Kind: "record-accepted", Text: fmt.Sprintf("%s; %d entries are left", what, len(log.Entries))})
}

// Restored points the refs of the snapshots that a record names at their commits again:
// those of a task that needs them, and of another where another commit stands there. gone
// are those whose bytes are gone; a ref that was deleted after the end was dropped.
func (s *Session) Restored(ctx context.Context, r *Record, needed bool) (done, gone []snapshot.Pin, err error) {
	moved, missing, err := s.Snaps.CheckRefs(ctx, r.bound)
	if err != nil {
		return nil, nil, err
	}
	if needed {
		moved = append(moved, slices.DeleteFunc(missing, r.disposable)...)
	}
	if gone, err = s.Snaps.RestoreRefs(ctx, moved); err != nil {
		return nil, nil, err
	}
	return slices.DeleteFunc(moved, func(b snapshot.Pin) bool { return slices.Contains(gone, b) }), gone, nil
}

// Sweep takes the second refs away that no open task needs: belay was killed before it
// could. all are the records of all tasks; one that cannot be read keeps them all.
func (s *Session) Sweep(ctx context.Context, all []*Record) error {
	ids, err := s.Journal.Tasks()
	if err != nil || len(ids) != len(all) {
		return err
	}
	needed := map[belay.SnapshotID]bool{}
	busy := false
	for _, r := range all {
		busy = busy || r.Open() && r.State.Pending != nil
		for _, b := range r.bound {
			needed[b.ID] = needed[b.ID] || r.Open()
		}
	}
	return s.Snaps.DropSecondRefs(ctx, func(id belay.SnapshotID) bool {
		need, known := needed[id]
		return known && !need || !known && !busy // in the middle of a step there is one that no record names yet
	})
}

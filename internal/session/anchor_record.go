package session

import (
	"context"
	"fmt"
	"slices"

	"github.com/belay-dev/belay/internal/belay"
	"github.com/belay-dev/belay/internal/journal"
	"github.com/belay-dev/belay/internal/snapshot"
)

// writeAnchor writes the anchor of a record, after the record is on the disk. If it fails, only a
// later cut of the record goes unnoticed.
func (s *Session) writeAnchor(r *Record) {
	if s.Anchors.Problem() != nil {
		return
	}
	st := Anchor{Task: string(r.Log.Task), Open: r.Open(), Seq: r.Log.Head.Seq, Hash: r.Log.Head.Hash}
	for _, b := range r.pins {
		if b.ID == r.State.Before {
			st.Before = &b
		}
	}
	_ = s.Anchors.Write(st)
}

// checkNotCut returns CodeCannot for a record that does not continue from its anchor.
func (s *Session) checkNotCut(task belay.TaskID, log journal.Log) error {
	st, known := s.Anchors.Read(string(task))
	if !known || continuesAnchor(st, log) {
		return nil
	}
	// The log may have been read before the anchor was written. The anchor only names entries that
	// were in the record by then, so read it again.
	if now, err := s.Journal.Read(task); err == nil {
		if log = now; continuesAnchor(st, log) {
			return nil
		}
	}
	try := fmt.Sprintf("find out who did it; belay task accept-record %s accepts the current record", task)
	if n := len(log.Entries); n < st.Seq {
		return belay.Refuse(belay.CodeCannot, try, "the record of %s was truncated: %d entries known, %d found", task, st.Seq, n)
	}
	return belay.Refuse(belay.CodeCannot, try, "the record of %s was changed: entry %d differs from the known one", task, st.Seq)
}

// continuesAnchor reports whether a record contains the entry that its anchor names.
func continuesAnchor(st Anchor, log journal.Log) bool {
	return len(log.Entries) >= st.Seq && log.Entries[st.Seq-1].Hash == st.Hash
}

// explainMissing adds to the error for a missing record that an anchor of it exists.
func (s *Session) explainMissing(task belay.TaskID, err error) error {
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

// CompareAnchor compares a record with its anchor outside the repository. It returns "" and
// nil when the record continues from the anchor, a sentence when there is no anchor, and an
// error when the record was cut or changed.
func (s *Session) CompareAnchor(task belay.TaskID, log journal.Log) (not string, err error) {
	if err := s.Anchors.Problem(); err != nil {
		return "not anchored outside the repository: " + err.Error(), nil
	}
	if _, known := s.Anchors.Read(string(task)); !known {
		return "not anchored outside the repository yet: the next entry anchors it", nil
	}
	return "", s.checkNotCut(task, log)
}

// MissingRecords returns the anchors of tasks without a record.
func (s *Session) MissingRecords() ([]Anchor, error) {
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

// AcceptRecord accepts a task's current record although it does not match its anchor, and records
// that. The anchor of a missing record is deleted. It returns what was wrong. CodeUsage if nothing
// was.
func (s *Session) AcceptRecord(ctx context.Context, task belay.TaskID) (what string, err error) {
	r, err := s.LoadUnchecked(task)
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
	wrong := s.checkNotCut(task, r.Log)
	if wrong == nil {
		return "", belay.Refuse(belay.CodeUsage, "belay log --verify "+string(task), "the record of %s is intact", task)
	}
	what = wrong.Error()
	return what, s.AddNote(ctx, r, Note{Kind: "record-accepted", Text: what})
}

// acceptDamaged accepts the entries before the first damaged one and keeps a copy of the damaged
// record beside the new one.
func (s *Session) acceptDamaged(ctx context.Context, task belay.TaskID, damage error) (string, error) {
	log, err := s.Journal.Read(task)
	if belay.CodeOf(err) != belay.CodeCannot || len(log.Entries) == 0 {
		return "", damage
	}
	r, err := s.foldChecked(log)
	if err != nil {
		return "", err
	}
	if err := s.Journal.Replace(ctx, log); err != nil {
		return "", err
	}
	what := damage.Error()
	return what, s.AddNote(ctx, r, Note{Kind: "record-accepted", Text: fmt.Sprintf("%s; %d entries are left", what, len(log.Entries))})
}

// RestoreRefs restores the refs of the snapshots that a record names: all of them for a task that
// needs its snapshots, otherwise only refs that name another commit, because a ref that is missing
// after the task ended was deleted on purpose. gone are snapshots without their objects.
func (s *Session) RestoreRefs(ctx context.Context, r *Record, needed bool) (done, gone []snapshot.Pin, err error) {
	moved, missing, err := s.Snaps.CheckRefs(ctx, r.pins)
	if err != nil {
		return nil, nil, err
	}
	if needed {
		moved = append(moved, slices.DeleteFunc(missing, r.isArchived)...)
	}
	if gone, err = s.Snaps.RestoreRefs(ctx, moved); err != nil {
		return nil, nil, err
	}
	return slices.DeleteFunc(moved, func(b snapshot.Pin) bool { return slices.Contains(gone, b) }), gone, nil
}

// RemoveUnneededRefs removes second refs that no open task needs, left behind when belay was
// killed. all are the records of all tasks; if one cannot be read, all second refs stay.
func (s *Session) RemoveUnneededRefs(ctx context.Context, all []*Record) error {
	ids, err := s.Journal.Tasks()
	if err != nil || len(ids) != len(all) {
		return err
	}
	needed := map[belay.SnapshotID]bool{}
	busy := false
	for _, r := range all {
		busy = busy || r.Open() && r.State.Pending != nil
		for _, b := range r.pins {
			needed[b.ID] = needed[b.ID] || r.Open()
		}
	}
	return s.Snaps.DropSecondRefs(ctx, func(id belay.SnapshotID) bool {
		need, known := needed[id]
		return known && !need || !known && !busy // during a step there is one that no record names yet
	})
}

package session

import (
	"context"
	"errors"
	"slices"

	"github.com/belay-dev/belay/internal/belay"
	"github.com/belay-dev/belay/internal/journal"
	"github.com/belay-dev/belay/internal/snapshot"
)

// AddTaken registers a snapshot that was taken for the task, so that the next event or note
// names it.
func (r *Record) AddTaken(info snapshot.Info) {
	if r.namesSnapshot(info.ID) || slices.Contains(r.unnamed.pins, info.Pin()) {
		return
	}
	r.unnamed.pins = append(r.unnamed.pins, info.Pin())
	if info.AddedBytes > 0 {
		r.unnamed.sizes = append(r.unnamed.sizes, Size{ID: info.ID, Added: info.AddedBytes, Files: info.Files})
	}
}

// AddTakenByID is AddTaken for a snapshot ID.
func (s *Session) AddTakenByID(ctx context.Context, r *Record, id belay.SnapshotID) error {
	if id == "" {
		return nil
	}
	info, err := s.Snaps.LookUp(ctx, id)
	if err == nil {
		r.AddTaken(info)
	}
	return err
}

// RecordTaken records the snapshots taken for a command at once, before the command ends.
func (s *Session) RecordTaken(ctx context.Context, r *Record, command string) error {
	for len(r.unnamed.pins) > 0 {
		err := s.Append(ctx, r, EntryTaken, TakenEntry{Command: command})
		var moved *journal.MovedError
		if !errors.As(err, &moved) {
			return err
		}
	}
	return nil
}

// ResolveSnapshot returns the full ID of a snapshot from its prefix. It reads the records that
// name the snapshot, so that the snapshot is compared with them. Errors are those of Resolve;
// an unreadable record is ignored.
func (s *Session) ResolveSnapshot(ctx context.Context, start belay.SnapshotID) (belay.SnapshotID, error) {
	id, err := s.Snaps.Resolve(ctx, start)
	if err != nil {
		return id, err
	}
	if _, said := s.Registry.Lookup(id); said {
		return id, nil
	}
	for _, task := range s.Journal.Mentioning(string(id)) {
		_, _ = s.LoadUnchecked(task) // registers the snapshots that it names
	}
	return id, nil
}

// Pins returns the snapshots that the record names.
func (r *Record) Pins() []snapshot.Pin { return r.pins }

// isArchived reports whether a snapshot was archived when the task ended. Such a snapshot may be
// missing, even after the task was reopened or its merge undone.
func (r *Record) isArchived(b snapshot.Pin) bool { return slices.Contains(r.archived, b.ID) }

func (r *Record) namesSnapshot(id belay.SnapshotID) bool {
	return slices.ContainsFunc(r.pins, func(b snapshot.Pin) bool { return b.ID == id })
}

// OwnsSnapshot reports whether a snapshot that claims to be of this task was taken for this record:
// the record names the snapshot, or the snapshot names an entry of the record. An earlier task with
// the same ID had other entries.
func (r *Record) OwnsSnapshot(s snapshot.Info) bool {
	return r.namesSnapshot(s.ID) || r.namesEntrySince(s, 1)
}

// IsForPending reports whether a snapshot that claims to be of the pending command really is: the
// record names it, or it names an entry recorded since that command was issued. Programs that ran
// earlier could not know the hash of such an entry.
func (r *Record) IsForPending(s snapshot.Info) bool {
	return r.namesSnapshot(s.ID) || r.namesEntrySince(s, r.issued)
}

func (r *Record) namesEntrySince(s snapshot.Info, first int) bool {
	from := min(max(first, 1)-1, len(r.Log.Entries))
	return s.Journal != "" && slices.ContainsFunc(r.Log.Entries[from:], func(e journal.Entry) bool { return e.Hash == s.Journal })
}

// TaskSnapshots returns the snapshots that define the task's spans: those that its record names.
// The record of an older version names none; then it returns the snapshots that name an entry of
// the record.
func (sess *Session) TaskSnapshots(ctx context.Context, r *Record) ([]snapshot.Info, error) {
	ours := r.OwnsSnapshot
	if r.namesSnapshot(r.State.Before) {
		ours = func(s snapshot.Info) bool { return r.namesSnapshot(s.ID) }
	}
	return TakenSnapshots(ctx, sess.Snaps, r.Task.ID, ours)
}

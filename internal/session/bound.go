package session

import (
	"context"
	"errors"
	"slices"

	"github.com/belay-dev/belay/internal/belay"
	"github.com/belay-dev/belay/internal/journal"
	"github.com/belay-dev/belay/internal/snapshot"
)

// Took says that a snapshot was taken for the task: the next event or note names it.
func (r *Record) Took(info snapshot.Info) {
	if r.names(info.ID) || slices.Contains(r.took.bound, info.Pin()) {
		return
	}
	r.took.bound = append(r.took.bound, info.Pin())
	if info.AddedBytes > 0 {
		r.took.sizes = append(r.took.sizes, Size{ID: info.ID, Added: info.AddedBytes, Files: info.Files})
	}
}

// Claim is Took for a snapshot that is known by its id.
func (s *Session) Claim(ctx context.Context, r *Record, id belay.SnapshotID) error {
	if id == "" {
		return nil
	}
	info, err := s.Snaps.LookUp(ctx, id)
	if err == nil {
		r.Took(info)
	}
	return err
}

// NameTaken records at once what was taken for a command, where that does not end with it.
func (s *Session) NameTaken(ctx context.Context, r *Record, command string) error {
	for len(r.took.bound) > 0 {
		err := s.Append(ctx, r, EntryTaken, Taken{Command: command})
		var moved *journal.MovedError
		if !errors.As(err, &moved) {
			return err
		}
	}
	return nil
}

// Named gives the whole id of a snapshot that a person names by the start of it, and reads
// the records that speak of it, so that it is compared with what they say. Errors are those
// of Resolve; a record that cannot be read says nothing.
func (s *Session) Named(ctx context.Context, start belay.SnapshotID) (belay.SnapshotID, error) {
	id, err := s.Snaps.Resolve(ctx, start)
	if err != nil {
		return id, err
	}
	if _, said := s.Known.Lookup(id); said {
		return id, nil
	}
	for _, task := range s.Journal.Mentioning(string(id)) {
		_, _ = s.LoadAnyway(task) // which binds what it names
	}
	return id, nil
}

// Bound gives the snapshots that the record names.
func (r *Record) Bound() []snapshot.Pin { return r.bound }

// disposable reports whether a snapshot was archived when the task ended: it may be gone,
// also when the task is opened again or its merge is taken back.
func (r *Record) disposable(b snapshot.Pin) bool { return slices.Contains(r.archived, b.ID) }

func (r *Record) names(id belay.SnapshotID) bool {
	return slices.ContainsFunc(r.bound, func(b snapshot.Pin) bool { return b.ID == id })
}

// Own reports whether a snapshot that says it is of this task was taken for this record:
// it names the snapshot, or the snapshot names an entry of it. An earlier task with the
// same id had other entries.
func (r *Record) Own(s snapshot.Info) bool { return r.names(s.ID) || r.since(s, 1) }

// Genuine reports whether a snapshot that says it was taken for the pending command was:
// the record names it, or it names an entry since that command was decided on. Whatever
// ran before that could not know the hash of such an entry.
func (r *Record) Genuine(s snapshot.Info) bool { return r.names(s.ID) || r.since(s, r.issued) }

func (r *Record) since(s snapshot.Info, first int) bool {
	from := min(max(first, 1)-1, len(r.Log.Entries))
	return s.Journal != "" && slices.ContainsFunc(r.Log.Entries[from:], func(e journal.Entry) bool { return e.Hash == s.Journal })
}

// Taken gives the snapshots that the task's spans are read from: those that its record
// names. A record that an older belay began names none; then those are taken that name an
// entry of it.
func (sess *Session) Taken(ctx context.Context, r *Record) ([]snapshot.Info, error) {
	ours := r.Own
	if r.names(r.State.Before) {
		ours = func(s snapshot.Info) bool { return r.names(s.ID) }
	}
	return TakenSnapshots(ctx, sess.Snaps, r.Task.ID, ours)
}

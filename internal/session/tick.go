package session

import (
	"context"
	"fmt"

	"github.com/belay-dev/belay/internal/belay"
	"github.com/belay-dev/belay/internal/restore"
	"github.com/belay-dev/belay/internal/tasklist"
)

// The kinds of notes that say what became of the box of an accepted task in the file that
// it was imported from.
const (
	TickedNote   = "ticked"
	UntickedNote = "not-ticked"
)

// TickOff marks an accepted task done in the file of this working tree that it was
// imported from. It comes after everything that looks at the agent's work, so that it is
// never taken for it; it can be done again, and is said once. A box that cannot be ticked
// is named, and is no reason to refuse anything.
//
// The note comes before the tick: killed in between, the tick is made again, and what it
// changed is known to whoever takes it back.
func (s *Session) TickOff(ctx context.Context, r *Record, tell func(string)) error {
	o := r.Task.Origin
	if o == nil {
		return nil
	}
	last := r.tick()
	if last != nil && (last.Kind == UntickedNote || last.Edit == nil) {
		return nil
	}
	if last == nil {
		edit, lines, err := tasklist.PlanMark(s.Repo.Root, *o)
		note := TickNote(*o, lines, err)
		note.Edit = edit
		if err := s.AddNote(ctx, r, note); err != nil {
			return err
		}
		tell(fmt.Sprintf("%s: %s", r.Task.ID, note.Text))
		if edit == nil {
			return nil
		}
	}
	err := s.sharing(func(tmp string) error {
		_, err := tasklist.MarkDone(s.Repo.Root, tmp, *o)
		return err
	})
	if err == nil {
		return nil
	}
	note := TickNote(*o, nil, err)
	tell(fmt.Sprintf("%s: %s", r.Task.ID, note.Text))
	return s.AddNote(ctx, r, note)
}

// TickNote says what became of a task's box: it was ticked on those lines, or not, for
// that reason.
func TickNote(o belay.Origin, lines []int, err error) Note {
	if err != nil {
		return Note{Kind: UntickedNote, Text: Sentence(err)}
	}
	return Note{Kind: TickedNote, Text: tasklist.MarkingText(o, lines)}
}

// tick gives the note about the task's box that still holds, nil for none: a rollback of
// everything takes the tick back.
func (r *Record) tick() *Note {
	for i := len(r.Notes) - 1; i >= 0; i-- {
		switch r.Notes[i].Kind {
		case RollbackNote:
			if len(r.Notes[i].Paths) == 0 {
				return nil
			}
		case TickedNote, UntickedNote:
			return &r.Notes[i]
		}
	}
	return nil
}

// untick gives the edits that take back what belay itself wrote about a task into files of
// this working tree.
func (r *Record) untick() []restore.Edit {
	if n := r.tick(); n != nil && n.Edit != nil {
		return []restore.Edit{n.Edit.Inverse()}
	}
	return nil
}

// RollbackNote is the kind of the note about a rollback by hand.
const RollbackNote = "rollback"

// MergedNote is the kind of note that says that a task's work was brought back. Its
// Target is the snapshot that was.
const MergedNote = "merged"

// ArchivedNote is the kind of note that says what becomes of the snapshots of a task that
// has ended: its text names those that stay, Archived are the others.
const ArchivedNote = "snapshots"

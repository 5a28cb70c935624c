package session

import (
	"context"
	"fmt"

	"github.com/belay-dev/belay/internal/belay"
	"github.com/belay-dev/belay/internal/restore"
	"github.com/belay-dev/belay/internal/tasklist"
)

// Kinds of notes about ticking the box of an accepted task in the file that it was imported from.
const (
	TickedNote   = "ticked"
	UntickedNote = "not-ticked"
)

// TickOff ticks the box of an accepted task in the file of this worktree that it was imported from.
// It runs after everything that reads the agent's work, so that the tick never counts as part of
// it. It is safe to repeat and reports once. If a box cannot be ticked, the reason is reported, and
// nothing fails.
//
// The note is recorded before the tick: after a kill in between, the tick is repeated, and a
// rollback knows the changed lines.
func (s *Session) TickOff(ctx context.Context, r *Record, tell func(string)) error {
	o := r.Task.Origin
	if o == nil {
		return nil
	}
	last := r.tickNote()
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
	err := s.withTempFolder(func(tmp string) error {
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

// TickNote makes the note about a task's box: ticked on those lines, or not ticked for that
// reason.
func TickNote(o belay.Origin, lines []int, err error) Note {
	if err != nil {
		return Note{Kind: UntickedNote, Text: ErrorLine(err)}
	}
	return Note{Kind: TickedNote, Text: tasklist.MarkingText(o, lines)}
}

// tickNote returns the valid note about the task's box, nil for none: a complete rollback reverts
// the tick.
func (r *Record) tickNote() *Note {
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

// untickEdits returns the edits that undo belay's own changes for a task in files of this worktree.
func (r *Record) untickEdits() []restore.Edit {
	if n := r.tickNote(); n != nil && n.Edit != nil {
		return []restore.Edit{n.Edit.Inverse()}
	}
	return nil
}

// RollbackNote is the kind of note about a manual rollback.
const RollbackNote = "rollback"

// MergedNote is the kind of note about the merge of a task's work. Its Target is the merged
// snapshot.
const MergedNote = "merged"

// ArchivedNote is the kind of note about the snapshots of a task that has ended: its text names
// those that stay, Archived the others.
const ArchivedNote = "snapshots"

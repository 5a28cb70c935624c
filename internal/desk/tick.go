package desk

import (
	"context"
	"fmt"
	"slices"

	"github.com/belay-dev/belay/internal/marking"
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
func (d *Desk) TickOff(ctx context.Context, r *Record, tell func(string)) error {
	o := r.Task.Origin
	if o == nil || slices.ContainsFunc(r.Notes, func(n Note) bool { return n.Kind == TickedNote || n.Kind == UntickedNote }) {
		return nil
	}
	var lines []int
	err := d.sharing(func(tmp string) (err error) {
		lines, err = marking.Mark(d.Repo.Root, tmp, *o)
		return err
	})
	note := Note{Kind: TickedNote, Text: marking.Told(*o, lines)}
	if err != nil {
		note = Note{Kind: UntickedNote, Text: Sentence(err)}
	}
	if err := d.AddNote(ctx, r, note); err != nil {
		return err
	}
	tell(fmt.Sprintf("%s: %s", r.Task.ID, note.Text))
	return nil
}

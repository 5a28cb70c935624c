package desk

import (
	"context"
	"fmt"
	"slices"

	"github.com/belay-dev/belay/internal/belay"
	"github.com/belay-dev/belay/internal/intake"
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
	note := Note{Kind: TickedNote}
	lines, err := d.mark(*o)
	file := belay.VisibleLine(o.File)
	switch {
	case err != nil:
		note = Note{Kind: UntickedNote, Text: Sentence(err)}
	case len(lines) == 0:
		note.Text = fmt.Sprintf("%s says already that it is done", file)
	default:
		note.Text = fmt.Sprintf("done in %s, line %d", file, lines[0])
		if len(lines) > 1 {
			note.Text = fmt.Sprintf("done in %s, %d boxes from line %d", file, len(lines), lines[0])
		}
	}
	if err := d.AddNote(ctx, r, note); err != nil {
		return err
	}
	tell(fmt.Sprintf("%s: %s", r.Task.ID, note.Text))
	return nil
}

func (d *Desk) mark(o belay.Origin) ([]int, error) {
	if o.Dialect == string(intake.Issue) {
		return nil, belay.Refuse(belay.CodeCannot, "close it there", "%s is an issue of the forge", belay.VisibleLine(o.ID))
	}
	return marking.Mark(d.Repo.Root, d.Scratch("tmp"), o)
}

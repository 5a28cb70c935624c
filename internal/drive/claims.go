package drive

import (
	"github.com/belay-dev/belay/internal/belay"
	"github.com/belay-dev/belay/internal/review/claim"
)

// Claims is who reviews in this working tree.
func (d *Desk) Claims() claim.Book {
	r := d.Config.Review
	return claim.Open(d.Scratch(), r.Stale).Apart(r.Variable, r.Value)
}

// claim holds the reviews of a task that this process asks for. CodeBusy says who else
// reviews in this tree.
func (d *Driver) claim(reviewers []belay.Reviewer) (func(), error) {
	var names []string
	for _, r := range reviewers {
		names = append(names, r.Name)
	}
	return d.Claims().Hold(d.Rec.Task.ID, names)
}

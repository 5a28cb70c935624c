package session

import (
	"github.com/belay-dev/belay/internal/review"
)

// Claims is who reviews in this working tree.
func (d *Desk) Claims() review.Book {
	r := d.Config.Review
	return review.Open(d.Scratch(), r.Stale).ForVariable(r.Variable, r.Value)
}

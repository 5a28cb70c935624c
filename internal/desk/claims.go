package desk

import (
	"github.com/belay-dev/belay/internal/review/claim"
)

// Claims is who reviews in this working tree.
func (d *Desk) Claims() claim.Book {
	r := d.Config.Review
	return claim.Open(d.Scratch(), r.Stale).Apart(r.Variable, r.Value)
}

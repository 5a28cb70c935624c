package session

import (
	"github.com/belay-dev/belay/internal/review"
)

// Claims is who reviews in this working tree.
func (s *Session) Claims() review.Book {
	r := s.Config.Review
	return review.Open(s.Scratch(), r.Stale).ForVariable(r.Variable, r.Value)
}

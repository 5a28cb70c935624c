package session

import (
	"github.com/belay-dev/belay/internal/review"
)

// Claims is who reviews in this working tree.
func (s *Session) Claims() review.ClaimBook {
	r := s.Config.Review
	return review.OpenClaims(s.Scratch(), r.Stale).ForVariable(r.Variable, r.Value)
}

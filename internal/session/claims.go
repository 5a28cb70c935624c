package session

import (
	"github.com/belay-dev/belay/internal/review"
)

// ReviewClaims returns the claims of reviews in this worktree.
func (s *Session) ReviewClaims() review.ClaimBook {
	r := s.Config.Review
	return review.OpenClaims(s.Scratch(), r.Stale).ForVariable(r.Variable, r.Value)
}

package runner

import (
	"github.com/belay-dev/belay/internal/belay"
)

// claimReviews reserves the reviews of a task for this process. CodeBusy names the process that
// already reviews in this tree.
func (d *Driver) claimReviews(reviewers []belay.Reviewer) (func(), error) {
	var names []string
	for _, r := range reviewers {
		names = append(names, r.Name)
	}
	return d.Session.ReviewClaims().Claim(d.Record.Task.ID, names)
}

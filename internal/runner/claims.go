package runner

import (
	"github.com/belay-dev/belay/internal/belay"
)

// claim holds the reviews of a task that this process asks for. CodeBusy says who else
// reviews in this tree.
func (d *Driver) claim(reviewers []belay.Reviewer) (func(), error) {
	var names []string
	for _, r := range reviewers {
		names = append(names, r.Name)
	}
	return d.Session.Claims().Claim(d.Rec.Task.ID, names)
}

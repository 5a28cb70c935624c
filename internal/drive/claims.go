package drive

import (
	"os"
	"strings"

	"github.com/belay-dev/belay/internal/belay"
	"github.com/belay-dev/belay/internal/procs"
	"github.com/belay-dev/belay/internal/review/claim"
)

// Claims is who reviews in this working tree.
func (d *Desk) Claims() claim.Book { return claim.Open(d.Scratch(), d.Config.Review.Stale) }

// ReviewEnv is what keeps a reviewer of a task apart from others, where the config asks for
// it: the claim's key, and KEY=value for the reviewer's environment. Both are empty
// otherwise: then there is one review at a time.
func (d *Desk) ReviewEnv(reviewer string, task belay.TaskID) (key string, env []string) {
	r := d.Config.Review
	if r.Variable == "" {
		return "", nil
	}
	key = claim.Fill(r.Value, reviewer, task)
	return key, []string{r.Variable + "=" + key}
}

// claim holds the reviews of a task that this process asks for. CodeBusy says who else
// reviews in this tree.
func (d *Driver) claim(reviewers []belay.Reviewer) (func(), error) {
	book, task := d.Claims(), d.Rec.Task.ID
	self, _ := procs.Identify(os.Getpid()) // without it the claim's age decides
	var names []string
	for _, r := range reviewers {
		names = append(names, r.Name)
	}
	if d.Config.Review.Variable == "" {
		names = []string{strings.Join(names, ", ")}
	}
	var held []string
	release := func() {
		for _, name := range held {
			_, _ = book.End(task, name) // left behind, it ends with this process
		}
	}
	for _, name := range names {
		key, _ := d.ReviewEnv(name, task)
		if _, err := book.Begin(claim.Claim{Task: task, Reviewer: name, Key: key, Process: self}); err != nil {
			release()
			return nil, err
		}
		held = append(held, name)
	}
	return release, nil
}

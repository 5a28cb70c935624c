package app

import (
	"context"
	"os"

	"github.com/belay-dev/belay/internal/belay"
	"github.com/belay-dev/belay/internal/proc"
	"github.com/belay-dev/belay/internal/review"
	"github.com/belay-dev/belay/internal/runner"
)

// Begun is a review that somebody is at.
type Begun struct {
	review.Claim
	Tree     string   `json:"tree"`          // where to look
	Feedback string   `json:"feedback"`      // where to write, from the tree's root
	Env      []string `json:"env,omitempty"` // what keeps it apart from others
}

// Begin claims the review of a task's work in its tree. pid is the process that stands for
// the reviewer: 0 finds it, less is nobody, and then the claim's age decides. CodeBusy
// says who else reviews there.
func Begin(ctx context.Context, s *Service, task belay.TaskID, reviewer string, pid int) (Begun, error) {
	r, err := s.Session.Load(task)
	if err != nil {
		return Begun{}, err
	}
	at, err := runner.At(ctx, s.Session, r)
	if err != nil {
		return Begun{}, err
	}
	c := review.Claim{Task: r.Task.ID, Reviewer: reviewer}
	switch {
	case pid > 0:
		if c.Process, err = proc.Identify(pid); err != nil {
			return Begun{}, belay.Refuse(belay.CodeUsage, "give the id of a running process", "no process %d", pid)
		}
	case pid == 0:
		c.Process = review.Claimant(os.Getpid())
	}
	var env []string
	c.Key, env = at.Claims().Own(reviewer, r.Task.ID)
	if c, err = at.Claims().Begin(c); err != nil {
		return Begun{}, err
	}
	return Begun{Claim: c, Tree: at.Repo.Root, Feedback: r.Task.ID.FeedbackFile(), Env: env}, nil
}

// End gives a review up, one reviewer's or all of the task's. CodeNotFound when none was
// under way.
func End(ctx context.Context, s *Service, task belay.TaskID, reviewer string) (int, error) {
	r, err := s.Session.Load(task)
	if err != nil {
		return 0, err
	}
	at, err := runner.At(ctx, s.Session, r)
	if err != nil {
		return 0, err
	}
	n, err := at.Claims().End(r.Task.ID, reviewer)
	if err == nil && n == 0 {
		err = belay.Refuse(belay.CodeNotFound, "belay status", "no review of %s is in progress", r.Task.ID)
	}
	return n, err
}

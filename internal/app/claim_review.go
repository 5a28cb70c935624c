package app

import (
	"context"
	"os"

	"github.com/belay-dev/belay/internal/belay"
	"github.com/belay-dev/belay/internal/proc"
	"github.com/belay-dev/belay/internal/review"
	"github.com/belay-dev/belay/internal/runner"
)

// StartedReview is a review that has been claimed.
type StartedReview struct {
	review.Claim
	Tree     string   `json:"tree"`          // the tree to review
	Feedback string   `json:"feedback"`      // the file to write, relative to the tree's root
	Env      []string `json:"env,omitempty"` // variables that separate it from other reviews
}

// BeginReview claims the review of a task's work in its tree. pid is the reviewer's process: 0 finds it; a negative one
// means none, and then the claim expires by age. CodeBusy names the other reviewer.
func BeginReview(ctx context.Context, s *Service, task belay.TaskID, reviewer string, pid int) (StartedReview, error) {
	r, err := s.Session.Load(task)
	if err != nil {
		return StartedReview{}, err
	}
	at, err := runner.TaskSession(ctx, s.Session, r)
	if err != nil {
		return StartedReview{}, err
	}
	c := review.Claim{Task: r.Task.ID, Reviewer: reviewer}
	switch {
	case pid > 0:
		if c.Process, err = proc.Identify(pid); err != nil {
			return StartedReview{}, belay.Refuse(belay.CodeUsage, "give the id of a running process", "no process %d", pid)
		}
	case pid == 0:
		c.Process = review.Claimant(os.Getpid())
	}
	var env []string
	c.Key, env = at.ReviewClaims().KeyAndEnv(reviewer, r.Task.ID)
	if c, err = at.ReviewClaims().BeginClaim(c); err != nil {
		return StartedReview{}, err
	}
	return StartedReview{Claim: c, Tree: at.Repo.Root, Feedback: r.Task.ID.FeedbackFile(), Env: env}, nil
}

// EndReview ends the claim of one reviewer, or all claims on the task. CodeNotFound when there was none.
func EndReview(ctx context.Context, s *Service, task belay.TaskID, reviewer string) (int, error) {
	r, err := s.Session.Load(task)
	if err != nil {
		return 0, err
	}
	at, err := runner.TaskSession(ctx, s.Session, r)
	if err != nil {
		return 0, err
	}
	n, err := at.ReviewClaims().EndClaims(r.Task.ID, reviewer)
	if err == nil && n == 0 {
		err = belay.Refuse(belay.CodeNotFound, "belay status", "no review of %s is in progress", r.Task.ID)
	}
	return n, err
}

package runner

import (
	"fmt"

	"github.com/belay-dev/belay/internal/belay"
	"github.com/belay-dev/belay/internal/loop"
	"github.com/belay-dev/belay/internal/session"
	"github.com/belay-dev/belay/internal/worktree"
)

// CheckOrder returns CodeRefused for a task that comes after tasks that are not accepted yet
// or, if merged, are not merged into the user's tree yet.
func CheckOrder(s *session.Session, r *session.Record, merged bool) error {
	for _, id := range r.Task.After {
		first, err := s.Load(id)
		if err != nil {
			return err
		}
		if first.State.Outcome != loop.OutcomePassed {
			return belay.Refuse(belay.CodeRefused, fmt.Sprintf("belay show %s", id),
				"%s depends on %s, which is not accepted", r.Task.ID, id)
		}
		if merged && IsUnmerged(first) {
			return belay.Refuse(belay.CodeRefused, fmt.Sprintf("belay merge %s", id),
				"%s depends on %s, which is not merged", r.Task.ID, id)
		}
	}
	return nil
}

// workToBring returns the work that a task's worktree starts with in addition to the user's: the
// unmerged work of the tasks that it comes after, and of their predecessors, in order.
func workToBring(s *session.Session, r *session.Record) (list []worktree.Request, err error) {
	seen := map[string]bool{}
	var add func(r *session.Record) error
	add = func(r *session.Record) error {
		for _, id := range r.Task.After {
			if seen[id.Key()] {
				continue
			}
			seen[id.Key()] = true
			first, err := s.Load(id)
			if err != nil {
				return err
			}
			if err := add(first); err != nil {
				return err
			}
			if IsUnmerged(first) {
				list = append(list, worktree.Request{Task: first.Task.ID, Before: first.State.Before, After: ResultSnapshot(first)})
			}
		}
		return nil
	}
	return list, add(r)
}

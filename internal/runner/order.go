package runner

import (
	"fmt"

	"github.com/belay-dev/belay/internal/belay"
	"github.com/belay-dev/belay/internal/loop"
	"github.com/belay-dev/belay/internal/session"
	"github.com/belay-dev/belay/internal/worktree"
)

// InOrder refuses (CodeRefused) what is to come after tasks that are not accepted yet; or,
// with merged, whose work is not in the user's tree yet.
func InOrder(s *session.Session, r *session.Record, merged bool) error {
	for _, id := range r.Task.After {
		first, err := s.Load(id)
		if err != nil {
			return err
		}
		if first.State.Outcome != loop.OutcomePassed {
			return belay.Refuse(belay.CodeRefused, fmt.Sprintf("belay show %s", id),
				"%s depends on %s, which is not accepted", r.Task.ID, id)
		}
		if merged && Unmerged(first) {
			return belay.Refuse(belay.CodeRefused, fmt.Sprintf("belay merge %s", id),
				"%s depends on %s, which is not merged", r.Task.ID, id)
		}
	}
	return nil
}

// toBring gives the work that a task's tree begins with besides the user's: that of the
// tasks it comes after, and of those before them, which is not merged yet. The first
// comes first.
func toBring(s *session.Session, r *session.Record) (list []worktree.Request, err error) {
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
			if Unmerged(first) {
				list = append(list, worktree.Request{Task: first.Task.ID, Before: first.State.Before, After: Result(first)})
			}
		}
		return nil
	}
	return list, add(r)
}

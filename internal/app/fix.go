package app

import (
	"context"
	"fmt"

	"github.com/belay-dev/belay/internal/belay"
	"github.com/belay-dev/belay/internal/loop"
	"github.com/belay-dev/belay/internal/prompt"
	"github.com/belay-dev/belay/internal/runner"
)

// FixPrompt makes the prompt to fix the last rejection of a task, in at most tokens (0: no limit). CodeCannot when
// nothing was rejected.
func FixPrompt(ctx context.Context, svc *Service, task belay.TaskID, tokens int) (prompt.Fix, error) {
	s := svc.Session
	r, err := s.Load(task)
	if err != nil {
		return prompt.Fix{}, err
	}
	refused := prompt.LastRefused(r.State)
	if refused == nil {
		return prompt.Fix{}, belay.Refuse(belay.CodeCannot, fmt.Sprintf("belay show %s", task),
			"no attempt of %s was rejected with a reason", task)
	}
	if at, err := runner.TaskSession(ctx, s, r); err == nil {
		s = at
	} else if belay.CodeOf(err) != belay.CodeNotFound { // without the worktree the prompt is made from the record alone
		return prompt.Fix{}, err
	}
	dr := &runner.Driver{Session: s, Record: r, Soft: ctx}
	full, err := dr.PromptText(ctx, loop.PromptRetry) // the full prompt of the next attempt, for comparison
	if err != nil {
		return prompt.Fix{}, err
	}
	in, err := dr.FixInput(ctx, *refused)
	if err != nil {
		return prompt.Fix{}, err
	}
	in.Tokens, in.Full = tokens, prompt.Tokens(full)
	return prompt.FixPrompt(in), nil
}

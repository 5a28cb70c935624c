package check

import (
	"context"
	"slices"

	"github.com/belay-dev/belay/internal/belay"
	"github.com/belay-dev/belay/internal/check/answer"
	"github.com/belay-dev/belay/internal/check/gitstate"
	"github.com/belay-dev/belay/internal/check/suite"
)

// gitState asks what the task did to git itself, and whether uncommitted work is gone.
func gitState(ctx context.Context, in Input) belay.CheckResult {
	facts, err := in.Git(ctx)
	if ctx.Err() != nil {
		return answer.Unknown(nameGit, suite.Unfinished(ctx))
	}
	if err != nil {
		return answer.Unknown(nameGit, err.Error())
	}
	facts.Paths = slices.Clip(facts.Paths) // they may be another check's as well
	for _, c := range work(in.Changes) {
		facts.Paths = append(facts.Paths, c.Path)
	}
	facts.Lost = slices.DeleteFunc(slices.Clone(facts.Lost), func(l gitstate.Loss) bool { return slices.Contains(in.Perhaps, l.Path) })
	return gitstate.Judge(facts, in.Scope, in.Request)
}

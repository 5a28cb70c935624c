package check

import (
	"context"
	"slices"

	"github.com/belay-dev/belay/internal/belay"

	"github.com/belay-dev/belay/internal/testrun"
)

// gitState asks what the task did to git itself, and whether uncommitted work is gone.
func gitState(ctx context.Context, in Input) belay.CheckResult {
	facts, err := in.Git(ctx)
	if ctx.Err() != nil {
		return belay.Unknown(nameGit, testrun.UnfinishedReason(ctx))
	}
	if err != nil {
		return belay.Unknown(nameGit, err.Error())
	}
	facts.Paths = slices.Clip(facts.Paths) // they may be another check's as well
	for _, c := range work(in.Changes) {
		facts.Paths = append(facts.Paths, c.Path)
	}
	facts.Lost = slices.DeleteFunc(slices.Clone(facts.Lost), func(l Loss) bool { return slices.Contains(in.Perhaps, l.Path) })
	return Judge(facts, in.Scope, in.Request)
}

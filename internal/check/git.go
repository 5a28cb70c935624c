package check

import (
	"context"
	"slices"

	"github.com/belay-dev/belay/internal/belay"

	"github.com/belay-dev/belay/internal/testrun"
)

// checkGitState checks what the task did to git itself, and whether uncommitted work was lost.
func checkGitState(ctx context.Context, in Input) belay.CheckResult {
	facts, err := in.Git(ctx)
	if ctx.Err() != nil {
		return belay.Unknown(nameGit, testrun.UnfinishedReason(ctx))
	}
	if err != nil {
		return belay.Unknown(nameGit, err.Error())
	}
	facts.Paths = slices.Clip(facts.Paths) // another check may share the array
	for _, c := range withoutBelayFiles(in.Changes) {
		facts.Paths = append(facts.Paths, c.Path)
	}
	facts.LostWork = slices.DeleteFunc(slices.Clone(facts.LostWork), func(l Loss) bool { return slices.Contains(in.Uncertain, l.Path) })
	return JudgeGit(facts, in.Scope, in.Request)
}

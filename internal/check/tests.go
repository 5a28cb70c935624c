package check

import (
	"context"
	"slices"

	"github.com/belay-dev/belay/internal/belay"
	"github.com/belay-dev/belay/internal/testdiff"
	"github.com/belay-dev/belay/internal/testrun"
)

// checkTests checks whether the tests pass.
func checkTests(ctx context.Context, in Input) belay.CheckResult {
	select {
	case <-in.lintDone:
	case <-ctx.Done():
	}
	report, result := testrun.Run(ctx, testrun.Input{
		Root: in.Root, Env: in.Env, Command: in.Checks.Tests, May: in.May, Baseline: in.Baseline,
		Request: in.Request.Requirements, Words: in.Words, Checkout: in.State, CopyIgnored: in.CopyIgnored, Logs: in.Logs, Grace: in.Grace,
		IsOwn: func(path string) bool {
			made := slices.ContainsFunc(in.Changes, func(c belay.Change) bool { return c.Path == path && c.Status == "A" })
			return made || Permits(in.Request, in.Words, path)
		},
		Successors: func() map[string]testdiff.Successor {
			files, err := in.files(ctx)
			if err != nil {
				return nil
			}
			return testdiff.Successors(files, in.integrityRules())
		},
	})
	in.read.tests.Store(&report)
	return result
}

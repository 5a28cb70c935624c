package check

import (
	"context"
	"time"

	"github.com/belay-dev/belay/internal/belay"
	"github.com/belay-dev/belay/internal/lint"
	"github.com/belay-dev/belay/internal/testrun"
)

// checkLint asks what the project's linters say of the change. They run before the tests,
// which must not see what a linter edits, and get half of the time at most when there
// are tests to run; those that were only detected, a quarter.
func checkLint(ctx context.Context, in Input) belay.CheckResult {
	defer close(in.lintDone)
	whole := ctx // files that other checks read as well are not bound by the linters' time
	if deadline, ok := ctx.Deadline(); ok && in.Checks.Tests.Set() && in.skipReason(nameTests) == "" {
		part := time.Duration(2)
		if len(in.Checks.Linters) > 0 && in.Checks.Linters[0].From == "detected" {
			part = 4
		}
		limit := (time.Until(deadline) / part).Round(100 * time.Millisecond)
		var done context.CancelFunc
		ctx, done = context.WithTimeoutCause(ctx, limit, testrun.TimeoutError{Limit: limit})
		defer done()
	}
	return lint.Run(ctx, lint.Input{
		Root: in.Root, Env: in.Env, Linters: in.Checks.Linters, May: in.May, Changes: in.Changes, All: in.Checks.LintAll,
		FindAdded: func() (func(string, int, int) bool, error) { return in.addedLines(whole) },
		Guard:     in.Guard, Logs: in.Logs, Grace: in.Grace,
	})
}

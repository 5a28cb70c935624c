package check

import (
	"context"
	"time"

	"github.com/belay-dev/belay/internal/belay"
	"github.com/belay-dev/belay/internal/lint"
	"github.com/belay-dev/belay/internal/testrun"
)

// checkLint runs the project's linters on the change. They run before the tests, which must not see
// their edits, and get at most half of the time if there are tests to run; detected linters get a
// quarter.
func checkLint(ctx context.Context, in Input) belay.CheckResult {
	defer close(in.lintDone)
	whole := ctx // reading files, which other checks share, is not limited by the linters' time
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

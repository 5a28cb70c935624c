package app

import (
	"context"
	"time"

	"github.com/belay-dev/belay/internal/belay"
	"github.com/belay-dev/belay/internal/runner"
)

// NotifyResult counts the messages about waiting tasks that were not sent.
type NotifyResult struct {
	Waiting int        `json:"waiting"`        // number of messages not sent
	Next    *time.Time `json:"next,omitempty"` // when they are due
}

// Notify sends the messages that are due, or with test a test message to the webhook. Other problems go to note, a line
// each. Errors: nothing is configured (CodeUsage), or the webhook rejected a message (CodeCannot).
func (s *Service) Notify(ctx context.Context, test bool, note func(string)) (NotifyResult, error) {
	t := runner.NewNotifier(s.Session, note)
	if !t.IsEnabled() {
		return NotifyResult{}, belay.Refuse(belay.CodeUsage, "belay config explain notify", "the config has no notifications")
	}
	if test {
		return NotifyResult{}, t.SendTest(ctx)
	}
	next, err := t.Flush(ctx, true)
	n, werr := t.CountWaiting()
	out := NotifyResult{Waiting: n}
	if n > 0 && !next.IsZero() {
		out.Next = &next
	}
	if err == nil {
		err = werr
	}
	return out, err
}

package task_test

import (
	"context"
	"strings"
	"testing"
	"time"

	"go.temporal.io/sdk/activity"
	"go.temporal.io/sdk/temporal"

	"github.com/belay-dev/belay/fleet/task"
	"github.com/belay-dev/belay/internal/belay"
	"github.com/belay-dev/belay/internal/loop"
)

// TestOldWorker: a review that the task's worker cannot record, because it is older or refuses it,
// leaves the gate open: the sender gets advice, and the task is neither quarantined nor moved. Sent
// again to a newer worker, it counts.
func TestOldWorker(t *testing.T) {
	t.Parallel()
	for name, old := range map[string]struct {
		says   string
		decide func(*machines) func(context.Context, task.Ask) (task.ActivityResult, error)
	}{
		"without the activity": {says: "upgrade that worker, then decide again"},
		"without reviews": {says: "upgrade that worker, then decide again", decide: func(m *machines) func(context.Context, task.Ask) (task.ActivityResult, error) {
			return func(ctx context.Context, q task.Ask) (task.ActivityResult, error) { return m.standing(q) }
		}},
		"refused": {says: "worker w1 refuses it: no such gate", decide: func(m *machines) func(context.Context, task.Ask) (task.ActivityResult, error) {
			return func(context.Context, task.Ask) (task.ActivityResult, error) {
				return task.ActivityResult{}, temporal.NewNonRetryableApplicationError("no such gate", task.ErrRefused, nil)
			}
		}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			m := &machines{verdicts: []belay.Verdict{belay.VerdictFail, belay.VerdictFail}}
			m.policy = belay.DefaultPolicy()
			m.policy.Retries, m.policy.MaxAttempts = 1, 20
			m.old = true
			env := fleet(t, m)
			if old.decide != nil {
				env.RegisterActivityWithOptions(old.decide(m), activity.RegisterOptions{Name: task.DecideName})
			}
			review := task.Decision{Gate: 1, Verdict: task.Reject, Note: "Count the negative ones only.", By: "ann"}
			first := answer(env, time.Hour, "first", review)
			env.RegisterDelayedCallback(func() {
				st := where(t, env)
				if st.Phase != string(loop.PhaseGate) || st.Gate.Number != 1 || st.Moves != 0 || !strings.Contains(*first, old.says) {
					t.Errorf("%+v, %s", st, *first)
				}
				if last := st.Lines[len(st.Lines)-1].Text; !strings.HasPrefix(last, "not decided: ") || !strings.HasSuffix(last, old.says) {
					t.Error(last)
				}
				env.RegisterActivityWithOptions(m.decide, activity.RegisterOptions{Name: task.DecideName, DisableAlreadyRegisteredCheck: true})
			}, 2*time.Hour)
			second := answer(env, 3*time.Hour, "second", review)
			env.ExecuteWorkflow(task.WorkflowName, add)
			if r := ended(t, env); r.Outcome != loop.OutcomePassed || r.Attempts != 3 || *second != "done" {
				t.Errorf("%+v, %s", r, *second)
			}
		})
	}
}

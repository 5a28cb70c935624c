package task

import (
	"cmp"
	"time"

	"go.temporal.io/sdk/temporal"
	"go.temporal.io/sdk/workflow"

	"github.com/belay-dev/belay/internal/loop"
)

// slot asks the task's team for an attempt, and waits until it may begin. It is false when it may not: a worker was lost, or
// somebody cancelled it.
func (r *run) slot(c loop.Command) (bool, error) {
	if r.pos.Team == "" || r.granted == c.ID {
		return true, nil
	}
	info := workflow.GetInfo(r.ctx)
	r.pos.Slot = c.ID
	q := r.ask(Ask{Slot: Slot{Workflow: info.WorkflowExecution.ID, Ticket: c.ID, Agent: cmp.Or(r.in.Role, r.in.Agent[0])}})
	ctx := workflow.WithActivityOptions(r.ctx, workflow.ActivityOptions{
		TaskQueue: QueueOf(r.pos.Worker), ScheduleToStartTimeout: r.patience(), StartToCloseTimeout: short, HeartbeatTimeout: silence(r.in),
		RetryPolicy: &temporal.RetryPolicy{InitialInterval: time.Second, MaximumInterval: time.Minute, MaximumAttempts: 4,
			NonRetryableErrorTypes: []string{ErrRefused, ErrDiverged, ErrMoved}},
	})
	if err := workflow.ExecuteActivity(ctx, SlotName, q).Get(ctx, nil); err != nil {
		r.pos.Slot = ""
		why := lost(err)
		if why == "" {
			return false, err
		}
		r.say(workflow.Now(r.ctx), r.pos.Worker+": "+why)
		if !r.pos.Pushed {
			return false, nil
		}
		return false, r.adopt()
	}
	for shown := ""; r.granted != c.ID; {
		if r.waits != shown {
			shown = r.waits
			r.say(workflow.Now(r.ctx), "waiting: "+shown)
			if err := r.attributes(); err != nil {
				return false, err
			}
		}
		end := func() bool { return r.cancelled || r.stop || r.aborts() }
		if err := workflow.Await(r.ctx, func() bool { return r.granted == c.ID || r.waits != shown || end() }); err != nil {
			return false, err
		}
		if r.granted == c.ID || !end() {
			continue
		}
		stopped := r.stop
		r.waits, r.stop = "", false
		if r.give(LimitEvent{Kind: LimitDone, Known: true}); !stopped {
			return false, nil // attempt looks at the rest
		}
		return false, r.quarantine("cancelled before its agent began")
	}
	waited := r.waits != ""
	r.waits = ""
	if waited {
		return true, r.attributes()
	}
	return true, nil
}

// slotted takes what the team says about a slot.
func (r *run) slotted(s Slot) {
	switch {
	case s.Ticket != r.pos.Slot: // given back before the answer came
	case s.Granted:
		r.granted = s.Ticket
	case r.granted != s.Ticket:
		r.waits = s.Why
	}
}

// release gives a slot back when its attempt has ended, and says what it cost.
func (r *run) release() {
	st := r.pos.State
	if r.pos.Slot == "" || st.Pending != nil && st.Pending.ID == r.pos.Slot {
		return
	}
	known := false
	if n := len(st.Attempts); n > 0 {
		known = st.Attempts[n-1].CostKnown()
	}
	r.give(LimitEvent{Kind: LimitDone, Cost: st.Use.Cost - r.pos.Counted, Known: known})
}

// give gives the slot back.
func (r *run) give(e LimitEvent) {
	r.signalLimits(e)
	r.pos.Slot, r.granted, r.pos.Counted = "", "", r.pos.State.Use.Cost
}

// signalLimits sends something to the team. Its limits may have ended with the day: then there is nothing to count it to.
func (r *run) signalLimits(e LimitEvent) {
	e.Slot = Slot{Workflow: workflow.GetInfo(r.ctx).WorkflowExecution.ID, Ticket: r.pos.Slot}
	if err := workflow.SignalExternalWorkflow(r.ctx, LimitsWorkflowID(r.pos.Team), "", SignalLimits, e).Get(r.ctx, nil); err != nil {
		r.say(workflow.Now(r.ctx), "team "+r.pos.Team+" was not told what was used: "+Cause(err))
	}
}

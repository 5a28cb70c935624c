package task

import (
	"cmp"
	"time"

	"go.temporal.io/sdk/temporal"
	"go.temporal.io/sdk/workflow"

	"github.com/belay-dev/belay/internal/loop"
)

// waitForSlot asks the task's team for a slot and waits for it. False: the attempt may not begin,
// because a worker was lost or somebody cancelled the task.
func (r *taskRun) waitForSlot(c loop.Command) (bool, error) {
	if r.pos.Team == "" || r.grantedAttempt == c.ID {
		return true, nil
	}
	info := workflow.GetInfo(r.ctx)
	r.pos.Slot = c.ID
	q := r.newAsk(Ask{Slot: Slot{Workflow: info.WorkflowExecution.ID, Ticket: c.ID, Agent: cmp.Or(r.in.Role, r.in.Agent[0])}})
	ctx := workflow.WithActivityOptions(r.ctx, workflow.ActivityOptions{
		TaskQueue: QueueOf(r.pos.Worker), ScheduleToStartTimeout: r.patience(),
		StartToCloseTimeout: shortActivityTime, HeartbeatTimeout: silenceLimit(r.in),
		RetryPolicy: &temporal.RetryPolicy{InitialInterval: time.Second, MaximumInterval: time.Minute, MaximumAttempts: 4,
			NonRetryableErrorTypes: []string{ErrRefused, ErrDiverged, ErrMoved}},
	})
	if err := workflow.ExecuteActivity(ctx, SlotName, q).Get(ctx, nil); err != nil {
		if r.returnsSlots(r.ctx) {
			r.sendRelease(LimitEvent{Kind: LimitDone, Known: true})
		}
		r.pos.Slot = ""
		why := lostReason(err)
		if why == "" {
			return false, err
		}
		r.addLog(workflow.Now(r.ctx), r.pos.Worker+": "+why)
		if !r.pos.Pushed {
			return false, nil
		}
		return false, r.adoptTask()
	}
	for shown := ""; r.grantedAttempt != c.ID; {
		if r.waitReason != shown {
			shown = r.waitReason
			r.addLog(workflow.Now(r.ctx), "waiting: "+shown)
			if err := r.updateAttributes(); err != nil {
				return false, err
			}
		}
		end := func() bool { return r.cancelled || r.stopWaiting || r.willAbort() }
		if err := workflow.Await(r.ctx, func() bool { return r.grantedAttempt == c.ID || r.waitReason != shown || end() }); err != nil {
			return false, err
		}
		if r.grantedAttempt == c.ID || !end() {
			continue
		}
		stopped := r.stopWaiting
		r.waitReason, r.stopWaiting = "", false
		if !r.returnsSlots(r.ctx) {
			r.pos.Counted = r.pos.State.Use.Cost // as in older histories, which do not report the cost of reviews here
		}
		if r.sendRelease(LimitEvent{Kind: LimitDone, Known: true}); !stopped {
			return false, nil // beginAttempt decides what follows
		}
		return false, r.quarantine("cancelled before its agent began")
	}
	waited := r.waitReason != ""
	r.waitReason = ""
	if waited {
		return true, r.updateAttributes()
	}
	return true, nil
}

// returnsSlots reports whether a slot is returned that may have been granted to a request that
// failed, or is granted to none, without losing a cost.
func (r *taskRun) returnsSlots(ctx workflow.Context) bool {
	return workflow.GetVersion(ctx, "returns a slot that it does not use", workflow.DefaultVersion, 1) == 1
}

// takeSlot records the team's answer about a slot.
func (r *taskRun) takeSlot(ctx workflow.Context, s Slot) {
	switch {
	case s.Ticket != r.pos.Slot: // released before the answer came
		if s.Granted && r.pos.Team != "" && r.returnsSlots(ctx) {
			r.signalLimits(ctx, s.Ticket, LimitEvent{Kind: LimitDone, Known: true})
		}
	case s.Granted:
		r.grantedAttempt = s.Ticket
	case r.grantedAttempt != s.Ticket:
		r.waitReason = s.Why
	}
}

// releaseSlot releases the slot of an ended attempt, with its cost.
func (r *taskRun) releaseSlot() {
	st := r.pos.State
	if r.pos.Slot == "" || st.Pending != nil && st.Pending.ID == r.pos.Slot {
		return
	}
	known := false
	if n := len(st.Attempts); n > 0 {
		known = st.Attempts[n-1].CostKnown()
	}
	r.sendRelease(LimitEvent{Kind: LimitDone, Cost: st.Use.Cost - r.pos.Counted, Known: known})
	r.pos.Counted = st.Use.Cost
}

// sendRelease releases the slot.
func (r *taskRun) sendRelease(e LimitEvent) {
	r.signalLimits(r.ctx, r.pos.Slot, e)
	r.pos.Slot, r.grantedAttempt = "", ""
}

// signalLimits sends an event to the team. The workflow of its limits may have ended with the day;
// the event then counts for nothing.
func (r *taskRun) signalLimits(ctx workflow.Context, ticket string, e LimitEvent) {
	e.Slot = Slot{Workflow: workflow.GetInfo(ctx).WorkflowExecution.ID, Ticket: ticket}
	if err := workflow.SignalExternalWorkflow(ctx, LimitsWorkflowID(r.pos.Team), "", SignalLimits, e).Get(ctx, nil); err != nil {
		r.addLog(workflow.Now(ctx), "team "+r.pos.Team+" was not told what was used: "+Cause(err))
	}
}

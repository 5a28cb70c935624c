package app

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/belay-dev/belay/internal/belay"
	"github.com/belay-dev/belay/internal/handoff"
	"github.com/belay-dev/belay/internal/loop"
	"github.com/belay-dev/belay/internal/runner"
	"github.com/belay-dev/belay/internal/session"
)

// judged ends the attempt that the roles made together and drives the task on, as any
// other: it is checked, read by reviewers, put back, and a person is asked where one is
// needed. The task is closed then, waits at a gate, or stands before another attempt.
func (r *pipelineRun) judged(ctx context.Context, rec *session.Record) (*session.Record, error) {
	id := rec.Task.ID
	var err error
	if p := rec.State.Pending; p != nil && (p.Kind == loop.CmdAttempt || p.Kind == loop.CmdCapture) {
		if _, err := Verify(ctx, r.session, VerifyRequest{Request: r.req}); err != nil {
			return rec, err
		}
		if rec, err = r.svc.Capture(ctx, id, r.q.Watch); err != nil {
			return rec, err
		}
	}
	unlock, err := r.session.Hold(ctx, id, "belay run")
	if err != nil {
		return rec, err
	}
	defer unlock()
	if rec, err = r.session.Load(id); err != nil {
		return nil, err
	}
	if g := rec.State.Gate; g != nil && g.Kind == loop.GateCancelled {
		if err := r.session.Apply(ctx, rec, loop.Event{Kind: loop.EvResumed}); err != nil {
			return rec, err
		}
	}
	dr := &runner.Driver{Session: r.session, Rec: rec, Watch: r.q.Watch, Soft: r.q.Soft,
		Stop: func(c loop.Command) bool { return c.Kind == loop.CmdAttempt }}
	err = dr.Drive(ctx)
	overridden(ctx, r.session, rec, r.q.Watch)
	if errors.Is(err, runner.ErrParked) || err == nil && r.q.Soft.Err() != nil && rec.Open() {
		err = parked(id)
	}
	return rec, err
}

// sentBack sends the work back for every attempt after the first: to the last role that may
// write, with what was said of the attempt before, and everybody after it works again. All
// begin anew where the state before was put back, or nothing was handed over since.
func (r *pipelineRun) sentBack(ctx context.Context, rec *session.Record) error {
	all := rec.State.Attempts
	p := rec.State.Pending
	if p == nil || p.Kind != loop.CmdAttempt || len(all) < 2 || rec.Context.Attempt >= len(all) {
		return nil
	}
	was := all[len(all)-2]
	back := handoff.Back{Attempt: len(all), Anew: was.Then == loop.ThenRollback || rec.Context.Last == nil}
	role := r.roles[0].Name
	for _, one := range r.roles {
		if !one.ReadOnly && !back.Anew {
			role = one.Name
		}
	}
	r.q.Watch.Note(fmt.Sprintf("%s: returning the work to %s", rec.Task.ID, role))
	if err := (&runner.Driver{Session: r.session, Rec: rec, Watch: r.q.Watch}).Starts(ctx, *p); err != nil {
		return err
	}
	if err := Send(ctx, r.session, r.req, role, reason(all[len(all)-1].Guidance, was), back); err != nil {
		return err
	}
	fresh, err := r.session.Load(rec.Task.ID)
	if err == nil {
		*rec = *fresh
	}
	return err
}

// reason is what a person said, and what the attempt before was rejected for.
func reason(guidance string, was loop.Attempt) string {
	var lines []string
	if guidance = strings.TrimSpace(guidance); guidance != "" {
		lines = append(lines, guidance)
	}
	for _, f := range was.Findings {
		if f.Severity == belay.SeverityError || f.Severity == belay.SeverityQuestion {
			lines = append(lines, said(f))
		}
	}
	if len(lines) == 0 {
		lines = append(lines, "it could not be checked")
		if was.Note != "" {
			lines[0] += ": " + was.Note
		}
	}
	return strings.Join(lines, "\n")
}

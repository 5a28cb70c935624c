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

// finishAttempt ends the attempt that the roles made together and drives the task like any other:
// checks, reviews, a rollback, a question to a person. Afterwards the task is closed, waits at a
// gate, or is ready for another attempt.
func (r *pipelineRun) finishAttempt(ctx context.Context, rec *session.Record) (*session.Record, error) {
	id := rec.Task.ID
	var err error
	if p := rec.State.Pending; p != nil && (p.Kind == loop.CmdAttempt || p.Kind == loop.CmdCapture) {
		if _, err := VerifyHandover(ctx, r.session, VerifyRequest{ContextRequest: r.req}); err != nil {
			return rec, err
		}
		if rec, err = r.svc.Capture(ctx, id, r.q.Watch); err != nil {
			return rec, err
		}
	}
	unlock, err := r.session.LockTreeToRun(ctx, id, "belay run")
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
	dr := &runner.Driver{Session: r.session, Record: rec, Observer: r.q.Watch, Soft: r.q.Soft,
		Stop: func(c loop.Command) bool { return c.Kind == loop.CmdAttempt }}
	err = dr.Drive(ctx)
	writeOverride(ctx, r.session, rec, r.q.Watch)
	if errors.Is(err, runner.ErrParked) || err == nil && r.q.Soft.Err() != nil && rec.Open() {
		err = parkedError(id)
	}
	return rec, err
}

// returnWork gives the work back for each attempt after the first: to the last role that may write,
// with the findings about the previous attempt; the roles after it run again. After a rollback, or
// without a handover, all roles start again.
func (r *pipelineRun) returnWork(ctx context.Context, rec *session.Record) error {
	all := rec.State.Attempts
	p := rec.State.Pending
	if p == nil || p.Kind != loop.CmdAttempt || len(all) < 2 || rec.Context.Attempt >= len(all) {
		return nil
	}
	was := all[len(all)-2]
	back := handoff.SentBack{Attempt: len(all), FromStart: was.Then == loop.ThenRollback || rec.Context.LastHandoff == nil}
	role := r.roles[0].Name
	for _, one := range r.roles {
		if !one.ReadOnly && !back.FromStart {
			role = one.Name
		}
	}
	r.q.Watch.Note(fmt.Sprintf("%s: returning the work to %s", rec.Task.ID, role))
	if err := (&runner.Driver{Session: r.session, Record: rec, Observer: r.q.Watch}).SnapshotStart(ctx, *p); err != nil {
		return err
	}
	if err := SendBack(ctx, r.session, r.req, role, returnReason(all[len(all)-1].Guidance, was), back); err != nil {
		return err
	}
	fresh, err := r.session.Load(rec.Task.ID)
	if err == nil {
		*rec = *fresh
	}
	return err
}

// returnReason joins a person's guidance and the findings that rejected the previous attempt.
func returnReason(guidance string, was loop.Attempt) string {
	var lines []string
	if guidance = strings.TrimSpace(guidance); guidance != "" {
		lines = append(lines, guidance)
	}
	for _, f := range was.Findings {
		if f.Severity == belay.SeverityError || f.Severity == belay.SeverityQuestion {
			lines = append(lines, findingText(f))
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

package app

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"slices"
	"strconv"
	"strings"

	"github.com/belay-dev/belay/internal/agent"
	"github.com/belay-dev/belay/internal/belay"
	"github.com/belay-dev/belay/internal/fsroot"
	"github.com/belay-dev/belay/internal/handoff"
	"github.com/belay-dev/belay/internal/prompt"
	"github.com/belay-dev/belay/internal/runner"
	"github.com/belay-dev/belay/internal/session"
)

// role lets one role work: it begins from a proved tree, its agent runs, what it left is
// judged, and it hands over. Each step is done once, whenever belay is killed: the record
// says which were.
func (r *pipelineRun) role(ctx context.Context, rec *session.Record, s *handoff.State) error {
	unlock, err := r.session.Hold(ctx, rec.Task.ID, "belay run, "+s.Name)
	if err != nil {
		return err
	}
	defer unlock()
	if err := r.starts(ctx, rec, s); err != nil {
		return err
	}
	round := s.Rounds + 1
	r.q.Watch.Note(fmt.Sprintf("%s: %s starts%s", rec.Task.ID, s.Name, again(round)))
	if err := r.run(ctx, rec, s, round); err != nil {
		return err
	}
	if err := r.checked(ctx, rec, s); err != nil {
		return err
	}
	h, err := Snapshot(ctx, r.session, r.req, s.Name, true)
	if err != nil {
		return err
	}
	r.q.Watch.Note(fmt.Sprintf("%s: %s handed over %s, +%d -%d", rec.Task.ID, s.Name, belay.CountOf(h.Files, "file"), h.Added, h.Deleted))
	for _, n := range h.Notes {
		r.q.Watch.Note(n)
	}
	return fsroot.RemoveAll(r.runDir(rec, s.Name, round))
}

func again(round int) string {
	if round == 1 {
		return ""
	}
	return fmt.Sprintf(" round %d", round)
}

// starts lets the role begin. Findings of its last round are answered by what was handed
// over since.
func (r *pipelineRun) starts(ctx context.Context, rec *session.Record, s *handoff.State) error {
	if rec.Context.ActiveRole == s.Name {
		return nil
	}
	req := UpdateRequest{ContextRequest: r.req, Role: s.Name, Status: string(handoff.InProgress), ClearFindings: len(s.Blocking) > 0}
	_, err := Update(ctx, r.session, req)
	return err
}

func (r *pipelineRun) runDir(rec *session.Record, role string, round int) string {
	return r.session.RunDir(rec.Task.ID, fmt.Sprintf("role-%s-%d", strings.ToLower(role), round))
}

// run runs the role's agent, or takes up the run that is there, and records how it
// ended. One that fails blocks.
func (r *pipelineRun) run(ctx context.Context, rec *session.Record, s *handoff.State, round int) error {
	if s.Run != nil && s.Run.Round == round { // it ended before belay was killed
		return r.failed(ctx, s, *s.Run)
	}
	dir := r.runDir(rec, s.Name, round)
	run, err := agent.Attach(dir)
	if errors.Is(err, fs.ErrNotExist) {
		run, err = r.launch(ctx, rec, s, round, dir)
	}
	if err != nil {
		return err
	}
	res, err := r.waited(ctx, rec, run, dir)
	if err != nil {
		return err
	}
	r.unlimited(rec, res.Use)
	if res.Limit == "" && res.Blocked == "" && (res.Stopped || res.Result.Ended == "lost" || res.Result.Ended == "stopped") {
		if err := fsroot.RemoveAll(dir); err != nil { // it runs anew when the task is resumed
			return err
		}
		// Round 0 is no round, so that it runs again; what it used counts.
		if err := Ran(ctx, r.session, r.req, s.Name, handoff.Run{Ended: res.Result.Ended, Use: res.Use}); err != nil {
			return err
		}
		return parked(rec.Task.ID)
	}
	ended := handoff.Run{Round: round, Use: res.Use, Limit: cmp.Or(res.Limit, res.Blocked), Ended: res.Result.Ended, Exit: res.Result.Exit,
		Millis: res.Result.Elapsed.Milliseconds(), Log: r.session.KeepOutput(run, rec.Task, r.q.Watch.Note)}
	if err := Ran(ctx, r.session, r.req, s.Name, ended); err != nil {
		return err
	}
	return r.failed(ctx, s, ended)
}

// failed blocks on an agent that did not end well.
func (r *pipelineRun) failed(ctx context.Context, s *handoff.State, run handoff.Run) error {
	if run.Ended == "exit" && run.Exit == 0 {
		return nil
	}
	why := fmt.Sprintf("its agent ended with exit code %d", run.Exit)
	if run.Ended != "exit" {
		why = "its agent was stopped: " + run.Ended
	}
	if run.Limit != "" {
		why = "its agent was stopped: " + run.Limit
	}
	if slices.Contains(s.Blocking, why) {
		return nil
	}
	_, err := Block(ctx, r.session, r.req, s.Name, why)
	return err
}

func (r *pipelineRun) launch(ctx context.Context, rec *session.Record, s *handoff.State, round int, dir string) (*agent.Run, error) {
	place, err := At(ctx, r.session, r.req)
	if err != nil {
		return nil, err
	}
	parts, err := place.Export(ctx, s.Name)
	if err != nil {
		return nil, err
	}
	fresh, err := r.session.Load(rec.Task.ID)
	if err != nil {
		return nil, err
	}
	path, err := r.session.WriteContext(fresh, s.Name)
	if err != nil {
		return nil, err
	}
	role := roleOf(r.session.Config, s.Name)
	in := prompt.RoleInput{Task: rec.Task, Role: s.Name, Before: rec.Context.LastHandoffBy, After: r.after(s.Name),
		Round: round, ReadOnly: s.ReadOnly, Told: s.SentBackFor, Words: role.Prompt,
		Export: string(parts[0].Text), Now: r.session.NowFiles()}
	in.Plan.Path, in.Plan.Lines = r.session.PlanMarks(fresh)
	timeout := role.Timeout
	if timeout == 0 {
		timeout = rec.Task.Timeout
	}
	command, err := r.session.May.Program(r.commandOf(s.Name))
	if err != nil {
		return nil, err
	}
	enclosed := runner.Enclosed{Role: true}
	if s.ReadOnly && role.Closed {
		within, err := r.readOnlyAccess(ctx)
		if err != nil {
			return nil, err
		}
		if runner.Fenced(r.session) {
			enclosed.Closed, enclosed.Open = within.ReadOnly, within.Writable
		} else if command, err = r.readOnlyCommand(within, command); err != nil {
			return nil, err
		}
	}
	return runner.Start(ctx, r.session, dir, agent.Spec{
		Command: command, Dir: r.session.Repo.Root, Prompt: []byte(prompt.Role(in)), Timeout: timeout,
		Label: fmt.Sprintf("%s %s", rec.Task.ID, s.Name),
		Env: agent.BuildEnviron(os.Environ(), nil, map[string]string{
			"BELAY_TASK": string(rec.Task.ID), "BELAY_ROLE": s.Name, "BELAY_ACTOR": s.Name,
			"BELAY_ATTEMPT": strconv.Itoa(round), session.ContextVar: path,
		}),
	}, enclosed, r.q.Watch.Note)
}

// after names the role that comes next.
func (r *pipelineRun) after(role string) string {
	i := slices.IndexFunc(r.roles, func(o handoff.Role) bool { return o.Name == role })
	if i < 0 || i+1 == len(r.roles) {
		return ""
	}
	return r.roles[i+1].Name
}

// checked judges what a role that writes has left. What refuses the work is a finding of
// the role, so that nobody goes on from it.
func (r *pipelineRun) checked(ctx context.Context, rec *session.Record, s *handoff.State) error {
	if s.ReadOnly {
		return nil
	}
	fresh, err := r.session.Load(rec.Task.ID)
	if err != nil {
		return err
	}
	now, err := fresh.Context.RoleState(s.Name)
	if err != nil || len(now.Blocking) > 0 { // it is stopped already
		return err
	}
	report, err := r.svc.Check(ctx, CheckRequest{Task: rec.Task.ID, Timeout: session.RunTimeout, Watch: r.q.Watch})
	if err != nil {
		return err
	}
	for _, f := range report.Errors() {
		if _, err := Block(ctx, r.session, r.req, s.Name, said(f)); err != nil {
			return err
		}
	}
	return nil
}

func said(f belay.Finding) string {
	text := f.Check + ": " + f.Title
	if f.File != "" {
		text += " (" + belay.At(f.File, f.Line) + ")"
	}
	return text
}

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

// runRole runs one role: it starts from a verified tree, its agent runs, its work is checked, and
// it hands over. If belay is killed, no step is repeated: the record has the finished ones.
func (r *pipelineRun) runRole(ctx context.Context, rec *session.Record, s *handoff.State) error {
	unlock, err := r.session.LockTreeToRun(ctx, rec.Task.ID, "belay run, "+s.Name)
	if err != nil {
		return err
	}
	defer unlock()
	if err := r.startRole(ctx, rec, s); err != nil {
		return err
	}
	round := s.Rounds + 1
	r.q.Watch.Note(fmt.Sprintf("%s: %s starts%s", rec.Task.ID, s.Name, roundSuffix(round)))
	if err := r.runAgent(ctx, rec, s, round); err != nil {
		return err
	}
	if err := r.checkWork(ctx, rec, s); err != nil {
		return err
	}
	h, err := HandOver(ctx, r.session, r.req, s.Name, true)
	if err != nil {
		return err
	}
	r.q.Watch.Note(fmt.Sprintf("%s: %s handed over %s, +%d -%d", rec.Task.ID, s.Name, belay.CountOf(h.Files, "file"), h.Added, h.Deleted))
	for _, n := range h.Notes {
		r.q.Watch.Note(n)
	}
	return fsroot.RemoveAll(r.runDir(rec, s.Name, round))
}

func roundSuffix(round int) string {
	if round == 1 {
		return ""
	}
	return fmt.Sprintf(" round %d", round)
}

// startRole starts the role. It clears the findings of the role's last round, which later handovers
// have answered.
func (r *pipelineRun) startRole(ctx context.Context, rec *session.Record, s *handoff.State) error {
	if rec.Context.ActiveRole == s.Name {
		return nil
	}
	req := UpdateRequest{ContextRequest: r.req, Role: s.Name, Status: string(handoff.InProgress), ClearFindings: len(s.Blocking) > 0}
	_, err := UpdateRole(ctx, r.session, req)
	return err
}

func (r *pipelineRun) runDir(rec *session.Record, role string, round int) string {
	return r.session.RunDir(rec.Task.ID, fmt.Sprintf("role-%s-%d", strings.ToLower(role), round))
}

// runAgent runs the role's agent, or attaches to an existing run, and records how it ended. A
// failed run blocks the role.
func (r *pipelineRun) runAgent(ctx context.Context, rec *session.Record, s *handoff.State, round int) error {
	if s.Run != nil && s.Run.Round == round { // ended before belay was killed
		return r.blockOnFailure(ctx, s, *s.Run)
	}
	dir := r.runDir(rec, s.Name, round)
	run, err := agent.Attach(dir)
	if errors.Is(err, fs.ErrNotExist) {
		run, err = r.launch(ctx, rec, s, round, dir)
	}
	if err != nil {
		return err
	}
	res, err := r.waitForRun(ctx, rec, run, dir)
	if err != nil {
		return err
	}
	r.noteUnknownLimits(rec, res.Use)
	if res.Limit == "" && res.Blocked == "" && (res.Stopped || res.Result.Ended == "lost" || res.Result.Ended == "stopped") {
		if err := fsroot.RemoveAll(dir); err != nil { // it runs again when the task is resumed
			return err
		}
		// Round 0 does not count as a round, so that it runs again; its use counts.
		if err := RecordRun(ctx, r.session, r.req, s.Name, handoff.Run{Ended: res.Result.Ended, Use: res.Use}); err != nil {
			return err
		}
		return parkedError(rec.Task.ID)
	}
	ended := handoff.Run{Round: round, Use: res.Use, Limit: cmp.Or(res.Limit, res.Blocked), Ended: res.Result.Ended, Exit: res.Result.Exit,
		Millis: res.Result.Elapsed.Milliseconds(), Log: r.session.KeepOutput(run, rec.Task, r.q.Watch.Note)}
	if err := RecordRun(ctx, r.session, r.req, s.Name, ended); err != nil {
		return err
	}
	return r.blockOnFailure(ctx, s, ended)
}

// blockOnFailure blocks the role when its agent failed.
func (r *pipelineRun) blockOnFailure(ctx context.Context, s *handoff.State, run handoff.Run) error {
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
	_, err := BlockRole(ctx, r.session, r.req, s.Name, why)
	return err
}

func (r *pipelineRun) launch(ctx context.Context, rec *session.Record, s *handoff.State, round int, dir string) (*agent.Run, error) {
	place, err := OpenPlace(ctx, r.session, r.req)
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
	role := configRole(r.session.Config, s.Name)
	in := prompt.RoleInput{Task: rec.Task, Role: s.Name, Before: rec.Context.LastHandoffBy, After: r.roleAfter(s.Name),
		Round: round, ReadOnly: s.ReadOnly, ReturnReason: s.SentBackFor, Instructions: role.Prompt,
		Export: string(parts[0].Text), Now: r.session.NowFiles()}
	in.Plan.Path, in.Plan.Lines = r.session.PlanMarks(fresh)
	timeout := role.Timeout
	if timeout == 0 {
		timeout = rec.Task.Timeout
	}
	command, err := r.session.Gate.Program(r.commandOf(s.Name))
	if err != nil {
		return nil, err
	}
	enclosed := runner.FenceRequest{Role: true}
	if s.ReadOnly && role.Closed {
		within, err := r.readOnlyAccess(ctx)
		if err != nil {
			return nil, err
		}
		if runner.UsesFence(r.session) {
			enclosed.ReadOnly, enclosed.Writable = within.ReadOnly, within.Writable
		} else if command, err = r.readOnlyCommand(within, command); err != nil {
			return nil, err
		}
	}
	return runner.StartAgent(ctx, r.session, dir, agent.Spec{
		Command: command, Dir: r.session.Repo.Root, Prompt: []byte(prompt.Role(in)), Timeout: timeout,
		Label: fmt.Sprintf("%s %s", rec.Task.ID, s.Name),
		Env: agent.BuildEnviron(os.Environ(), nil, map[string]string{
			"BELAY_TASK": string(rec.Task.ID), "BELAY_ROLE": s.Name, "BELAY_ACTOR": s.Name,
			"BELAY_ATTEMPT": strconv.Itoa(round), session.ContextVar: path,
		}),
	}, enclosed, r.q.Watch.Note)
}

// roleAfter returns the name of the next role.
func (r *pipelineRun) roleAfter(role string) string {
	i := slices.IndexFunc(r.roles, func(o handoff.Role) bool { return o.Name == role })
	if i < 0 || i+1 == len(r.roles) {
		return ""
	}
	return r.roles[i+1].Name
}

// checkWork checks the work of a role that writes. A failed check is a blocking finding of the role, so that no other
// role continues from it.
func (r *pipelineRun) checkWork(ctx context.Context, rec *session.Record, s *handoff.State) error {
	if s.ReadOnly {
		return nil
	}
	fresh, err := r.session.Load(rec.Task.ID)
	if err != nil {
		return err
	}
	now, err := fresh.Context.RoleState(s.Name)
	if err != nil || len(now.Blocking) > 0 { // already blocked
		return err
	}
	report, err := r.svc.Check(ctx, CheckRequest{Task: rec.Task.ID, Timeout: session.RunTimeout, Watch: r.q.Watch})
	if err != nil {
		return err
	}
	for _, f := range report.Errors() {
		if _, err := BlockRole(ctx, r.session, r.req, s.Name, findingText(f)); err != nil {
			return err
		}
	}
	return nil
}

func findingText(f belay.Finding) string {
	text := f.Check + ": " + f.Title
	if f.File != "" {
		text += " (" + belay.At(f.File, f.Line) + ")"
	}
	return text
}

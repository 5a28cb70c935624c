package app

import (
	"context"
	"fmt"
	"os"
	"slices"
	"strings"

	"github.com/belay-dev/belay/internal/agent"
	"github.com/belay-dev/belay/internal/belay"
	"github.com/belay-dev/belay/internal/config"
	"github.com/belay-dev/belay/internal/handoff"
	"github.com/belay-dev/belay/internal/loop"
	"github.com/belay-dev/belay/internal/runner"
	"github.com/belay-dev/belay/internal/session"
)

// PipelineRequest asks several roles to work on a task. The task is new (NewTask.Text) or recorded
// (Resume).
type PipelineRequest struct {
	NewTask
	Resume belay.TaskID
	Roles  []string // names, or prefixes of names; nil: those that the task started with
	Watch  runner.Observer
	Soft   context.Context // ends when a person stops the run
}

// pipelineRun is one running pipeline.
type pipelineRun struct {
	svc            *Service
	session        *session.Session
	q              PipelineRequest
	req            ContextRequest
	roles          []handoff.Role
	agent          []string // for roles without their own
	reportedLimits []string // notes already shown about limits that cannot be measured
	answered       bool     // a blocked role was retried in this run: the next block ends it
}

// RunPipeline runs the roles until all are done or one cannot continue. It also returns the record
// with an error. Errors: belay.CodeRefused with blocking findings, CodeDrift, CodeInterrupted,
// CodeBusy, and those of a task that cannot start.
func RunPipeline(ctx context.Context, s *Service, q PipelineRequest) (*session.Record, error) {
	r := &pipelineRun{svc: s, session: s.Session, q: q, req: ContextRequest{Task: q.Resume, By: "belay run"}}
	rec, err := r.prepare()
	if err == nil && rec != nil {
		_, err = s.Adjust(ctx, rec, s.Session.Config, q.NewTask)
	}
	if err != nil {
		return rec, err
	}
	if err := s.FinishRestore(ctx, q.Watch); err != nil {
		return rec, err
	}
	if rec, err = r.begin(ctx, rec); err != nil {
		return rec, err
	}
	for rec.Open() && (rec.State.Gate == nil || rec.State.Gate.Kind != loop.GateClarify) {
		if err := r.returnWork(ctx, rec); err != nil {
			return rec, err
		}
		if rec, err = r.runRoles(ctx, rec); err != nil {
			return rec, err
		}
		if rec, err = r.finishAttempt(ctx, rec); err != nil || rec.State.Pending == nil {
			return rec, err
		}
	}
	return rec, nil
}

// IsPipeline reports whether a task is run by roles.
func IsPipeline(r *session.Record) bool { return len(r.Task.Roles) > 0 }

// prepare performs all checks that are possible before anything is written.
func (r *pipelineRun) prepare() (rec *session.Record, err error) {
	s, q := r.svc, r.q
	r.agent = q.Agent
	if q.Resume != "" {
		if rec, err = s.Session.Load(q.Resume); err != nil {
			return nil, err
		}
		if !rec.Open() {
			return rec, endedError(rec, fmt.Sprintf("belay show %s", q.Resume))
		}
		if rec.Task.Worktree != "" {
			return rec, belay.Refuse(belay.CodeUsage, "record it without --worktree",
				"%s has its own worktree, but roles work in yours", q.Resume)
		}
		if len(r.agent) == 0 {
			r.agent = rec.Task.Agent
		}
	}
	if len(r.agent) == 0 {
		r.agent = s.Session.Config.Agent.Command
	}
	if r.roles, err = selectRoles(s.Session.Config, q.Roles, rec); err != nil {
		return rec, err
	}
	for _, role := range r.roles {
		argv := r.commandOf(role.Name)
		if len(argv) == 0 {
			return rec, belay.Refuse(belay.CodeUsage,
				fmt.Sprintf("roles.%s.command in the config, or the agent after --", role.Name), "the role %s has no agent", role.Name)
		}
		if err := agent.LookPath(argv[0], s.Session.Repo.Root, os.Environ()); err != nil {
			return rec, err
		}
	}
	return rec, s.CheckRoleTrust(rec, r.agentCommands(), q.Agent, q.Trust)
}

// agentCommands returns the agent commands of the roles to run, each once.
func (r *pipelineRun) agentCommands() (all [][]string) {
	for _, role := range r.roles {
		if argv := r.commandOf(role.Name); !slices.ContainsFunc(all, func(o []string) bool { return slices.Equal(o, argv) }) {
			all = append(all, argv)
		}
	}
	return all
}

// selectRoles returns the roles to run, in the order given; without names, those that the task
// started with.
func selectRoles(c config.Config, names []string, rec *session.Record) ([]handoff.Role, error) {
	known, err := Roles(c)
	if err != nil {
		return nil, err
	}
	if rec != nil && rec.Context.IsSet() {
		known = nil
		for _, s := range rec.Context.Roles {
			known = append(known, s.Role)
		}
	}
	if len(names) == 0 && rec != nil {
		names = rec.Task.Roles
	}
	if len(names) == 0 {
		return known, nil
	}
	var out []handoff.Role
	for _, n := range names {
		i := slices.IndexFunc(known, func(r handoff.Role) bool { return strings.EqualFold(r.Name, n) })
		if i < 0 { // "implement" selects implementer
			i = slices.IndexFunc(known, func(r handoff.Role) bool {
				return len(n) > 2 && strings.HasPrefix(strings.ToLower(r.Name), strings.TrimSuffix(strings.ToLower(n), "e"))
			})
		}
		if i < 0 {
			return nil, belay.Refuse(belay.CodeUsage, "name them below roles: in the config, or use "+roleNames(known),
				"no role %q", n)
		}
		if slices.ContainsFunc(out, func(r handoff.Role) bool { return r.Name == known[i].Name }) {
			return nil, belay.Refuse(belay.CodeUsage, "list it once", "the role %s is listed twice", known[i].Name)
		}
		out = append(out, known[i])
	}
	return out, nil
}

func roleNames(roles []handoff.Role) string {
	var names []string
	for _, r := range roles {
		names = append(names, r.Name)
	}
	return strings.Join(names, ", ")
}

// configRole returns the config's settings of a role, empty for an unknown one.
func configRole(c config.Config, name string) config.Role {
	for _, r := range c.Roles {
		if r.Name == name {
			return r
		}
	}
	return config.Role{Name: name}
}

func (r *pipelineRun) commandOf(name string) []string {
	if argv := configRole(r.session.Config, name).Command; len(argv) > 0 {
		return argv
	}
	return r.agent
}

// begin records the task, takes its before snapshot and creates the context, each unless it exists.
func (r *pipelineRun) begin(ctx context.Context, rec *session.Record) (*session.Record, error) {
	var err error
	var names []string
	for _, role := range r.roles {
		names = append(names, role.Name)
	}
	switch {
	case rec == nil:
		r.q.Fill = func(t *belay.Task) { t.Roles = names }
		if rec, err = r.svc.Add(ctx, r.q.NewTask); err != nil {
			return nil, err
		}
		r.req.Task = rec.Task.ID
	case !slices.Equal(rec.Task.Roles, names):
		t := rec.Task
		t.Roles = names
		if err := r.session.Append(ctx, rec, session.EntryTask, t); err != nil {
			return rec, err
		}
	}
	if gate := rec.State.Gate; gate != nil && gate.Kind == loop.GateClarify {
		return rec, nil // no role starts before a person has clarified the task
	}
	switch phase := rec.State.Phase; phase {
	case "", loop.PhaseNew, loop.PhaseSnapshot, loop.PhaseBaseline:
		r.q.Watch.Note(fmt.Sprintf("%s: taking a snapshot", rec.Task.ID))
		if rec, err = r.svc.Start(ctx, rec.Task.ID, r.q.Watch); err != nil {
			return rec, err
		}
	}
	if rec.Context.IsSet() {
		return rec, nil
	}
	in := InitRequest{ContextRequest: r.req, Roles: r.roles, WithoutStandards: true}
	made, err := InitContext(ctx, r.session, in)
	if err != nil {
		return rec, err
	}
	for _, n := range made.Notes {
		r.q.Watch.Note(n)
	}
	return r.session.Load(rec.Task.ID)
}

// runRoles runs one role after another.
func (r *pipelineRun) runRoles(ctx context.Context, rec *session.Record) (*session.Record, error) {
	if p := rec.State.Pending; p == nil || p.Kind != loop.CmdAttempt {
		return rec, nil // the roles are done; only the checks are left
	}
	for {
		next, blocked, err := r.nextRole(&rec.Context)
		if err != nil || next == nil {
			return rec, err
		}
		if blocked != nil && r.answered {
			return rec, stoppedError(rec, blocked)
		}
		r.answered = r.answered || blocked != nil
		if err := r.runRole(ctx, rec, next); err != nil {
			return rec, err
		}
		if rec, err = r.session.Load(rec.Task.ID); err != nil {
			return nil, err
		}
		if s, err := rec.Context.RoleState(next.Name); err == nil && len(s.Blocking) > 0 {
			return rec, stoppedError(rec, s)
		}
	}
}

func stoppedError(rec *session.Record, s *handoff.State) error {
	return belay.Refuse(belay.CodeRefused,
		fmt.Sprintf("belay run --resume %s returns it to the role that can fix it; belay context update %s --role %s "+
			"--clear-findings marks it as fixed", rec.Task.ID, rec.Task.ID, s.Name),
		"%s stops %s: %s", s.Name, rec.Task.ID, strings.Join(s.Blocking, "; "))
}

// nextRole returns the role that has to work now, nil when all have: the first that has not handed
// over since a previous role did or since the work was sent back to it; or, if a role blocks, the
// last writing role before that one. blocked is the role that blocks.
func (r *pipelineRun) nextRole(c *handoff.Context) (next, blocked *handoff.State, err error) {
	newest := 0
	var writer *handoff.State
	for _, role := range r.roles {
		s, err := c.RoleState(role.Name)
		if err != nil {
			return nil, nil, err
		}
		switch {
		case s.Snapshot == nil, s.Order < newest, s.SentBackFor != "":
			return s, nil, nil
		case len(s.Blocking) > 0:
			if writer == nil {
				writer = s
			}
			return writer, s, nil
		}
		newest = s.Order
		if !s.ReadOnly {
			writer = s
		}
	}
	return nil, nil, nil
}

// waitForRun waits for the run of a role. The limits are the task's, for all roles together.
func (r *pipelineRun) waitForRun(ctx context.Context, rec *session.Record, run *agent.Run, dir string) (runner.End, error) {
	before, task := rec.Context.Used, rec.Task.ID
	return runner.Run{
		Agent: run, Dir: dir, Soft: r.q.Soft, Live: r.q.Watch.Output(), Note: r.q.Watch.Note, Prices: r.session.Config.Prices,
		Limit: func(used belay.Use) string {
			return loop.ReachedLimit(rec.Task.Policy, rec.State, before.Plus(used))
		},
		Used: func(used belay.Use) { r.q.Watch.Used(task, used) },
	}.Await(ctx)
}

// noteUnknownLimits notes, once for each limit, that its use cannot be measured.
func (r *pipelineRun) noteUnknownLimits(rec *session.Record, used belay.Use) {
	for _, text := range runner.UnknownLimits(rec.Task.Policy, rec.State.Attempts, used) {
		if !slices.Contains(r.reportedLimits, text) {
			r.reportedLimits = append(r.reportedLimits, text)
			r.q.Watch.Note(text)
		}
	}
}

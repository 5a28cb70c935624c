package app

import (
	"context"
	"fmt"
	"os"
	"slices"
	"strings"

	"github.com/belay-dev/belay/internal/agent"
	"github.com/belay-dev/belay/internal/belay"
	"github.com/belay-dev/belay/internal/check"
	"github.com/belay-dev/belay/internal/loop"
	"github.com/belay-dev/belay/internal/prompt"
	"github.com/belay-dev/belay/internal/runner"
	"github.com/belay-dev/belay/internal/session"
	"github.com/belay-dev/belay/internal/testrun"
)

// NewTask describes a task to record; the rest comes from the config and detection.
type NewTask struct {
	ID      belay.TaskID // "": the next number
	Text    string
	Agent   []string
	Feature string
	Role    string
	Expect  []string
	Secrets bool           // allow secrets in the text
	Trust   bool           // allow the commands in the config file
	OwnTree bool           // run it in its own worktree
	After   []belay.TaskID // tasks that have to be accepted first

	Clarify      bool              // an ambiguous text waits for a person
	AsItIs       bool              // an ambiguous text does not wait: a person wants to run it as written
	Answer       string            // a person's answer about an ambiguous text; "" for none
	Grammar      bool              // parse the text by grammar only, without a model
	Instructions string            // the part of the text that is instructions; "" is all of it
	Fill         func(*belay.Task) // sets more fields of the task before it is recorded
}

// Add records a task without starting it. The rules of its checks are frozen now, so that an agent
// cannot change them by editing the config.
func (s *Service) Add(ctx context.Context, q NewTask) (*session.Record, error) {
	t, err := s.newTask(q)
	if err != nil {
		return nil, err
	}
	s.Session.Gate.TypeCommand(q.Agent)
	if err := s.checkDependencies(q); err != nil {
		return nil, err
	}
	s.readRequest(ctx, &t, q)
	for _, globs := range []*[]string{&t.Scope.Files, &t.Scope.Protect, &t.Scope.Expect} {
		if *globs, err = s.Session.Config.Expand(*globs); err != nil {
			return nil, err
		}
	}
	for {
		if q.ID == "" {
			if t.ID, err = s.nextNumber(ctx); err != nil {
				return nil, err
			}
		}
		if q.OwnTree {
			if t.Worktree, err = runner.WorktreePath(s.Session, t.ID); err != nil {
				return nil, err
			}
		}
		err = s.Session.Create(ctx, t)
		if err == nil {
			_ = s.Session.Gate.Keep() // without a written list, the person is only asked again
			r, err := s.Session.Load(t.ID)
			if err == nil {
				err = runner.AskIfUnclear(ctx, s.Session, r)
			}
			return r, err
		}
		if q.ID != "" || belay.CodeOf(err) != belay.CodeUsage {
			return nil, s.existsError(t.ID, err)
		}
		// Another process used the same number first: take the next one.
	}
}

// nextNumber returns a number that no task has or had: no record and no snapshot has it.
func (s *Service) nextNumber(ctx context.Context) (belay.TaskID, error) {
	used, err := s.usedIDs(ctx)
	return belay.NextTaskID(used), err
}

// usedIDs returns the IDs that tasks have, or had.
func (svc *Service) usedIDs(ctx context.Context) ([]belay.TaskID, error) {
	used, err := svc.Session.Journal.Tasks()
	if err != nil {
		return nil, err
	}
	snaps, err := svc.Session.Snaps.List(ctx)
	for _, s := range snaps {
		used = append(used, s.Task)
	}
	return used, err
}

// existsError returns the error for a task ID that exists, with the command that continues the
// task.
func (s *Service) existsError(task belay.TaskID, err error) error {
	if belay.CodeOf(err) != belay.CodeUsage {
		return err
	}
	r, lerr := s.Session.Load(task)
	if lerr != nil {
		return err
	}
	if r.Open() {
		return belay.Refuse(belay.CodeUsage, fmt.Sprintf("belay run --resume %s, or belay show %s", r.Task.ID, r.Task.ID),
			"%s is already open: %s", r.Task.ID, r.Task.Title)
	}
	return belay.Refuse(belay.CodeUsage, "leave out --task to get a new id",
		"%s has ended (%s), and ids cannot be reused", r.Task.ID, prompt.Outcome(r.State.Outcome))
}

// newTask makes a complete task from the request, the config and detected settings.
func (s *Service) newTask(q NewTask) (belay.Task, error) {
	if strings.TrimSpace(q.Text) == "" {
		return belay.Task{}, belay.Refuse(belay.CodeUsage, `belay run "what the agent should do" -- AGENT ARGS…`, "the task text is empty")
	}
	c := s.Session.Config
	forced, err := check.SecretsInText("the task", q.Text, c.Secrets.Allow, q.Secrets)
	if err != nil {
		return belay.Task{}, err
	}
	t := belay.Task{
		Secrets: forced,
		ID:      q.ID, After: q.After, Prose: q.Text, Title: belay.TitleOf(q.Text), Feature: q.Feature, Role: q.Role,
		Agent: q.Agent, Debugger: c.Debugger.Command, Timeout: c.Agent.Timeout,
		Scope:   belay.Scope{Files: c.Files, Protect: c.Protect, Expect: q.Expect},
		Repeats: c.Stall.Repeats, OnFailure: c.OnFailure,
		Preserve: c.Preserve, Policy: c.Policy(), Reviewers: c.Reviewers, Guidelines: c.AllGuidelines(),
		Checks: s.configuredChecks(),
	}
	if len(t.Agent) == 0 {
		t.Agent = c.Agent.Command
	}
	if t.Checks.Timeout == 0 {
		t.Checks.Timeout = session.RunTimeout
	}
	if !t.Checks.Tests.Set() {
		t.Checks.Tests, _ = testrun.DetectTests(s.Session.Repo.Root)
	}
	t.Checks.Tests = withEventStream(t.Checks.Tests)
	if t.Checks.Linters, t.Checks.LintAll = c.Linters, c.Checks.LintAll; len(t.Checks.Linters) == 0 {
		t.Checks.Linters = testrun.DetectLinters(s.Session.Repo.Root, os.Getenv("PATH"))
	}
	for _, r := range t.Reviewers {
		if r.Human() {
			t.Policy.Persons = append(t.Policy.Persons, r.Name)
		} else {
			t.Policy.Review = true
		}
	}
	if t.Policy.AcceptExit, err = c.Agent.Exits(); err != nil {
		return belay.Task{}, err
	}
	t.Policy.Baseline = c.Checks.Baseline && t.Checks.Tests.Set() &&
		!slices.Contains(t.Checks.Skip, testrun.Name)
	if err := validate(t); err != nil {
		return belay.Task{}, err
	}
	if t.Role == "" && len(t.Agent) > 0 {
		t.Role = t.Agent[0]
	}
	if rules := belay.Reviewable(t.Guidelines, t.Role); len(rules) > 0 && !t.Policy.Review && len(t.Policy.Persons) == 0 {
		return belay.Task{}, belay.Refuse(belay.CodeUsage,
			"add reviewers: {NAME: {kind: person}} to .belay/config.yaml, or a program or model",
			"the guideline %s requires a review, and there is no reviewer", rules[0].ID)
	}
	return t, nil
}

// configuredChecks returns the check settings of the config, without detected ones.
func (s *Service) configuredChecks() belay.Checks {
	c := s.Session.Config
	return belay.Checks{
		Tests: c.Checks.Tests, Skip: c.Checks.Skip, Reuse: c.Checks.Reuse, MaxDiff: c.Checks.MaxDiff, Timeout: c.Checks.Timeout,
		SecretsAllow: c.Secrets.Allow, SecretExamples: c.Secrets.Examples, IntegrityAllow: c.Checks.IntegrityAllow,
		CoverageRules: c.Checks.CoverageRules, CoverageError: c.Checks.CoverageRefuse,
		IntegrityExpected: belay.Severity(c.Checks.IntegrityExpected),
	}
}

// validate fails for globs and rules that cannot be parsed.
func validate(t belay.Task) error {
	for _, globs := range [][]string{t.Scope.Files, t.Scope.Protect, t.Scope.Expect, t.Preserve} {
		for _, g := range globs {
			if err := belay.Valid(g); err != nil {
				return err
			}
		}
	}
	return check.ValidateRules(t.Checks)
}

// withEventStream makes a plain "go test …" command print its event stream, which reports each
// test. Other commands stay unchanged.
func withEventStream(c belay.TestCommand) belay.TestCommand {
	rest, ok := strings.CutPrefix(c.Command, "go test")
	ok = ok && (rest == "" || rest[0] == ' ')
	plain := !strings.ContainsAny(c.Command, "|&;<>$`(){}\n") && !strings.Contains(c.Command, "-json")
	if ok && plain && (c.Format == "" || c.Format == "exit") {
		c.Command, c.Format = "go test -json"+rest, "gotest"
	}
	return c
}

// checkAgent fails, before anything is written, for an agent that cannot be started.
func (s *Service) checkAgent(t belay.Task) error {
	if len(t.Agent) == 0 {
		return belay.Refuse(belay.CodeUsage,
			`belay run "…" --with claude, belay run "…" -- AGENT ARGS…, or agent.command in .belay/config.yaml`, "no agent was given")
	}
	if err := agent.LookPath(t.Agent[0], s.Session.Repo.Root, os.Environ()); err != nil {
		return err
	}
	return agent.CheckReady(t.Agent, s.Session.Repo.Root, os.Environ())
}

// Start takes the before snapshot of a task that a person drives by hand.
func (s *Service) Start(ctx context.Context, task belay.TaskID, w runner.Observer) (*session.Record, error) {
	r, err := s.Session.Load(task)
	if err != nil {
		return nil, err
	}
	if r.State.Gate != nil && r.State.Gate.Kind == loop.GateClarify {
		return nil, WaitingError(r, "")
	}
	if r.State.Phase != loop.PhaseNew && r.State.Phase != "" && r.State.Phase != loop.PhaseSnapshot && r.State.Phase != loop.PhaseBaseline {
		return nil, belay.Refuse(belay.CodeUsage, "belay status", "%s has already started (%s)", task, r.State.Phase)
	}
	if err := runner.CheckOrder(s.Session, r, true); err != nil {
		return nil, err
	}
	if s, err = s.forTask(ctx, r); err != nil {
		return nil, err
	}
	if err := s.offerTrust(programsOfChecks(r.Task), false); err != nil {
		return nil, err
	}
	unlock, err := s.Session.LockTree(ctx, task, "belay task start")
	if err != nil {
		return nil, err
	}
	defer unlock()
	if r.State.Pending == nil {
		if err := runner.BeginTask(ctx, s.Session, r); err != nil {
			return nil, err
		}
		if r.State.Gate != nil { // the text turned out to be ambiguous
			return nil, WaitingError(r, "")
		}
	}
	if err := s.doPending(ctx, r, w, loop.CmdSnapshot); err != nil {
		return r, err
	}
	return r, s.doPending(ctx, r, w, loop.CmdBaseline)
}

// Capture ends the running attempt and takes a snapshot of its work.
func (s *Service) Capture(ctx context.Context, task belay.TaskID, w runner.Observer) (*session.Record, error) {
	r, err := s.Session.Load(task)
	if err != nil {
		return nil, err
	}
	c := r.State.Pending
	if c == nil || c.Kind != loop.CmdAttempt && c.Kind != loop.CmdCapture {
		return nil, belay.Refuse(belay.CodeUsage, fmt.Sprintf("belay show %s", task),
			"%s has no running attempt (%s)", task, r.State.Phase)
	}
	if s, err = s.forTask(ctx, r); err != nil {
		return nil, err
	}
	unlock, err := s.Session.LockTree(ctx, task, "belay task capture")
	if err != nil {
		return nil, err
	}
	defer unlock()
	if c.Kind == loop.CmdAttempt {
		ev := loop.Event{Kind: loop.EvAttempted, Command: c.ID, Ended: loop.EndedExit, Note: "run by hand", Use: r.Context.Used}
		if err := s.Session.Apply(ctx, r, ev); err != nil {
			return nil, err
		}
	}
	return r, s.doPending(ctx, r, w, loop.CmdCapture)
}

// Finish closes a task that passed.
func (s *Service) Finish(ctx context.Context, task belay.TaskID, w runner.Observer) (*session.Record, error) {
	r, err := s.Session.Load(task)
	if err != nil {
		return nil, err
	}
	c := r.State.Pending
	if c == nil || c.Kind != loop.CmdClose {
		return nil, belay.Refuse(belay.CodeRefused, fmt.Sprintf("belay check %s, then belay show %s", task, task),
			"%s is not accepted: it is in phase %s", task, r.State.Phase)
	}
	if s, err = s.forTask(ctx, r); err != nil {
		return nil, err
	}
	return r, s.doPending(ctx, r, w, loop.CmdClose)
}

// doPending executes the pending command if it is of the given kind.
func (s *Service) doPending(ctx context.Context, r *session.Record, w runner.Observer, kind loop.CommandKind) error {
	c := r.State.Pending
	if c == nil || c.Kind != kind {
		return nil
	}
	dr := &runner.Driver{Session: s.Session, Record: r, Observer: w, Soft: ctx}
	ev, err := dr.Do(ctx, *c)
	if err != nil {
		return err
	}
	ev.Command = c.ID
	return s.Session.Apply(ctx, r, ev)
}

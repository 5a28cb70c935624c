package app

import (
	"context"
	"fmt"
	"os"
	"reflect"
	"slices"
	"strings"

	"github.com/belay-dev/belay/internal/belay"
	"github.com/belay-dev/belay/internal/config"
	"github.com/belay-dev/belay/internal/loop"
	"github.com/belay-dev/belay/internal/runner"
	"github.com/belay-dev/belay/internal/session"
	"github.com/belay-dev/belay/internal/testrun"
)

// Adjust applies settings given as flags to an open task, and returns the names of those that
// changed. It fails with CodeUsage for a flag that can no longer change; no flag is ignored.
func (s *Service) Adjust(ctx context.Context, r *session.Record, given config.Config, q NewTask) (changed []string, err error) {
	t, changed, err := s.withFlags(r, given, q)
	if err != nil {
		return nil, err
	}
	if gate := r.State.Gate; gate != nil && q.AsItIs {
		if err := s.Session.Apply(ctx, r, loop.Event{Kind: loop.EvDecided, Gate: gate.Number, Decision: loop.DecideAsItIs,
			By: os.Getenv("USER")}); err != nil {
			return nil, err
		}
	}
	if reflect.DeepEqual(t, r.Task) {
		return nil, nil
	}
	if err := s.Session.Append(ctx, r, session.EntryTask, t); err != nil {
		return nil, err
	}
	return changed, s.Session.AddNote(ctx, r, session.Note{Kind: "edited", Text: strings.Join(changed, ", ") + " (flags)"})
}

// withFlags returns the task with the values of the flags, and the names of what they changed.
func (s *Service) withFlags(r *session.Record, given config.Config, q NewTask) (t belay.Task, changed []string, err error) {
	t = r.Task
	if now, ok := s.redetectTests(r); ok {
		t.Checks.Tests, changed = now, append(changed, "checks.tests.command")
	}
	begun := r.State.Before != "" || r.State.Phase != "" && r.State.Phase != loop.PhaseNew && r.State.Gate == nil
	switch {
	case q.AsItIs && begun:
		return t, nil, cannotChange(t, "how the text is read", "leave --as-it-is out")
	case q.Feature != "" && q.Feature != t.Feature:
		return t, nil, cannotChange(t, "--feature", "leave --feature out")
	case q.Secrets:
		return t, nil, cannotChange(t, "--force-secrets: the task text", "belay task edit "+string(t.ID))
	}
	if q.AsItIs && t.Clarify {
		t.Clarify, changed = false, append(changed, "as-it-is")
	}
	if q.Role != "" && q.Role != t.Role {
		t.Role, changed = q.Role, append(changed, "agent")
	}
	if len(q.Expect) > 0 {
		changed = append(changed, "expected files")
		if t.Scope.Expect, err = given.Expand(q.Expect); err != nil {
			return t, nil, err
		}
	}
	keys, err := applyFlags(&t, given, begun)
	if err != nil {
		return t, nil, err
	}
	changed = append(changed, keys...)
	if slices.ContainsFunc(changed, func(k string) bool { return strings.HasPrefix(k, "checks.tests.") || k == "checks.skip" }) {
		t.Policy.Baseline = given.Checks.Baseline && t.Checks.Tests.Set() && !slices.Contains(t.Checks.Skip, testrun.Name)
	}
	if err := validate(t); err != nil {
		return t, nil, err
	}
	if c := r.State.Pending; len(changed) > 0 && c != nil && c.Kind == loop.CmdClose {
		return t, nil, belay.Refuse(belay.CodeUsage, fmt.Sprintf("belay run --resume %s", t.ID),
			"%s is being closed: flags have no effect", t.ID)
	}
	return t, changed, nil
}

// redetectTests detects a task's test command again when the detected one could not run: tools
// installed since then may lead to another one. ok reports that it differs.
func (s *Service) redetectTests(r *session.Record) (now belay.TestCommand, ok bool) {
	stopped := func(n session.Note) bool { return n.Kind == runner.NoteCannotTest }
	if len(r.State.Attempts) > 0 || !slices.ContainsFunc(r.Notes, stopped) {
		return now, false
	}
	was := r.Task.Checks.Tests
	now, ok = testrun.DetectTests(s.Session.Repo.Root)
	now = withEventStream(now)
	ok = ok && was.From == now.From && now.String() != was.String()
	now.KnownFailures = was.KnownFailures
	return now, ok
}

func cannotChange(t belay.Task, what, try string) error {
	return belay.Refuse(belay.CodeUsage, try, "%s can no longer change in %s", what, t.ID)
}

// applyFlags sets the settings of a task that come from flags and returns their keys.
func applyFlags(t *belay.Task, given config.Config, begun bool) (changed []string, err error) {
	p, retries := given.Policy(), t.Policy.Retries
	set := map[string]func(){
		"files":    func() { t.Scope.Files, err = given.Expand(given.Files) },
		"protect":  func() { t.Scope.Protect, err = given.Expand(given.Protect) },
		"preserve": func() { t.Preserve = given.Preserve },

		"checks.skip":                 func() { t.Checks.Skip = given.Checks.Skip },
		"checks.timeout":              func() { t.Checks.Timeout = given.Checks.Timeout },
		"checks.max_diff":             func() { t.Checks.MaxDiff = given.Checks.MaxDiff },
		"checks.tests.command":        func() { t.Checks.Tests = withEventStream(given.Checks.Tests) },
		"checks.tests.format":         func() { t.Checks.Tests.Format = given.Checks.Tests.Format },
		"checks.tests.report":         func() { t.Checks.Tests.Report = given.Checks.Tests.Report },
		"checks.tests.known_failures": func() { t.Checks.Tests.KnownFailures = given.Checks.Tests.KnownFailures },

		"agent.timeout":     func() { t.Timeout = given.Agent.Timeout },
		"agent.accept_exit": func() { t.Policy.AcceptExit, err = given.Agent.Exits() },
		"retry":             func() { t.Policy.Retry = p.Retry },
		"mode":              func() { t.Policy.Reviews = p.Reviews },
		"retries":           func() { t.Policy.Retries, t.Policy.ReviewRetries = p.Retries, p.ReviewRetries },
		"limits.cost":       func() { t.Policy.Cost = p.Cost },
		"limits.tokens":     func() { t.Policy.Tokens = p.Tokens },
		"limits.attempts":   func() { t.Policy.MaxAttempts = p.MaxAttempts },
		"limits.wall_time":  func() { t.Policy.WallTime = p.WallTime },
	}
	for _, s := range given.Settings() { // lists the command before its format
		if s.Source != config.Flag || s.Key == "fence.enabled" { // the fence belongs to the run, not to the task
			continue
		}
		change, ok := set[s.Key]
		switch {
		case !ok:
			return nil, cannotChange(*t, s.Key, "belay task add records another task")
		case s.Key == "retries" && begun && p.Retries != retries:
			return nil, cannotChange(*t, "--retries", fmt.Sprintf("belay decide %s guide starts another attempt", t.ID))
		}
		if change(); err != nil {
			return nil, err
		}
		changed = append(changed, s.Key)
	}
	return changed, nil
}

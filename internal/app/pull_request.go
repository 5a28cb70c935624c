package app

import (
	"bufio"
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"path/filepath"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/belay-dev/belay/internal/belay"
	"github.com/belay-dev/belay/internal/loop"
	"github.com/belay-dev/belay/internal/prompt"
	"github.com/belay-dev/belay/internal/runner"
	"github.com/belay-dev/belay/internal/secret"
	"github.com/belay-dev/belay/internal/session"
	"github.com/belay-dev/belay/internal/syntax"
)

// Pull collects the content of a pull request for a task, or for the tasks of a feature, from their
// records. A task takes precedence over a feature of the same name; "" is the task with the latest
// event. CodeNotFound if there is neither.
func (s *Service) Pull(ctx context.Context, name, version string) (prompt.Pull, error) {
	records, feature, err := s.pullRecords(name)
	if err != nil {
		return prompt.Pull{}, err
	}
	p := prompt.Pull{Feature: feature, Tasks: []prompt.PullTask{}, Belay: version}
	for _, r := range records {
		t, err := s.pullTask(ctx, r)
		if err != nil {
			return p, err
		}
		p.Tasks = append(p.Tasks, t)
	}
	p.Title = p.Tasks[0].Title
	if feature != "" {
		p.Title = feature
	}
	return p, nil
}

// pullRecords returns the records of the named task or feature.
func (s *Service) pullRecords(name string) ([]*session.Record, string, error) {
	if name == "" {
		id, err := s.Latest()
		if err != nil {
			return nil, "", err
		}
		name = string(id)
	}
	if id, err := belay.ParseTaskID(name); err == nil {
		r, err := s.Session.Load(id)
		if err == nil {
			return []*session.Record{r}, "", nil
		}
		if belay.CodeOf(err) != belay.CodeNotFound {
			return nil, "", err
		}
	}
	ours, _, err := featureRecords(s, FeatureRequest{Feature: name})
	if belay.CodeOf(err) == belay.CodeNotFound {
		err = belay.Refuse(belay.CodeNotFound, "belay task list", "there is no task and no feature %s", belay.VisibleLine(name))
	}
	return ours, name, err
}

func (s *Service) pullTask(ctx context.Context, r *session.Record) (prompt.PullTask, error) {
	shown, r, err := s.Show(r.Task.ID)
	if err != nil {
		return prompt.PullTask{}, err
	}
	t := prompt.PullTask{ID: r.Task.ID, Title: secret.Mask(r.Task.Title), Origin: r.Task.Origin,
		Status: secret.Mask(prompt.StatusLine(r.State, shown.Checks)), Accepted: r.State.Outcome == loop.OutcomePassed,
		Request: secret.Mask(r.Task.Prose), Rollbacks: shown.Rollbacks, Retries: shown.Retries, Started: r.Created,
		Requirements: emptyNotNull(shown.Requirements), Attempts: []prompt.PullAttempt{}, Checks: []prompt.PullCheck{},
		Reviews: []prompt.PullReview{}, Overrides: []prompt.Override{}, Decisions: []prompt.Decision{}, Agents: []prompt.PullAgent{}}
	for _, a := range shown.Attempts {
		t.Attempts = append(t.Attempts, pullAttempt(a))
		for _, v := range a.Reviews {
			t.Reviews = append(t.Reviews, prompt.PullReview{Attempt: a.N, Reviewer: v.Reviewer, Score: v.Score, Threshold: v.Threshold,
				Recommendation: v.Recommendation, Alignment: emptyNotNull(v.Alignment)})
		}
	}
	for _, c := range shown.Checks {
		t.Checks = append(t.Checks, prompt.PullCheck{Check: c.Check, Result: prompt.CheckMark(c), Summary: secret.Mask(cmp.Or(c.Why,
			c.Summary))})
		if c.Tests != nil {
			t.Tests = &prompt.PullTests{Before: r.State.Baseline, Now: *c.Tests}
		}
	}
	for _, o := range r.Overrides {
		t.Overrides = append(t.Overrides, prompt.Override{Attempt: o.Attempt, By: o.By, Category: string(o.Category),
			Note: secret.Mask(o.Note), Time: o.Time})
	}
	for _, one := range r.State.Decisions {
		t.Decisions = append(t.Decisions, prompt.Decision{Gate: one.Gate, Decision: string(one.Decision), By: one.By,
			Note: secret.Mask(one.Note)})
	}
	used := "no agent has run"
	if total, any := prompt.TotalUse(r.State); any {
		used = prompt.UseText(total)
	}
	t.Used = used
	t.Agents = append(t.Agents, s.agentsOf(r)...)
	return t, s.pullState(ctx, r, &t)
}

func pullAttempt(a AttemptView) prompt.PullAttempt {
	out := prompt.PullAttempt{N: a.N, Start: string(a.Prompt), Ended: prompt.EndText(a.Attempt), Seconds: a.Elapsed.Seconds(),
		Used:    prompt.UseText(a.Use),
		Verdict: string(a.Verdict), Then: a.Then, Reasons: []string{}, Guidance: secret.Mask(a.Guidance), Note: secret.Mask(a.Note)}
	for _, f := range a.Attempt.Reasons() {
		out.Reasons = append(out.Reasons, secret.Mask(prompt.Reason(f)))
	}
	return out
}

// pullState adds the task's changes and the hashes that refer to its record. Unreadable parts are
// left out, because the record still has them.
func (s *Service) pullState(ctx context.Context, r *session.Record, t *prompt.PullTask) error {
	t.Changes = []prompt.PullChange{}
	t.Provenance = prompt.Provenance{Head: r.Log.Head.Hash, Entries: r.Log.Head.Seq}
	after := runner.ResultSnapshot(r)
	t.Provenance.Before, t.Provenance.After = r.TreeOf(r.State.Before), r.TreeOf(after)
	if after == "" || r.State.Before == "" || r.RolledBack() {
		return nil
	}
	at, err := s.forTask(ctx, r)
	if err != nil {
		return nil
	}
	w, err := at.Session.Work(ctx, r, after)
	if err != nil {
		return ctx.Err()
	}
	for _, c := range w.All {
		t.Changes = append(t.Changes, prompt.PullChange{Change: c, Purpose: secret.Mask(purpose(c, r.Task, t.Requirements))})
	}
	return nil
}

// purpose returns why a file was changed, as far as the checks know: the requirements that it
// meets, or its kind.
func purpose(c belay.Change, task belay.Task, met []belay.Met) string {
	var of []string
	for _, m := range met {
		shows := m.File == c.Path || slices.ContainsFunc(m.Evidence, func(e string) bool {
			return namesPath(e, c.Path)
		})
		if shows {
			of = append(of, fmt.Sprintf("%s: %s", m.Marker, m.Text))
		}
	}
	if len(of) > 0 {
		return strings.Join(of, "; ")
	}
	name := strings.ToLower(filepath.Base(c.Path))
	switch {
	case syntax.IsTest(c.Path):
		return "tests"
	case strings.HasSuffix(name, ".md") || strings.HasSuffix(name, ".rst"):
		return "documentation"
	case belay.Match(task.Scope.Expect, c.Path):
		return "expected by the task"
	case belay.Match(task.Scope.Files, c.Path):
		return "one of the task's files"
	}
	return "not named by the task"
}

// namesPath reports whether a text names a path: "cmd/main.go:3" does not name main.go.
func namesPath(text, path string) bool {
	isPart := func(r rune) bool { return unicode.IsLetter(r) || unicode.IsDigit(r) || strings.ContainsRune("_-/", r) }
	for at := strings.Index(text, path); at >= 0; {
		before, _ := utf8.DecodeLastRuneInString(text[:at])
		after, _ := utf8.DecodeRuneInString(text[at+len(path):])
		if !isPart(before) && before != '.' && !isPart(after) {
			return true
		}
		next := strings.Index(text[at+1:], path)
		if next < 0 {
			return false
		}
		at += 1 + next
	}
	return false
}

// maxOpening limits how much of an agent's output is searched for the model and the version, which
// it prints first.
const maxOpening = 256 << 10

// agentsOf returns the programs that worked on a task, with the models and versions in their
// output.
func (s *Service) agentsOf(r *session.Record) (out []prompt.PullAgent) {
	add := func(role string, command []string) *prompt.PullAgent {
		if len(command) == 0 {
			return nil
		}
		out = append(out, prompt.PullAgent{Role: role, Command: filepath.Base(command[0]), Models: []string{}})
		return &out[len(out)-1]
	}
	if a := add(cmp.Or(r.Task.Role, "agent"), r.Task.Agent); a != nil {
		for _, one := range r.State.Attempts {
			s.readOpening(one.Log, a)
		}
	}
	add("debugger", r.Task.Debugger)
	for _, v := range r.Task.Reviewers {
		if a := add("reviewer "+v.Name, v.Command); a == nil {
			out = append(out, prompt.PullAgent{Role: "reviewer " + v.Name, Command: cmp.Or(v.Model, v.Kind), Models: []string{}})
		}
	}
	return out
}

// readOpening reads model and version from the start of an agent's event stream.
func (s *Service) readOpening(log string, a *prompt.PullAgent) {
	if log == "" {
		return
	}
	f, err := s.Session.Journal.OpenAttachment(log)
	if err != nil {
		return
	}
	defer func() { _ = f.Close() }()
	lines := bufio.NewScanner(io.LimitReader(f, maxOpening))
	lines.Buffer(nil, maxOpening)
	for lines.Scan() {
		if !bytes.HasPrefix(bytes.TrimSpace(lines.Bytes()), []byte("{")) {
			continue
		}
		var e struct {
			Model   string `json:"model"`
			Claude  string `json:"claude_code_version"`
			Qwen    string `json:"qwen_code_version"`
			Message struct {
				Model string `json:"model"`
			} `json:"message"`
		}
		if json.Unmarshal(lines.Bytes(), &e) != nil {
			continue
		}
		for _, m := range []string{e.Model, e.Message.Model} {
			if m = belay.Clip(secret.Mask(m), 80); m != "" && !slices.Contains(a.Models, m) && len(a.Models) < 5 {
				a.Models = append(a.Models, m)
			}
		}
		a.Version = cmp.Or(a.Version, belay.Clip(secret.Mask(cmp.Or(e.Claude, e.Qwen)), 40))
	}
}

package app

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"

	"github.com/belay-dev/belay/internal/belay"
	"github.com/belay-dev/belay/internal/config"
	"github.com/belay-dev/belay/internal/loop"
	"github.com/belay-dev/belay/internal/runner"
	"github.com/belay-dev/belay/internal/session"
	"github.com/belay-dev/belay/internal/snapshot"
	"github.com/belay-dev/belay/internal/testreport"
	"github.com/belay-dev/belay/internal/testrun"
	"github.com/belay-dev/belay/internal/worktree"
)

// MergeAllRequest asks to merge the work of several tasks, tested together first.
type MergeAllRequest struct {
	Tasks     []belay.TaskID // nil: all accepted tasks that are not merged
	DryRun    bool           // test, and change nothing
	Keep      bool           // keep the tasks' worktrees
	SkipTests bool
	Trust     bool
	Progress  func(string) // receives progress, line by line
}

// MergedAll is the result of a merge of several tasks.
type MergedAll struct {
	Tasks []QueuedTask `json:"tasks"` // in the order of the decisions
	Tests string       `json:"tests"` // the test result of the merged combination, or why no tests ran
	Runs  int          `json:"runs"`  // number of combinations tested
	// Before is the snapshot taken before the first merge; "" when nothing was merged.
	Before belay.SnapshotID `json:"before,omitempty"`
	DryRun bool             `json:"dry_run,omitempty"`
}

// QueuedTask is the result for one task in a merge of several.
type QueuedTask struct {
	Task     belay.TaskID    `json:"task"`
	Outcome  QueueOutcome    `json:"outcome"`
	Why      string          `json:"why,omitempty"`
	Paths    int             `json:"paths,omitempty"` // number of changed paths in the user's tree
	Findings []belay.Finding `json:"findings,omitempty"`
	Ticked   string          `json:"ticked,omitempty"`
}

// QueueOutcome is the outcome for one task in a merge of several.
type QueueOutcome string

// The outcomes. A rejected task is open again, with the failures as its reasons.
const (
	QueueMerged   QueueOutcome = "merged"
	QueueReady    QueueOutcome = "ready" // a dry run would merge it
	QueueConflict QueueOutcome = "conflict"
	QueueRejected QueueOutcome = "rejected"
	QueueWaits    QueueOutcome = "waiting" // it depends on a task that is not merged
	QueueFailed   QueueOutcome = "failed"  // it could not be merged
)

// queue is a running merge of several tasks.
type queue struct {
	svc     *Service
	session *session.Session
	q       MergeAllRequest
	base    belay.SnapshotID
	known   map[string]*testreport.Report // of base, by command
	out     MergedAll
	results map[string]testVerdict // by the tasks of the combination
}

// queuedTask is a task to merge, with its merge request.
type queuedTask struct {
	r   *session.Record
	req worktree.Request
}

// testVerdict is the result of the tests on a combination of tasks.
type testVerdict struct {
	tree     string // of the combination
	text     string
	findings []belay.Finding // non-empty: rejected
}

// MergeAll merges the work of accepted tasks into the user's tree, dependencies first, otherwise in
// the order of creation. Nothing is written before the tests have passed on the combined work, in a
// temporary checkout. If they fail, at most log2 N more runs find the task that causes it; that
// task is reopened with the failures as its reasons, and the others are tested without it. A task
// that conflicts with earlier ones is left out.
//
// CodeRefused: not all were merged. CodeCannot: the combination could not be tested. CodeDrift: the
// user's tree changed meanwhile. In all three cases the result lists what was done.
func MergeAll(ctx context.Context, s *Service, q MergeAllRequest) (MergedAll, error) {
	home, err := runner.HomeSession(ctx, s.Session)
	if err != nil {
		return MergedAll{}, err
	}
	m := &queue{svc: s, session: home, q: q, known: map[string]*testreport.Report{}, results: map[string]testVerdict{},
		out: MergedAll{Tasks: []QueuedTask{}, DryRun: q.DryRun}}
	list, err := m.selectTasks(ctx)
	if err != nil {
		return m.out, err
	}
	list, v, err := m.findPassing(ctx, list)
	if err != nil {
		return m.out, err
	}
	m.out.Tests = v.text
	if err := m.mergeTested(ctx, list, v); err != nil {
		return m.out, err
	}
	if left := slices.DeleteFunc(slices.Clone(m.out.Tasks), func(t QueuedTask) bool {
		return t.Outcome == QueueMerged || t.Outcome == QueueReady
	}); len(left) > 0 {
		return m.out, belay.Refuse(belay.CodeRefused, "see above", "%d of %s not merged", len(left),
			belay.CountOf(len(m.out.Tasks), "task"))
	}
	return m.out, nil
}

// selectTasks returns the tasks to merge, in order.
func (m *queue) selectTasks(ctx context.Context) ([]queuedTask, error) {
	var records []*session.Record
	if len(m.q.Tasks) == 0 {
		all, err := m.svc.Session.Records(nil)
		if err != nil {
			return nil, err
		}
		records = slices.DeleteFunc(all, func(r *session.Record) bool { return !runner.IsUnmerged(r) })
	}
	for _, id := range m.q.Tasks {
		r, err := m.svc.Session.Load(id)
		if err != nil {
			return nil, err
		}
		if r.State.Outcome == loop.OutcomePassed && r.Task.Worktree != "" && !runner.IsUnmerged(r) {
			return nil, belay.Refuse(belay.CodeUsage, "leave it out", "%s is already merged", id)
		}
		records = append(records, r)
	}
	if len(records) == 0 {
		return nil, belay.Refuse(belay.CodeUsage, "belay worktree list", "no accepted task waits to be merged")
	}
	var list []queuedTask
	for _, r := range byDependency(records) {
		req, err := runner.MergePlan(ctx, m.svc.Session, r)
		if err != nil {
			return nil, err
		}
		if err := m.svc.checkTrusted(r.Task, NewTask{Trust: m.q.Trust}); err != nil && !m.q.SkipTests {
			return nil, err
		}
		list = append(list, queuedTask{r, req})
	}
	return list, nil
}

func byDependency(records []*session.Record) []*session.Record {
	return belay.InOrder(records, func(r *session.Record) (belay.TaskID, []belay.TaskID) { return r.Task.ID, r.Task.After })
}

// findPassing returns the tasks that merge without conflicts and pass the tests together.
func (m *queue) findPassing(ctx context.Context, list []queuedTask) ([]queuedTask, testVerdict, error) {
	for {
		list = m.withoutDependents(list)
		if len(list) == 0 {
			return nil, testVerdict{}, nil
		}
		v, err := m.testTogether(ctx, list)
		var conflict *worktree.ConflictError
		switch {
		case errors.As(err, &conflict):
			i := slices.IndexFunc(list, func(t queuedTask) bool { return t.r.Task.ID == conflict.Task })
			m.setAside(list[i], QueuedTask{Outcome: QueueConflict, Why: "conflicts in " + conflict.Error() +
				"; merge it by itself: belay merge " + string(conflict.Task)})
			list = slices.Delete(list, i, i+1)
			continue
		case err != nil:
			return nil, v, err
		case len(v.findings) == 0:
			return list, v, nil
		}
		i, err := firstBad(len(list), func(n int) (bool, error) {
			m.reportProgress(fmt.Sprintf("the tests fail; testing the first %d of %s", n, belay.CountOf(len(list), "task")))
			v, err := m.testTogether(ctx, list[:n])
			return len(v.findings) > 0, err
		})
		if err != nil {
			return nil, v, err
		}
		bad := m.results[taskKeys(list[:i+1])] // tested by firstBad, or the complete list
		if err := m.reopen(ctx, list[:i], list[i], bad); err != nil {
			return nil, v, err
		}
		list = slices.Delete(list, i, i+1)
	}
}

// firstBad returns the index of the task that makes the tests fail, by binary search. fails reports
// whether the first k tasks fail; all n do.
func firstBad(n int, fails func(k int) (bool, error)) (int, error) {
	good, bad := 0, n
	for bad-good > 1 {
		k := (good + bad) / 2
		failed, err := fails(k)
		if err != nil {
			return 0, err
		}
		if failed {
			bad = k
		} else {
			good = k
		}
	}
	return bad - 1, nil
}

// withoutDependents removes the tasks that depend on a task that is neither merged nor in the list.
func (m *queue) withoutDependents(list []queuedTask) []queuedTask {
	for again := true; again; {
		again = false
		for i, t := range list {
			lacks := slices.IndexFunc(t.r.Task.After, func(id belay.TaskID) bool {
				here := slices.ContainsFunc(list[:i], func(o queuedTask) bool { return o.r.Task.ID.Key() == id.Key() })
				first, err := m.svc.Session.Load(id)
				return !here && (err != nil || first.State.Outcome != loop.OutcomePassed || runner.IsUnmerged(first))
			})
			if lacks >= 0 {
				m.setAside(t, QueuedTask{Outcome: QueueWaits,
					Why: fmt.Sprintf("depends on %s, which is not merged", t.r.Task.After[lacks])})
				list, again = slices.Delete(slices.Clone(list), i, i+1), true
				break
			}
		}
	}
	return list
}

func (m *queue) setAside(t queuedTask, why QueuedTask) {
	why.Task = t.r.Task.ID
	m.out.Tasks = append(m.out.Tasks, why)
}

func (m *queue) reportProgress(line string) {
	if m.q.Progress != nil {
		m.q.Progress(line)
	}
}

// testTogether tests a combination of tasks, once.
func (m *queue) testTogether(ctx context.Context, list []queuedTask) (v testVerdict, err error) {
	key := taskKeys(list)
	if v, ok := m.results[key]; ok {
		return v, nil
	}
	info, err := m.mergeSnapshot(ctx, list)
	if err != nil {
		return v, err
	}
	v.tree = info.Tree
	switch suites := m.testCommands(list); {
	case m.q.SkipTests:
		v.text = "not run: --skip-tests was given"
	case len(suites) == 0:
		v.text = "not run: no test command"
	default:
		m.out.Runs++
		for _, t := range suites {
			if err := m.runTests(ctx, info.ID, t, list, &v); err != nil {
				return v, err
			}
		}
	}
	m.results[key] = v
	return v, nil
}

// mergeSnapshot returns a snapshot of the user's tree with the work of tasks merged into it.
func (m *queue) mergeSnapshot(ctx context.Context, list []queuedTask) (snapshot.Info, error) {
	var requests []worktree.Request
	for _, t := range list {
		requests = append(requests, t.req)
	}
	return worktree.Together(ctx, m.session.Restores, requests, session.TemporaryMeta(nil, "tasks together"))
}

func taskKeys(list []queuedTask) string {
	var ids []string
	for _, t := range list {
		ids = append(ids, string(t.r.Task.ID))
	}
	return strings.Join(ids, " ")
}

// testCommands returns one task for each different test command.
func (m *queue) testCommands(list []queuedTask) (out []belay.Task) {
	seen := map[string]bool{}
	for _, q := range list {
		t := q.r.Task
		key := commandKey(t)
		if t.Checks.Tests.Set() && !seen[key] && !slices.Contains(t.Checks.Skip, testrun.Name) {
			seen[key] = true
			out = append(out, t)
		}
	}
	return out
}

// commandKey returns a key of a task's test command.
func commandKey(t belay.Task) string {
	return strings.Join([]string{t.Checks.Tests.String(), t.Checks.Tests.Format, t.Checks.Tests.Report}, "\x00")
}

// runTests runs the tests of one task on a combination. Tests that already fail in the user's tree
// do not count.
func (m *queue) runTests(ctx context.Context, id belay.SnapshotID, t belay.Task, list []queuedTask, v *testVerdict) error {
	base, known, err := m.baseline(ctx, t)
	if err != nil {
		return err
	}
	var requests []belay.Requirement
	var words []string
	for _, q := range list {
		requests, words = append(requests, q.r.Task.Request.Requirements...), append(words, q.r.Task.Words())
	}
	text, findings, err := runTestsIn(ctx, m.session, m.svc.Session.Gate, t, id,
		testrun.Input{Baseline: known, Request: requests, Words: strings.Join(words, "\n"), Checkout: m.session.Checkout(base, t)})
	v.text, v.findings = text, append(v.findings, findings...)
	return err
}

// runTestsIn runs the tests of a task on a snapshot, in a checkout, and returns their summary and
// the blocking findings. in has the state before the task. CodeCannot: the tests gave no result.
func runTestsIn(ctx context.Context, at *session.Session, may *config.Gate, t belay.Task, id belay.SnapshotID, in testrun.Input) (
	text string, blocking []belay.Finding, err error) {
	limit := cmp.Or(t.Checks.Timeout, session.RunTimeout)
	t.Checks.Timeout = limit
	checkOut := at.Checkout(id, t)
	root, done, err := checkOut(ctx)
	if err != nil {
		return "", nil, err
	}
	defer func() { done() }()
	limited, cancel := context.WithTimeoutCause(ctx, limit, testrun.TimeoutError{Limit: limit})
	defer cancel()
	in.Root, in.Env, in.Command, in.May, in.CopyIgnored = root, at.TestEnv(t), t.Checks.Tests, may, at.CopyIgnored
	in.Logs = func(_ string, r io.Reader) (string, error) { return at.AttachText(r, t) }
	_, result := testrun.Run(limited, in)
	if result.Verdict != belay.VerdictPass && limited.Err() == nil {
		done()
		if in.Root, done, err = checkOut(ctx); err != nil {
			done = func() {}
			return "", nil, err
		}
		if copied, _ := in.CopyIgnored(limited, in.Root); len(copied) > 0 { // as for the baseline
			_, result = testrun.Run(limited, in)
		}
	}
	if ctx.Err() != nil {
		return "", nil, context.Cause(ctx)
	}
	switch result.Verdict {
	case belay.VerdictPass:
		return cmp.Or(result.Summary, "passed"), nil, nil
	case belay.VerdictFail:
		for _, f := range result.Findings {
			if f.Severity == belay.SeverityError || f.Severity == belay.SeverityQuestion {
				blocking = append(blocking, f)
			}
		}
		return cmp.Or(result.Summary, "failed"), blocking, nil
	}
	return "", nil, belay.Refuse(belay.CodeCannot, "belay check TASK shows it for each task; or --skip-tests",
		"the tasks could not be tested together: %s", cmp.Or(result.Why, "the tests gave no result"))
}

// baseline returns a snapshot of the user's tree and its test report, nil if that is unknown.
func (m *queue) baseline(ctx context.Context, t belay.Task) (belay.SnapshotID, *testreport.Report, error) {
	if m.base == "" {
		info, err := m.session.Snaps.TakeWith(ctx, session.TemporaryMeta(nil, "before a merge"),
			m.session.SnapshotExtent(&session.Record{Task: t}))
		if err != nil {
			return "", nil, err
		}
		m.base = info.ID
	}
	command := commandKey(t)
	if known := m.known[command]; known != nil {
		return m.base, known, nil
	}
	b, err := m.session.TestKeeper(t).Take(ctx, m.base, t.Checks)
	if err != nil || b.Why != "" || ctx.Err() != nil {
		return m.base, nil, err
	}
	m.known[command] = &b.Report
	return m.base, &b.Report, nil
}

// reopen opens a task again, with the test failures that its work causes.
func (m *queue) reopen(ctx context.Context, before []queuedTask, t queuedTask, v testVerdict) error {
	others := "your working tree"
	if len(before) > 0 {
		others = strings.ReplaceAll(taskKeys(before), " ", ", ")
	}
	left := QueuedTask{Outcome: QueueRejected, Why: "the tests fail together with " + others}
	for _, f := range v.findings {
		f.Detail = strings.TrimSpace(fmt.Sprintf("It passes without the work of %s and fails with it, together with %s.\n%s",
			t.r.Task.ID, others, f.Detail))
		for _, b := range before {
			f.Recommendation += fmt.Sprintf("\nbelay diff %s shows work that it has to agree with.", b.r.Task.ID)
		}
		left.Findings = append(left.Findings, f)
	}
	m.setAside(t, left)
	if m.q.DryRun {
		return nil
	}
	id := t.r.Task.ID
	tests := belay.CheckResult{Check: testrun.Name, Verdict: belay.VerdictFail, Summary: v.text, Findings: left.Findings}
	report := belay.Report{Task: id, Time: time.Now().UTC(), Before: t.req.Before, After: t.req.After, Verdict: belay.VerdictFail,
		Checks: []belay.CheckResult{tests}}
	sha, err := m.svc.Session.KeepReport(report)
	if err != nil {
		return err
	}
	return m.svc.Session.Apply(ctx, t.r, loop.Event{Kind: loop.EvVerdict, Verdict: belay.VerdictFail, By: "merge", Findings: left.Findings,
		Report: sha, Note: left.Why})
}

// mergeTested merges the tested combination, unless the tree changed since.
func (m *queue) mergeTested(ctx context.Context, list []queuedTask, v testVerdict) error {
	if len(list) == 0 {
		return nil
	}
	info, err := m.mergeSnapshot(ctx, list)
	if err == nil && info.Tree != v.tree {
		err = belay.Refuse(belay.CodeDrift, "run the command again",
			"the working tree changed while the tasks were tested: nothing was merged")
	}
	if err != nil {
		return err
	}
	for i, t := range list {
		if m.q.DryRun {
			m.setAside(t, QueuedTask{Outcome: QueueReady})
			continue
		}
		out, err := runner.Merge(ctx, m.svc.Session, runner.MergeRequest{Task: t.r.Task.ID, Keep: m.q.Keep})
		if err != nil {
			m.setAside(t, QueuedTask{Outcome: QueueFailed, Why: session.ErrorLine(err)})
			for _, rest := range list[i+1:] {
				m.setAside(rest, QueuedTask{Outcome: QueueWaits, Why: string(t.r.Task.ID) + " could not be merged"})
			}
			return nil
		}
		m.out.Before = cmp.Or(m.out.Before, out.Rescue)
		m.setAside(t, QueuedTask{Outcome: QueueMerged, Paths: len(out.Changes), Ticked: out.Ticked})
	}
	return nil
}

package task_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	enums "go.temporal.io/api/enums/v1"
	"go.temporal.io/sdk/activity"
	"go.temporal.io/sdk/temporal"
	"go.temporal.io/sdk/testsuite"
	"go.temporal.io/sdk/worker"
	"go.temporal.io/sdk/workflow"

	"github.com/belay-dev/belay/fleet/task"
	"github.com/belay-dev/belay/internal/belay"
	"github.com/belay-dev/belay/internal/loop"
)

// machines simulates workers without processes: a record in memory, and agents with fixed results.
type machines struct {
	mu, tree sync.Mutex
	policy   belay.Policy
	state    loop.State
	record   []task.RecordedEvent
	verdicts []belay.Verdict
	findings [][]belay.Finding // of failed attempts, in order, instead of one
	reviews  []task.Decision
	done     []string                                     // commands, in order
	fail     func(worker string, q task.Ask) error        // instead of doing it
	after    func(worker string, st *task.ActivityResult) // before the answer
	wait     func(ctx context.Context, q task.Ask)        // during the command
	at       int                                          // which worker has the task
	names    []string
	old      bool    // the first worker cannot record decisions
	cost     float64 // of each check, in US dollars
}

func (m *machines) name() string { return m.names[m.at%len(m.names)] }

func (m *machines) apply(e loop.Event) error {
	next, _, err := loop.Step(m.policy, m.state, e)
	if err != nil {
		return err
	}
	m.state = next
	m.record = append(m.record, task.RecordedEvent{Event: e, State: next, Time: time.Unix(int64(len(m.record)), 0).UTC()})
	return nil
}

func (m *machines) standing(q task.Ask) (task.ActivityResult, error) {
	var before loop.State
	if n := q.Head.Seq; n > 0 {
		before = m.record[n-1].State
	}
	steps, err := task.MakeSteps(m.policy, before, q.Partial, m.record[q.Head.Seq:])
	if err != nil {
		return task.ActivityResult{}, err
	}
	n := len(m.record)
	st := task.ActivityResult{Worker: m.name(), Policy: m.policy, Head: task.Head{Seq: n, Hash: fmt.Sprint(n)}, Pushed: true, Steps: steps}
	if m.after != nil {
		m.after(m.name(), &st)
	}
	return st, nil
}

func (m *machines) begin(_ context.Context, q task.Ask) (task.ActivityResult, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.fail != nil {
		if err := m.fail("", q); err != nil {
			return task.ActivityResult{}, err
		}
	}
	if err := m.apply(loop.Event{Kind: loop.EvStarted}); err != nil {
		return task.ActivityResult{}, err
	}
	return m.standing(q)
}

func (m *machines) adopt(_ context.Context, q task.Ask) (task.ActivityResult, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.at++
	return m.standing(q)
}

func (m *machines) do(ctx context.Context, q task.Ask) (task.ActivityResult, error) {
	m.tree.Lock() // like the lock of a working tree
	defer m.tree.Unlock()
	if m.wait != nil {
		m.wait(ctx, q)
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.fail != nil {
		if err := m.fail(m.name(), q); err != nil {
			return task.ActivityResult{}, err
		}
	}
	if p := m.state.Pending; p == nil || p.ID != q.Command.ID {
		return m.standing(q)
	}
	m.done = append(m.done, string(q.Command.Kind))
	e := loop.Event{Command: q.Command.ID}
	id := belay.SnapshotID(fmt.Sprintf("s%d", len(m.record)))
	switch q.Command.Kind {
	case loop.CmdSnapshot:
		e.Kind, e.Snapshot = loop.EvSnapshot, id
	case loop.CmdBaseline:
		e.Kind, e.Note = loop.EvBaseline, "passes"
	case loop.CmdAttempt:
		e.Kind, e.Ended = loop.EvAttempted, loop.EndedExit
		if ctx.Err() != nil {
			e.Ended = loop.EndedStopped
			if err := m.apply(loop.Event{Kind: loop.EvCancelled, By: "ann"}); err != nil {
				return task.ActivityResult{}, err
			}
		}
	case loop.CmdCapture:
		e.Kind, e.Snapshot = loop.EvCaptured, id
	case loop.CmdCheck:
		e.Kind, e.Verdict, e.Cost = loop.EvChecked, belay.VerdictPass, m.cost
		if n := len(m.state.Attempts); n <= len(m.verdicts) {
			e.Verdict = m.verdicts[n-1]
		}
		if e.Verdict == belay.VerdictFail {
			e.Findings = []belay.Finding{belay.Finding{Check: "tests", Severity: belay.SeverityError, Category: belay.CategoryTests,
				Title: "TestAdd fails", Detail: strings.Repeat("long ", 1000)}.Sign()}
			if n := len(m.state.Attempts); n <= len(m.findings) {
				e.Findings = m.findings[n-1]
			}
		}
	case loop.CmdRestore:
		e.Kind, e.Snapshot = loop.EvRestored, id
	case loop.CmdClose:
		e.Kind = loop.EvClosed
	}
	if err := m.apply(e); err != nil {
		return task.ActivityResult{}, err
	}
	return m.standing(q)
}

func (m *machines) decide(_ context.Context, q task.Ask) (task.ActivityResult, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	e := q.Decision
	if r := q.Review; r.Verdict != "" {
		m.reviews = append(m.reviews, r)
		e = loop.Event{Kind: loop.EvVerdict, Verdict: belay.VerdictFail, By: r.By, Findings: []belay.Finding{belay.Finding{Check: "review",
			Severity: belay.SeverityError, Category: belay.CategoryReview, Title: "Count the negative ones only", Detail: r.Note}.Sign()}}
	}
	if err := m.apply(e); err != nil {
		return task.ActivityResult{}, err
	}
	return m.standing(q)
}

func (m *machines) wake(_ context.Context, q task.Ask) (task.ActivityResult, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if err := m.apply(loop.Event{Kind: loop.EvResumed}); err != nil {
		return task.ActivityResult{}, err
	}
	return m.standing(q)
}

func fleet(t *testing.T, m *machines) *testsuite.TestWorkflowEnvironment {
	t.Helper()
	if m.policy.Retries == 0 {
		m.policy = belay.DefaultPolicy()
		m.policy.Baseline = true
	}
	m.names = []string{"w1", "w2", "w3"}
	var suite testsuite.WorkflowTestSuite
	suite.SetLogger(silent{})
	env := suite.NewTestWorkflowEnvironment()
	env.SetTestTimeout(time.Minute)
	env.SetWorkerOptions(worker.Options{DeadlockDetectionTimeout: time.Hour}) // a busy machine is no deadlock
	env.RegisterWorkflowWithOptions(task.Workflow, workflow.RegisterOptions{Name: task.WorkflowName})
	for name, f := range map[string]any{task.BeginName: m.begin, task.AdoptName: m.adopt, task.DoName: m.do, task.DecideName: m.decide,
		task.WakeName: m.wake} {
		if name == task.DecideName && m.old {
			continue
		}
		env.RegisterActivityWithOptions(f, activity.RegisterOptions{Name: name})
	}
	return env
}

var add = task.Input{ID: "T1", Remote: "/srv/git/app.git", Branch: "main", Base: "4f1c", Prose: "Add a line", Agent: []string{"sh"}}

func ended(t *testing.T, env *testsuite.TestWorkflowEnvironment) task.Result {
	t.Helper()
	if !env.IsWorkflowCompleted() {
		t.Fatal("the workflow has not ended")
	}
	if err := env.GetWorkflowError(); err != nil {
		t.Fatal(err)
	}
	var r task.Result
	if err := env.GetWorkflowResult(&r); err != nil {
		t.Fatal(err)
	}
	return r
}

func where(t *testing.T, env *testsuite.TestWorkflowEnvironment) task.Status {
	t.Helper()
	v, err := env.QueryWorkflow(task.QueryStatus)
	var st task.Status
	if err == nil {
		err = v.Get(&st)
	}
	if err != nil {
		t.Error(err)
	}
	return st
}

// answer sends a decision after some time; its result is set when the workflow has ended.
func answer(env *testsuite.TestWorkflowEnvironment, after time.Duration, id string, d task.Decision) *string {
	got := new(string)
	*got = "no answer"
	env.RegisterDelayedCallback(func() {
		env.UpdateWorkflow(task.UpdateDecide, id, &testsuite.TestUpdateCallback{
			OnAccept: func() { *got = "accepted" },
			OnReject: func(err error) { *got = "refused: " + err.Error() },
			OnComplete: func(_ any, err error) {
				if err != nil {
					*got = "failed: " + err.Error()
				} else {
					*got = "done"
				}
			},
		}, d)
	}, after)
	return got
}

func TestAccepted(t *testing.T) {
	t.Parallel()
	m := &machines{verdicts: []belay.Verdict{belay.VerdictFail, belay.VerdictPass}}
	env := fleet(t, m)
	env.ExecuteWorkflow(task.WorkflowName, add)
	r := ended(t, env)
	if r.Outcome != loop.OutcomePassed || r.Attempts != 2 || r.Branch != "belay/t1" || r.Moves != 0 {
		t.Errorf("%+v", r)
	}
	want := "snapshot baseline attempt capture check attempt capture check close"
	if got := strings.Join(m.done, " "); got != want {
		t.Errorf("did %s\nwant %s", got, want)
	}
	st := where(t, env)
	if st.Phase != string(loop.PhaseClosed) || len(st.Lines) == 0 || st.Head.Seq != len(m.record) {
		t.Errorf("%+v", st)
	}
	if text := fmt.Sprint(st.Lines); !strings.Contains(text, "attempt 1 checked: fail (TestAdd fails)") {
		t.Error(text)
	}
}

func TestRefusedAtTheStart(t *testing.T) {
	t.Parallel()
	m := &machines{fail: func(string, task.Ask) error {
		return temporal.NewNonRetryableApplicationError("the task text holds a secret", task.ErrRefused, nil)
	}}
	env := fleet(t, m)
	env.ExecuteWorkflow(task.WorkflowName, add)
	if err := env.GetWorkflowError(); err == nil || !strings.Contains(err.Error(), "holds a secret") {
		t.Error(err)
	}
}

// A gate waits without limit; of two answers at once one counts; an impossible answer is rejected.
func TestGate(t *testing.T) {
	t.Parallel()
	m := &machines{verdicts: []belay.Verdict{belay.VerdictFail, belay.VerdictFail}}
	m.policy = belay.DefaultPolicy()
	m.policy.Retries, m.policy.MaxAttempts = 1, 20
	env := fleet(t, m)
	day := 24 * time.Hour
	early := answer(env, 0, "early", task.Decision{Decision: loop.DecideRetry, By: "ann"})
	odd := answer(env, 30*day, "odd", task.Decision{Decision: "marry", By: "ann"})
	approve := answer(env, 30*day, "approve", task.Decision{Decision: loop.DecideApprove, By: "ann"})
	resume := answer(env, 30*day, "resume", task.Decision{Decision: task.Resume, By: "ann"})
	past := answer(env, 30*day, "past", task.Decision{Decision: loop.DecideGuide, Gate: 7, By: "ann"})
	env.RegisterDelayedCallback(func() {
		if st := where(t, env); st.Gate == nil || st.Phase != "gate" {
			t.Errorf("%+v", st)
		}
	}, 30*day)
	one := answer(env, 31*day, "one", task.Decision{Decision: loop.DecideGuide, Note: "use the clock", Gate: 1, By: "ann"})
	two := answer(env, 31*day, "two", task.Decision{Decision: loop.DecideAbort, Gate: 1, By: "bob"})
	env.ExecuteWorkflow(task.WorkflowName, add)
	r := ended(t, env)
	if r.Outcome != loop.OutcomePassed || r.Attempts != 3 {
		t.Errorf("%+v", r)
	}
	for _, got := range []*string{early, odd, approve, resume, past} {
		if !strings.HasPrefix(*got, "refused: ") {
			t.Errorf("not refused: %s", *got)
		}
	}
	if *one != "done" || *two == "no answer" {
		t.Errorf("one: %s, two: %s", *one, *two)
	}
	if n := len(m.state.Decisions); n != 1 || m.state.Decisions[0].By != "ann" {
		t.Errorf("%+v", m.state.Decisions)
	}
}

// The complete review reaches the worker, and the next attempt begins; text that is no review is
// rejected.
func TestReview(t *testing.T) {
	t.Parallel()
	m := &machines{verdicts: []belay.Verdict{belay.VerdictFail, belay.VerdictPass}}
	m.policy = belay.DefaultPolicy()
	m.policy.Retries = -1
	env := fleet(t, m)
	text := "---\naffected_files:\n  - path: price.go\n    lines: \"9\"\n---\n### `price.go:9`\n\nCount the negative ones only.\n"
	review := task.Decision{Gate: 1, Verdict: task.Reject, Note: text, By: "ann"}
	with := func(change func(*task.Decision)) task.Decision {
		d := review
		change(&d)
		return d
	}
	refused := map[*string]string{}
	for want, d := range map[string]task.Decision{
		"without a verdict":      with(func(d *task.Decision) { d.Verdict = "marry" }),
		"the review is empty":    with(func(d *task.Decision) { d.Note = "---\n---\n \n" }),
		"is not closed":          with(func(d *task.Decision) { d.Note = "---\nx" }),
		"the limit is 256KiB":    with(func(d *task.Decision) { d.Note = strings.Repeat("x", task.MaxNote+1) }),
		"at gate 7 any more":     with(func(d *task.Decision) { d.Gate = 7 }),
		"waits for a review":     with(func(d *task.Decision) { d.Verdict = task.Approve }),
		"needs a reason, and --": {Gate: 1, Decision: loop.DecideApprove, Note: "the lint rule is T9's", By: "ann"},
		"needs a reason":         {Gate: 1, Decision: loop.DecideApprove, Category: "cross_scope", By: "ann"},
		"is not a category":      {Gate: 1, Decision: loop.DecideApprove, Category: "mood", Note: "x", By: "ann"},
	} {
		refused[answer(env, time.Hour, want, d)] = want
	}
	sent := answer(env, 2*time.Hour, "review", review)
	env.ExecuteWorkflow(task.WorkflowName, add)
	r := ended(t, env)
	if r.Outcome != loop.OutcomePassed || r.Attempts != 2 || *sent != "done" || len(m.reviews) != 1 || m.reviews[0] != review {
		t.Errorf("%+v, %s, %+v", r, *sent, m.reviews)
	}
	if a := m.state.Attempts[0]; a.Reviewer != "ann" {
		t.Errorf("%+v", a)
	}
	for got, want := range refused {
		if !strings.HasPrefix(*got, "refused: ") || !strings.Contains(*got, want) {
			t.Errorf("%s: %s", want, *got)
		}
	}
}

// A person can accept rejected work at a gate; the record has the category and the reason.
func TestApproveOver(t *testing.T) {
	t.Parallel()
	m := &machines{verdicts: []belay.Verdict{belay.VerdictFail}}
	m.policy = belay.DefaultPolicy()
	m.policy.Retries = -1
	env := fleet(t, m)
	got := answer(env, time.Hour, "over", task.Decision{Gate: 1, Decision: loop.DecideApprove, Category: "cross_scope", Note: "the rule is T9's", By: "ann"})
	env.ExecuteWorkflow(task.WorkflowName, add)
	r := ended(t, env)
	if r.Outcome != loop.OutcomePassed || r.Attempts != 1 || *got != "done" {
		t.Errorf("%+v, %s", r, *got)
	}
	if d := m.state.Decisions; len(d) != 1 || d[0].Note != "cross_scope: the rule is T9's" || d[0].By != "ann" {
		t.Errorf("%+v", d)
	}
}

// If a worker falls silent, another one takes the task and does the command again.
func TestLostWorker(t *testing.T) {
	t.Parallel()
	for _, kind := range []loop.CommandKind{loop.CmdSnapshot, loop.CmdBaseline, loop.CmdAttempt, loop.CmdCapture, loop.CmdCheck, loop.CmdRestore,
		loop.CmdClose} {
		m := &machines{verdicts: []belay.Verdict{belay.VerdictFail, belay.VerdictPass}}
		m.policy = belay.DefaultPolicy()
		m.policy.Baseline, m.policy.Retry = true, belay.RetryRollback
		m.fail = func(worker string, q task.Ask) error {
			if worker == "w1" && q.Command.Kind == kind {
				return temporal.NewTimeoutError(enums.TIMEOUT_TYPE_SCHEDULE_TO_START, nil)
			}
			return nil
		}
		env := fleet(t, m)
		env.ExecuteWorkflow(task.WorkflowName, add)
		r := ended(t, env)
		if r.Outcome != loop.OutcomePassed || r.Moves != 1 || r.Attempts != 2 {
			t.Errorf("%s: %+v", kind, r)
		}
		want := "snapshot baseline attempt capture check restore attempt capture check close"
		if got := strings.Join(m.done, " "); got != want {
			t.Errorf("%s: did %s", kind, got)
		}
	}
}

// A pushed command of which the answer was lost is not done again.
func TestAnswerLost(t *testing.T) {
	t.Parallel()
	m := &machines{}
	lost := map[string]bool{}
	m.after = func(_ string, st *task.ActivityResult) {
		if key := fmt.Sprint(st.Head.Seq); !lost[key] && st.Head.Seq > 1 {
			lost[key] = true
			st.Worker = "gone"
		}
	}
	env := fleet(t, m)
	var mu sync.Mutex
	do := m.do
	env.OnActivity(task.DoName, anyContext, anyAsk).Return(func(ctx context.Context, q task.Ask) (task.ActivityResult, error) {
		st, err := do(ctx, q)
		mu.Lock()
		defer mu.Unlock()
		if st.Worker == "gone" {
			return task.ActivityResult{}, errors.New("the connection was cut")
		}
		return st, err
	})
	env.ExecuteWorkflow(task.WorkflowName, add)
	if r := ended(t, env); r.Outcome != loop.OutcomePassed || r.Moves != 0 {
		t.Errorf("%+v", r)
	}
	if got := strings.Join(m.done, " "); got != "snapshot baseline attempt capture check close" {
		t.Error(got)
	}
}

// A command that ends every worker is not retried without limit.
func TestQuarantine(t *testing.T) {
	t.Parallel()
	poison := true
	m := &machines{}
	m.fail = func(_ string, q task.Ask) error {
		if poison && q.Command.Kind == loop.CmdAttempt {
			return temporal.NewHeartbeatTimeoutError()
		}
		return nil
	}
	env := fleet(t, m)
	wrong := answer(env, time.Hour, "wrong", task.Decision{Decision: loop.DecideRetry, By: "ann"})
	env.RegisterDelayedCallback(func() {
		if st := where(t, env); st.Phase != task.PhaseQuarantined || st.Moves != 2 {
			t.Errorf("%s after %d moves", st.Phase, st.Moves)
		}
		poison = false
	}, time.Hour)
	right := answer(env, 2*time.Hour, "right", task.Decision{Decision: task.Resume, By: "ann"})
	env.ExecuteWorkflow(task.WorkflowName, add)
	if r := ended(t, env); r.Outcome != loop.OutcomePassed || r.Moves != 3 {
		t.Errorf("%+v", r)
	}
	if !strings.HasPrefix(*wrong, "refused: ") || *right != "done" {
		t.Errorf("wrong: %s, right: %s", *wrong, *right)
	}
}

// No other worker continues from a state that is not on the remote.
func TestNotPushed(t *testing.T) {
	t.Parallel()
	m := &machines{}
	silent := 0
	m.after = func(_ string, st *task.ActivityResult) { st.Pushed = st.Head.Seq < 3 }
	m.fail = func(_ string, q task.Ask) error {
		if q.Command.Kind == loop.CmdAttempt && silent < 12 {
			silent++
			return temporal.NewTimeoutError(enums.TIMEOUT_TYPE_SCHEDULE_TO_START, nil)
		}
		return nil
	}
	env := fleet(t, m)
	env.ExecuteWorkflow(task.WorkflowName, add)
	if r := ended(t, env); r.Outcome != loop.OutcomePassed || r.Moves != 0 {
		t.Errorf("%+v", r)
	}
}

// A record with another state than the rules give is not continued, and nothing is lost.
func TestDiverged(t *testing.T) {
	t.Parallel()
	bad := true
	m := &machines{}
	m.after = func(_ string, st *task.ActivityResult) {
		if n := len(st.Steps); bad && n > 0 && st.Steps[n-1].Event.Kind == loop.EvChecked {
			st.Steps = slices.Clone(st.Steps)
			st.Steps[n-1].Sum = "another"
		}
	}
	env := fleet(t, m)
	env.RegisterDelayedCallback(func() {
		if st := where(t, env); st.Phase != task.PhaseQuarantined || st.State.Pending.Kind != loop.CmdCheck {
			t.Errorf("%+v", st)
		}
		bad = false
	}, time.Hour)
	got := answer(env, 2*time.Hour, "on", task.Decision{Decision: task.Resume, By: "ann"})
	env.ExecuteWorkflow(task.WorkflowName, add)
	if r := ended(t, env); r.Outcome != loop.OutcomePassed || *got != "done" {
		t.Errorf("%+v, %s", r, *got)
	}
	if got := strings.Join(m.done, " "); got != "snapshot baseline attempt capture check close" {
		t.Error(got)
	}
}

// A cancelled task waits at a gate and continues when a person decides.
func TestCancel(t *testing.T) {
	t.Parallel()
	m := &machines{}
	env := fleet(t, m)
	cancel := func(id string) *string {
		got := new(string)
		env.UpdateWorkflow(task.UpdateCancel, id, &testsuite.TestUpdateCallback{OnAccept: func() { *got = "accepted" },
			OnReject: func(error) { *got = "refused" }, OnComplete: func(any, error) {}})
		return got
	}
	var one, two *string
	m.wait = func(ctx context.Context, q task.Ask) {
		if q.Command.Kind != loop.CmdAttempt || one != nil {
			return
		}
		one = cancel("one")
		for ctx.Err() == nil {
			activity.RecordHeartbeat(ctx)
			time.Sleep(time.Millisecond)
		}
	}
	env.RegisterDelayedCallback(func() {
		two = cancel("two")
		if st := where(t, env); st.Gate == nil || st.Gate.Kind != loop.GateCancelled {
			t.Errorf("%s, %+v", st.Phase, st.Gate)
		}
	}, time.Hour)
	got := answer(env, 3*time.Hour, "on", task.Decision{Decision: task.Resume, By: "ann"})
	in := add
	in.LostAfter = time.Second // a worker hears of a cancellation with its heartbeats, which the SDK sends at 80 % of this time
	env.ExecuteWorkflow(task.WorkflowName, in)
	if r := ended(t, env); r.Outcome != loop.OutcomePassed || *got != "done" || *one != "accepted" || *two != "refused" {
		t.Errorf("%+v; resume: %s; first cancel: %s, second: %s", r, *got, *one, *two)
	}
}

// A task with a long history continues in a new run with the same state.
func TestContinueAsNew(t *testing.T) {
	t.Parallel()
	m := &machines{verdicts: []belay.Verdict{belay.VerdictFail, belay.VerdictPass}}
	in, runs := add, 0
	for {
		runs++
		env := fleet(t, m)
		env.SetContinueAsNewSuggested(runs < 4)
		if runs < 4 { // one command, then a new run
			n := 0
			env.SetContinueAsNewSuggested(false)
			env.SetOnActivityCompletedListener(func(*activity.Info, converterValue, error) {
				if n++; n == 2 {
					env.SetContinueAsNewSuggested(true)
				}
			})
		}
		env.ExecuteWorkflow(task.WorkflowName, in)
		var again *workflow.ContinueAsNewError
		if err := env.GetWorkflowError(); !errors.As(err, &again) {
			break
		}
		var next task.Input
		if err := dataConverter.FromPayloads(again.Input, &next); err != nil {
			t.Fatal(err)
		}
		if next.From == nil || next.From.State.Phase == "" {
			t.Fatalf("run %d passes on %+v", runs, next.From)
		}
		in = next
	}
	if runs < 3 {
		t.Errorf("%d runs", runs)
	}
	if got := strings.Join(m.done, " "); got != "snapshot baseline attempt capture check attempt capture check close" {
		t.Error(got)
	}
}

// TestStoppedWhileItWaits: a task that waits for a worker with a free slot can be stopped, and
// keeps no slot.
func TestStoppedWhileItWaits(t *testing.T) {
	t.Parallel()
	const person, together = "person", "feature, and resumed at once"
	for _, name := range []string{task.BeginName, task.AdoptName} {
		for _, by := range []string{person, "feature", together, "stop"} {
			m := &machines{}
			if name == task.AdoptName {
				m.fail = func(worker string, q task.Ask) error {
					if worker == "w1" && q.Command.Kind == loop.CmdAttempt {
						return temporal.NewTimeoutError(enums.TIMEOUT_TYPE_SCHEDULE_TO_START, nil)
					}
					return nil
				}
			}
			env := fleet(t, m)
			answer := m.begin
			if name == task.AdoptName {
				answer = m.adopt
			}
			waited := 0
			env.OnActivity(name, anyContext, anyAsk).Return(func(ctx context.Context, q task.Ask) (task.ActivityResult, error) {
				if info := activity.GetInfo(ctx); info.TaskQueue != task.BeginQueue {
					t.Errorf("%s came by %s", name, info.TaskQueue)
				}
				if waited++; waited > 1 {
					return answer(ctx, q)
				}
				if st := where(t, env); st.Waits == "" {
					t.Errorf("%s: the status does not show what it waits for: %+v", name, st)
				}
				tell := func(d loop.Decision) { env.SignalWorkflow(task.SignalDecide, task.Decision{Decision: d, By: "ann"}) }
				switch by {
				case person:
					env.UpdateWorkflow(task.UpdateCancel, "cancel", &testsuite.TestUpdateCallback{OnAccept: func() {},
						OnReject: func(err error) { t.Error(err) }, OnComplete: func(any, error) {}})
				case "stop":
					tell(loop.DecideAbort)
				default:
					tell(task.Cancel)
				}
				if by == together {
					tell(task.Resume)
				}
				for ctx.Err() == nil {
					activity.RecordHeartbeat(ctx)
					time.Sleep(time.Millisecond)
				}
				return task.ActivityResult{}, ctx.Err()
			})
			got := new(string)
			if by == person || by == "feature" {
				env.RegisterDelayedCallback(func() {
					if st := where(t, env); st.Phase != task.PhaseQuarantined {
						t.Errorf("%s, %s: %s", name, by, st.Phase)
					}
				}, time.Hour)
				got = resume(env, 2*time.Hour)
			}
			env.ExecuteWorkflow(task.WorkflowName, in(add, time.Second))
			want := loop.OutcomePassed
			if by == "stop" {
				want = loop.OutcomeAborted
			}
			if st := where(t, env); st.Phase != string(loop.PhaseClosed) || st.Outcome != string(want) {
				t.Errorf("%s, %s: the status is %s %s", name, by, st.Phase, st.Outcome)
			}
			if r := ended(t, env); r.Outcome != want || (*got != "" && *got != "done") {
				t.Errorf("%s, %s: %+v, resume: %s", name, by, r, *got)
			}
		}
	}
}

func resume(env *testsuite.TestWorkflowEnvironment, after time.Duration) *string {
	return answer(env, after, "on", task.Decision{Decision: task.Resume, By: "ann"})
}

// in sets how long a worker may be silent: shorter means that it hears sooner of a cancellation,
// because the SDK throttles heartbeats to most of that time.
func in(q task.Input, lostAfter time.Duration) task.Input {
	q.LostAfter = lostAfter
	return q
}

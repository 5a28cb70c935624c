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

	"github.com/stretchr/testify/mock"
	"go.temporal.io/sdk/activity"
	"go.temporal.io/sdk/temporal"
	"go.temporal.io/sdk/testsuite"
	"go.temporal.io/sdk/worker"
	"go.temporal.io/sdk/workflow"

	"github.com/belay-dev/belay/fleet/task"
	"github.com/belay-dev/belay/internal/belay"
	"github.com/belay-dev/belay/internal/loop"
)

// features simulates tasks without machines: each takes an hour and ends as configured.
type features struct {
	mu     sync.Mutex
	began  []task.Input
	now    int // running
	most   int
	ends   map[belay.TaskID]loop.Outcome // accepted if not listed
	told   []string
	merges []task.MergeAsk
	result map[belay.TaskID]task.MergeResult // merged if not listed
	failed error                             // error of a merge, once
}

func (f *features) task(ctx workflow.Context, in task.Input) (task.Result, error) {
	f.mu.Lock()
	f.began = append(f.began, in)
	f.now++
	f.most = max(f.most, f.now)
	f.mu.Unlock()
	signals := workflow.GetSignalChannel(ctx, task.SignalDecide)
	r := task.Result{Outcome: loop.OutcomePassed, Commit: "work of " + string(in.ID), Cost: 0.5}
	for done := false; !done; {
		paused := false
		s := workflow.NewSelector(ctx)
		s.AddFuture(workflow.NewTimer(ctx, time.Hour), func(workflow.Future) { done = true })
		s.AddReceive(signals, func(c workflow.ReceiveChannel, _ bool) {
			var d task.Decision
			c.Receive(ctx, &d)
			f.mu.Lock()
			f.told = append(f.told, fmt.Sprint(in.ID, " ", d.Decision))
			f.mu.Unlock()
			paused, done = d.Decision == task.Cancel, d.Decision == loop.DecideAbort
			if done {
				r.Outcome = loop.OutcomeAborted
			}
		})
		s.Select(ctx)
		for paused { // until resumed
			var d task.Decision
			signals.Receive(ctx, &d)
			paused = d.Decision == task.Cancel
			if d.Decision == loop.DecideAbort {
				done, r.Outcome = true, loop.OutcomeAborted
			}
		}
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	f.now--
	if o := f.ends[in.ID]; o != "" {
		r = task.Result{Outcome: o, Why: "the tests fail", Cost: 0.5}
	}
	return r, nil
}

func (f *features) merge(_ context.Context, q task.MergeAsk) (task.MergeResult, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.merges = append(f.merges, q)
	if err := f.failed; err != nil {
		f.failed = nil
		return task.MergeResult{}, err
	}
	if m, ok := f.result[q.Task]; ok {
		delete(f.result, q.Task)
		return m, nil
	}
	return task.MergeResult{Commit: "merge of " + string(q.Task), Tests: "2 passed"}, nil
}

func (f *features) env(t *testing.T) *testsuite.TestWorkflowEnvironment {
	t.Helper()
	var suite testsuite.WorkflowTestSuite
	suite.SetLogger(silent{})
	env := suite.NewTestWorkflowEnvironment()
	env.SetTestTimeout(time.Minute)
	env.SetWorkerOptions(worker.Options{DeadlockDetectionTimeout: time.Hour}) // a busy machine is no deadlock
	env.RegisterWorkflowWithOptions(task.FeatureWorkflow, workflow.RegisterOptions{Name: task.FeatureName})
	env.RegisterWorkflowWithOptions(f.task, workflow.RegisterOptions{Name: task.WorkflowName})
	env.RegisterActivityWithOptions(f.merge, activity.RegisterOptions{Name: task.MergeName})
	return env
}

// search is a feature: T0, then T1 and T2 side by side, then T3, which needs the work of T1.
func search() task.FeatureInput {
	in := task.FeatureInput{Like: add, Limit: 4,
		Tasks: listOf(4, func(i, j int) bool { return i != 2 || j != 1 }, func(i, j int) bool { return i == 3 && j == 1 })}
	in.Like.Feature, in.Like.Prose, in.Like.ID = "search", "", ""
	for i := range in.Tasks {
		in.Tasks[i].Prose = "Do " + string(in.Tasks[i].ID)
	}
	return in
}

func featureEnded(t *testing.T, env *testsuite.TestWorkflowEnvironment) (r task.FeatureResult) {
	t.Helper()
	if !env.IsWorkflowCompleted() {
		t.Fatal("the workflow has not ended")
	}
	if err := errors.Join(env.GetWorkflowError(), env.GetWorkflowResult(&r)); err != nil {
		t.Fatal(err)
	}
	return r
}

func featureAt(t *testing.T, env *testsuite.TestWorkflowEnvironment) (st task.FeatureStatus) {
	t.Helper()
	v, err := env.QueryWorkflow(task.QueryStatus)
	if err == nil {
		err = v.Get(&st)
	}
	if err != nil {
		t.Error(err)
	}
	return st
}

// from lists which task began from which commit.
func (f *features) from() (all []string) {
	for _, in := range f.began {
		all = append(all, fmt.Sprint(in.ID, " from ", in.Base))
	}
	slices.Sort(all)
	return all
}

// Tasks begin in order from what is merged, independent ones at once, and are merged one at a time.
func TestFeature(t *testing.T) {
	t.Parallel()
	f := &features{}
	env := f.env(t)
	env.ExecuteWorkflow(task.FeatureName, search())
	r := featureEnded(t, env)
	if r.Outcome != loop.OutcomePassed || r.Branch != "belay/search" || r.Commit != "merge of T3" || r.Cost != 2 {
		t.Errorf("%+v", r)
	}
	if f.most != 2 {
		t.Errorf("%d at once", f.most)
	}
	from := f.from()
	if len(from) != 4 || from[0] != "T0 from 4f1c" || from[1] != "T1 from merge of T0" || from[2] != "T2 from merge of T0" ||
		!strings.HasPrefix(from[3], "T3 from merge of ") {
		t.Error(from)
	}
	tip := ""
	for _, q := range f.merges {
		if q.Tip != tip || q.Commit != "work of "+string(q.Task) {
			t.Errorf("%+v after %q", q, tip)
		}
		tip = "merge of " + string(q.Task)
	}
	if st := featureAt(t, env); st.Phase != "closed" || st.Outcome != "passed" || len(st.Lines) == 0 || st.Use.Cost != 2 {
		t.Errorf("%+v", st)
	}
}

// Work that fails together with merged work waits for a person, while others continue; retried, it
// begins from what is merged, under a new ID, and its prompt has the reason.
func TestFeatureRed(t *testing.T) {
	t.Parallel()
	f := &features{result: map[belay.TaskID]task.MergeResult{"T1": {Findings: []string{"TestSum fails"}}, "T2": {Conflicts: []string{"a.txt"}}}}
	env := f.env(t)
	day := 24 * time.Hour
	env.RegisterDelayedCallback(func() {
		st := featureAt(t, env)
		if len(st.Gates) != 2 || st.Phase != "gate" || st.Gates[0].Task != "T1" || st.Gates[1].Why != "it cannot be merged: conflicts in a.txt" {
			t.Errorf("%+v", st.Gates)
		}
	}, day)
	odd := answer(env, day, "odd", task.Decision{Decision: task.Resume, By: "ann"})
	none := answer(env, day, "none", task.Decision{Decision: task.Drop, Gate: 9, By: "ann"})
	again := answer(env, 2*day, "again", task.Decision{Decision: task.Merge, Gate: 2, By: "ann"})
	retry := answer(env, 3*day, "retry", task.Decision{Decision: loop.DecideRetry, Note: "use the new sum", By: "ann"})
	late := answer(env, 4*day, "late", task.Decision{Decision: loop.DecideRetry, By: "bob"})
	env.ExecuteWorkflow(task.FeatureName, search())
	if r := featureEnded(t, env); r.Outcome != loop.OutcomePassed || r.Parts[1].Tries != 2 || r.Parts[1].Task != "T1-2" {
		t.Errorf("%+v", r)
	}
	if !strings.HasPrefix(*odd, "refused") || !strings.HasPrefix(*none, "refused") || *again != "done" || *retry != "done" || *late == "done" {
		t.Errorf("odd: %s, none: %s, again: %s, retry: %s, late: %s", *odd, *none, *again, *retry, *late)
	}
	i := slices.IndexFunc(f.began, func(in task.Input) bool { return in.ID == "T1-2" })
	if i < 0 || f.began[i].Base != "merge of T2" || !strings.Contains(f.began[i].Prose, "TestSum fails") ||
		!strings.Contains(f.began[i].Prose, "use the new sum") {
		t.Errorf("%+v", f.began)
	}
}

// A dropped task drops those that need its work, and no others.
func TestFeatureDrop(t *testing.T) {
	t.Parallel()
	f := &features{ends: map[belay.TaskID]loop.Outcome{"T1": loop.OutcomeAborted}}
	env := f.env(t)
	got := answer(env, 24*time.Hour, "drop", task.Decision{Decision: task.Drop, By: "ann"})
	env.ExecuteWorkflow(task.FeatureName, search())
	r := featureEnded(t, env)
	if *got != "done" || r.Outcome != task.OutcomePartial || r.Commit != "merge of T2" {
		t.Errorf("%s, %+v", *got, r)
	}
	if r.Parts[1].Stage != task.StageDropped || r.Parts[3].Stage != task.StageDropped || len(f.began) != 3 {
		t.Errorf("%+v", r.Parts)
	}
}

// A failed merge opens a gate too.
func TestFeatureMergeRefused(t *testing.T) {
	t.Parallel()
	f := &features{failed: temporal.NewNonRetryableApplicationError("the branch has other work", task.ErrRefused, nil)}
	env := f.env(t)
	got := answer(env, 24*time.Hour, "again", task.Decision{Decision: task.Merge, By: "ann"})
	env.ExecuteWorkflow(task.FeatureName, search())
	if r := featureEnded(t, env); *got != "done" || r.Outcome != loop.OutcomePassed || len(f.began) != 4 {
		t.Errorf("%s, %+v", *got, r)
	}
}

// A cancelled feature stops its tasks and begins none until it is resumed; a stopped one ends.
func TestFeatureCancel(t *testing.T) {
	t.Parallel()
	for _, decision := range []loop.Decision{task.Resume, task.Stop} {
		f := &features{}
		env := f.env(t)
		accepted, twice := "", ""
		env.RegisterDelayedCallback(func() { // T1 and T2 run
			cancel(env, "one", &accepted)
		}, 90*time.Minute)
		env.RegisterDelayedCallback(func() {
			cancel(env, "two", &twice)
			if st := featureAt(t, env); st.Phase != "gate" || len(st.Gates) != 1 || st.Gates[0].Part != -1 {
				t.Errorf("%+v", st.Gates)
			}
		}, 48*time.Hour)
		got := answer(env, 72*time.Hour, "on", task.Decision{Decision: decision, By: "ann"})
		env.ExecuteWorkflow(task.FeatureName, search())
		r := featureEnded(t, env)
		if accepted != "accepted" || twice != "refused" || *got != "done" {
			t.Errorf("cancel: %s, again: %s, %s: %s", accepted, twice, decision, *got)
		}
		if decision == task.Stop && slices.ContainsFunc(r.Parts, func(p task.Part) bool {
			return p.Stage != task.StageMerged && p.Stage != task.StageDropped
		}) {
			t.Errorf("%+v", r.Parts)
		}
		if slices.Sort(f.told); decision == task.Resume && (r.Outcome != loop.OutcomePassed || len(f.began) != 4) ||
			decision == task.Stop && (r.Outcome != task.OutcomePartial || len(f.began) != 3 || r.Commit != "merge of T0") {
			t.Errorf("%s: %+v, told %v", decision, r, f.told)
		}
		if !slices.Equal(f.told, []string{"T1 cancel", "T2 cancel"}) {
			t.Error(f.told)
		}
	}
}

func cancel(env *testsuite.TestWorkflowEnvironment, id string, got *string) {
	env.UpdateWorkflow(task.UpdateCancel, id, &testsuite.TestUpdateCallback{OnAccept: func() { *got = "accepted" },
		OnReject: func(error) { *got = "refused" }, OnComplete: func(any, error) {}})
}

// With a long history the feature waits for its running tasks and continues in a new run.
func TestFeatureContinues(t *testing.T) {
	t.Parallel()
	f, in, runs := &features{}, search(), 0
	for {
		runs++
		env := f.env(t)
		merged := len(f.merges)
		env.SetOnActivityCompletedListener(func(*activity.Info, converterValue, error) {
			env.SetContinueAsNewSuggested(len(f.merges) > merged)
		})
		env.ExecuteWorkflow(task.FeatureName, in)
		var again *workflow.ContinueAsNewError
		if err := env.GetWorkflowError(); !errors.As(err, &again) {
			if r := featureEnded(t, env); r.Outcome != loop.OutcomePassed {
				t.Errorf("%+v", r)
			}
			break
		}
		var next task.FeatureInput
		if err := dataConverter.FromPayloads(again.Input, &next); err != nil {
			t.Fatal(err)
		}
		if f.now != 0 || next.From == nil {
			t.Fatalf("run %d ends with %d running tasks", runs, f.now)
		}
		in = next
	}
	if runs < 3 || len(f.began) != 4 || len(f.merges) != 4 {
		t.Errorf("%d runs, %d begun, %d merged", runs, len(f.began), len(f.merges))
	}
}

// A task that its feature stops or cancels saves the work of its agent first.
func TestTold(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		kind  loop.CommandKind // of the running command
		tells []loop.Decision
		want  loop.Outcome
		did   string
	}{
		{loop.CmdAttempt, []loop.Decision{task.Cancel, task.Resume}, loop.OutcomePassed, "snapshot baseline attempt capture attempt capture check close"},
		{loop.CmdAttempt, []loop.Decision{task.Cancel + " at once", task.Resume}, loop.OutcomePassed,
			"snapshot baseline attempt capture attempt capture check close"},
		{loop.CmdAttempt, []loop.Decision{loop.DecideAbort}, loop.OutcomeAborted, "snapshot baseline attempt capture restore close"},
		{loop.CmdBaseline, []loop.Decision{loop.DecideAbort}, loop.OutcomeAborted, "snapshot baseline"},
		{loop.CmdBaseline, []loop.Decision{task.Cancel, task.Resume}, loop.OutcomePassed, "snapshot baseline attempt capture check close"},
		{loop.CmdBaseline, []loop.Decision{task.Cancel, loop.DecideAbort}, loop.OutcomeAborted, "snapshot baseline"},
	} {
		m := &machines{}
		env := fleet(t, m)
		shown := ""
		env.OnUpsertTypedSearchAttributes(mock.MatchedBy(func(a temporal.SearchAttributes) bool {
			phase, _ := a.GetKeyword(temporal.NewSearchAttributeKeyKeyword(task.AttrPhase))
			outcome, _ := a.GetKeyword(temporal.NewSearchAttributeKeyKeyword(task.AttrOutcome))
			shown = phase + " " + outcome
			return true
		})).Return(nil)
		first := true
		m.wait = func(ctx context.Context, q task.Ask) {
			if q.Command.Kind != c.kind || !first {
				return
			}
			first = false
			first, together := strings.CutSuffix(string(c.tells[0]), " at once")
			env.SignalWorkflow(task.SignalDecide, task.Decision{Decision: loop.Decision(first), By: "ann"})
			if together { // before the agent is stopped
				env.SignalWorkflow(task.SignalDecide, task.Decision{Decision: c.tells[1], By: "ann"})
			}
			for c.kind == loop.CmdAttempt && ctx.Err() == nil {
				activity.RecordHeartbeat(ctx)
				time.Sleep(time.Millisecond)
			}
		}
		for i, d := range c.tells[1:] {
			if strings.HasSuffix(string(c.tells[0]), " at once") {
				break
			}
			env.RegisterDelayedCallback(func() {
				if st := where(t, env); st.Phase != "gate" && st.Phase != task.PhaseQuarantined {
					t.Errorf("%v: %s", c.tells, st.Phase)
				}
				env.SignalWorkflow(task.SignalDecide, task.Decision{Decision: d, By: "ann"})
			}, time.Duration(i+1)*time.Hour)
		}
		in := add
		in.LostAfter = time.Second
		env.ExecuteWorkflow(task.WorkflowName, in)
		if r := ended(t, env); r.Outcome != c.want {
			t.Errorf("%v in %s: %+v", c.tells, c.kind, r)
		}
		if st := where(t, env); shown != "closed "+string(c.want) || st.Phase+" "+st.Outcome != shown {
			t.Errorf("%v in %s: the server shows %s, the status %s %s", c.tells, c.kind, shown, st.Phase, st.Outcome)
		}
		if got := strings.Join(m.done, " "); got != c.did {
			t.Errorf("%v in %s: did %s", c.tells, c.kind, got)
		}
	}
}

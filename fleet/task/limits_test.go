package task_test

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"go.temporal.io/sdk/activity"
	"go.temporal.io/sdk/converter"
	"go.temporal.io/sdk/temporal"
	"go.temporal.io/sdk/testsuite"
	"go.temporal.io/sdk/worker"
	"go.temporal.io/sdk/workflow"

	"github.com/belay-dev/belay/fleet/task"
	"github.com/belay-dev/belay/internal/belay"
	"github.com/belay-dev/belay/internal/loop"
)

var noon = time.Date(2026, 11, 28, 12, 0, 0, 0, time.UTC)

func slot(i int, agent string) task.Slot {
	return task.Slot{Workflow: fmt.Sprint("w", i), Ticket: "t", Agent: agent}
}

func TestLimits(t *testing.T) {
	t.Parallel()
	limits := task.Limits{Team: "search", CostPerDay: 12, UnknownCost: 0.5,
		Agents: map[string]task.AgentLimits{"claude": {AtOnce: 2}, "*": {PerHour: 1}}}
	type step struct {
		after time.Duration
		e     task.LimitEvent
		want  string // notified slots
	}
	ask := func(i int, agent string) task.LimitEvent {
		return task.LimitEvent{Kind: task.LimitAsk, Slot: slot(i, agent), Limits: &limits}
	}
	done := func(i int, cost float64, known bool) task.LimitEvent {
		return task.LimitEvent{Kind: task.LimitDone, Slot: slot(i, ""), Cost: cost, Known: known}
	}
	tick := task.LimitEvent{Kind: task.LimitTick}
	for name, steps := range map[string][]step{
		"at once": {
			{0, ask(1, "claude"), "w1 granted"},
			{0, ask(2, "claude"), "w2 granted"},
			{0, ask(3, "claude"), "w3 team search has 2 of 2 attempts of claude under way"},
			{0, ask(3, "claude"), ""}, // asked twice
			{0, ask(1, "claude"), "w1 granted"},
			{0, ask(4, "codex"), "w4 granted"}, // another agent does not wait for it
			{time.Minute, done(2, 1, true), "w3 granted"},
		},
		"in an hour": {
			{0, ask(1, "codex"), "w1 granted"},
			{time.Minute, done(1, 1, true), ""},
			{0, ask(2, "codex"), "w2 team search began 1 of 1 attempts of codex in this hour"},
			{58 * time.Minute, tick, ""},
			{time.Minute, tick, "w2 granted"},
		},
		"cost": {
			{0, ask(1, "claude"), "w1 granted"},
			{0, done(1, 12.4, true), ""},
			{0, ask(2, "claude"), "w2 budget of team search for today is used, $12.40 of $12.00"},
			{0, ask(3, "codex"), "w3 budget of team search for today is used, $12.40 of $12.00"},
			{11*time.Hour + 59*time.Minute, tick, ""},
			{time.Minute, tick, "w2 granted, w3 granted"},
		},
		"cost of what is under way, and not known": {
			{0, ask(1, "claude"), "w1 granted"},
			{0, done(1, 11, true), ""},
			{0, ask(2, "claude"), "w2 granted"},
			{0, ask(3, "claude"), "w3 granted"},
			{0, ask(4, "other"), "w4 budget of team search for today: $11.00 used, $1.00 reserved for 2 attempts under way, of $12.00"},
			{0, done(2, 0, false), ""},
			{0, done(3, 0.1, false), ""}, // each counts as 0.5
			{0, task.LimitEvent{Kind: task.LimitSpent, Cost: math.NaN()}, ""},
			{0, task.LimitEvent{Kind: task.LimitSpent, Cost: -5}, ""},
		},
		"given back before it began": {
			{0, ask(1, "claude"), "w1 granted"},
			{0, ask(2, "claude"), "w2 granted"},
			{0, ask(3, "claude"), "w3 team search has 2 of 2 attempts of claude under way"},
			{0, done(3, 0, true), ""},
			{0, task.LimitEvent{Kind: task.LimitGone, Slot: slot(1, "")}, ""},
			{0, task.LimitEvent{Kind: task.LimitAsk, Slot: slot(4, "claude")}, "w4 granted"},
		},
	} {
		var l task.Ledger
		now := noon
		for i, s := range steps {
			now = now.Add(s.after)
			var told []task.Slot
			l, told = l.Apply(s.e, now)
			var all []string
			for _, o := range told {
				if o.Granted {
					o.Why = "granted"
				}
				all = append(all, o.Workflow+" "+o.Why)
			}
			if got := strings.Join(all, ", "); got != s.want {
				t.Errorf("%s, step %d: %s, expected %s", name, i, got, s.want)
			}
		}
		if name == "cost of what is under way, and not known" && l.Spent != 12 {
			t.Errorf("spent %v", l.Spent)
		}
	}
}

// Whatever happens: no agent has more attempts running, or started in an hour, than allowed; none
// begins when the budget is used or reserved; and every waiting task gets a slot once the hour or
// day is over and the others have ended.
func TestLimitsKept(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		limits := task.Limits{Team: "t", CostPerDay: rapid.SampledFrom([]float64{0, 3}).Draw(t, "budget"), UnknownCost: 1,
			Agents: map[string]task.AgentLimits{"a": {AtOnce: rapid.IntRange(0, 2).Draw(t, "at once"), PerHour: rapid.IntRange(0, 3).Draw(t, "per hour")}}}
		var l task.Ledger
		now, asked, granted, over := noon, 0, map[string]time.Time{}, map[string]bool{}
		var starts []time.Time
		on := func(e task.LimitEvent) {
			if e.Kind == task.LimitAsk {
				e.Limits = &limits
			}
			spent, running := l.Spent, len(l.Running)
			if l.Day != now.Format(time.DateOnly) {
				spent = 0
			}
			if e.Kind == task.LimitDone && slices.ContainsFunc(l.Running, func(s task.Slot) bool { return s.Workflow == e.Slot.Workflow }) {
				running--
				spent += max(e.Cost, map[bool]float64{false: 1}[e.Known])
			}
			var told []task.Slot
			before := l
			l, told = l.Apply(e, now)
			if again, twice := before.Apply(e, now); fmt.Sprint(again, twice) != fmt.Sprint(l, told) {
				t.Fatal("the same event gave another state")
			}
			for _, s := range told {
				if _, had := granted[s.Workflow]; had || !s.Granted {
					continue
				}
				granted[s.Workflow] = now
				starts = append(starts, now)
				if limits.CostPerDay > 0 && spent+float64(running) >= limits.CostPerDay {
					t.Fatalf("granted with %v used and %d under way", spent, running)
				}
				running++
			}
			a := limits.Agents["a"]
			if a.AtOnce > 0 && len(l.Running) > a.AtOnce {
				t.Fatalf("%d at once", len(l.Running))
			}
			within := 0
			for _, at := range starts {
				if now.Sub(at) < time.Hour {
					within++
				}
			}
			if a.PerHour > 0 && within > a.PerHour {
				t.Fatalf("%d in an hour", within)
			}
			if len(l.Running)+len(l.Waiting)+len(over) != asked {
				t.Fatalf("%d asked, %d under way, %d waiting, %d over", asked, len(l.Running), len(l.Waiting), len(over))
			}
		}
		end := func(s task.Slot) {
			over[s.Workflow] = true
			on(task.LimitEvent{Kind: task.LimitDone, Slot: s, Cost: float64(rapid.IntRange(0, 2).Draw(t, "cost")), Known: rapid.Bool().Draw(t, "known")})
		}
		for range rapid.IntRange(1, 40).Draw(t, "steps") {
			now = now.Add(time.Duration(rapid.IntRange(0, 400).Draw(t, "minutes")) * time.Minute)
			open := slices.Concat(l.Running, l.Waiting)
			switch rapid.IntRange(0, 2).Draw(t, "what") {
			case 0:
				asked++
				on(task.LimitEvent{Kind: task.LimitAsk, Slot: slot(asked, "a")})
			case 1:
				if len(open) > 0 {
					end(rapid.SampledFrom(open).Draw(t, "which"))
				}
			default:
				on(task.LimitEvent{Kind: task.LimitTick})
			}
		}
		for n := 0; len(l.Running)+len(l.Waiting) > 0; n++ {
			if n > 10*asked {
				t.Fatalf("waits for ever: %+v", l.Waiting)
			}
			for _, s := range l.Running {
				end(s)
			}
			at, ok := l.NextTurn(now)
			if len(l.Waiting) > 0 {
				if !ok || !at.After(now) {
					t.Fatalf("%d wait and nothing wakes them: %v", len(l.Waiting), at)
				}
				now = at
				on(task.LimitEvent{Kind: task.LimitTick})
			}
		}
	})
}

// teamed gives machines a team: the rules of its workflow answer in this process.
func teamed(t *testing.T, m *machines) (*testsuite.TestWorkflowEnvironment, *[]task.LimitEvent) {
	t.Helper()
	m.after = func(_ string, st *task.ActivityResult) { st.Team = "search" }
	env := fleet(t, m)
	var told []task.LimitEvent
	env.RegisterActivityWithOptions(func(q task.Ask) error {
		m.mu.Lock()
		defer m.mu.Unlock()
		told = append(told, task.LimitEvent{Kind: task.LimitAsk, Slot: q.Slot})
		return nil
	}, activity.RegisterOptions{Name: task.SlotName})
	env.OnSignalExternalWorkflow(anyContext, task.LimitsWorkflowID("search"), "", task.SignalLimits, anyContext).Return(
		func(_, _, _, _ string, arg any) error {
			m.mu.Lock()
			defer m.mu.Unlock()
			told = append(told, arg.(task.LimitEvent))
			return nil
		})
	return env, &told
}

// A task waits for its team before each attempt, shows the reason, and reports its cost afterwards.
func TestSlot(t *testing.T) {
	t.Parallel()
	m := &machines{verdicts: []belay.Verdict{belay.VerdictFail, belay.VerdictPass}}
	env, told := teamed(t, m)
	answerSlot := func(after time.Duration, granted bool, why string) {
		env.RegisterDelayedCallback(func() {
			s := (*told)[len(*told)-1].Slot
			s.Granted, s.Why = granted, why
			env.SignalWorkflow(task.SignalSlot, s)
		}, after)
	}
	answerSlot(time.Hour, false, "budget of team search for today is used, $12.40 of $12.00")
	env.RegisterDelayedCallback(func() {
		if st := where(t, env); st.Phase != task.PhaseWaiting || !strings.Contains(st.Waits, "$12.40 of $12.00") {
			t.Errorf("%s: %q", st.Phase, st.Waits)
		}
		m.mu.Lock()
		defer m.mu.Unlock()
		if slices.Contains(m.done, string(loop.CmdAttempt)) {
			t.Error("an agent ran meanwhile")
		}
	}, 2*time.Hour)
	refused := answer(env, 2*time.Hour, "refused", task.Decision{Decision: loop.DecideRetry, By: "ann"})
	answerSlot(12*time.Hour, true, "")
	answerSlot(13*time.Hour, true, "") // the second attempt
	env.ExecuteWorkflow(task.WorkflowName, add)
	if r := ended(t, env); r.Outcome != loop.OutcomePassed || r.Attempts != 2 || !strings.HasPrefix(*refused, "refused") {
		t.Errorf("%+v, %s", r, *refused)
	}
	var all []string
	for _, e := range *told {
		all = append(all, fmt.Sprint(e.Kind, " ", e.Known))
	}
	if got := strings.Join(all, ", "); got != "ask false, done false, ask false, done false" {
		t.Error(got)
	}
	if (*told)[0].Slot.Ticket == (*told)[2].Slot.Ticket || (*told)[0].Slot.Ticket != (*told)[1].Slot.Ticket || (*told)[0].Slot.Agent != "sh" {
		t.Errorf("%+v", *told)
	}
}

// A task that waits for its team can be cancelled; its slot is released.
func TestSlotCancelled(t *testing.T) {
	t.Parallel()
	m := &machines{}
	env, told := teamed(t, m)
	var got string
	env.RegisterDelayedCallback(func() {
		s := (*told)[0].Slot
		s.Why = "2 of 2"
		env.SignalWorkflow(task.SignalSlot, s)
	}, time.Hour)
	env.RegisterDelayedCallback(func() { cancel(env, "one", &got) }, 2*time.Hour)
	on := answer(env, 3*time.Hour, "on", task.Decision{Decision: task.Resume, By: "ann"})
	env.RegisterDelayedCallback(func() {
		s := (*told)[2].Slot
		s.Granted = true
		env.SignalWorkflow(task.SignalSlot, s)
	}, 4*time.Hour)
	env.ExecuteWorkflow(task.WorkflowName, add)
	if r := ended(t, env); r.Outcome != loop.OutcomePassed || got != "accepted" || *on != "done" {
		t.Errorf("%+v, %s, %s", r, got, *on)
	}
	var all []string
	for _, e := range *told {
		all = append(all, string(e.Kind))
	}
	if s := strings.Join(all, " "); s != "ask done ask done" || !(*told)[1].Known || (*told)[1].Cost != 0 {
		t.Errorf("%+v", *told)
	}
}

// TestSlotOfFailedRequest: the slot of a request that failed after the team had it is returned, and
// so is one that is granted later. No cost is lost.
func TestSlotOfFailedRequest(t *testing.T) {
	t.Parallel()
	m := &machines{verdicts: []belay.Verdict{belay.VerdictFail, belay.VerdictPass}, cost: 1}
	env, told := teamed(t, m)
	asked := 0
	env.OnActivity(task.SlotName, anyContext).Return(func(q task.Ask) error {
		m.mu.Lock()
		defer m.mu.Unlock()
		*told = append(*told, task.LimitEvent{Kind: task.LimitAsk, Slot: q.Slot})
		s := q.Slot
		s.Granted = true
		env.SignalWorkflow(task.SignalSlot, s)
		if asked++; asked == 2 { // for the second attempt
			return temporal.NewNonRetryableApplicationError("connection lost", task.ErrMoved, nil)
		}
		return nil
	})
	m.wait = func(_ context.Context, q task.Ask) {
		if q.Command.Kind == loop.CmdCheck && asked == 1 {
			env.SignalWorkflow(task.SignalSlot, task.Slot{Ticket: "late", Granted: true})
		}
	}
	env.ExecuteWorkflow(task.WorkflowName, add)
	if r := ended(t, env); r.Outcome != loop.OutcomePassed {
		t.Errorf("%+v", r)
	}
	var all []string
	late, cost := 0, 0.0
	for _, e := range *told {
		if cost += e.Cost; e.Slot.Ticket == "late" {
			late++
		} else {
			all = append(all, string(e.Kind))
		}
	}
	if got := strings.Join(all, ", "); got != "ask, done, ask, done, ask, done, spent" || late != 1 || cost != 2 {
		t.Errorf("%s; %d late, cost %v", got, late, cost)
	}
}

// TestLimitsExchanged: events that wait while the history is exchanged do not mix.
func TestLimitsExchanged(t *testing.T) {
	t.Parallel()
	var suite testsuite.WorkflowTestSuite
	suite.SetLogger(silent{})
	env := suite.NewTestWorkflowEnvironment()
	env.SetStartTime(noon)
	env.SetContinueAsNewSuggested(true)
	env.RegisterWorkflowWithOptions(task.LimitsWorkflow, workflow.RegisterOptions{Name: task.LimitsName})
	env.RegisterDelayedCallback(func() {
		for _, e := range []task.LimitEvent{{Kind: task.LimitTick}, {Kind: task.LimitSpent, Cost: 3, Known: true},
			{Kind: task.LimitDone, Slot: slot(1, "a")}} {
			env.SignalWorkflow(task.SignalLimits, e)
		}
	}, 0)
	running := slot(1, "a")
	running.Since = noon
	env.ExecuteWorkflow(task.LimitsName, task.Ledger{Limits: task.Limits{Team: "search", CostPerDay: 20, UnknownCost: 1},
		Running: []task.Slot{running}, Day: "2026-11-28"})
	var next *workflow.ContinueAsNewError
	if err := env.GetWorkflowError(); !errors.As(err, &next) {
		t.Fatal(err)
	}
	var l task.Ledger
	if err := converter.GetDefaultDataConverter().FromPayloads(next.Input, &l); err != nil || l.Spent != 4 {
		t.Errorf("%+v, %v", l, err)
	}
}

// The workflow of a team notifies the tasks, wakes when an hour or day is over, and ends when
// nothing counts any more.
func TestLimitsWorkflow(t *testing.T) {
	t.Parallel()
	var suite testsuite.WorkflowTestSuite
	suite.SetLogger(silent{})
	env := suite.NewTestWorkflowEnvironment()
	env.SetTestTimeout(time.Minute)
	env.SetWorkerOptions(worker.Options{DeadlockDetectionTimeout: time.Hour}) // a busy machine is no deadlock
	env.SetStartTime(noon)
	env.RegisterWorkflowWithOptions(task.LimitsWorkflow, workflow.RegisterOptions{Name: task.LimitsName})
	var told []string
	env.OnSignalExternalWorkflow(anyContext, anyContext, "", task.SignalSlot, anyContext).Return(
		func(_, id, _, _ string, arg any) error {
			s := arg.(task.Slot)
			told = append(told, fmt.Sprintf("%s %s %v", env.Now().UTC().Format("02 15:04"), id, s.Granted))
			if id == "w3" && s.Granted {
				return fmt.Errorf("no such workflow")
			}
			return nil
		})
	limits := &task.Limits{Team: "search", CostPerDay: 2, UnknownCost: 1, Agents: map[string]task.AgentLimits{"a": {AtOnce: 1}}}
	for i := range 3 {
		env.RegisterDelayedCallback(func() {
			env.SignalWorkflow(task.SignalLimits, task.LimitEvent{Kind: task.LimitAsk, Slot: slot(i+1, "a"), Limits: limits})
		}, time.Duration(i+1)*time.Minute)
	}
	env.RegisterDelayedCallback(func() { // the budget is used
		env.SignalWorkflow(task.SignalLimits, task.LimitEvent{Kind: task.LimitDone, Slot: slot(1, "a"), Cost: 2, Known: true})
	}, 30*time.Minute)
	env.RegisterDelayedCallback(func() {
		v, err := env.QueryWorkflow(task.QueryLedger)
		var l task.Ledger
		if err == nil {
			err = v.Get(&l)
		}
		if err != nil || l.Spent != 2 || len(l.Waiting) != 2 || !strings.Contains(l.Waiting[0].Why, "$2.00 of $2.00") {
			t.Errorf("%+v, %v", l, err)
		}
	}, 40*time.Minute)
	env.RegisterDelayedCallback(func() { // on the next day; w3, which no longer exists, gets a slot and is removed
		env.SignalWorkflow(task.SignalLimits, task.LimitEvent{Kind: task.LimitDone, Slot: slot(2, "a"), Known: false})
	}, 13*time.Hour)
	env.ExecuteWorkflow(task.LimitsName, task.Ledger{Limits: *limits})
	if err := env.GetWorkflowError(); err != nil {
		t.Fatal(err)
	}
	want := []string{"28 12:01 w1 true", "28 12:02 w2 false", "28 12:03 w3 false"}
	if len(told) < 6 || !slices.Equal(told[:3], want) {
		t.Fatal(told)
	}
	rest := strings.Join(told[3:], ", ")
	for _, s := range []string{"28 12:30 w2 false", "29 00:00 w2 true", "w3 true"} {
		if !strings.Contains(rest, s) {
			t.Errorf("%s is not in %s", s, rest)
		}
	}
}

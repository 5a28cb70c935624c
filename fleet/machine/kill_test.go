package machine_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"go.temporal.io/api/serviceerror"
	"go.temporal.io/sdk/activity"
	"go.temporal.io/sdk/interceptor"
	"go.temporal.io/sdk/temporal"
	"go.temporal.io/sdk/testsuite"
	"go.temporal.io/sdk/worker"

	"github.com/belay-dev/belay/fleet/machine"
	"github.com/belay-dev/belay/fleet/remote"
	"github.com/belay-dev/belay/fleet/task"
	"github.com/belay-dev/belay/internal/loop"
)

// TestWorkerProcess does a task on machine a, as a separate worker that another test starts.
func TestWorkerProcess(t *testing.T) {
	text := os.Getenv("BELAY_WORK")
	if text == "" {
		t.Skip("not started by another test")
	}
	var in task.Input
	if err := json.Unmarshal([]byte(text), &in); err != nil {
		t.Fatal(err)
	}
	p := &place{t: t, dir: filepath.Dir(in.Remote), base: in.Base}
	if text := os.Getenv("BELAY_MERGE"); text != "" {
		var q task.MergeAsk
		if err := json.Unmarshal([]byte(text), &q); err != nil {
			t.Fatal(err)
		}
		out, err := p.merge(p.machine("a"), q)
		t.Fatalf("the worker was not killed: %+v, %v", out, err)
	}
	var k known
	p.until(p.machine("a"), in, &k, "")
}

// killed begins a task in a separate worker and kills that worker while its agent works. The agent,
// a child of its shim, keeps running.
func (p *place) killed(in task.Input) {
	p.t.Helper()
	self, err := os.Executable()
	if err != nil {
		p.t.Fatal(err)
	}
	text, err := json.Marshal(in)
	if err != nil {
		p.t.Fatal(err)
	}
	cmd := exec.Command(self, "-test.run", "^TestWorkerProcess$", "-test.v")
	cmd.Env = append(os.Environ(), "BELAY_WORK="+string(text))
	var said bytes.Buffer
	cmd.Stdout, cmd.Stderr = &said, &said
	defer func() {
		if p.t.Failed() {
			p.t.Logf("the worker's output: %s", said.String())
		}
	}()
	if err := cmd.Start(); err != nil {
		p.t.Fatal(err)
	}
	p.eventually("the agent to start", func() bool {
		_, err := os.Stat(p.out(in, "pid"))
		return err == nil
	})
	if err := cmd.Process.Kill(); err != nil {
		p.t.Fatal(err)
	}
	_ = cmd.Wait()
}

// ended runs the attempt of a task on machine a until its agent works, and then ends the activity
// for a reason.
func (p *place) ended(in task.Input, k *known, why error) (task.ActivityResult, error) {
	p.t.Helper()
	m := p.machine("a")
	p.until(m, in, k, loop.CmdAttempt)
	var suite testsuite.WorkflowTestSuite
	suite.SetLogger(quiet{})
	env := suite.NewTestActivityEnvironment()
	env.SetTestTimeout(2 * time.Minute)
	env.SetWorkerOptions(worker.Options{Interceptors: []interceptor.WorkerInterceptor{&heartbeats{n: &p.heartbeats}}})
	env.RegisterActivityWithOptions(func(ctx context.Context, q task.Ask) (task.ActivityResult, error) {
		ctx, end := context.WithCancelCause(ctx)
		defer end(nil)
		var waits sync.WaitGroup
		defer waits.Wait()
		waits.Go(func() {
			p.eventually("the agent to start", func() bool {
				_, err := os.Stat(p.out(in, "pid"))
				return err == nil
			})
			end(why)
			p.heartbeats.Store(0)
		})
		return m.Do(ctx, q)
	}, activity.RegisterOptions{Name: task.DoName})
	var st task.ActivityResult
	v, err := env.ExecuteActivity(task.DoName, task.Ask{Task: in, Head: k.head, Command: *k.state.Pending, Beat: 50 * time.Millisecond})
	if err == nil {
		err = v.Get(&st)
	}
	return st, err
}

// heartbeats counts the heartbeats of activities.
type heartbeats struct {
	interceptor.WorkerInterceptorBase
	n *atomic.Int32
}

func (h *heartbeats) InterceptActivity(_ context.Context, next interceptor.ActivityInboundInterceptor) interceptor.ActivityInboundInterceptor {
	return &heartbeatsIn{interceptor.ActivityInboundInterceptorBase{Next: next}, h.n}
}

type heartbeatsIn struct {
	interceptor.ActivityInboundInterceptorBase
	n *atomic.Int32
}

func (h *heartbeatsIn) Init(next interceptor.ActivityOutboundInterceptor) error {
	return h.Next.Init(&heartbeatsOut{interceptor.ActivityOutboundInterceptorBase{Next: next}, h.n})
}

type heartbeatsOut struct {
	interceptor.ActivityOutboundInterceptorBase
	n *atomic.Int32
}

func (h *heartbeatsOut) RecordHeartbeat(ctx context.Context, details ...any) {
	h.n.Add(1)
	h.Next.RecordHeartbeat(ctx, details...)
}

// An agent survives a server that is unreachable, or that gave its worker up: whoever does the
// command next waits for it.
func TestGivenUp(t *testing.T) {
	t.Parallel()
	for name, why := range map[string]error{"given up": serviceerror.NewNotFound("no such activity"),
		"cut off": serviceerror.NewUnavailable("no connection")} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p := newPlace(t)
			in := p.input("T1", patient)
			var k known
			if _, err := p.ended(in, &k, why); err == nil || !strings.Contains(err.Error(), why.Error()) {
				t.Errorf("the activity ended with %v", err)
			}
			if !p.lives(in) {
				t.Fatal("the agent was stopped without a reason")
			}
			p.end(in)
			p.until(p.machine("a"), in, &k, "")
			if k.state.Outcome != loop.OutcomePassed || len(k.state.Attempts) != 1 || len(k.state.Decisions) != 0 {
				t.Errorf("%s, %d attempts, gate %+v", k.state.Outcome, len(k.state.Attempts), k.state.Gate)
			}
			if ran, _ := os.ReadFile(p.out(in, "ran")); string(ran) != "x\n" {
				t.Errorf("the agent ran %d times", strings.Count(string(ran), "x"))
			}
		})
	}
}

// A person's cancel stops the agent, and the task waits for a decision.
func TestCancelled(t *testing.T) {
	t.Parallel()
	p := newPlace(t)
	in := p.input("T1", patient)
	var k known
	in.Agent[2] = "trap 'sleep 0.5; exit 0' TERM\n" + in.Agent[2]
	st, err := p.ended(in, &k, temporal.NewCanceledError())
	if n := p.heartbeats.Load(); n < 3 {
		t.Errorf("%d heartbeats while the agent took its time to end", n)
	}
	if err != nil {
		t.Fatal(err)
	}
	p.took(&k, st)
	if p.lives(in) {
		t.Error("the agent was not stopped")
	}
	for k.state.Pending != nil {
		st, err := p.call(p.machine("a"), task.DoName, task.Ask{Task: in, Head: k.head, Command: *k.state.Pending})
		if err != nil {
			t.Fatal(err)
		}
		p.took(&k, st)
	}
	if k.state.Gate == nil || k.state.Gate.Kind != loop.GateCancelled {
		t.Errorf("%s, gate %+v", k.state.Phase, k.state.Gate)
	}
}

func (p *place) eventually(what string, done func() bool) {
	p.t.Helper()
	for began := time.Now(); !done(); time.Sleep(20 * time.Millisecond) {
		if time.Since(began) > time.Minute {
			p.t.Fatalf("waited a minute for %s", what)
		}
	}
}

// patient is an agent that waits for a file on machine a, and counts its starts.
const patient = `mkdir -p out; echo $$ > out/new && mv out/new out/pid; echo x >> out/ran
case $PWD in */a/tasks/*) while ! [ -e out/end ]; do sleep 0.05; done ;; esac
echo good >> src/a.txt`

// out returns the path of an agent's file on machine a, in an ignored folder.
func (p *place) out(in task.Input, name string) string {
	return filepath.Join(p.tree("a", in), "out", name)
}

func (p *place) lives(in task.Input) bool {
	pid, err := os.ReadFile(p.out(in, "pid"))
	if err != nil {
		p.t.Fatal(err)
	}
	return exec.Command("kill", "-0", strings.TrimSpace(string(pid))).Run() == nil
}

func (p *place) end(in task.Input) {
	p.t.Helper()
	if err := os.WriteFile(p.out(in, "end"), nil, 0o600); err != nil {
		p.t.Fatal(err)
	}
}

// again updates k to what a machine has recorded.
func (p *place) again(in task.Input, k *known) {
	p.t.Helper()
	st, err := p.call(p.machine("a"), task.DoName, task.Ask{Task: in, Command: loop.Command{ID: "none"}})
	if err != nil {
		p.t.Fatal(err)
	}
	p.took(k, st)
}

// A worker that is killed and started again continues with its running agent.
func TestKilledWorkerComesBack(t *testing.T) {
	t.Parallel()
	p := newPlace(t)
	in := p.input("T1", patient)
	p.killed(in)
	if !p.lives(in) {
		t.Fatal("the agent died with its worker")
	}
	p.end(in)
	var k known
	p.again(in, &k)
	p.until(p.machine("a"), in, &k, "")
	if k.state.Outcome != loop.OutcomePassed || len(k.state.Attempts) != 1 {
		t.Errorf("%s, %d attempts", k.state.Outcome, len(k.state.Attempts))
	}
	if ran, _ := os.ReadFile(p.out(in, "ran")); string(ran) != "x\n" {
		t.Errorf("the agent ran %d times", strings.Count(string(ran), "x"))
	}
}

// The agent of a worker that came back too late is stopped; its clone is removed once its state is
// elsewhere.
func TestTidy(t *testing.T) {
	t.Parallel()
	p := newPlace(t)
	in := p.input("T1", patient)
	p.killed(in)
	a := p.machine("a")
	tidy := func(up time.Time, keep time.Duration) string {
		t.Helper()
		said, err := a.Tidy(context.Background(), up, keep)
		if err != nil {
			t.Error(err)
		}
		return strings.Join(said, "; ")
	}
	if said := tidy(time.Now(), 0); said != "" || !p.lives(in) {
		t.Fatalf("right after the start: %q", said)
	}
	if said := tidy(time.Now().Add(-time.Hour), time.Hour); !strings.Contains(said, "T1: stopped an agent") {
		t.Errorf("%q", said)
	}
	p.eventually("the agent to end", func() bool { return !p.lives(in) })
	if said := tidy(time.Now().Add(-time.Hour), 0); said != "" {
		t.Errorf("an open task: %q", said)
	}

	p.end(in)
	var k known
	b := p.machine("b")
	p.again(in, &k)
	st, err := p.call(b, task.AdoptName, task.Ask{Task: in, Head: k.head})
	if err != nil {
		t.Fatal(err)
	}
	old := k
	p.took(&k, st)
	if _, err := p.call(a, task.DoName, task.Ask{Task: in, Head: old.head, Command: *old.state.Pending}); err == nil {
		t.Error("the first machine could still push")
	}
	p.until(b, in, &k, "")
	ago := time.Now().Add(-100 * time.Hour) // it was pushed long before it moved
	if err := os.Chtimes(filepath.Join(p.tree("a", in), "..", "pushed"), ago, ago); err != nil {
		t.Fatal(err)
	}
	if said := tidy(time.Now(), time.Hour); said != "" {
		t.Errorf("too early: %q", said)
	}
	if said := tidy(time.Now(), 0); !strings.Contains(said, "T1: removed its clone") {
		t.Errorf("moved: %q", said)
	}
	if _, err := os.Stat(p.tree("a", in)); err == nil {
		t.Error("the clone is still there")
	}
	if said, err := b.Tidy(context.Background(), time.Now(), time.Hour); err != nil || len(said) > 0 {
		t.Errorf("ended a moment ago: %q %v", said, err)
	}
	ref := "refs/belay/fleet/t1/record"
	tip := p.git(p.remote(), "rev-parse", ref)
	p.git(p.remote(), "update-ref", ref, ref+"~1")
	if said, err := b.Tidy(context.Background(), time.Now(), 0); err != nil || len(said) > 0 {
		t.Errorf("not on the remote: %q %v", said, err)
	}
	p.git(p.remote(), "update-ref", ref, tip)
	if _, err := remote.Forget(context.Background(), task.ForgetAsk{Remote: in.Remote}, nil, time.Now().Add(time.Hour)); err != nil {
		t.Fatal(err)
	}
	if said, err := b.Tidy(context.Background(), time.Now(), 0); err != nil || fmt.Sprint(said) != "[T1: removed its clone]" {
		t.Errorf("forgotten: %q %v", said, err)
	}
}

// TestTidyUnbegun: the folder of a task of which the worker was killed in git clone is removed.
func TestTidyUnbegun(t *testing.T) {
	t.Parallel()
	p := newPlace(t)
	in := p.input("T1", script)
	in.Branch = "x..y" // the clone has no files yet when git refuses this
	a := p.machine("a")
	if _, err := p.call(a, task.BeginName, task.Ask{Task: in}); err == nil {
		t.Fatal("it began")
	}
	if said, err := a.Tidy(t.Context(), time.Now(), time.Hour); err != nil || len(said) > 0 {
		t.Errorf("too early: %q %v", said, err)
	}
	if said, err := a.Tidy(t.Context(), time.Now(), 0); err != nil || fmt.Sprint(said) != "[T1: removed its clone]" {
		t.Errorf("%q %v", said, err)
	}
}

// TestTidyBusy: the agent of a task stays while an activity waits, for example for a slot.
func TestTidyBusy(t *testing.T) {
	t.Parallel()
	p := newPlace(t)
	in := p.input("T1", patient)
	p.killed(in)
	defer p.end(in)
	a := p.machine("a")
	done, err := machine.LockClone(a, t.Context(), in)
	if err != nil {
		t.Fatal(err)
	}
	defer done()
	if said, err := a.Tidy(t.Context(), time.Now().Add(-time.Hour), 0); err != nil || len(said) > 0 || !p.lives(in) {
		t.Errorf("%q %v, the agent lives: %v", said, err, p.lives(in))
	}
}

// TestSubmittedBefore: a task gets neither the record of an ended one with its ID, nor that of
// another text.
func TestSubmittedBefore(t *testing.T) {
	t.Parallel()
	p := newPlace(t)
	in := p.input("T1", script)
	a, b := p.machine("a"), p.machine("b")
	begin := func(in task.Input) error {
		_, err := p.call(b, task.BeginName, task.Ask{Task: in})
		return err
	}
	refused := func(when string, in task.Input) {
		t.Helper()
		var app *temporal.ApplicationError
		if err := begin(in); !errors.As(err, &app) || app.Type() != task.ErrRefused || !strings.Contains(err.Error(), "T1 was submitted before") {
			t.Errorf("%s: %v", when, err)
		}
	}
	var k known
	p.until(a, in, &k, loop.CmdSnapshot)
	other := in
	other.Prose = "Write src/b.txt"
	refused("another text", other)
	if err := begin(in); err != nil {
		t.Errorf("the worker that began it was lost: %v", err)
	}
	k = known{}
	p.until(b, in, &k, "")
	refused("ended", in)
}

// A worker that only seemed lost, and adopts its own task, continues with the running agent.
func TestAdoptsItsOwn(t *testing.T) {
	t.Parallel()
	p := newPlace(t)
	in := p.input("T1", patient)
	var k known
	if _, err := p.ended(in, &k, serviceerror.NewNotFound("no such activity")); err == nil {
		t.Fatal("the activity was not given up")
	}
	// Two attempts of the activity at once, as after a late heartbeat of the first one.
	type got struct {
		st  task.ActivityResult
		err error
	}
	all := make(chan got, 2)
	a := p.machine("a")
	for range 2 {
		go func() {
			st, err := p.call(a, task.AdoptName, task.Ask{Task: in, Head: k.head})
			all <- got{st, err}
		}()
	}
	for range 2 {
		g := <-all
		if g.err != nil || !g.st.Pushed {
			t.Fatalf("%+v", g)
		}
	}
	if !p.lives(in) {
		t.Fatal("the agent was stopped, or its files were deleted")
	}
	p.end(in)
	p.until(a, in, &k, "")
	if k.state.Outcome != loop.OutcomePassed || len(k.state.Attempts) != 1 {
		t.Errorf("%s, %d attempts", k.state.Outcome, len(k.state.Attempts))
	}
	if ran, _ := os.ReadFile(p.out(in, "ran")); string(ran) != "x\n" {
		t.Errorf("the agent ran %d times", strings.Count(string(ran), "x"))
	}
}

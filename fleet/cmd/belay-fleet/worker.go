package main

import (
	"context"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"time"

	"github.com/spf13/cobra"
	"go.temporal.io/sdk/activity"
	"go.temporal.io/sdk/client"
	"go.temporal.io/sdk/worker"
	"go.temporal.io/sdk/workflow"

	"github.com/belay-dev/belay/fleet/machine"
	"github.com/belay-dev/belay/fleet/metrics"
	"github.com/belay-dev/belay/fleet/task"
	"github.com/belay-dev/belay/internal/belay"
	"github.com/belay-dev/belay/internal/session"
)

func (a *program) workerCommand() *cobra.Command {
	var m machine.Machine
	var slots int
	var keep time.Duration
	var limits, watched string
	c := &cobra.Command{
		Use: "worker", Short: "Run tasks on this machine", Args: cobra.NoArgs,
		Long: `Worker runs tasks of the fleet on this machine until it is stopped. The agents and tests
of a task, and the commands in its repository's config, run here: --trust names the
remotes that may do so, or with a / at the end all remotes below it. Agents run in a fence
if the system has one; with BELAY_FENCE=on they do not run without.

A worker that is stopped, or killed, leaves its agents running; restarted with the same
name and home, it continues them. If it does not come back, another worker continues its
tasks from the last pushed state. If the server is down, the worker waits for it.

Exit codes: 0 stopped · 2 failed.`,
		Example: `  belay-fleet worker --trust https://git.example.com/team/ --slots 4
  belay-fleet worker --metrics 127.0.0.1:9464 --trust https://git.example.com/team/
  belay-fleet worker --name build-7 --home /srv/belay --trust /srv/git/app.git`,
		RunE: func(c *cobra.Command, _ []string) error {
			if limits != "" {
				text, err := os.ReadFile(limits)
				if err != nil {
					return err
				}
				if m.Teams, err = machine.ParseLimits(text); err != nil {
					return err
				}
			}
			return a.work(c.Context(), m, slots, keep, watched)
		},
	}
	f := c.Flags()
	f.StringVar(&m.Name, "name", "", "the worker's `NAME` in the fleet (default the host's name)")
	f.StringVar(&m.Home, "home", "", "the `FOLDER` for clones (default belay/fleet in the state folder)")
	f.DurationVar(&keep, "keep", 72*time.Hour, "how long clones of ended and moved tasks stay; ended ones until they are pushed")
	f.StringVar(&watched, "metrics", "", "serve /metrics for Prometheus, and /healthz, at this `HOST:PORT`")
	f.IntVar(&slots, "slots", max(1, runtime.NumCPU()/2), "agents, tests and reviews at once")
	f.StringVar(&limits, "limits", "", "the limits of teams, in this `FILE`: the same for all workers (docs/fleet.md)")
	f.StringArrayVar(&m.Trusted, "trust", nil, "run tasks of this `REMOTE`, or of all below it with a / at the end; * is all")
	return c
}

func (a *program) work(ctx context.Context, m machine.Machine, slots int, keep time.Duration, watched string) error {
	if len(m.Trusted) == 0 {
		return belay.Refuse(belay.CodeUsage, "add --trust REMOTE", "no remote is trusted to run its tasks here")
	}
	var err error
	if m.Name == "" {
		if m.Name, err = os.Hostname(); err != nil {
			return err
		}
	}
	if m.Home == "" {
		state, err := session.StateFolder()
		if err != nil {
			return err
		}
		m.Home = filepath.Join(state, "fleet")
	}
	if m.Home, err = filepath.Abs(m.Home); err != nil {
		return err
	}
	if err := os.MkdirAll(m.Home, 0o700); err != nil {
		return err
	}
	self, err := os.Executable()
	if err != nil {
		return err
	}
	m.Self, m.Version = []string{self, "_run"}, version
	if watched != "" {
		m.Metrics = &metrics.Registry{}
		a.reports = m.Metrics.Handler()
	}
	c, err := a.connectForEver(ctx)
	if err != nil {
		return err
	}
	defer c.Close()
	m.Server = c
	on := machine.New(m, slots)
	if watched != "" {
		stop, err := a.serve(watched, m.Metrics, c)
		if err != nil {
			return err
		}
		defer stop()
	}
	all, err := workers(c, on)
	if err != nil {
		return err
	}
	for _, w := range all {
		if err := w.Start(); err != nil {
			return err
		}
	}
	if err := on.Announce(ctx); err != nil {
		return err
	}
	if err := a.PrintResult(map[string]any{"worker": m.Name, "home": m.Home, "slots": slots}, nil, func(w io.Writer) {
		fmt.Fprintf(w, "worker %s: ready, %s at once, in %s\n", m.Name, belay.CountOf(slots, "command"), m.Home)
	}); err != nil {
		return err
	}
	a.sweep(ctx, on, keep)
	return nil // agents keep running under their shims; the server notices the missing heartbeats
}

// connectForEver connects to the server, and waits as long as it is down. Other errors are
// returned.
func (a *program) connectForEver(ctx context.Context) (client.Client, error) {
	for n := 0; ; n++ {
		c, err := a.dial(ctx)
		if belay.CodeOf(err) != belay.CodeCannot {
			return c, err
		}
		if n == 0 {
			fmt.Fprintf(a.Err, "worker: waiting: %s\n", belay.VisibleLine(session.ErrorLine(err)))
		}
		select {
		case <-ctx.Done():
			return nil, ctx.Err()
		case <-time.After(time.Second):
		}
	}
}

// sweep tidies the clones every minute until the worker is stopped.
func (a *program) sweep(ctx context.Context, on *machine.Machine, keep time.Duration) {
	const every = time.Minute
	up := time.Now()
	for {
		select {
		case <-ctx.Done():
			return
		case <-time.After(every):
		}
		said, err := on.Tidy(ctx, up, keep)
		for _, line := range said {
			fmt.Fprintf(a.Out, "worker %s: %s\n", on.Name, belay.VisibleLine(line))
		}
		if err != nil && ctx.Err() == nil {
			fmt.Fprintf(a.Err, "worker %s: tidy: %s\n", on.Name, belay.VisibleLine(err.Error()))
		}
	}
}

// workers returns the workers of three queues: this machine's own, the shared one, and, while it
// has a free slot, the one that brings tasks.
func workers(c client.Client, on *machine.Machine) ([]worker.Worker, error) {
	const (
		many  = 1000            // most activities wait for a slot, or for a person
		often = 2 * time.Second // a worker hears of a cancellation with its next heartbeat
	)
	others, err := worker.NewFixedSizeSlotSupplier(1) // for kinds of work that the queue does not have
	if err != nil {
		return nil, err
	}
	tuner, err := worker.NewCompositeTuner(worker.CompositeTunerOptions{ActivitySlotSupplier: on.Places(), WorkflowSlotSupplier: others,
		LocalActivitySlotSupplier: others, NexusSlotSupplier: others, SessionActivitySlotSupplier: others})
	if err != nil {
		return nil, err
	}
	own := worker.New(c, task.QueueOf(on.Name), worker.Options{Identity: on.Name, MaxConcurrentActivityExecutionSize: many,
		MaxHeartbeatThrottleInterval: often, DisableWorkflowWorker: true})
	shared := worker.New(c, task.Queue, worker.Options{Identity: on.Name})
	begin := worker.New(c, task.BeginQueue, worker.Options{Identity: on.Name, Tuner: tuner, MaxHeartbeatThrottleInterval: often,
		DisableWorkflowWorker: true})
	for name, f := range map[string]any{task.WorkflowName: task.Workflow, task.FeatureName: task.FeatureWorkflow,
		task.LimitsName: task.LimitsWorkflow, task.ScheduledName: task.ScheduledWorkflow,
		task.ForgetName: task.ForgetWorkflow} {
		shared.RegisterWorkflowWithOptions(f, workflow.RegisterOptions{Name: name})
	}
	for _, r := range []struct {
		on   worker.Worker
		name string
		f    any
	}{
		{begin, task.BeginName, on.Begin}, {begin, task.AdoptName, on.Adopt},
		{shared, task.BeginName, on.Begin}, // for tasks that an older version submitted
		{shared, task.AdoptName, on.Adopt}, {shared, task.MergeName, on.Merge}, {shared, task.TipName, on.Tip},
		{shared, task.ForgetName, on.Forget},
		{own, task.DoName, on.Do}, {own, task.WakeName, on.Wake}, {own, task.SlotName, on.Slot}, {own, task.DecideName, on.Decide},
	} {
		r.on.RegisterActivityWithOptions(r.f, activity.RegisterOptions{Name: r.name})
	}
	return []worker.Worker{own, shared, begin}, nil
}

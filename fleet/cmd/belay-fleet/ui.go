package main

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"sync"

	"github.com/spf13/cobra"
	"go.temporal.io/sdk/client"

	"github.com/belay-dev/belay/fleet/look"
	"github.com/belay-dev/belay/fleet/task"
	"github.com/belay-dev/belay/internal/belay"
	"github.com/belay-dev/belay/internal/cli"
	"github.com/belay-dev/belay/internal/web"
)

func (a *program) uiCommand() *cobra.Command {
	var p cli.ServeFlags
	var home string
	c := &cobra.Command{
		Use: "ui [REMOTE…]", Short: "Show the fleet's tasks, diffs and gates in a browser",
		Long: `Ui shows the fleet's tasks of the given git remotes (default: origin) in a browser on this
machine: attempts with their checks and output, diffs, records and figures. You can answer
gates of tasks and features there, also with comments on lines. Write a remote exactly as
submit got it.

It fetches the tasks' records and snapshots, below refs/belay/fleet, into a separate copy,
and runs nothing from them. It prints a link that works once, in one browser, listens on
the loopback interface only, and serves until Ctrl-C. If the server or a remote does not
answer, the pages show the last known state, and say so.

Exit codes: 0 stopped · 2 could not serve.`,
		Example: `  belay-fleet ui --open
  belay-fleet ui https://git.example.com/team/app.git https://git.example.com/team/docs.git`,
		RunE: func(c *cobra.Command, remotes []string) error { return a.ui(c.Context(), p, home, remotes) },
	}
	p.Add(c.Flags())
	c.Flags().StringVar(&home, "home", "", "the `FOLDER` for the copies (default belay/fleet in the cache folder)")
	return c
}

func (a *program) ui(ctx context.Context, p cli.ServeFlags, home string, remotes []string) error {
	if len(remotes) == 0 {
		url := origin(ctx)
		if url == "" {
			return belay.Refuse(belay.CodeUsage, "belay-fleet ui REMOTE…, or run it in a clone",
				"no remote is given, and there is no origin here")
		}
		remotes = []string{url}
	}
	if home == "" {
		cache, err := os.UserCacheDir()
		if err != nil {
			return err
		}
		home = filepath.Join(cache, "belay", "fleet")
	}
	home, err := filepath.Abs(home)
	if err != nil {
		return err
	}
	o, err := a.options()
	if err != nil {
		return err
	}
	c, err := client.NewLazyClient(o) // the server may be down now, and come back later
	if err != nil {
		return err
	}
	defer c.Close()
	ctx, stop := context.WithCancel(ctx)
	var all sync.WaitGroup
	defer all.Wait()
	defer stop()
	pages := web.Options{Version: version, User: person()}
	for _, url := range remotes {
		r := look.New(home, url, server{c})
		pages.Repositories = append(pages.Repositories, r.Repository())
		all.Go(func() {
			r.Sync(ctx)
			r.Follow(ctx)
		})
	}
	return p.Serve(ctx, a.Terminal, pages)
}

// server implements look.Server with Temporal.
type server struct{ c client.Client }

var _ look.Server = server{}

// List returns the tasks and features of a remote.
func (s server) List(ctx context.Context, remote string) ([]look.Row, error) {
	rows, err := list(ctx, s.c, fmt.Sprintf("%s = '%s'", task.AttrRepository, task.RepositoryKey(remote)))
	var out []look.Row
	for _, r := range rows {
		out = append(out, look.Row{Task: belay.TaskID(r.Task), Feature: task.IsFeature(r.id), Phase: r.Phase, Outcome: r.Outcome,
			Worker: r.Worker, Cost: r.Cost})
	}
	return out, err
}

// Status queries the task's workflow.
func (s server) Status(ctx context.Context, remote string, id belay.TaskID) (task.Status, string, error) {
	return queryStatus[task.Status](ctx, s.c, task.WorkflowID(remote, id))
}

// Feature queries the feature's workflow.
func (s server) Feature(ctx context.Context, remote, name string) (task.FeatureStatus, string, error) {
	return queryStatus[task.FeatureStatus](ctx, s.c, task.FeatureWorkflowID(remote, name))
}

func queryStatus[T any](ctx context.Context, c client.Client, name string) (st T, failed string, err error) {
	v, err := c.QueryWorkflow(ctx, name, "", task.QueryStatus)
	if err == nil {
		err = v.Get(&st)
	}
	if err != nil {
		return st, "", translateError(err, name)
	}
	return st, failure(ctx, c, name), nil
}

// Decide sends the same update as belay-fleet decide.
func (s server) Decide(ctx context.Context, remote string, id belay.TaskID, d task.Decision) (task.Status, error) {
	return send[task.Status](ctx, s.c, task.WorkflowID(remote, id), task.UpdateDecide, d)
}

// DecideFeature sends the same update as belay-fleet decide for a feature.
func (s server) DecideFeature(ctx context.Context, remote, name string, d task.Decision) (task.FeatureStatus, error) {
	return send[task.FeatureStatus](ctx, s.c, task.FeatureWorkflowID(remote, name), task.UpdateDecide, d)
}

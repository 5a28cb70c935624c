package cli

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"

	"github.com/spf13/cobra"

	"github.com/belay-dev/belay/internal/app"
	"github.com/belay-dev/belay/internal/belay"
	"github.com/belay-dev/belay/internal/prompt"
	"github.com/belay-dev/belay/internal/session"
)

// describesTask reports flags that say what one task is or how it goes on.
func (f runFlags) describesTask() bool {
	return cmp.Or(f.ID, f.resume, f.Feature, f.Role, f.With) != "" || len(f.Expect) > 0 || f.Clarify || f.AsItIs
}

// parallel runs recorded tasks side by side: belay run --parallel N TASK…
func (a loopFamily) parallel(c *cobra.Command, f runFlags, args []string) error {
	if c.ArgsLenAtDash() >= 0 || f.describesTask() || len(f.Settings.Flags(c.Flags())) > 0 {
		return belay.Refuse(belay.CodeUsage,
			`record each with belay task add "…" --files … --with AGENT, then belay run --parallel N TASK…`,
			"options of a task are set when it is recorded")
	}
	q := app.ParallelRequest{Limit: f.parallel, Trust: f.trust, Keep: f.keep, Soft: a.Soft}
	for _, arg := range args {
		id, err := belay.ParseTaskID(arg)
		if err != nil {
			return err
		}
		q.Tasks = append(q.Tasks, id)
	}
	desk, err := a.Open(c.Context())
	if err != nil {
		return err
	}
	b := a.Board(f.quiet)
	ticking, stop := context.WithCancel(c.Context())
	b.Tick(ticking)
	q.Watch = b.Watcher
	ran, err := app.Run(c.Context(), desk, q)
	stop()
	b.Stop()
	if err != nil {
		return err
	}
	return a.ranAll(desk, ran)
}

// ranTask is one task of a parallel run, as JSON gives it.
type ranTask struct {
	app.Shown
	Code string `json:"code,omitempty"` // of the error its run ended with
	What string `json:"what,omitempty"`
	Try  string `json:"try,omitempty"`
}

// ranAll prints where several runs have got to.
func (a loopFamily) ranAll(at *app.Desk, ran []app.ParallelRun) error {
	var all []ranTask
	var records []*session.Record
	for _, r := range ran {
		shown, rec, err := at.Show(r.Task)
		if err != nil {
			return err
		}
		t := ranTask{Shown: shown}
		if r.Err != nil {
			t.Code, t.What = string(belay.CodeOf(r.Err)), r.Err.Error()
			var e *belay.Error
			if errors.As(r.Err, &e) {
				t.Try = e.Try
			}
		}
		all, records = append(all, t), append(records, rec)
	}
	return a.Tell(all, app.Worst(ran), func(w io.Writer) {
		for i, t := range all {
			fmt.Fprintln(w, prompt.HistoryLine(t.Task, records[i].State, records[i].Said()))
			switch {
			case t.Code != "":
				fmt.Fprintf(w, "    %s\n    try: %s\n", belay.VisibleLine(t.What), belay.VisibleLine(t.Try))
			case t.Unmerged:
				fmt.Fprintf(w, "    merge it with belay merge %s\n", t.Task.ID)
			}
		}
	})
}

package cli

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"slices"

	"github.com/spf13/cobra"

	"github.com/belay-dev/belay/internal/app"
	"github.com/belay-dev/belay/internal/belay"
	"github.com/belay-dev/belay/internal/prompt"
	"github.com/belay-dev/belay/internal/session"
)

// describesTask reports whether flags are set that describe one task or resume it.
func (f runFlags) describesTask() bool {
	return cmp.Or(f.ID, f.resume, f.Feature, f.Role) != "" || len(f.Expect) > 0 || f.Clarify || f.AsWritten
}

// parallel runs recorded tasks in parallel: belay run --parallel N TASK… -- AGENT. The agent is
// for tasks without one.
func (a loopFamily) parallel(c *cobra.Command, f runFlags, args []string) error {
	var agent []string
	if dash := c.ArgsLenAtDash(); dash >= 0 {
		args, agent = args[:dash], args[dash:]
	}
	agent, _, err := presetCommand(f.With, "", agent)
	if err != nil {
		return err
	}
	if f.describesTask() || len(f.Settings.Flags(c.Flags())) > 0 {
		return belay.Refuse(belay.CodeUsage,
			`record each with belay task add "…" --files … --with AGENT, then belay run --parallel N TASK…`,
			"options of a task are set when it is recorded")
	}
	q := app.ParallelRequest{Limit: f.parallel, Trust: f.trust, Keep: f.keep, Soft: a.StopRequested, Agent: agent}
	svc, err := a.openTasks(c.Context(), args, &q.Tasks)
	if err != nil {
		return err
	}
	q.Agent = svc.AgentFrom(a.Dir, q.Agent)
	b := a.Board(f.quiet)
	stop := startTicking(c.Context(), b)
	q.Watch = b.Watcher
	ran, err := app.RunParallel(c.Context(), svc, q)
	stop()
	if err != nil {
		return err
	}
	var accepted []belay.TaskID
	for _, r := range ran {
		if r.Err == nil {
			accepted = append(accepted, r.Task)
		}
	}
	if !f.merge || len(accepted) == 0 {
		return a.printRuns(svc, ran, nil, nil)
	}
	merged, err := a.mergeQueue(c.Context(), svc, app.MergeAllRequest{Tasks: accepted, Trust: f.trust, Keep: f.keep})
	return a.printRuns(svc, ran, &merged, err)
}

// openTasks is Open for a command about the named tasks, or about all if none is named.
func (a loopFamily) openTasks(ctx context.Context, named []string, tasks *[]belay.TaskID) (svc *app.Service, err error) {
	if *tasks, err = parseTaskIDs(named); err != nil {
		return nil, err
	}
	return a.Open(ctx)
}

// ranTask is one task of a parallel run in JSON.
type ranTask struct {
	app.TaskView
	Code string `json:"code,omitempty"` // of the error of its run
	What string `json:"what,omitempty"`
	Try  string `json:"try,omitempty"`
	// Merge is its result in the merge of all accepted tasks, nil without one.
	Merge *app.QueuedTask `json:"merge,omitempty"`
}

// printRuns prints the states of several tasks after their runs, and the result of the merge.
func (a loopFamily) printRuns(at *app.Service, ran []app.ParallelResult, queue *app.MergedAll, failed error) error {
	var all []ranTask
	var records []*session.Record
	for _, r := range ran {
		shown, rec, err := at.Show(r.Task)
		if err != nil {
			return err
		}
		t := ranTask{TaskView: shown}
		if r.Err != nil {
			t.Code, t.What = string(belay.CodeOf(r.Err)), r.Err.Error()
			var e *belay.Error
			if errors.As(r.Err, &e) {
				t.Try = e.Try
			}
		}
		if queue != nil {
			if i := slices.IndexFunc(queue.Tasks, func(q app.QueuedTask) bool { return q.Task == r.Task }); i >= 0 {
				t.Merge = &queue.Tasks[i]
			}
		}
		all, records = append(all, t), append(records, rec)
	}
	return a.PrintResult(all, cmp.Or(failed, app.WorstError(ran)), func(w io.Writer) {
		for i, t := range all {
			fmt.Fprintln(w, prompt.HistoryLine(t.Task, records[i].State, records[i].AgentSummary()))
			switch {
			case t.Code != "":
				fmt.Fprintf(w, "    %s\n    try: %s\n", belay.VisibleLine(t.What), belay.VisibleLine(t.Try))
			case t.Unmerged && t.Merge == nil:
				fmt.Fprintf(w, "    merge it with belay merge %s\n", t.Task.ID)
			}
		}
		if queue != nil {
			fmt.Fprintln(w)
			printMergedAll(w, *queue)
		}
	})
}

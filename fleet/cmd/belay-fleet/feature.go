package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
	"text/tabwriter"

	"github.com/spf13/cobra"
	enums "go.temporal.io/api/enums/v1"
	"go.temporal.io/api/serviceerror"
	"go.temporal.io/sdk/client"

	"github.com/belay-dev/belay/fleet/task"
	"github.com/belay-dev/belay/internal/app"
	"github.com/belay-dev/belay/internal/belay"
	"github.com/belay-dev/belay/internal/cli"
	"github.com/belay-dev/belay/internal/tasklist"
)

// listOf returns the feature, or the file of tasks, that a submit names; "" for one task.
func listOf(f cli.NewTaskFlags, prose string) string {
	if strings.TrimSpace(prose) == "" {
		return f.Feature
	}
	if strings.Contains(prose, "\n") || !strings.HasSuffix(prose, ".md") && !strings.HasSuffix(prose, ".yaml") {
		return ""
	}
	if info, err := os.Stat(prose); err != nil || !info.Mode().IsRegular() {
		return ""
	}
	return prose
}

// submitFeature starts the workflow of a feature.
func (a *program) submitFeature(c *cobra.Command, f cli.NewTaskFlags, in task.FeatureInput, name string, command []string) error {
	ctx := c.Context()
	if f.ID != "" || len(f.Expect) > 0 {
		return belay.Refuse(belay.CodeUsage, "leave them out", "--task and --expected-files need one task, and %s has several",
			belay.VisibleLine(name))
	}
	if in.Limit < 1 || in.Limit > app.MaxParallel {
		return belay.Refuse(belay.CodeUsage, fmt.Sprintf("use a number from 1 to %d", app.MaxParallel),
			"%d tasks cannot run at the same time", in.Limit)
	}
	like, err := ask(c, f, in.Like, name, command)
	if err != nil {
		return err
	}
	notes, err := readList(ctx, &in, name, f.Feature)
	if err != nil {
		return err
	}
	tasks, as := in.Tasks, in.Like.Feature
	like.ID, like.Prose, like.Feature = "", "", as
	in.Like = like
	if text, err := json.Marshal(in); err != nil {
		return err
	} else if len(text) > task.MaxFeature {
		return belay.Refuse(belay.CodeUsage, "split it", "the tasks of %s are larger than %d KiB together", as, task.MaxFeature>>10)
	}
	cl, err := a.dial(ctx)
	if err != nil {
		return err
	}
	defer cl.Close()
	if err := startFeature(ctx, cl, in); err != nil {
		return err
	}
	ids := make([]belay.TaskID, len(tasks))
	for i, t := range tasks {
		ids[i] = t.ID
	}
	return a.PrintResult(map[string]any{"feature": as, "tasks": ids, "remote": like.Remote, "base": like.Base,
		"branch": task.FeatureBranch(as), "notes": notes}, nil, func(w io.Writer) {
		for _, n := range notes {
			fmt.Fprintf(w, "%s:%d: %s: %s\n", belay.VisibleLine(n.Source), n.Line, belay.VisibleLine(n.Text), belay.VisibleLine(n.Why))
		}
		fmt.Fprintf(w, "%s: submitted, %s; next: belay-fleet show %s\n", as, belay.CountOf(len(tasks), "task"), as)
	})
}

// readList reads the tasks of a feature, or of a file, in the repository of the current folder.
func readList(ctx context.Context, in *task.FeatureInput, name, as string) ([]tasklist.Note, error) {
	dir, err := os.Getwd()
	if err != nil {
		return nil, err
	}
	svc, err := app.Open(ctx, app.OpenOptions{Dir: dir})
	if err != nil {
		return nil, err
	}
	notes := []tasklist.Note{}
	tasks, feature, more, err := svc.FeatureTasks(ctx, dir, name, as)
	in.Tasks, in.Like.Feature = tasks, feature
	return append(notes, more...), err
}

// startFeature starts a feature's workflow. CodeBusy: the name is taken.
func startFeature(ctx context.Context, c client.Client, in task.FeatureInput) error {
	like := in.Like
	like.ID = belay.TaskID(like.Feature)
	_, err := c.ExecuteWorkflow(ctx, client.StartWorkflowOptions{
		ID: task.FeatureWorkflowID(like.Remote, like.Feature), TaskQueue: task.Queue, WorkflowExecutionErrorWhenAlreadyStarted: true,
		WorkflowIDReusePolicy: enums.WORKFLOW_ID_REUSE_POLICY_REJECT_DUPLICATE, TypedSearchAttributes: task.SearchAttributes(like),
	}, task.FeatureName, in)
	var taken *serviceerror.WorkflowExecutionAlreadyStarted
	if errors.As(err, &taken) {
		return belay.Refuse(belay.CodeBusy, "belay-fleet show "+like.Feature+", or --feature with another name",
			"%s was submitted before", like.Feature)
	}
	return err
}

// showFeature prints the state of a feature and its tasks.
func (a *program) showFeature(ctx context.Context, c client.Client, name string) error {
	v, err := c.QueryWorkflow(ctx, name, "", task.QueryStatus)
	var st task.FeatureStatus
	if err == nil {
		err = v.Get(&st)
	}
	if err != nil {
		return translateError(err, name)
	}
	rows, err := list(ctx, c, fmt.Sprintf("%s = '%s' AND %s = '%s'", task.AttrRepository, task.RepositoryKey(st.Task.Remote),
		task.AttrFeature, strings.ReplaceAll(st.Task.Feature, "'", "")))
	if err != nil {
		return err
	}
	running := map[string]row{}
	for _, r := range rows {
		running[r.Task] = r
	}
	failed := failure(ctx, c, name)
	return a.PrintResult(struct {
		task.FeatureStatus
		Running []row  `json:"running"`
		Failed  string `json:"failed,omitempty"`
	}{st, rows, failed}, nil, func(w io.Writer) { printFeature(w, st, running, failed) })
}

func printFeature(w io.Writer, st task.FeatureStatus, running map[string]row, failed string) {
	merged := 0
	for _, p := range st.Parts {
		if p.Stage == task.StageMerged {
			merged++
		}
	}
	phase := st.Phase
	if st.Outcome != "" {
		phase = st.Outcome
	}
	fmt.Fprintf(w, "%s: feature, %s, %d of %s merged\n", st.Task.ID, phase, merged, belay.CountOf(len(st.Parts), "task"))
	fmt.Fprintf(w, "  %s at %.12s\n", belay.VisibleLine(st.Task.Remote), st.Task.Base)
	if st.Commit != "" {
		fmt.Fprintf(w, "  branch %s at %.12s\n", st.Branch, st.Commit)
	}
	if failed != "" {
		fmt.Fprintf(w, "  failed: %s\n", belay.VisibleLine(failed))
	}
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	for i, p := range st.Parts {
		id, now := st.Tasks[i].ID, p.Why
		if p.Task != "" {
			id = p.Task
		}
		if r, ok := running[id.Key()]; ok && p.Stage == task.StageRunning {
			now = strings.TrimSpace(r.Phase + " " + r.Worker)
		}
		title := belay.VisibleLine(belay.TitleOf(st.Tasks[i].Listed.Title))
		fmt.Fprintf(t, "  %s\t%s\t%s\t%s\n", id, p.Stage, title, belay.VisibleLine(now))
	}
	_ = t.Flush()
	for _, l := range st.Lines {
		fmt.Fprintf(w, "  %s  %s\n", l.Time.Local().Format("15:04:05"), belay.VisibleLine(l.Text))
	}
	for _, g := range st.Gates {
		var options []string
		for _, o := range g.Options {
			options = append(options, string(o))
		}
		fmt.Fprintf(w, "  gate %d: %s\n  decide: %s\n", g.Number, belay.VisibleLine(strings.TrimSpace(string(g.Task)+" "+g.Why)),
			strings.Join(options, ", "))
	}
}

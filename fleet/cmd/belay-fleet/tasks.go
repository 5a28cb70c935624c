package main

import (
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/spf13/cobra"
	enums "go.temporal.io/api/enums/v1"
	"go.temporal.io/api/operatorservice/v1"
	"go.temporal.io/api/serviceerror"
	workflowpb "go.temporal.io/api/workflow/v1"
	"go.temporal.io/api/workflowservice/v1"
	"go.temporal.io/sdk/client"
	"go.temporal.io/sdk/converter"
	"go.temporal.io/sdk/temporal"

	"github.com/belay-dev/belay/fleet/remote"
	"github.com/belay-dev/belay/fleet/task"
	"github.com/belay-dev/belay/internal/belay"
	"github.com/belay-dev/belay/internal/cli"
	"github.com/belay-dev/belay/internal/loop"
	"github.com/belay-dev/belay/internal/secret"
)

// attributes are the search attributes of tasks, by type.
var attributes = map[string]enums.IndexedValueType{
	task.AttrRepository: enums.INDEXED_VALUE_TYPE_KEYWORD, task.AttrTask: enums.INDEXED_VALUE_TYPE_KEYWORD,
	task.AttrFeature: enums.INDEXED_VALUE_TYPE_KEYWORD, task.AttrAgent: enums.INDEXED_VALUE_TYPE_KEYWORD,
	task.AttrPhase: enums.INDEXED_VALUE_TYPE_KEYWORD, task.AttrOutcome: enums.INDEXED_VALUE_TYPE_KEYWORD,
	task.AttrWorker: enums.INDEXED_VALUE_TYPE_KEYWORD, task.AttrCost: enums.INDEXED_VALUE_TYPE_DOUBLE,
}

func (a *program) setupCommand() *cobra.Command {
	return &cobra.Command{
		Use: "setup", Short: "Prepare a namespace of the server for tasks", Args: cobra.NoArgs,
		Long: `Setup adds the search attributes of tasks to the namespace: BelayRepository, BelayTask,
BelayFeature, BelayAgent, BelayPhase, BelayOutcome, BelayWorker and BelayCost. Run it once.

Exit codes: 0 done, or done before · 2 failed.`,
		Example: "  belay-fleet setup --namespace team",
		RunE: func(c *cobra.Command, _ []string) error {
			cl, err := a.dial(c.Context())
			if err != nil {
				return err
			}
			defer cl.Close()
			if err := a.setup(c.Context(), cl); err != nil {
				return err
			}
			return a.PrintResult(map[string]any{"search_attributes": len(attributes)}, nil, func(w io.Writer) {
				fmt.Fprintln(w, "the namespace is ready for tasks")
			})
		},
	}
}

func (a *program) setup(ctx context.Context, c client.Client) error {
	_, err := c.OperatorService().AddSearchAttributes(ctx,
		&operatorservice.AddSearchAttributesRequest{SearchAttributes: attributes, Namespace: a.namespace})
	var exists *serviceerror.AlreadyExists
	if errors.As(err, &exists) {
		return nil
	}
	return err
}

func (a *program) submitCommand() *cobra.Command {
	var f cli.NewTaskFlags
	var in task.Input
	var parallel int
	c := &cobra.Command{
		Use:   `submit ["PROSE"|TASKFILE] [flags] --with AGENT | … -- AGENT ARGS…`,
		Short: "Submit a task, or the tasks of a feature, to the fleet",
		Long: `Submit gives a task to the fleet. A worker clones the remote, runs the agent under belay,
and pushes accepted work to the branch belay/TASK. The flags are those of belay run. With
"-" as PROSE, the task is read from standard input.

In a clone, the default is the remote origin with the branch and commit of HEAD, which
must have been pushed. A name and password in an https URL are left out: workers use
their own. A task's ID is unique in its repository: submitting it twice is an error.

Given a task file, or without text the --feature NAME of an active feature, submit gives
its open tasks to the fleet: in their order, those marked [P] in parallel, each from what
was accepted before. Accepted work is merged into the branch belay/NAME, one task after
another, if the tests pass on all of it together. Conflicts wait at a gate of the feature.

Files that git ignores stay on the worker that made them, and a task that has some in a
snapshot is not pushed: it cannot continue on another worker. --share names those that
may be pushed.

Exit codes: 0 submitted · 2 could not · 5 the id is taken.`,
		Example: `  belay-fleet submit "add a --since flag" --files 'cmd/**' --test "go test ./..." --with claude
  belay-fleet submit - --remote https://git.example.com/team/app.git --base 4f1c… --with codex < task.md
  belay-fleet submit --feature 003-search --parallel 4 --with claude
  belay-fleet submit "update the fixtures" --share 'testdata/cache/**' --with claude`,
		RunE: func(c *cobra.Command, args []string) error { return a.submit(c, f, in, parallel, args) },
	}
	submitFlags(c, &f, &in)
	c.Flags().IntVar(&parallel, "parallel", 4, "of a feature, run at most `N` tasks at a time")
	return c
}

// submitFlags defines the flags of one task.
func submitFlags(c *cobra.Command, f *cli.NewTaskFlags, in *task.Input) {
	f.Add(c.Flags())
	c.Flags().StringVar(&in.Remote, "remote", "", "the git `URL` (default that of origin)")
	c.Flags().StringVar(&in.Branch, "branch", "", "the branch that the work is for (default that of HEAD)")
	c.Flags().DurationVar(&in.LostAfter, "lost-after", 0, "another worker continues if this one is silent for this long (default 20s)")
	c.Flags().StringArrayVar(&in.Shared, "share", nil, "ignored files (`GLOB`) that snapshots may carry to the remote")
	c.Flags().StringVar(&in.Base, "base", "", "the `COMMIT` to start from, in full (default HEAD)")
}

func (a *program) submit(c *cobra.Command, f cli.NewTaskFlags, in task.Input, parallel int, args []string) error {
	prose, command, err := cli.SplitPrompt(c, args)
	if err != nil {
		return err
	}
	if name := listOf(f, prose); name != "" {
		return a.submitFeature(c, f, task.FeatureInput{Like: in, Limit: parallel}, name, command)
	}
	in, err = ask(c, f, in, prose, command)
	if err != nil {
		return err
	}
	cl, err := a.dial(c.Context())
	if err != nil {
		return err
	}
	defer cl.Close()
	if _, err := start(c.Context(), cl, in); err != nil {
		return err
	}
	return a.PrintResult(map[string]any{"task": in.ID, "remote": in.Remote, "base": in.Base}, nil, func(w io.Writer) {
		fmt.Fprintf(w, "%s: submitted; next: belay-fleet show %s\n", in.ID, in.ID)
	})
}

// ask returns the task of the given flags, text and command, in the clone of the current folder.
func ask(c *cobra.Command, f cli.NewTaskFlags, in task.Input, prose string, command []string) (task.Input, error) {
	q, err := f.Request(prose, command)
	if err != nil {
		return in, err
	}
	if strings.TrimSpace(prose) == "" || len(q.Agent) == 0 {
		return in, belay.Refuse(belay.CodeUsage, `belay-fleet submit "what the agent should do" --with AGENT`,
			"a task needs its text and an agent")
	}
	if in.ID = q.ID; in.ID == "" {
		in.ID = belay.TaskID("F" + strings.ToUpper(rand.Text()[:5]))
	}
	in.Prose, in.Agent, in.Role, in.Feature, in.Expect = prose, q.Agent, q.Role, q.Feature, q.Expect
	for _, s := range f.Settings.Flags(c.Flags()) {
		in.Settings = append(in.Settings, task.Setting(s))
	}
	return in, fillFromClone(c.Context(), &in)
}

// start starts a task's workflow. CodeBusy: the ID is taken.
func start(ctx context.Context, c client.Client, in task.Input) (client.WorkflowRun, error) {
	if text, err := json.Marshal(in); err != nil {
		return nil, err
	} else if len(text) > task.MaxFeature {
		return nil, belay.Refuse(belay.CodeUsage, "write the long part to a file in the repository, and name it",
			"%s is larger than %d KiB", in.ID, task.MaxFeature>>10)
	}
	run, err := c.ExecuteWorkflow(ctx, client.StartWorkflowOptions{
		ID: task.WorkflowID(in.Remote, in.ID), TaskQueue: task.Queue, WorkflowExecutionErrorWhenAlreadyStarted: true,
		WorkflowIDReusePolicy: enums.WORKFLOW_ID_REUSE_POLICY_REJECT_DUPLICATE,
		TypedSearchAttributes: task.SearchAttributes(in),
	}, task.WorkflowName, in)
	var taken *serviceerror.WorkflowExecutionAlreadyStarted
	if errors.As(err, &taken) {
		return nil, belay.Refuse(belay.CodeBusy, "belay-fleet show "+string(in.ID), "%s was submitted before", in.ID)
	}
	return run, err
}

// git returns the output of git in the current folder; "" if it fails.
func git(ctx context.Context, args ...string) string {
	out, err := exec.CommandContext(ctx, "git", args...).Output()
	if err != nil {
		return ""
	}
	return strings.TrimSpace(string(out))
}

func origin(ctx context.Context) string { return git(ctx, "remote", "get-url", "origin") }

// fillFromClone fills in missing values from the clone of the current folder.
func fillFromClone(ctx context.Context, in *task.Input) error {
	ask := func(args ...string) string { return git(ctx, args...) }
	if in.Remote == "" {
		in.Remote = origin(ctx)
	}
	in.Remote = remote.WithoutLogin(in.Remote) // the server stores it, and workers have logins
	if in.Branch == "" {
		in.Branch = ask("symbolic-ref", "--short", "--quiet", "HEAD")
	}
	if in.Base == "" {
		in.Base = ask("rev-parse", "--verify", "--quiet", "HEAD")
		if in.Base != "" && ask("branch", "--remotes", "--contains", in.Base) == "" {
			return belay.Refuse(belay.CodeUsage, "git push, or give --base",
				"HEAD (%s) has not been pushed: no worker could clone it", in.Base[:12])
		}
	}
	if in.Remote == "" || in.Base == "" || in.Branch == "" {
		return belay.Refuse(belay.CodeUsage, "run it in a clone, or give --remote, --branch and --base",
			"a task needs a remote, a branch and a commit")
	}
	if name, mail := ask("config", "user.name"), ask("config", "user.email"); name != "" && mail != "" {
		in.Author = fmt.Sprintf("%s <%s>", name, mail)
	}
	return nil
}

// row is a task in a list.
type row struct {
	Task       string    `json:"task"`
	Repository string    `json:"repository"`
	Agent      string    `json:"agent,omitempty"`
	Phase      string    `json:"phase"`
	Outcome    string    `json:"outcome,omitempty"`
	Worker     string    `json:"worker,omitempty"`
	Cost       float64   `json:"cost,omitempty"`
	Started    time.Time `json:"started"`
	id         string
}

// waitingQuery matches what waits for a person.
const waitingQuery = "BelayPhase IN ('gate', 'quarantined')"

func (a *program) listCommand() *cobra.Command {
	var query string
	var waiting bool
	c := &cobra.Command{
		Use: "list", Short: "List the tasks of the fleet", Args: cobra.NoArgs,
		Long: `List shows the tasks that the server knows, the latest first. --query takes Temporal's
query language over BelayRepository, BelayTask, BelayFeature, BelayAgent, BelayPhase,
BelayOutcome, BelayWorker and BelayCost.

Exit codes: 0 listed.`,
		Example: `  belay-fleet list --waiting
  belay-fleet list --query "BelayAgent = 'claude' AND BelayCost > 2"`,
		RunE: func(c *cobra.Command, _ []string) error {
			cl, err := a.dial(c.Context())
			if err != nil {
				return err
			}
			defer cl.Close()
			if waiting {
				query = strings.TrimPrefix(query+" AND ", " AND ") + waitingQuery
			}
			rows, err := list(c.Context(), cl, query)
			if err != nil {
				return err
			}
			return a.PrintResult(rows, nil, func(w io.Writer) { printTable(w, rows) })
		},
	}
	c.Flags().StringVar(&query, "query", "", "only tasks that match")
	c.Flags().BoolVar(&waiting, "waiting", false, "only tasks that wait for a person")
	return c
}

func printTable(w io.Writer, rows []row) {
	if len(rows) == 0 {
		fmt.Fprintln(w, "no tasks")
		return
	}
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	fmt.Fprintln(t, "TASK\tREPOSITORY\tPHASE\tOUTCOME\tWORKER\tCOST\tSTARTED")
	for _, r := range rows {
		cost := ""
		if r.Cost > 0 {
			cost = fmt.Sprintf("$%.2f", r.Cost)
		}
		fmt.Fprintf(t, "%s\t%s\t%s\t%s\t%s\t%s\t%s\n", r.Task, r.Repository, r.Phase, r.Outcome, r.Worker, cost,
			r.Started.Local().Format("2006-01-02 15:04:05"))
	}
	_ = t.Flush()
}

// list asks the server for tasks and features, the latest first.
func list(ctx context.Context, c client.Client, query string) (rows []row, err error) {
	q := "WorkflowType IN ('" + task.WorkflowName + "', '" + task.FeatureName + "')"
	if query != "" {
		q += " AND (" + query + ")"
	}
	seen := map[string]bool{}
	for token := []byte(nil); ; {
		page, err := c.ListWorkflow(ctx, &workflowservice.ListWorkflowExecutionsRequest{Query: q, NextPageToken: token})
		if err != nil {
			return nil, belay.Refuse(belay.CodeCannot, "belay-fleet setup, once for a namespace", "the server does not list tasks: %v", err)
		}
		for _, e := range page.Executions {
			if id := e.Execution.WorkflowId; !seen[id] { // a workflow with several runs is listed several times, the latest run first
				seen[id] = true
				rows = append(rows, rowOf(e))
			}
		}
		if token = page.NextPageToken; len(token) == 0 {
			return rows, nil
		}
	}
}

func rowOf(e *workflowpb.WorkflowExecutionInfo) row {
	text := func(name string) (s string) {
		_ = converter.GetDefaultDataConverter().FromPayload(e.GetSearchAttributes().GetIndexedFields()[name], &s)
		return s
	}
	r := row{Task: text(task.AttrTask), Repository: text(task.AttrRepository), Agent: text(task.AttrAgent), Phase: text(task.AttrPhase),
		Outcome: text(task.AttrOutcome), Worker: text(task.AttrWorker), Started: e.StartTime.AsTime(), id: e.Execution.WorkflowId}
	_ = converter.GetDefaultDataConverter().FromPayload(e.GetSearchAttributes().GetIndexedFields()[task.AttrCost], &r.Cost)
	switch e.Status {
	case enums.WORKFLOW_EXECUTION_STATUS_FAILED, enums.WORKFLOW_EXECUTION_STATUS_TERMINATED, enums.WORKFLOW_EXECUTION_STATUS_TIMED_OUT,
		enums.WORKFLOW_EXECUTION_STATUS_CANCELED:
		r.Phase, r.Outcome = "ended", strings.ToLower(e.Status.String())
	}
	return r
}

// find returns the workflow ID of a task.
func find(ctx context.Context, c client.Client, id string) (string, error) {
	if strings.ContainsAny(id, `'"\`) {
		return "", belay.Refuse(belay.CodeUsage, "belay-fleet list", "%q is not a task id", id)
	}
	parsed, err := belay.ParseTaskID(id)
	if err != nil {
		return "", err
	}
	rows, err := list(ctx, c, fmt.Sprintf("%s = '%s'", task.AttrTask, parsed.Key()))
	switch {
	case err != nil:
		return "", err
	case len(rows) == 0:
		return "", belay.Refuse(belay.CodeNotFound, "belay-fleet list", "no task %s", id)
	case len(rows) > 1:
		return "", belay.Refuse(belay.CodeUsage, "belay-fleet list", "%d repositories have a task %s: give the whole id, %s",
			len(rows), id, rows[0].id)
	}
	return rows[0].id, nil
}

// withTask connects to the server, finds a task, and calls do with its workflow ID.
func (a *program) withTask(ctx context.Context, id string, do func(client.Client, string) error) error {
	c, err := a.dial(ctx)
	if err != nil {
		return err
	}
	defer c.Close()
	name := id
	if !strings.HasPrefix(id, "belay/") {
		if name, err = find(ctx, c, id); err != nil {
			return err
		}
	}
	return do(c, name)
}

func status(ctx context.Context, c client.Client, name string) (st task.Status, err error) {
	v, err := c.QueryWorkflow(ctx, name, "", task.QueryStatus)
	if err != nil {
		return st, translateError(err, name)
	}
	return st, v.Get(&st)
}

func (a *program) showCommand() *cobra.Command {
	return &cobra.Command{
		Use: "show TASK", Short: "Show the state of a task", Args: cobra.ExactArgs(1),
		Long: `Show prints a task's phase, its worker, its attempts and what happened so far. For a
task that ended, it also says what the remote still has: snapshots and records are
forgotten after a time.

Exit codes: 0 shown · 2 no worker answers · 6 no such task.`,
		Example: "  belay-fleet show f7k2q",
		RunE: func(c *cobra.Command, args []string) error {
			return a.withTask(c.Context(), args[0], func(cl client.Client, name string) error {
				if task.IsFeature(name) {
					return a.showFeature(c.Context(), cl, name)
				}
				st, err := status(c.Context(), cl, name)
				if err != nil {
					return err
				}
				failed := failure(c.Context(), cl, name)
				there := readRemoteContents(c.Context(), st)
				return a.PrintResult(struct {
					task.Status
					Failed string          `json:"failed,omitempty"`
					Left   *remoteContents `json:"remote,omitempty"`
				}{st, failed, there}, nil, func(w io.Writer) {
					printStatus(w, st, failed)
					if there != nil {
						fmt.Fprintf(w, "  on the remote: %s\n", there.text())
					}
				})
			})
		},
	}
}

// failure returns the error that a task ended with, or the last error of a step that is being
// retried; "" for none.
func failure(ctx context.Context, c client.Client, name string) string {
	d, err := c.DescribeWorkflowExecution(ctx, name, "")
	if err != nil {
		return ""
	}
	if d.WorkflowExecutionInfo.Status == enums.WORKFLOW_EXECUTION_STATUS_FAILED {
		return task.Cause(c.GetWorkflow(ctx, name, "").Get(ctx, nil))
	}
	for _, p := range d.PendingActivities {
		if f := p.GetLastFailure(); f != nil {
			return fmt.Sprintf("%s, try %d: %s", strings.TrimPrefix(p.ActivityType.GetName(), "belay."), p.Attempt, f.Message)
		}
	}
	return ""
}

func printStatus(w io.Writer, st task.Status, failed string) {
	fmt.Fprintf(w, "%s: %s\n", st.Task.ID, belay.VisibleLine(belay.TitleOf(st.Task.Prose)))
	fmt.Fprintf(w, "  %s at %.12s\n", belay.VisibleLine(st.Task.Remote), st.Task.Base)
	phase := st.Phase
	if st.Outcome != "" {
		phase = st.Outcome
	}
	fmt.Fprintf(w, "  %s on %s, %s, %s\n", phase, st.Worker, belay.CountOf(st.Attempts, "attempt"), belay.CountOf(st.Moves, "move"))
	if st.Sent > 0 {
		fmt.Fprintf(w, "  pushed: %s\n", belay.RoundSize(st.Sent))
	}
	if st.Waits != "" {
		fmt.Fprintf(w, "  waiting: %s\n", belay.VisibleLine(st.Waits))
	}
	if failed != "" {
		fmt.Fprintf(w, "  failed: %s\n", belay.VisibleLine(failed))
	}
	if st.Omitted != nil {
		fmt.Fprintf(w, "  in part: %s\n", st.OmittedNote())
	}
	for _, l := range st.Lines {
		fmt.Fprintf(w, "  %s  %s\n", l.Time.Local().Format("15:04:05"), belay.VisibleLine(l.Text))
	}
	if g := st.Gate; g != nil && st.Phase == string(loop.PhaseGate) {
		var options []string
		for _, o := range g.Options {
			options = append(options, string(o))
		}
		fmt.Fprintf(w, "  gate %d: %s\n  decide: %s\n", g.Number, belay.VisibleLine(g.Why), strings.Join(options, ", "))
	}
}

func (a *program) logCommand() *cobra.Command {
	var follow bool
	c := &cobra.Command{
		Use: "log TASK", Aliases: []string{"logs"}, Short: "Print what happened to a task", Args: cobra.ExactArgs(1),
		Long: `Log prints what happened to a task, one event a line. --follow continues until the task is
closed.

Exit codes: 0 printed · 2 no worker answers · 6 no such task.`,
		Example: "  belay-fleet log f7k2q --follow",
		RunE: func(c *cobra.Command, args []string) error {
			return a.withTask(c.Context(), args[0], func(cl client.Client, name string) error {
				return a.follow(c.Context(), cl, name, follow)
			})
		},
	}
	c.Flags().BoolVarP(&follow, "follow", "f", false, "continue until the task is closed")
	return c
}

func (a *program) follow(ctx context.Context, c client.Client, name string, on bool) error {
	a.Printed = true
	var last task.Line
	for {
		st, err := status(ctx, c, name)
		if err != nil {
			return err
		}
		from := 0
		for i, l := range st.Lines {
			if l == last {
				from = i + 1
			}
		}
		for _, l := range st.Lines[from:] {
			last = l
			if a.JSON {
				if err := a.PrintJSONLine(l); err != nil {
					return err
				}
				continue
			}
			fmt.Fprintf(a.Out, "%s  %s\n", l.Time.Local().Format(time.DateTime), belay.VisibleLine(l.Text))
		}
		if !on || st.Outcome != "" {
			return nil
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-time.After(time.Second):
		}
	}
}

func (a *program) decideCommand() *cobra.Command {
	var d task.Decision
	c := &cobra.Command{
		Use: "decide TASK DECISION", Short: "Answer the gate that a task waits at", Args: cobra.ExactArgs(2),
		Long: `Decide answers a gate; belay-fleet show TASK lists the possible decisions. resume
continues a task that was cancelled or quarantined. At a gate of a feature, retry does the
task again from what is merged, merge tries the same work again, drop leaves out the task
and those that need it, and stop ends the feature.

approve accepts work that waits for a review. Rejected work needs a reason in --message
and a category in --category: pre_existing_failure, wrong_context, cross_scope,
infra_environmental or custom (belay task move --help explains them). To comment on
lines, use belay-fleet ui.

Exit codes: 0 decided · 2 not possible now · 6 no such task.`,
		Example: `  belay-fleet decide f7k2q guide --message "use the clock in ctx"
  belay-fleet decide f7k2q abort --gate 2
  belay-fleet decide f7k2q approve --category cross_scope --message "the lint rule is T9's"`,
		RunE: func(c *cobra.Command, args []string) error {
			d.Decision = loop.Decision(args[1])
			if d.By == "" {
				d.By = person()
			}
			d.Note = secret.Mask(d.Note) // a history stores it
			if err := d.Fits(0); err != nil {
				return belay.Refuse(belay.CodeUsage, "", "%v", err)
			}
			return a.withTask(c.Context(), args[0], func(cl client.Client, name string) error {
				return a.update(c.Context(), cl, name, task.UpdateDecide, d)
			})
		},
	}
	f := c.Flags()
	f.StringVarP(&d.Note, "message", "m", "", "instructions for the agent, or the reason")
	f.IntVar(&d.Gate, "gate", 0, "the gate's `NUMBER`; fails if that gate was answered")
	f.StringVar((*string)(&d.Category), "category", "", "with approve: why the rejection does not apply")
	f.StringVar(&d.By, "by", "", "who decides (default you)")
	return c
}

func (a *program) cancelCommand() *cobra.Command {
	return &cobra.Command{
		Use: "cancel TASK", Short: "Stop the agent of a running task", Args: cobra.ExactArgs(1),
		Long: `Cancel stops the agent of a task, with everything it started, and saves its work. The
task then waits at a gate. A task that waits for a worker leaves the queue until it is
resumed. For a feature, cancel stops the agents of all its tasks; no task begins or is
merged until the feature is resumed.

Exit codes: 0 stopping · 2 no agent runs · 6 no such task.`,
		Example: "  belay-fleet cancel f7k2q",
		RunE: func(c *cobra.Command, args []string) error {
			return a.withTask(c.Context(), args[0], func(cl client.Client, name string) error {
				return a.update(c.Context(), cl, name, task.UpdateCancel)
			})
		},
	}
}

// update sends an update to a task and prints its phase.
func (a *program) update(ctx context.Context, c client.Client, name, what string, args ...any) error {
	st, err := send[task.Status](ctx, c, name, what, args...)
	if err != nil {
		return err
	}
	return a.PrintResult(st, nil, func(w io.Writer) { fmt.Fprintf(w, "%s: %s\n", st.Task.ID, st.Phase) })
}

// send sends an update to a task, and returns its status after the update. CodeUsage: the task
// rejected it.
func send[T any](ctx context.Context, c client.Client, name, what string, args ...any) (st T, err error) {
	h, err := c.UpdateWorkflow(ctx, client.UpdateWorkflowOptions{WorkflowID: name, UpdateName: what, Args: args,
		WaitForStage: client.WorkflowUpdateStageCompleted})
	if err == nil {
		err = h.Get(ctx, &st)
	}
	var refused *temporal.ApplicationError
	if errors.As(err, &refused) {
		return st, belay.Refuse(belay.CodeUsage, "belay-fleet show "+name, "%s", refused.Message())
	}
	return st, translateError(err, name)
}

// person is the default name of who decides.
func person() string {
	for _, name := range []string{"USER", "LOGNAME"} {
		if who := os.Getenv(name); who != "" {
			return who
		}
	}
	return "somebody"
}

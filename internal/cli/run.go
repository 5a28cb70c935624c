package cli

import (
	"context"
	"fmt"
	"io"
	"strings"

	"github.com/spf13/cobra"

	"github.com/belay-dev/belay/internal/app"
	"github.com/belay-dev/belay/internal/belay"
	"github.com/belay-dev/belay/internal/config"
	"github.com/belay-dev/belay/internal/prompt"
	"github.com/belay-dev/belay/internal/session"
	"github.com/belay-dev/belay/internal/terminal"
)

type runFlags struct {
	NewTaskFlags
	resume, pipeline             string
	trust, quiet, separate, keep bool
	parallel                     int
	merge                        bool
}

func (a loopFamily) runCommand() *cobra.Command {
	var f runFlags
	c := &cobra.Command{
		Use:   `run ["PROSE"|TASK|FEATURE|TASKFILE] [flags] --with AGENT | … -- AGENT ARGS… | run --parallel N [TASK…]`,
		Short: "Run a task with an agent until its work is accepted",
		Long: `Run takes a snapshot, runs the agent and checks the result. It then accepts the work,
asks the agent for fixes, or rolls back and retries with the reasons. When the retries
are used up, a person decides.

--with NAME starts a known agent (docs/agents.md); after -- any command works. The agent
gets the prompt on standard input and in the file named by BELAY_PROMPT_FILE, with
BELAY_TASK and BELAY_ATTEMPT set, and runs at the root of the repository. With "-" as
PROSE, the task is read from standard input.

With --worktree the task gets its own git worktree, created from your current files with
all uncommitted work; your own tree stays free, and belay merge applies the result. With
--parallel N, recorded tasks (belay task add) run in worktrees, at most N at a time; the
agent that is given runs those that were recorded without one. A task that needs a person
waits at its gate while the others continue. --merge merges the accepted ones at the end,
after the tests have passed on all of them together.

Given the ID of a recorded task, run runs that task, as --resume does.

Given a task file or an active feature (its folder, its number, or its name without the
number), run imports the open tasks under their own names and runs them in order. It
stops at the first task that is not accepted. For a feature it also starts the phase
implement, if that phase may start.

With --pipeline ROLES several roles work on the task in turn (roles: in the config;
default: implementer, reviewer, validator). Each is an agent with its own prompt and its
part of the task's context, and starts from exactly the files that the previous role
left. A blocking finding stops the pipeline; --resume returns it to the role that can fix it.

On Linux 6.2 and newer the agent runs in a fence: it can write to its tree, its own part
of the git folder, temporary files, caches and its own state, and to nothing else.
belay fence explain -- AGENT lists what it can write; --fence=off turns the fence off.

The first Ctrl-C stops the agent, saves its work and pauses the task. A second one
exits at once and leaves the agent running. --resume continues after either.

Exit codes: 0 accepted · 1 skipped, aborted or failed · 2 could not run · 3 waiting at a
gate · 5 the working tree is in use · 6 no such task · 130 interrupted.`,
		Example: `  belay run "add a --since flag" --files 'cmd/**' --protect go.mod --test "go test ./..." --with claude
  belay run --task T7 - -- my-agent --quiet < task.md
  belay run --resume T7
  belay run --worktree "tidy the docs" --with codex && belay merge T8
  belay run T012 --with claude
  belay run --parallel 4 --merge
  belay run 003-search --with claude
  belay run --pipeline implement,review,validate "add a --since flag" --with claude`,
		RunE: func(c *cobra.Command, args []string) error {
			if c.Flags().Changed("parallel") {
				return a.parallel(c, f, args)
			}
			if f.merge {
				return belay.Refuse(belay.CodeUsage, "add --parallel N, or run belay merge TASK afterwards", "--merge needs --parallel")
			}
			prose, agent, err := SplitPrompt(c, args)
			if err != nil {
				return err
			}
			return a.run(c, f, prose, agent)
		},
	}
	fl := c.Flags()
	f.Add(fl)
	fl.StringVar(&f.resume, "resume", "", "continue the open task `ID`")
	fl.BoolVar(&f.trust, "trust", false, "trust the repository's commands, now and later")
	fl.BoolVarP(&f.quiet, "quiet", "q", false, "show only the result")
	fl.BoolVar(&f.separate, "worktree", false, "run the task in its own worktree")
	fl.BoolVar(&f.keep, "keep", false, "keep the task's worktree when it ends without being accepted")
	fl.IntVar(&f.parallel, "parallel", 0, "run recorded tasks in parallel, at most `N` at a time")
	fl.BoolVar(&f.merge, "merge", false, "with --parallel: merge what was accepted, tested together first (belay merge --all)")
	fl.StringVar(&f.pipeline, "pipeline", "", "run the task through `ROLES` in this order, separated by commas")
	fl.String("fence", config.FenceAuto, "let the agent write only where the task may: auto, on or off")
	fl.Lookup("fence").NoOptDefVal = config.FenceOn
	_ = c.RegisterFlagCompletionFunc("resume", a.CompleteTasks)
	_ = c.RegisterFlagCompletionFunc("fence", cobra.FixedCompletions(
		[]string{config.FenceAuto, config.FenceOn, config.FenceOff}, cobra.ShellCompDirectiveNoFileComp))
	return c
}

func (a loopFamily) run(c *cobra.Command, f runFlags, prose string, agent []string) error {
	asked, err := f.Request(prose, agent)
	if err != nil {
		return err
	}
	asked.Trust, asked.OwnTree = f.trust, f.separate
	q := app.RunRequest{NewTask: asked, Soft: a.StopRequested, Keep: f.keep}
	if f.resume != "" || c.Flags().Changed("resume") {
		if q.Resume, err = belay.ParseTaskID(f.resume); err != nil {
			return err
		}
		if prose != "" || f.ID != "" {
			return belay.Refuse(belay.CodeUsage, "belay run --resume "+f.resume, "a resumed task already has its text and id")
		}
		if f.Clarify {
			return belay.Refuse(belay.CodeUsage, "leave out --clarify", "the text of %s was read when it was recorded", f.resume)
		}
	}
	svc, err := a.Open(c.Context(), f.Settings.Flags(c.Flags())...)
	if err != nil {
		return err
	}
	q.Agent = svc.AgentFrom(a.Dir, q.Agent)
	if q.Resume == "" && f.ID == "" {
		if q.Resume = svc.TaskNamed(prose); q.Resume != "" {
			q.Text, prose = "", ""
		}
	}
	if prose != "" && f.ID == "" && svc.NamesTasks(a.Dir, prose) {
		if f.pipeline != "" || f.separate {
			return belay.Refuse(belay.CodeUsage, "record them with belay task import, then name one: belay run TASK",
				"%s names a list of tasks: --pipeline and --worktree are for one task", belay.VisibleLine(prose))
		}
		return a.runTasks(c, f, svc, q)
	}
	if q.Resume == "" {
		a.Clarify(c.Context(), svc, &q.NewTask, f.Clarify)
	}
	if c.Flags().Changed("pipeline") || q.Resume != "" && hasRoles(svc, q.Resume) {
		return a.runPipeline(c, f, svc, q)
	}
	var stop func()
	q.Watch, stop = a.openScreen(c.Context(), svc, f.quiet)
	rec, err := svc.Run(c.Context(), q)
	stop()
	return a.printRun(c.Context(), svc, rec, err)
}

// openScreen returns a screen that shows a run in progress until stop is called.
func (a loopFamily) openScreen(ctx context.Context, svc *app.Service, quiet bool) (s *terminal.Screen, stop func()) {
	s = a.Screen(quiet)
	s.LastOutput = svc.LastOutput
	s.View = func(ctx context.Context, r *session.Record) error { return a.showChange(ctx, svc, r.Task.ID) }
	return s, startTicking(ctx, s)
}

// startTicking updates what is shown as time passes, until stop is called.
func startTicking(ctx context.Context, shown interface {
	Tick(context.Context)
	Stop()
}) (stop func()) {
	ctx, end := context.WithCancel(ctx)
	shown.Tick(ctx)
	return func() { end(); shown.Stop() }
}

// runTasks runs the open tasks of the named feature or file.
func (a loopFamily) runTasks(c *cobra.Command, f runFlags, svc *app.Service, q app.RunRequest) error {
	t := app.TasksRequest{RunRequest: q, Name: q.Text, Dir: a.Dir}
	t.Text = ""
	var stop func()
	t.Watch, stop = a.openScreen(c.Context(), svc, f.quiet)
	ran, err := svc.RunTasks(c.Context(), t)
	stop()
	if err != nil {
		return err
	}
	return a.printRuns(svc, ran, nil, nil)
}

// showChange shows the change of a task's last attempt on the terminal.
func (a loopFamily) showChange(ctx context.Context, svc *app.Service, id belay.TaskID) error {
	d, err := svc.Diff(ctx, string(id), "", nil)
	if err != nil {
		return err
	}
	return a.printDiffPaged(ctx, svc, d, a.Err)
}

// printRun prints the state of a task after a run.
func (a loopFamily) printRun(ctx context.Context, at *app.Service, rec *session.Record, err error) error {
	if rec == nil {
		return err
	}
	shown, fresh, serr := at.Show(rec.Task.ID)
	if serr != nil {
		if err == nil {
			err = serr
		}
		return a.PrintResult(nil, err)
	}
	if err == nil {
		err = OutcomeError(fresh)
	}
	result := at.Result(ctx, fresh)
	return a.PrintResult(struct {
		app.TaskView
		Result prompt.Result `json:"result"`
	}{shown, result}, err, terminal.WrapOutput(func(w io.Writer) {
		fmt.Fprint(w, prompt.Summary(fresh.Task, fresh.State, result.Checks, shown.Paused), result.Text())
		if shown.Unmerged {
			fmt.Fprintf(w, "\nits work is in %s; merge it with belay merge %s\n", belay.VisibleLine(fresh.Task.Worktree), fresh.Task.ID)
		}
		if fresh.State.Gate != nil {
			fmt.Fprintln(w)
			fmt.Fprintln(w, strings.TrimRight(prompt.Gate(fresh.State, fresh.Task), "\n"))
		}
	}))
}

func (a loopFamily) cancelCommand() *cobra.Command {
	return &cobra.Command{
		Use: "cancel TASK", Short: "Stop the agent of a running task", Args: cobra.ExactArgs(1),
		Long: `Cancel stops the agent of a task from another terminal, with everything it started.
The waiting run saves its work and pauses the task.

Exit codes: 0 stopped · 2 no agent runs · 6 no such task.`,
		Example:           "  belay cancel T7",
		ValidArgsFunction: a.CompleteTasks,
		RunE: a.withTask(func(c *cobra.Command, svc *app.Service, id belay.TaskID) error {
			if err := svc.Cancel(c.Context(), id); err != nil {
				return err
			}
			return a.PrintResult(map[string]any{"task": id, "stopped": true}, nil, func(w io.Writer) {
				fmt.Fprintf(w, "%s: stopped the agent\n", id)
			})
		}),
	}
}

package cli

import (
	"context"
	"fmt"
	"io"
	"strings"

	"github.com/spf13/cobra"

	"github.com/belay-dev/belay/internal/belay"
	"github.com/belay-dev/belay/internal/prompt"

	"github.com/belay-dev/belay/internal/app"
	"github.com/belay-dev/belay/internal/session"
)

type runFlags struct {
	NewTask
	resume, pipeline          string
	trust, quiet, apart, keep bool
	parallel                  int
}

func (a loopFamily) runCommand() *cobra.Command {
	var f runFlags
	c := &cobra.Command{
		Use:   `run ["PROSE"] [flags] -- AGENT ARGS… | run --parallel N [TASK…]`,
		Short: "Run a task with an agent until its work is accepted",
		Long: `Run holds the present state, gives the task to the agent, captures what it left,
judges it, and accepts it, has it repaired, or rolls it back and tries again with the
reasons. When the retries are used up a person decides.

The agent is any command. It gets the prompt on standard input and in the file named
by BELAY_PROMPT_FILE, with BELAY_TASK and BELAY_ATTEMPT set, and runs at the root of
the repository. PROSE "-" is read from standard input.

With --worktree the task works in a working tree of its own, made from what yours holds
now, uncommitted work included; yours stays free for you, and belay merge brings the
result. With --parallel N recorded tasks (belay task add) run so side by side, at most N
at once; a task that needs a person waits at its gate while the others go on.

With --pipeline ROLES the task is handed from role to role (roles: in the config;
implementer, reviewer and validator otherwise), each an agent with its own prompt and its
part of the task's context, from a tree that is proved to be what the role before left.
A finding that blocks stops it; --resume goes back to whoever can mend it.

The first Ctrl-C stops the agent, captures its work and parks the task; a second one
leaves at once, and the agent runs on. Both are picked up by --resume.

Exit codes: 0 accepted · 1 skipped, aborted or failed · 2 could not · 3 waiting at a
gate · 5 the working tree is in use · 6 no such task · 130 interrupted.`,
		Example: `  belay run "add a --since flag" --files 'cmd/**' --protect go.mod --test "go test ./..." -- claude -p
  belay run --task T7 - -- my-agent --quiet < task.md
  belay run --resume T7
  belay run --worktree "tidy the docs" -- claude -p && belay merge T8
  belay run --parallel 4
  belay run --pipeline implement,review,validate "add a --since flag" -- claude -p`,
		GroupID: "loop",
		RunE: func(c *cobra.Command, args []string) error {
			if c.Flags().Changed("parallel") {
				return a.parallel(c, f, args)
			}
			prose, agent, err := Split(c, args)
			if err != nil {
				return err
			}
			return a.run(c, f, prose, agent)
		},
	}
	fl := c.Flags()
	f.Add(fl)
	fl.StringVar(&f.resume, "resume", "", "go on with the open task `ID`")
	fl.BoolVar(&f.trust, "trust", false, "let what the repository names run, now and later")
	fl.BoolVarP(&f.quiet, "quiet", "q", false, "show nothing but the result")
	fl.BoolVar(&f.apart, "worktree", false, "give the task a working tree of its own")
	fl.BoolVar(&f.keep, "keep", false, "leave the task's own working tree when it ends without being accepted")
	fl.IntVar(&f.parallel, "parallel", 0, "run recorded tasks side by side, at most `N` at once")
	fl.StringVar(&f.pipeline, "pipeline", "", "hand the task from role to role: `ROLES` in their order, separated by commas")
	_ = c.RegisterFlagCompletionFunc("resume", a.CompleteTasks)
	return c
}

func (a loopFamily) run(c *cobra.Command, f runFlags, prose string, agent []string) error {
	asked, err := f.Request(prose, agent)
	if err != nil {
		return err
	}
	asked.Trust, asked.Apart = f.trust, f.apart
	q := app.RunRequest{NewTask: asked, Soft: a.Soft, Keep: f.keep}
	if c.Flags().Changed("resume") {
		if q.Resume, err = belay.ParseTaskID(f.resume); err != nil {
			return err
		}
		if prose != "" || f.ID != "" {
			return belay.Refuse(belay.CodeUsage, "belay run --resume "+f.resume, "a resumed task has its words and its id already")
		}
		if f.Clarify {
			return belay.Refuse(belay.CodeUsage, "leave --clarify out", "the words of %s were read when it was recorded", f.resume)
		}
	}
	desk, err := a.Open(c.Context(), f.Settings.Flags(c.Flags())...)
	if err != nil {
		return err
	}
	if q.Resume == "" {
		a.Clarified(c.Context(), desk, &q.NewTask, f.Clarify)
	}
	if c.Flags().Changed("pipeline") || q.Resume != "" && inRoles(desk, q.Resume) {
		return a.pipelined(c, f, desk, q)
	}
	s := a.Screen(f.quiet)
	ticking, stop := context.WithCancel(c.Context())
	s.Tick(ticking)
	q.Watch = s
	rec, err := desk.Run(c.Context(), q)
	stop()
	s.Stop()
	return a.ranTo(desk, rec, err)
}

// ranTo prints where a run has got to.
func (a loopFamily) ranTo(at *app.Desk, rec *session.Record, err error) error {
	if rec == nil {
		return err
	}
	shown, fresh, serr := at.Show(rec.Task.ID)
	if serr != nil {
		if err == nil {
			err = serr
		}
		return a.Tell(nil, err)
	}
	if err == nil {
		err = Outcome(fresh)
	}
	return a.Tell(shown, err, func(w io.Writer) {
		fmt.Fprint(w, prompt.Summary(fresh.Task, fresh.State))
		if shown.Unmerged {
			fmt.Fprintf(w, "\nits work is in %s: belay merge %s brings it here\n", belay.VisibleLine(fresh.Task.Worktree), fresh.Task.ID)
		}
		if fresh.State.Gate != nil {
			fmt.Fprintln(w)
			fmt.Fprintln(w, strings.TrimRight(prompt.Gate(fresh.State, fresh.Task), "\n"))
		}
	})
}

func (a loopFamily) cancelCommand() *cobra.Command {
	return &cobra.Command{
		Use: "cancel TASK", Short: "Stop the agent of a running task", Args: cobra.ExactArgs(1),
		Long: `Cancel ends the agent of a task from another terminal, with everything it started.
The run that waits for it captures what it left and parks the task.

Exit codes: 0 stopped · 2 no agent runs · 6 no such task.`,
		Example:           "  belay cancel T7",
		ValidArgsFunction: a.CompleteTasks,
		RunE: func(c *cobra.Command, args []string) error {
			desk, id, err := a.OpenTask(c.Context(), args[0])
			if err != nil {
				return err
			}
			if err := desk.Cancel(c.Context(), id); err != nil {
				return err
			}
			return a.Tell(map[string]any{"task": id, "stopped": true}, nil, func(w io.Writer) {
				fmt.Fprintf(w, "%s: the agent is stopped\n", id)
			})
		},
	}
}

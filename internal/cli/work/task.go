package work

import (
	"context"
	"fmt"
	"io"

	"github.com/spf13/cobra"

	"github.com/belay-dev/belay/internal/belay"
	"github.com/belay-dev/belay/internal/brief"
	"github.com/belay-dev/belay/internal/desk"
	"github.com/belay-dev/belay/internal/drive"
	"github.com/belay-dev/belay/internal/flow"
	"github.com/belay-dev/belay/internal/terminal"
)

func (a commands) taskCommand(others []*cobra.Command) *cobra.Command {
	c := &cobra.Command{
		Use: "task", Short: "Record tasks, import them, drive one by hand",
		Long: `What belay run drives, step by step, for an agent that works in its own window:

  belay task add "fix the login" --files 'auth/**'    record it
  belay task start T1                                 hold the state before
  … the agent works …
  belay task capture T1                               hold what it left
  belay check T1                                      judge it
  belay task finish T1                                close it, or belay rollback T1`,
	}
	c.AddCommand(a.taskAddCommand(), a.taskListCommand(), a.taskHistoryCommand("history"), a.taskParseCommand(), a.taskMoveCommand(),
		a.taskStep("start", "Hold the state before a task", "holds the state before: %s", (*flow.Desk).Start),
		a.taskStep("capture", "Say that the attempt has ended and hold what it left", "the attempt is captured; now: belay check %s", (*flow.Desk).Capture),
		a.taskStep("finish", "Close a task whose checks passed", "%s is finished", (*flow.Desk).Finish))
	c.AddCommand(others...)
	return c
}

func (a commands) taskAddCommand() *cobra.Command {
	var f runFlags
	c := &cobra.Command{
		Use: `add "PROSE" [flags] [-- AGENT ARGS…]`, Short: "Record a task without starting it",
		Long:    "Exit codes: 0 recorded · 2 no words, a bad id, or the id is taken · 3 recorded, and it waits\nfor a person to say what the words mean (--clarify, or clarify: in the config).",
		Example: `  belay task add "add a --since flag" --task T7 --files 'cmd/**' -- claude -p`,
		RunE: func(c *cobra.Command, args []string) error {
			prose, agent, err := split(c, args)
			if err != nil {
				return err
			}
			q := flow.NewTask{Prose: prose, Secrets: f.secrets, Agent: agent, Feature: f.feature, Role: f.role, Expect: f.expect}
			for _, s := range f.after {
				id, err := belay.ParseTaskID(s)
				if err != nil {
					return err
				}
				q.After = append(q.After, id)
			}
			if f.task != "" {
				if q.ID, err = belay.ParseTaskID(f.task); err != nil {
					return err
				}
			}
			desk, err := a.Open(c.Context(), f.settings.Flags(c.Flags())...)
			if err != nil {
				return err
			}
			q.Prose, q.Clarify = a.clarified(c.Context(), desk, q.Prose, f.clarify)
			r, err := desk.Add(c.Context(), q)
			if err != nil {
				return err
			}
			if r.State.Gate != nil {
				err = outcome(r)
			}
			return a.Tell(r.Task, err, func(w io.Writer) {
				fmt.Fprintf(w, "%s recorded: %s\n", r.Task.ID, belay.VisibleLine(r.Task.Title))
				fmt.Fprint(w, brief.Read(r.Task))
			})
		},
	}
	fl := c.Flags()
	fl.StringVar(&f.task, "task", "", "the task's `ID` (made up when left out)")
	fl.StringVar(&f.feature, "feature", "", "the feature the task belongs to")
	fl.StringVar(&f.role, "agent", "", "the agent's `NAME` for the record")
	fl.StringSliceVar(&f.expect, "expected-files", nil, "files that must be among the changed ones")
	fl.BoolVar(&f.secrets, "force-secrets", false, "let what looks like a secret in the words go out; the record says so")
	fl.BoolVar(&f.clarify, "clarify", false, "words that can be read in two ways wait for a person")
	fl.StringSliceVar(&f.after, "after", nil, "`TASKS` that have to be accepted first")
	f.settings.Add(fl)
	return c
}

func (a commands) taskListCommand() *cobra.Command {
	return &cobra.Command{
		Use: "list", Short: "List all tasks", Args: cobra.NoArgs, Aliases: []string{"ls"},
		Example: "  belay task list --json",
		RunE: func(c *cobra.Command, _ []string) error {
			desk, err := a.Open(c.Context())
			if err != nil {
				return err
			}
			lines, err := desk.Tasks()
			if err != nil {
				return err
			}
			if lines == nil {
				lines = []flow.TaskLine{}
			}
			return a.Tell(lines, nil, func(w io.Writer) { terminal.Tasks(w, lines) })
		},
	}
}

// taskHistoryCommand shows all that a task learns of earlier ones.
func (a commands) taskHistoryCommand(name string) *cobra.Command {
	return &cobra.Command{
		Use: name, Short: "Show one line for each task that ended", Args: cobra.NoArgs,
		Long: `What a task learns of earlier ones: one line each, with how it ended. Prompts carry the
last ten; .belay/now/history.md has all. Nothing else of a task reaches the next.

Exit codes: 0 shown.`,
		Example: "  belay task history\n  belay task history --json",
		RunE: func(c *cobra.Command, _ []string) error {
			desk, err := a.Open(c.Context())
			if err != nil {
				return err
			}
			lines := append([]string{}, desk.History("")...)
			return a.Tell(lines, nil, func(w io.Writer) {
				for _, l := range lines {
					fmt.Fprintln(w, l)
				}
			})
		},
	}
}

// taskStep makes the command for one step of a task driven by hand.
func (a commands) taskStep(name, short, done string, do func(*flow.Desk, context.Context, belay.TaskID, drive.Watcher) (*desk.Record, error)) *cobra.Command {
	return &cobra.Command{
		Use: name + " TASK", Short: short, Args: cobra.ExactArgs(1), ValidArgsFunction: a.CompleteTasks,
		Long:    short + ".\n\nExit codes: 0 done · 1 not accepted yet · 2 not the moment for it · 5 the tree is in use · 6 no such task.",
		Example: "  belay task " + name + " T7",
		RunE: func(c *cobra.Command, args []string) error {
			desk, id, err := a.OpenTask(c.Context(), args[0])
			if err != nil {
				return err
			}
			r, err := do(desk, c.Context(), id, a.Screen(true))
			if err != nil {
				return err
			}
			shown, _, err := desk.Show(id)
			return a.Tell(shown, err, func(w io.Writer) {
				about := string(id)
				if name == "start" {
					about = string(r.State.Before)
				}
				fmt.Fprintf(w, done+"\n", about)
			})
		},
	}
}

func by(who string) string {
	if who == "" {
		return ""
	}
	return " by " + belay.VisibleLine(who)
}

func (a commands) showCommand() *cobra.Command {
	return &cobra.Command{
		Use: "show TASK", Short: "Show a task: its words, attempts and reasons", Args: cobra.ExactArgs(1),
		Long:    "Exit codes: 0 shown · 6 no such task.",
		Example: "  belay show T7\n  belay show T7 --json", ValidArgsFunction: a.CompleteTasks,
		RunE: func(c *cobra.Command, args []string) error {
			desk, id, err := a.OpenTask(c.Context(), args[0])
			if err != nil {
				return err
			}
			shown, r, err := desk.Show(id)
			if err != nil {
				return err
			}
			return a.Tell(shown, nil, func(w io.Writer) {
				fmt.Fprint(w, brief.TaskFile(r.Task), "\n", brief.Summary(r.Task, r.State))
				fmt.Fprint(w, brief.Read(r.Task))
				for _, n := range r.Notes {
					fmt.Fprintf(w, "%s: %s\n", n.Kind, belay.VisibleLine(n.Text))
				}
				for _, o := range r.Over {
					fmt.Fprintf(w, "attempt %d was accepted over its refusal%s: %s\n", o.Attempt, by(o.By), belay.VisibleLine(o.String()))
				}
				if r.State.Gate != nil {
					fmt.Fprint(w, "\n", brief.Gate(r.State, r.Task), "\n")
				}
			})
		},
	}
}

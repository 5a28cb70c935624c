package cli

import (
	"context"
	"fmt"
	"io"

	"github.com/spf13/cobra"

	"github.com/belay-dev/belay/internal/app"
	"github.com/belay-dev/belay/internal/belay"
	"github.com/belay-dev/belay/internal/prompt"
	"github.com/belay-dev/belay/internal/runner"
	"github.com/belay-dev/belay/internal/session"
	"github.com/belay-dev/belay/internal/terminal"
)

func (a taskFamily) addCommand() *cobra.Command {
	var f NewTaskFlags
	var after []string
	c := &cobra.Command{
		Use: `add "PROSE" [flags] [-- AGENT ARGS…]`, Short: "Record a task without starting it",
		Long: "Exit codes: 0 recorded · 2 no text, or an ID that is invalid or in use · 3 recorded, but ambiguous:\n" +
			"it waits for your answer (belay gate show), unless --as-it-is.",
		Example: `  belay task add "add a --since flag" --task T7 --files 'cmd/**' --with claude`,
		RunE: func(c *cobra.Command, args []string) error {
			prose, agent, err := SplitPrompt(c, args)
			if err != nil {
				return err
			}
			q, err := f.Request(prose, agent)
			if err != nil {
				return err
			}
			if q.After, err = parseTaskIDs(after); err != nil {
				return err
			}
			svc, err := a.Open(c.Context(), f.Settings.Flags(c.Flags())...)
			if err != nil {
				return err
			}
			q.Agent = svc.AgentFrom(a.Dir, q.Agent)
			a.Clarify(c.Context(), svc, &q, f.Clarify)
			r, err := svc.Add(c.Context(), q)
			if err != nil {
				return err
			}
			if r.State.Gate != nil {
				err = OutcomeError(r)
			}
			return a.PrintResult(r.Task, err, func(w io.Writer) {
				fmt.Fprintf(w, "%s recorded: %s\n", r.Task.ID, belay.VisibleLine(r.Task.Title))
				fmt.Fprint(w, prompt.ReadingText(r.Task))
			})
		},
	}
	f.Add(c.Flags())
	c.Flags().StringSliceVar(&after, "after", nil, "`TASKS` that must be accepted first")
	return c
}

func (a taskFamily) listCommand() *cobra.Command {
	return &cobra.Command{
		Use: "list", Short: "List all tasks", Args: cobra.NoArgs, Aliases: []string{"ls"},
		Long:    "Exit codes: 0 listed.",
		Example: "  belay task list --json",
		RunE: a.withRepository(func(c *cobra.Command, svc *app.Service, _ []string) error {
			lines, err := svc.Tasks()
			if err != nil {
				return err
			}
			if lines == nil {
				lines = []app.TaskLine{}
			}
			lines, views := svc.AddPhases(c.Context(), lines)
			return a.PrintResult(lines, nil, func(w io.Writer) {
				terminal.PrintTasks(w, lines)
				terminal.PrintActiveFeatures(w, views)
			})
		}),
	}
}

// historyCommand shows what a task's prompt says about earlier tasks.
func (a taskFamily) historyCommand(name string) *cobra.Command {
	return &cobra.Command{
		Use: name, Short: "Show one line for each closed task", Args: cobra.NoArgs,
		Long: `History prints what agents are told about earlier tasks: one line each, with the result.
Prompts include the last ten; .belay/now/history.md has all of them.

Exit codes: 0 shown.`,
		Example: "  belay task history\n  belay task history --json",
		RunE: a.withRepository(func(_ *cobra.Command, svc *app.Service, _ []string) error {
			lines := append([]string{}, svc.Session.History("")...)
			return a.PrintResult(lines, nil, func(w io.Writer) {
				for _, l := range lines {
					fmt.Fprintln(w, l)
				}
			})
		}),
	}
}

// stepCommand creates the command for one step of a task driven by hand.
func (a taskFamily) stepCommand(name, short, done string,
	do func(*app.Service, context.Context, belay.TaskID, runner.Observer) (*session.Record, error)) *cobra.Command {
	return &cobra.Command{
		Use: name + " TASK", Short: short, Args: cobra.ExactArgs(1), ValidArgsFunction: a.CompleteTasks,
		Long:    short + ".\n\nExit codes: 0 done · 1 not accepted yet · 2 not possible now · 5 the tree is in use · 6 no such task.",
		Example: "  belay task " + name + " T7",
		RunE: a.withTask(func(c *cobra.Command, svc *app.Service, id belay.TaskID) error {
			r, err := do(svc, c.Context(), id, a.Screen(true))
			if err != nil {
				return err
			}
			shown, _, err := svc.Show(id)
			return a.PrintResult(shown, err, func(w io.Writer) {
				about := string(id)
				if name == "start" {
					about = string(r.State.Before)
				}
				fmt.Fprintf(w, done+"\n", about)
			})
		}),
	}
}

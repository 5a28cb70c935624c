package cli

import (
	"fmt"
	"io"

	"github.com/spf13/cobra"

	"github.com/belay-dev/belay/internal/loop"
	"github.com/belay-dev/belay/internal/prompt"
)

func (a loopFamily) gateCommand() *cobra.Command {
	c := &cobra.Command{Use: "gate", Short: "Answer a task that waits for a person",
		Example: "  belay gate show T7\n  belay gate decide T7 guide --message \"keep the old flag\""}
	c.AddCommand(a.gateShowCommand(), a.gateDecideCommand())
	return c
}

func (a loopFamily) gateShowCommand() *cobra.Command {
	return &cobra.Command{
		Use: "show TASK", Short: "Show the question, the attempts and the options", Args: cobra.ExactArgs(1),
		Long:    "Exit codes: 0 shown · 2 the task does not wait at a gate · 6 no such task.",
		Example: "  belay gate show T7", ValidArgsFunction: a.CompleteTasks,
		RunE: func(c *cobra.Command, args []string) error {
			desk, id, err := a.OpenTask(c.Context(), args[0])
			if err != nil {
				return err
			}
			r, err := desk.Gate(id)
			if err != nil {
				return err
			}
			shown, _, err := desk.Show(id)
			return a.Tell(shown, err, func(w io.Writer) { fmt.Fprintln(w, prompt.Gate(r.State, r.Task)) })
		},
	}
}

func (a loopFamily) gateDecideCommand() *cobra.Command {
	var message, by string
	c := &cobra.Command{
		Use: "decide TASK debug|guide|as-it-is|skip|abort|recheck|approve", Short: "Record a decision", Args: cobra.ExactArgs(2),
		Long: `Decide answers a task that waits at a gate. A waiting run continues at once; otherwise
the next belay run --resume acts on the decision.

  debug    an agent looks for the root cause, then retries
  guide    retry with your instructions (--message)
  as-it-is run an ambiguous task as written
  recheck  check your own edits
  skip     roll back and record a known issue
  abort    roll back and stop
  approve  accept what passed and waits for a review (rejected work: belay task move)

Exit codes: 0 recorded · 2 not waiting, or not an option now · 6 no such task.`,
		Example: `  belay gate decide T7 guide --message "use the clock in ctx"
  belay gate decide T7 abort && belay run --resume T7`,
		ValidArgsFunction: func(c *cobra.Command, args []string, s string) ([]string, cobra.ShellCompDirective) {
			if len(args) == 1 {
				return []string{"debug", "guide", "as-it-is", "skip", "abort", "recheck", "approve"}, cobra.ShellCompDirectiveNoFileComp
			}
			return a.CompleteTasks(c, args, s)
		},
		RunE: func(c *cobra.Command, args []string) error {
			desk, id, err := a.OpenTask(c.Context(), args[0])
			if err != nil {
				return err
			}
			r, err := desk.Decide(c.Context(), id, loop.Decision(args[1]), message, by)
			if err != nil {
				return err
			}
			return a.Tell(map[string]any{"task": id, "decision": args[1], "phase": r.State.Phase}, nil, func(w io.Writer) {
				fmt.Fprintf(w, "%s: %s recorded\n", id, args[1])
				if r.State.Pending != nil {
					fmt.Fprintf(w, "the waiting run continues; otherwise: belay run --resume %s\n", id)
				}
			})
		},
	}
	c.Flags().StringVarP(&message, "message", "m", "", "what to do differently, or why")
	c.Flags().StringVar(&by, "by", "", "who decides, for the record (default: $USER)")
	return c
}

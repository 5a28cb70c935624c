package cli

import (
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/belay-dev/belay/internal/app"
	"github.com/belay-dev/belay/internal/belay"
	"github.com/belay-dev/belay/internal/loop"
	"github.com/belay-dev/belay/internal/prompt"
	"github.com/belay-dev/belay/internal/review"
	"github.com/belay-dev/belay/internal/terminal"
)

func (a loopFamily) gateCommand() *cobra.Command {
	c := &cobra.Command{Use: "gate", Short: "Answer a task that waits for a person",
		Example: "  belay gate show T7\n  belay gate decide T7 guide --message \"keep the old flag\""}
	c.AddCommand(a.gateShowCommand(), a.gateDecideCommand())
	return c
}

func (a loopFamily) gateShowCommand() *cobra.Command {
	return &cobra.Command{
		Use: "show [TASK]", Short: "Show the question, the attempts and the options", Args: cobra.MaximumNArgs(1),
		Long:    "Exit codes: 0 shown · 2 the task does not wait at a gate · 6 no such task.",
		Example: "  belay gate show T7", ValidArgsFunction: a.CompleteTasks,
		RunE: a.withTask(func(_ *cobra.Command, svc *app.Service, id belay.TaskID) error {
			r, err := svc.TaskAtGate(id)
			if err != nil {
				return err
			}
			shown, _, err := svc.Show(id)
			return a.PrintResult(shown, err, terminal.WrapOutput(func(w io.Writer) { fmt.Fprintln(w, prompt.Gate(r.State, r.Task)) }))
		}),
	}
}

// decisionsHelp explains the decisions, for the help of the commands that accept them.
const decisionsHelp = `  guide    retry with your instructions (--message)
  retry    retry without instructions
  diagnose an agent looks for the root cause, then retries
  as-it-is run an ambiguous task as written
  recheck  check your own edits
  approve  accept the work; rejected work needs a reason (--message)
  skip     roll back and record a known issue
  abort    roll back and stop`

// decisionNames are the names of the decisions on the command line.
var decisionNames = []string{"guide", "retry", "diagnose", "as-it-is", "recheck", "approve", "skip", "abort"}

// parseDecision parses the name of a decision.
func parseDecision(word string) (loop.Decision, bool) {
	if word == "debug" { // its earlier name
		return loop.DecideDebug, true
	}
	return loop.Decision(word), slices.Contains(decisionNames, word)
}

func (a loopFamily) decideCommand() *cobra.Command {
	var message, by string
	var quiet bool
	var gate int
	c := &cobra.Command{
		Use: "decide [TASK] " + strings.Join(decisionNames, "|"), Short: "Answer a task that waits for you", Args: cobra.RangeArgs(1, 2),
		Long: `Decide answers a task that waits at a gate and continues it: a run that waits at another
terminal continues there, otherwise this command runs the task until its work is accepted
or it waits again. Without TASK it answers the one that waits.

` + decisionsHelp + `

To record a decision without running anything: belay gate decide.

Exit codes: those of belay run · 2 no task waits, several wait, or the decision is not an
option now · 5 somebody else answered gate N.`,
		Example: `  belay decide guide --message "use the clock in ctx"
  belay decide T7 approve --message "the failing test is T9's"
  belay decide T7 abort`,
		ValidArgsFunction: func(c *cobra.Command, args []string, s string) ([]string, cobra.ShellCompDirective) {
			if len(args) == 0 {
				ids, rule := a.CompleteTasks(c, nil, s)
				return append(slices.Clone(decisionNames), ids...), rule
			}
			return decisionNames, cobra.ShellCompDirectiveNoFileComp
		},
		RunE: a.withRepository(func(c *cobra.Command, svc *app.Service, args []string) (err error) {
			var id belay.TaskID
			if len(args) == 2 {
				id, err = belay.ParseTaskID(args[0])
			} else {
				id, err = waitingTask(svc, args[0])
			}
			if err != nil {
				return err
			}
			return a.decide(c, svc, id, gate, args[len(args)-1], message, by, quiet)
		}),
	}
	c.Flags().StringVarP(&message, "message", "m", "", "what to do differently, or why")
	c.Flags().StringVar(&by, "by", "", "who decides, for the record (default: $USER)")
	c.Flags().IntVar(&gate, "gate", 0, "answer gate `N` only, and fail if somebody else answered it (default: the open one)")
	c.Flags().BoolVarP(&quiet, "quiet", "q", false, "show only the result")
	return c
}

// waitingTask returns the one task that waits at a gate.
func waitingTask(svc *app.Service, word string) (belay.TaskID, error) {
	if _, ok := parseDecision(word); !ok {
		return "", belay.Refuse(belay.CodeUsage, "belay decide TASK guide|retry|…", "%s is not a decision", belay.VisibleLine(word))
	}
	lines, err := svc.Tasks()
	if err != nil {
		return "", err
	}
	lines = slices.DeleteFunc(lines, func(l app.TaskLine) bool { return l.Waits == "" })
	switch len(lines) {
	case 0:
		return "", belay.Refuse(belay.CodeUsage, "belay status", "no task waits for a decision")
	case 1:
		return lines[0].ID, nil
	}
	var ids []string
	for _, l := range lines {
		ids = append(ids, string(l.ID))
	}
	return "", belay.Refuse(belay.CodeUsage, fmt.Sprintf("belay decide %s %s", ids[0], word),
		"%d tasks wait for a decision: %s", len(ids), strings.Join(ids, ", "))
}

func (a loopFamily) decide(c *cobra.Command, svc *app.Service, id belay.TaskID, gate int, word, message, by string, quiet bool) error {
	what, ok := parseDecision(word)
	if !ok {
		return belay.Refuse(belay.CodeUsage, "one of: "+strings.Join(decisionNames, ", "), "%s is not a decision", belay.VisibleLine(word))
	}
	r, err := svc.TaskAtNumberedGate(id, gate)
	if err != nil {
		return err
	}
	if what == loop.DecideApprove && r.State.Gate.Kind != loop.GateReview { // accept the judged work immediately
		return taskFamily(a).move(c, string(id), moveFlags{to: "approved", force: true, gate: r.State.Gate.Number,
			note: message, category: reasonCategory(message), by: by})
	}
	if r, err = svc.Decide(c.Context(), id, gate, what, message, by); err != nil {
		return err
	}
	err = a.run(c, runFlags{resume: string(id), quiet: quiet}, "", nil)
	if belay.CodeOf(err) == belay.CodeBusy && svc.HasRun(c.Context(), r) {
		return a.PrintResult(app.DecisionResult{Task: id, Decision: what, Phase: r.State.Phase}, nil, func(w io.Writer) {
			fmt.Fprintf(w, "%s: %s recorded; the waiting run continues\n", id, what)
		})
	}
	return err
}

// reasonCategory returns the category for a reason that is given only as text.
func reasonCategory(message string) string {
	if strings.TrimSpace(message) == "" {
		return ""
	}
	return string(review.Custom)
}

func (a loopFamily) gateDecideCommand() *cobra.Command {
	var message, by string
	var gate int
	c := &cobra.Command{
		Use: "decide TASK " + strings.Join(decisionNames, "|"), Short: "Record a decision", Args: cobra.ExactArgs(2),
		Long: `Decide records the answer to a task that waits at a gate. A waiting run continues at once;
otherwise the next belay run --resume acts on the decision. belay decide does both.

` + decisionsHelp + `

Exit codes: 0 recorded · 2 the task does not wait, or the decision is not an option now ·
5 somebody else answered gate N · 6 no such task.`,
		Example: `  belay gate decide T7 guide --message "use the clock in ctx"
  belay gate decide T7 abort && belay run --resume T7`,
		ValidArgsFunction: func(c *cobra.Command, args []string, s string) ([]string, cobra.ShellCompDirective) {
			if len(args) == 1 {
				return decisionNames, cobra.ShellCompDirectiveNoFileComp
			}
			return a.CompleteTasks(c, args, s)
		},
		RunE: func(c *cobra.Command, args []string) error {
			svc, id, err := a.OpenTask(c.Context(), args[0])
			if err != nil {
				return err
			}
			what, ok := parseDecision(args[1])
			if !ok {
				what = loop.Decision(args[1]) // Decide rejects it and lists the options
			}
			r, err := svc.Decide(c.Context(), id, gate, what, message, by)
			if err != nil {
				return err
			}
			return a.PrintResult(app.DecisionResult{Task: id, Decision: what, Phase: r.State.Phase}, nil, func(w io.Writer) {
				fmt.Fprintf(w, "%s: %s recorded\n", id, what)
				if r.State.Pending != nil {
					fmt.Fprintf(w, "the waiting run continues; otherwise: belay run --resume %s\n", id)
				}
			})
		},
	}
	c.Flags().StringVarP(&message, "message", "m", "", "what to do differently, or why")
	c.Flags().StringVar(&by, "by", "", "who decides, for the record (default: $USER)")
	c.Flags().IntVar(&gate, "gate", 0, "answer gate `N` only, and fail if somebody else answered it (default: the open one)")
	return c
}

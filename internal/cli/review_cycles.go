package cli

import (
	"fmt"
	"io"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"github.com/belay-dev/belay/internal/app"
	"github.com/belay-dev/belay/internal/belay"
)

func (a reviewFamily) recordCommand() *cobra.Command {
	var verdict, file, text, reviewer, command string
	var again, force bool
	c := &cobra.Command{
		Use: "record TASK", Short: "Record a review of a task's work", Args: cobra.ExactArgs(1),
		Long: `Record writes the review to .belay/reviews/FEATURE/TASK/review-cycle-N.md, to be
committed with the work, and to the task's record. Where the two differ, the record
counts. The front matter lists the files and lines that the text asks to change. Without
--file the text is read from .belay/now/feedback/TASK.md, where reviewers are told to
write it.

Rejecting work that waits at a gate, or that was accepted and is still in the working
tree, starts the next attempt with what the review asks for and the code it is about.
With --again belay rolls back first. Approving accepts work that waits for a review. In
all other cases the review is only recorded, and belay says so.

Exit codes: 0 recorded · 2 not recorded · 6 no such task.`,
		Example: `  belay review record T7 --verdict reject --file feedback.md --reviewer ana
  belay review record T7 --verdict approve --reviewer ana -m "fine"`,
		ValidArgsFunction: a.CompleteTasks,
		RunE: func(c *cobra.Command, args []string) error {
			task, err := belay.ParseTaskID(args[0])
			if err != nil {
				return err
			}
			if verdict == "" || file != "" && text != "" {
				return belay.Refuse(belay.CodeUsage, c.CommandPath()+" "+args[0]+" --verdict reject --file feedback.md",
					"a review needs a verdict and one text")
			}
			if file != "" {
				if text, err = a.readComments(file); err != nil {
					return err
				}
				if strings.TrimSpace(text) == "" {
					return belay.Refuse(belay.CodeUsage, "write what to change, or what is good", "the review is empty")
				}
			}
			svc, err := a.Open(c.Context())
			if err != nil {
				return err
			}
			v, err := app.RecordReview(c.Context(), svc,
				app.NewReview{Task: task, Verdict: verdict, Text: text, Reviewer: reviewer, Reproduction: command,
					Redo: again, Secrets: force, Watch: a.Screen(true)})
			return a.printDataOrError(v, err, func(w io.Writer) {
				fmt.Fprintf(w, "review %d of %s: %s, %s to change\n%s\n", v.Cycle, task, v.Verdict,
					belay.CountOf(len(v.Affected), "place"), belay.VisibleLine(v.Path))
				fmt.Fprintln(w, belay.VisibleLine(v.NextStep))
			})
		},
	}
	f := c.Flags()
	f.StringVar(&verdict, "verdict", "", "reject or approve")
	f.StringVar(&file, "file", "", "the review's text, a `FILE` or - for standard input")
	f.StringVarP(&text, "message", "m", "", "the review's text itself")
	f.BoolVar(&force, "force-secrets", false, "keep possible secrets in the text (recorded)")
	f.BoolVar(&again, "again", false, "roll back and start over, instead of fixing")
	f.StringVar(&reviewer, "reviewer", "", "the reviewer's `NAME`")
	f.StringVar(&command, "reproduce", "", "a `COMMAND` that shows the problem")
	return c
}

func (a reviewFamily) listCommand() *cobra.Command {
	return &cobra.Command{
		Use: "list TASK", Short: "List the reviews of a task", Args: cobra.ExactArgs(1),
		Long: `List shows each review cycle with its verdict from the record. It marks files that are not
in the record, and files that cannot be read.

Exit codes: 0 done · 6 no such task.`,
		Example:           "  belay review list T7\n  belay review list T7 --json",
		ValidArgsFunction: a.CompleteTasks,
		RunE: a.withTask(func(_ *cobra.Command, svc *app.Service, task belay.TaskID) error {
			all, err := app.ListReviews(svc, task)
			return a.printReviews(task, all, err)
		}),
	}
}

// printReviews lists the reviews of a task, without their texts.
func (a reviewFamily) printReviews(task belay.TaskID, all []app.Review, err error) error {
	for i := range all {
		all[i].Body = ""
	}
	return a.printDataOrError(map[string]any{"reviews": all}, err, func(w io.Writer) {
		if len(all) == 0 {
			fmt.Fprintf(w, "no review of %s\n", task)
		}
		for _, v := range all {
			printReview(w, v)
		}
	})
}

func printReview(w io.Writer, v app.Review) {
	words := []string{fmt.Sprintf("%d", v.Cycle), v.Verdict}
	if v.Verdict == "" {
		words[1] = "no verdict"
	}
	if v.Reviewer != "" {
		words = append(words, "by "+v.Reviewer)
	}
	if v.Resolved {
		words = append(words, "resolved")
	}
	if !v.Recorded {
		words = append(words, "not in the record")
	}
	if v.Problem != "" {
		words = append(words, v.Problem)
	}
	fmt.Fprintln(w, belay.VisibleLine(strings.Join(append(words, v.Path), "  ")))
}

func (a reviewFamily) showCommand() *cobra.Command {
	return &cobra.Command{
		Use: "show POINTER | TASK N", Short: "Show a review", Args: cobra.RangeArgs(1, 2),
		Long: `Show prints a review: cycle N of a task, or the one that a pointer names. Pointers are
review-cycle://feature/task/review-cycle-N.md and the older feedback://feature/task/name.

Exit codes: 0 done · 2 no such pointer · 6 no such review.`,
		Example: `  belay review show T7 2
  belay review show review-cycle://_/T7/review-cycle-2.md`,
		RunE: a.withRepository(func(_ *cobra.Command, svc *app.Service, args []string) error {
			if len(args) == 1 {
				path, text, err := app.ReadPointer(svc, args[0])
				return a.printDataOrError(map[string]string{"path": path, "text": text}, err, func(w io.Writer) {
					fmt.Fprint(w, belay.Visible(text))
				})
			}
			task, err := belay.ParseTaskID(args[0])
			if err != nil {
				return err
			}
			n, err := parseCycleNumber(args[1])
			if err != nil {
				return err
			}
			v, err := app.GetReview(svc, task, n)
			return a.printDataOrError(v, err, func(w io.Writer) {
				printReview(w, v)
				for _, f := range v.Affected {
					fmt.Fprintln(w, "  "+belay.VisibleLine(strings.TrimSuffix(f.Path+":"+f.Lines, ":")+"  "+f.Severity))
				}
				fmt.Fprint(w, belay.Visible(v.Body))
			})
		}),
	}
}

func parseCycleNumber(s string) (int, error) {
	n, err := strconv.Atoi(s)
	if err != nil || n < 1 {
		return 0, belay.Refuse(belay.CodeUsage, "a number from 1: belay review list TASK", "%q is not a review number", s)
	}
	return n, nil
}

func (a reviewFamily) resolveCommand() *cobra.Command {
	return &cobra.Command{
		Use: "resolve TASK N…", Short: "Mark review cycles as done", Args: cobra.MinimumNArgs(2),
		Long: `Resolve marks these review cycles as done, in the record and in their files. It writes
nothing if one of them is unknown.

Exit codes: 0 done · 2 a file cannot be read, or was changed meanwhile · 6 no such review.`,
		Example: `  belay review resolve T7 1 2`,
		RunE: func(c *cobra.Command, args []string) error {
			svc, task, err := a.OpenTask(c.Context(), args[0])
			if err != nil {
				return err
			}
			var cycles []int
			for _, s := range args[1:] {
				n, err := parseCycleNumber(s)
				if err != nil {
					return err
				}
				cycles = append(cycles, n)
			}
			all, err := app.ResolveReviews(c.Context(), svc, task, cycles)
			return a.printReviews(task, all, err)
		},
	}
}

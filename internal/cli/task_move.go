package cli

import (
	"context"
	"fmt"
	"io"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/belay-dev/belay/internal/app"
	"github.com/belay-dev/belay/internal/belay"
	"github.com/belay-dev/belay/internal/review"
)

type moveFlags struct {
	to, category, note, by string
	force                  bool
	gate                   int
}

func (a taskFamily) moveCommand() *cobra.Command {
	var q moveFlags
	c := &cobra.Command{
		Use: "move TASK --to approved|for_review", Short: "Submit a task's work for review, or accept it", Args: cobra.ExactArgs(1),
		Long: `Move --to for_review submits work that passed its checks for a person's review (belay
review record). It fails if the task has uncaptured source changes, and lists them. Logs,
belay's own files and files of other tasks are listed but do not block.

Move --to approved accepts work that waits for a review. Rejected work needs --force and a
reason, which is recorded, also in the review file. On a terminal belay asks five
questions; in a script, answer with flags or give the category:

` + categoriesHelp() + `
Work that is already accepted is not changed.

Exit codes: 0 done · 1 rejected and no --force, or not ready for a review · 2 nothing to
accept, or no reason · 5 an attempt is running · 6 no such task.`,
		Example: `  belay task move T7 --to for_review
  belay task move T7 --to approved --force
  belay task move T7 --to approved --force --category cross_scope --note "the lint rule is T9's"`,
		ValidArgsFunction: a.CompleteTasks,
		RunE:              func(c *cobra.Command, args []string) error { return a.move(c, args[0], q) },
	}
	f := c.Flags()
	f.StringVar(&q.to, "to", "approved", "where to: approved or for_review")
	f.BoolVar(&q.force, "force", false, "accept rejected work")
	f.StringVar(&q.category, "category", "", "why the rejection does not apply: "+review.CategoryNames())
	f.StringVar(&q.note, "note", "", "the reason, for the record")
	f.IntVar(&q.gate, "gate", 0, "accept what waits at gate `N` only, and fail if somebody else answered it (default: the open one)")
	f.StringVar(&q.by, "by", "", "who accepts it, for the record (default: $USER)")
	for _, q := range review.Questions() {
		f.Bool(flagName(q), false, q.Text)
	}
	_ = c.RegisterFlagCompletionFunc("category",
		cobra.FixedCompletions(strings.Split(review.CategoryNames(), ", "), cobra.ShellCompDirectiveNoFileComp))
	return c
}

func (a taskFamily) move(c *cobra.Command, task string, q moveFlags) error {
	if q.to != "approved" && q.to != "for_review" {
		return belay.Refuse(belay.CodeUsage, "belay task move "+task+" --to approved",
			"--to must be approved or for_review, not %q", q.to)
	}
	svc, id, err := a.OpenTask(c.Context(), task)
	if err != nil {
		return err
	}
	if q.to == "for_review" {
		return a.submit(c.Context(), svc, id)
	}
	why := func() (review.Decision, error) {
		return a.askOverrule(c.Flags(), review.Category(q.category), q.note)
	}
	if _, err := app.ApproveWork(c.Context(), svc, app.Approval{Task: id, Gate: q.gate, Force: q.force, By: q.by, Decision: why,
		Watch: a.Screen(true)}); err != nil {
		return err
	}
	shown, r, err := svc.Show(id)
	return a.PrintResult(shown, err, func(w io.Writer) {
		fmt.Fprintf(w, "%s is accepted: %s\n", id, belay.VisibleLine(r.State.Why))
	})
}

// submit submits a task's work for review and lists other changes in the tree.
func (a taskFamily) submit(ctx context.Context, svc *app.Service, id belay.TaskID) error {
	state, err := app.Submit(ctx, svc, id)
	if err != nil && state.Task == "" {
		return err
	}
	return a.PrintResult(state, err, func(w io.Writer) {
		for _, v := range state.Dirty {
			word := "beside"
			if v.Blocking {
				word = "blocks"
			}
			fmt.Fprintf(w, "%s  %s  (%s)\n", word, app.ChangeText(v.PathChange), v.Reason)
		}
		if err == nil {
			fmt.Fprintf(w, "%s: %s\n", id, belay.VisibleLine(state.Waits))
		}
	})
}

// categoriesHelp lists the reasons to accept rejected work, one per line.
func categoriesHelp() (list string) {
	for _, c := range review.Categories() {
		list += fmt.Sprintf("  %-22s %s\n", c, c.Description())
	}
	return list
}

func flagName(q review.Question) string { return strings.ReplaceAll(q.Key, "_", "-") }

// askOverrule returns the reason for accepting rejected work: from flags, and what they leave open
// from the person at the terminal.
func (a taskFamily) askOverrule(f *pflag.FlagSet, category review.Category, note string) (review.Decision, error) {
	answers := map[string]bool{}
	for _, q := range review.Questions() {
		if flag := f.Lookup(flagName(q)); flag != nil && flag.Changed {
			answers[q.Key] = flag.Value.String() == "true"
		}
	}
	if category == "" && len(answers) == 0 {
		for _, q := range review.Questions() {
			line, ok := a.AskLine(q.Text + " [y/n]")
			if !ok {
				break
			}
			answers[q.Key] = strings.HasPrefix(strings.ToLower(line), "y")
		}
	}
	if note == "" {
		note, _ = a.AskLine("why may it be accepted?")
	}
	return review.Decide(category, answers, note)
}

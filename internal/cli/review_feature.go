package cli

import (
	"fmt"
	"io"
	"strings"

	"github.com/spf13/cobra"

	"github.com/belay-dev/belay/internal/app"
	"github.com/belay-dev/belay/internal/belay"
	"github.com/belay-dev/belay/internal/terminal"
)

func (a reviewFamily) featureCommand() *cobra.Command {
	var tasks, spec, reject []string
	var file, text, reviewer string
	var ask bool
	c := &cobra.Command{
		Use: "feature FEATURE | --tasks T1,T2", Short: "Review all tasks of a feature together", Args: cobra.MaximumNArgs(1),
		Long: `Feature compares the tasks of a feature with its specification: requirements without
work, work without a requirement, and changes outside the tasks' files. It reads the
documents below the feature's folder (specs/, kitty-specs/, openspec/changes/,
.kiro/specs/, .workitems/), or --spec. With --ask the configured reviewers read the whole
change as well.

--reject rolls back the named tasks, newest first, with the reason for their next
attempts. What others changed since is kept and listed; nothing is rolled back if another
task changed the same files. Undo it with belay undo.

Exit codes: 0 no findings, or rolled back · 1 findings, with their tasks · 2 could not
review · 5 somebody else reviews · 6 no such task or document.`,
		Example: `  belay review feature login
  belay review feature login --ask --json
  belay review feature login --reject T4,T5 --file feedback.md`,
	}
	f := c.Flags()
	f.StringSliceVar(&tasks, "tasks", nil, "these `TASKS` instead of the feature's")
	f.StringSliceVar(&spec, "spec", nil, "`FILES` of the specification, relative to the root")
	f.BoolVar(&ask, "ask", false, "also run the configured reviewers")
	f.StringSliceVar(&reject, "reject", nil, "roll back these `TASKS` and start them over")
	f.StringVar(&file, "file", "", "with --reject: the reason, a `FILE` or -")
	f.StringVarP(&text, "message", "m", "", "with --reject: the reason itself")
	f.StringVar(&reviewer, "reviewer", "", "with --reject: the reviewer's `NAME`")
	c.RunE = func(c *cobra.Command, args []string) error {
		q := app.FeatureRequest{Spec: spec, Ask: ask, Watch: a.Screen(true)}
		if len(args) == 1 {
			q.Feature = args[0]
		}
		var err error
		if q.Tasks, err = parseTaskIDs(tasks); err != nil {
			return err
		}
		if q.Feature == "" && len(q.Tasks) == 0 {
			return belay.Refuse(belay.CodeUsage, c.CommandPath()+" FEATURE, or --tasks T1,T2", "which tasks?")
		}
		svc, err := a.Open(c.Context())
		if err != nil {
			return err
		}
		if len(reject) == 0 {
			return a.reviewFeature(svc, q)
		}
		if file != "" {
			if text, err = a.readComments(file); err != nil {
				return err
			}
		}
		return a.rejectTogether(c, svc, q, reject, text, reviewer)
	}
	return c
}

func parseTaskIDs(words []string) ([]belay.TaskID, error) {
	var out []belay.TaskID
	for _, w := range words {
		id, err := belay.ParseTaskID(w)
		if err != nil {
			return nil, err
		}
		out = append(out, id)
	}
	return out, nil
}

func (a reviewFamily) reviewFeature(svc *app.Service, q app.FeatureRequest) error {
	s := a.Screen(false)
	s.SetProgress("reviewing the feature")
	v, err := app.ReviewFeature(a.StopRequested, svc, q)
	s.Stop()
	if err != nil {
		return err
	}
	switch v.Verdict {
	case belay.VerdictFail:
		try := "fix what is listed above"
		if len(v.Blamed) > 0 {
			try = fmt.Sprintf("belay review feature %s --reject %s -m \"why\" rolls them back",
				strings.TrimSpace(q.Feature+" "+tasksFlag(q.Tasks)), joinIDs(v.Blamed))
		}
		err = belay.Refuse(belay.CodeRefused, try, "the feature has blocking findings")
	case belay.VerdictUnknown:
		err = belay.Refuse(belay.CodeCannot, "see the review that could not run, above", "the feature could not be reviewed")
	}
	return a.PrintResult(v, err, func(w io.Writer) { printFeatureReview(w, v) })
}

func printFeatureReview(w io.Writer, v app.FeatureReview) {
	fmt.Fprintf(w, "%s: %s\n", belay.CountOf(len(v.Tasks), "task"), joinIDs(v.Tasks))
	if len(v.Spec) == 0 {
		fmt.Fprintln(w, "no document says what the feature must do: --spec FILE")
	} else {
		fmt.Fprintln(w, belay.VisibleLine("compared with "+strings.Join(v.Spec, ", ")))
	}
	for _, f := range v.Facts {
		terminal.PrintFindings(w, "", f.Finding)
	}
	for _, r := range v.Reviews {
		fmt.Fprintf(w, "%s: %s  %s\n", r.Check, r.Verdict, belay.VisibleLine(r.Summary+r.Why))
		terminal.PrintFindings(w, "", r.Findings...)
	}
	if len(v.Blamed) > 0 {
		fmt.Fprintf(w, "about: %s\n", joinIDs(v.Blamed))
	}
}

func joinIDs(list []belay.TaskID) string {
	var out []string
	for _, id := range list {
		out = append(out, string(id))
	}
	return strings.Join(out, ",")
}

func tasksFlag(list []belay.TaskID) string {
	if len(list) == 0 {
		return ""
	}
	return "--tasks " + joinIDs(list)
}

func (a reviewFamily) rejectTogether(c *cobra.Command, svc *app.Service, q app.FeatureRequest, reject []string, text,
	reviewer string) error {
	list, err := parseTaskIDs(reject)
	if err != nil {
		return err
	}
	back, err := app.RejectTogether(c.Context(), svc, app.Rejection{Tasks: list, Text: text, Reviewer: reviewer, Watch: q.Watch})
	if err != nil && len(back) == 0 {
		return err
	}
	return a.PrintResult(map[string]any{"back": back}, err, func(w io.Writer) {
		for _, b := range back {
			fmt.Fprintf(w, "%s: rolled back; the previous state is snapshot %s\n", b.Task, b.Rescue.Short())
			for _, k := range b.Kept {
				fmt.Fprintln(w, belay.VisibleLine("  left alone: "+k))
			}
			fmt.Fprintf(w, "  start over with: belay run --resume %s\n", b.Task)
		}
	})
}

package cli

import (
	"fmt"
	"io"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"github.com/belay-dev/belay/internal/app"
	"github.com/belay-dev/belay/internal/belay"
	"github.com/belay-dev/belay/internal/plan"
)

func (a planFamily) newCommand() *cobra.Command {
	var id string
	var anyway bool
	c := &cobra.Command{
		Use: "new --task TASK [PLAN]", Short: "Write the first plan of a task", Args: cobra.MaximumNArgs(1),
		ValidArgsFunction: completePlans,
		Long: `New writes a plan for a task: a section for each requirement with its marker, and one for
what stays. Without PLAN it goes into the folder of the task's feature (specs, kitty-specs,
.kiro/specs, openspec/changes, .workitems), else to .belay/now/plan.md. It does not
overwrite a file. A bugfix gets no plan.

Exit codes: 0 written, or not needed for a bugfix · 2 could not be written · 3 the task is
ambiguous · 6 no such task.`,
		Example: "  belay plan new --task T1 plan.tsx",
		RunE: func(c *cobra.Command, args []string) error {
			svc, q, err := a.openChange(c, args, id)
			if err != nil {
				return err
			}
			q.Force = anyway
			made, err := app.MakePlan(c.Context(), svc, q)
			return a.printDataOrError(made, err, func(w io.Writer) {
				if made.SkipReason != "" {
					fmt.Fprintln(w, belay.VisibleLine(made.SkipReason))
					return
				}
				fmt.Fprintf(w, "%s is the plan of %s\n", belay.VisibleLine(made.Plan), made.Task)
			})
		},
	}
	c.Flags().StringVar(&id, "task", "", "the `TASK` that the plan is for")
	c.Flags().BoolVar(&anyway, "anyway", false, "whatever the task's type")
	_ = c.MarkFlagRequired("task")
	_ = c.RegisterFlagCompletionFunc("task", a.CompleteTasks)
	return c
}

// openChange opens the repository for a change of the named plan, or of the task's plan.
func (a planFamily) openChange(c *cobra.Command, args []string, id string) (*app.Service, app.PlanRequest, error) {
	svc, task, err := a.OpenTask(c.Context(), id)
	q := app.PlanRequest{Dir: a.Dir, Task: task}
	if len(args) > 0 {
		q.Plan = args[0]
	}
	return svc, q, err
}

func (a planFamily) updateCommand() *cobra.Command {
	var id string
	var sections []string
	var dry, explain, anyway bool
	c := &cobra.Command{
		Use: "update PLAN --task TASK", Short: "Mark a task's changes in a plan",
		Args: cobra.ExactArgs(1), ValidArgsFunction: completePlans,
		Long: `Update adds comments to a plan: TASK-N [ADD|MODIFY|FIX|REMOVE]: … to the sections that a
requirement is about, NO CHANGES for task-N to the others, PRESERVED to what has to stay.
Every other byte stays, and a second update adds nothing. A requirement that fits no
section, or two equally well, is listed and not marked: --section NAME names its section,
--section NUMBER=NAME that of one requirement.

Only a mutation marks a plan. A fresh task needs a new one (belay plan new), a bugfix none.

Exit codes: 0 marked, or unchanged · 2 wrong syntax, or not written · 3 the task is
ambiguous · 5 somebody saved the plan meanwhile · 6 no such plan, task or section.`,
		Example: `  belay plan update plan.tsx --task T3 --dry-run --explain
  belay plan update plan.tsx --task T3 --section 2=hero`,
		RunE: func(c *cobra.Command, args []string) error {
			svc, q, err := a.openChange(c, args, id)
			if err != nil {
				return err
			}
			if q.Pins, err = parseSections(sections); err != nil {
				return err
			}
			q.DryRun, q.Force = dry, anyway
			changed, err := app.UpdatePlan(c.Context(), svc, q)
			if err != nil {
				return err
			}
			if !a.JSON {
				for _, s := range changed.Warnings {
					fmt.Fprintf(a.Err, "warning: %s\n", belay.VisibleLine(s))
				}
			}
			return a.PrintResult(changed, nil, func(w io.Writer) { printPlanChange(w, changed, dry, explain) })
		},
	}
	f := c.Flags()
	f.StringVar(&id, "task", "", "the `TASK` to mark the plan for")
	f.StringArrayVar(&sections, "section", nil, "`[NUMBER=]NAME` of the section for requirements that fit none, or for requirement NUMBER")
	f.BoolVar(&dry, "dry-run", false, "show the lines and write nothing")
	f.BoolVar(&explain, "explain", false, "show why each section was marked")
	f.BoolVar(&anyway, "anyway", false, "whatever the task's type")
	_ = c.MarkFlagRequired("task")
	_ = c.RegisterFlagCompletionFunc("task", a.CompleteTasks)
	return c
}

// parseSections parses the values of --section: NAME, or NUMBER=NAME for one requirement.
func parseSections(given []string) (map[int][]string, error) {
	out := map[int][]string{}
	for _, s := range given {
		n, name := 0, s
		if number, rest, ok := strings.Cut(s, "="); ok {
			if v, err := strconv.Atoi(number); err == nil {
				if n, name = v, rest; n < 1 {
					return nil, belay.Refuse(belay.CodeUsage, "requirements are counted from 1", "%q names no requirement", s)
				}
			}
		}
		if strings.TrimSpace(name) == "" {
			return nil, belay.Refuse(belay.CodeUsage, "--section NAME, or --section 2=NAME", "%q names no section", s)
		}
		out[n] = append(out[n], name)
	}
	return out, nil
}

func printPlanChange(w io.Writer, c app.PlanChange, dry, explain bool) {
	if explain {
		for _, a := range append(append([]app.PlacedRequirement{}, c.Requirements...), c.Preserved...) {
			fmt.Fprintf(w, "%d [%s] %s\n", a.Number, a.Marker, belay.VisibleLine(a.Text))
			for _, s := range a.Sections {
				fmt.Fprintf(w, "    %s: %s\n", belay.VisibleLine(s.Section), belay.VisibleLine(strings.Join(s.Why, "; ")))
			}
			if len(a.Sections) == 0 {
				fmt.Fprintln(w, "    no section")
			}
		}
	}
	switch name := belay.VisibleLine(c.Plan); {
	case c.SkipReason != "":
		fmt.Fprintln(w, belay.VisibleLine(c.SkipReason))
	case len(c.Added)+len(c.Dropped) == 0:
		fmt.Fprintf(w, "%s is unchanged\n", name)
	case dry:
		for _, l := range c.Dropped {
			printPlanLine(w, name, "-", l)
		}
		for _, l := range c.Added {
			printPlanLine(w, name, "+", l)
		}
		fmt.Fprintf(w, "nothing was written: %d to add, %d to remove\n", len(c.Added), len(c.Dropped))
	default:
		fmt.Fprintf(w, "%s is marked for %s: %d added, %d removed\n", name, c.Task, len(c.Added), len(c.Dropped))
	}
}

func printPlanLine(w io.Writer, name, sign string, l plan.MarkerLine) {
	fmt.Fprintf(w, "%s:%d %s %s  (%s)\n", name, l.Line, sign, belay.VisibleLine(l.Text), belay.VisibleLine(l.Section))
}

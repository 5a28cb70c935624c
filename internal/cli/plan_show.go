package cli

import (
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/belay-dev/belay/internal/app"
	"github.com/belay-dev/belay/internal/belay"
	"github.com/belay-dev/belay/internal/plan"
	"github.com/belay-dev/belay/internal/terminal"
)

func (a planFamily) sectionsCommand() *cobra.Command {
	return &cobra.Command{
		Use: "sections PLAN", Short: "List the sections of a plan, their lines and markers", Args: cobra.ExactArgs(1),
		ValidArgsFunction: completePlans,
		Long: `Sections lists each section of a plan with its path, its lines, the number of its markers,
and the lists in it that can be counted. --json adds the bytes, the nesting and the
markers. It needs no repository.

Exit codes: 0 listed · 2 no plan, or wrong syntax · 6 no such file.`,
		Example: "  belay plan sections plan.tsx --json",
		RunE: func(_ *cobra.Command, args []string) error {
			shown, err := app.ShowPlan(a.Dir, args[0])
			return a.printDataOrError(shown, err, func(w io.Writer) {
				rows := [][]string{}
				for _, s := range shown.Sections {
					rows = append(rows, []string{s.Path, string(s.Kind), fmt.Sprintf("%d-%d", s.Line, s.EndLine),
						markersText(len(s.Markers)), strings.Join(countTexts(s), ", ")})
				}
				terminal.PrintTable(w, rows)
				if len(rows) == 0 {
					fmt.Fprintln(w, "no sections")
				}
			})
		},
	}
}

func markersText(n int) string {
	if n == 0 {
		return "-"
	}
	return belay.CountOf(n, "marker")
}

func countTexts(s app.Section) []string {
	var out []string
	for _, l := range s.Lists {
		out = append(out, l.Name+" "+countText(l.Count))
	}
	return out
}

func (a planFamily) showCommand() *cobra.Command {
	return &cobra.Command{
		Use: "show PLAN", Short: "Show a plan as a tree with its markers", Args: cobra.ExactArgs(1), ValidArgsFunction: completePlans,
		Long: `Show prints the sections of a plan as a tree, each with its line and its markers. It needs
no repository.

Exit codes: 0 shown · 2 no plan, or wrong syntax · 6 no such file.`,
		Example: "  belay plan show plan.tsx",
		RunE: func(_ *cobra.Command, args []string) error {
			shown, err := app.ShowPlan(a.Dir, args[0])
			return a.printDataOrError(shown, err, func(w io.Writer) { printPlanTree(w, shown, terminal.PaintFor(a.Out)) })
		},
	}
}

func printPlanTree(w io.Writer, shown app.PlanView, paint terminal.Paint) {
	all := append([]app.Section{}, shown.Sections...)
	for _, b := range shown.Blocks { // blocks without markers are not about a task
		if len(b.Markers) > 0 {
			all = append(all, b)
		}
	}
	slices.SortStableFunc(all, func(a, b app.Section) int { return a.Start - b.Start })
	for _, m := range shown.Unattached {
		fmt.Fprintln(w, markerText(m, paint))
	}
	for _, s := range all {
		in := strings.Repeat("  ", s.Level-1)
		lists := strings.Join(countTexts(s), ", ")
		if lists != "" {
			lists = "  " + lists
		}
		fmt.Fprintf(w, "%s%s  %s\n", in, paint.Bold(belay.VisibleLine(s.Name)),
			paint.Dim(belay.VisibleLine(fmt.Sprintf("%s, line %d%s", s.Kind, s.Line, lists))))
		for _, m := range s.Markers {
			fmt.Fprintf(w, "%s    %s\n", in, markerText(m, paint))
		}
	}
}

func markerText(m app.Marker, paint terminal.Paint) string {
	if m.Bad != "" {
		return paint.Bad(belay.VisibleLine(fmt.Sprintf("line %d: %s (%s)", m.Line, m.Text, m.Bad)))
	}
	text := belay.VisibleLine(plan.Marker{Kind: m.Marker, Task: m.Task, Count: m.Count, Text: m.Text}.String())
	switch m.Marker {
	case belay.MarkAdd:
		return paint.Good(text)
	case belay.MarkRemove:
		return paint.Bad(text)
	case belay.MarkModify, belay.MarkFix:
		return paint.Warn(text)
	}
	return paint.Dim(text)
}

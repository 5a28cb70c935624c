package terminal

import (
	"fmt"
	"io"
	"strings"

	"github.com/belay-dev/belay/internal/app"
	"github.com/belay-dev/belay/internal/belay"
	"github.com/belay-dev/belay/internal/phase"
)

// PrintActiveFeatures prints each feature with its phase and the command that continues it.
func PrintActiveFeatures(w io.Writer, views []app.FeatureView) {
	var rows [][]string
	for _, v := range views {
		next := v.Next.Command
		if v.Problem != "" {
			next = v.Problem
		}
		rows = append(rows, []string{belay.VisibleLine(v.Name), v.Summary(), v.Mode, belay.VisibleLine(next)})
	}
	PrintTable(w, rows)
}

// PrintFeature prints everything about a feature.
func PrintFeature(w io.Writer, v app.FeatureView) {
	p := PaintFor(w)
	fmt.Fprintf(w, "%s  %s, mode %s, %s\n", p.Bold(belay.VisibleLine(v.Name)), belay.VisibleLine(v.Folder), v.Mode, v.Summary())
	for _, n := range append(v.Warnings, v.Problem) {
		if n != "" {
			fmt.Fprintln(w, p.Warn(belay.VisibleLine(n)))
		}
	}
	var rows [][]string
	for _, s := range v.Steps {
		if s.Artefact == phase.None && !s.Begun || !s.InMode && !s.Begun && s.Artefact == phase.Missing {
			continue
		}
		rows = append(rows, []string{"  " + string(s.Phase), phaseProgress(s), belay.VisibleLine(s.File), string(s.Artefact)})
	}
	PrintTable(w, rows)
	if v.Boxes != nil {
		fmt.Fprintf(w, "  %d of %s in the task list done\n", v.Boxes.Done, belay.CountOf(v.Boxes.Total, "task"))
	}
	for _, ph := range phase.All {
		g := v.Of(ph)
		for _, it := range g.Iterations {
			fmt.Fprintln(w, belay.VisibleLine(roundText(ph, it)))
			PrintFindings(w, "  ", it.Findings...)
		}
		if len(g.Concerns) > 0 {
			fmt.Fprintln(w, p.Warn(fmt.Sprintf("%s was completed with %s", ph, belay.CountOf(len(g.Concerns), "open concern"))))
		}
	}
	if len(v.History) > 0 {
		fmt.Fprintln(w, "history:")
	}
	for _, e := range v.History {
		fmt.Fprintln(w, belay.VisibleLine(fmt.Sprintf("  %3d  %s  %s", e.Seq, e.Time.Local().Format("2006-01-02 15:04"), e.Text)))
	}
	if v.Next.Command != "" {
		fmt.Fprintf(w, "next: %s\n", v.Next.Command)
	}
}

func phaseProgress(s app.PhaseView) string {
	switch {
	case s.Done && s.Verified:
		return "done, approved"
	case s.Done:
		return "done"
	case s.Begun:
		return "started"
	}
	return "-"
}

func roundText(ph phase.Phase, it phase.Iteration) string {
	text := fmt.Sprintf("%s, iteration %d (%s reviewer): %s", ph, it.N, it.Sits, it.Verdict)
	if len(it.By) > 0 {
		text += " by " + strings.Join(it.By, ", ")
	}
	if len(it.Waits) > 0 {
		text += ", waits for " + strings.Join(it.Waits, ", ")
	}
	if it.Changes != "" {
		text += "; changes: " + it.Changes
	}
	return text
}

// PrintFindings prints each finding on its own line, indented.
func PrintFindings(w io.Writer, indent string, list ...belay.Finding) {
	for _, f := range list {
		about := strings.TrimSpace(belay.At(f.File, f.Line) + "  " + f.Title)
		fmt.Fprintln(w, belay.VisibleLine(fmt.Sprintf("%s%-7s  %s", indent, f.Severity, about)))
	}
}

// PrintPhase prints the result of a command of a phase.
func PrintPhase(w io.Writer, r app.PhaseResult) {
	p := PaintFor(w)
	for _, n := range r.Warnings {
		fmt.Fprintln(w, p.Warn(belay.VisibleLine(n)))
	}
	if r.Type == phase.Warn && r.State != "completed" {
		fmt.Fprintln(w, p.Warn("warning: "+belay.VisibleLine(r.Message)))
	}
	if it := r.Round; it != nil && r.State != "started" && r.State != "checked" {
		fmt.Fprintln(w, belay.VisibleLine(roundText(r.Phase, *it)))
		PrintFindings(w, "  ", it.Findings...)
	}
	switch {
	case r.State == "checked" && r.Allowed:
		fmt.Fprintf(w, "%s may start\n", r.Phase)
	case r.State == "blocked", r.State == "checked", r.State == "rejected", r.State == "waiting", r.State == "failed":
	default:
		fmt.Fprintf(w, "%s: %s %s\n", belay.VisibleLine(r.Feature), r.Phase, r.State)
	}
	if len(r.Concerns) > 0 && r.State == "completed" {
		fmt.Fprintln(w, p.Warn(fmt.Sprintf("completed at the limit of %s with %s", belay.CountOf(r.Limit, "iteration"),
			belay.CountOf(len(r.Concerns), "open concern"))))
	}
	if r.Next.Command != "" && r.State != "rejected" && r.State != "blocked" {
		fmt.Fprintf(w, "next: %s\n", r.Next.Command)
	}
}

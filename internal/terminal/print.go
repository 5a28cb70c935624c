package terminal

import (
	"fmt"
	"io"
	"slices"
	"strings"
	"time"

	"github.com/belay-dev/belay/internal/app"
	"github.com/belay-dev/belay/internal/belay"
	"github.com/belay-dev/belay/internal/prompt"
	"github.com/belay-dev/belay/internal/restore"
	"github.com/belay-dev/belay/internal/snapshot"
)

// PrintSnapshot prints what a snapshot contains and what it does not.
func PrintSnapshot(w io.Writer, s snapshot.Info) {
	head := s.Head
	if head == "" {
		head = "no commit yet"
	}
	branch := s.Branch
	if branch == "" {
		branch = "detached"
	}
	rows := [][]string{
		{"snapshot", string(s.ID)}, {"kind", string(s.Kind)}, {"taken", s.Time.Local().Format(time.RFC3339)},
		{"head", head}, {"branch", branch}, {"files", fmt.Sprint(s.Files)},
	}
	for _, r := range [][]string{{"task", string(s.Task)}, {"message", s.Message}, {"feature", s.Feature},
		{"agent", s.Agent}, {"operation", s.Operation}} {
		if r[1] != "" {
			rows = append(rows, r)
		}
	}
	for _, e := range s.Expected {
		rows = append(rows, []string{"expects", e})
	}
	for _, n := range s.Nested {
		rows = append(rows, []string{"not included", n + " (nested repository)"})
	}
	for _, g := range s.Gaps {
		rows = append(rows, []string{"not captured", g.Path + " (" + g.Reason + ")"})
	}
	PrintTable(w, rows)
}

// PrintTasks prints a list of tasks.
func PrintTasks(w io.Writer, lines []app.TaskLine) {
	if len(lines) == 0 {
		fmt.Fprintln(w, `no open tasks: belay run "…" --with AGENT starts one`)
		return
	}
	var rows [][]string
	var total *belay.Use
	attempts, users := 0, 0
	for _, l := range lines {
		state := l.Phase
		if l.Outcome != "" {
			state = prompt.Outcome(l.Outcome)
		}
		about, used := l.Title, ""
		if l.Feature != "" {
			about += "  [" + l.Feature + "]"
		}
		for i, id := range l.After {
			about += map[bool]string{true: "  after ", false: ", "}[i == 0] + string(id)
		}
		if l.Waits != "" {
			about += "  (" + l.Waits + ")"
		}
		if l.Paused != "" {
			state = "paused"
			about += "  (next step: " + l.Paused + ")"
		}
		if attempts += l.Attempts; l.Used != nil {
			sum := *l.Used
			if users++; sum.Tokens != nil || sum.CostKnown() {
				used = prompt.UseText(sum)
			}
			if total != nil {
				sum = total.With(sum)
			}
			total = &sum
		}
		if l.Problem != "" {
			about = l.Problem
		}
		rows = append(rows, []string{string(l.ID), state, belay.CountOf(l.Attempts, "attempt"), used, about})
	}
	if !slices.ContainsFunc(rows, func(r []string) bool { return r[3] != "" }) {
		for i, r := range rows {
			rows[i] = slices.Delete(r, 3, 4)
		}
	}
	PrintTable(w, rows)
	if users > 1 && (total.Tokens != nil || total.CostKnown()) {
		fmt.Fprintf(w, "together %s, %s\n", belay.CountOf(attempts, "attempt"), prompt.UseText(*total))
	}
}

// PrintFeatures prints what each feature has used.
func PrintFeatures(w io.Writer, lines []app.FeatureLine) {
	var rows [][]string
	for _, l := range lines {
		used := "no agent has run"
		if l.Used != nil {
			used = prompt.UseText(*l.Used)
		}
		rows = append(rows, []string{l.Feature, belay.CountOf(l.Tasks, "task"), fmt.Sprintf("%d open", l.Open),
			belay.CountOf(l.Attempts, "attempt"), used})
	}
	PrintTable(w, rows)
	for _, l := range lines {
		if l.Phase != "" {
			fmt.Fprintln(w, belay.VisibleLine(fmt.Sprintf("%s: %s, next: %s", l.Feature, l.Phase, l.Next)))
		}
	}
}

// PrintWorktrees prints the tasks that have their own worktree.
func PrintWorktrees(w io.Writer, lines []app.TaskLine) {
	var rows [][]string
	for _, l := range lines {
		state, tree := l.Phase, l.Tree
		if l.Outcome != "" {
			state = prompt.Outcome(l.Outcome)
		}
		if l.Unmerged {
			state += ", not merged"
		}
		if tree == "" {
			tree = "deleted; its snapshots are kept"
		}
		rows = append(rows, []string{string(l.ID), state, tree})
	}
	PrintTable(w, rows)
}

// PrintStatus prints a summary of the working tree.
func PrintStatus(w io.Writer, s app.Status, limit int64) {
	p := PaintFor(w)
	if s.LockedBy != "" {
		fmt.Fprintf(w, "%s\n", p.Warn("in use: "+belay.VisibleLine(s.LockedBy)))
	}
	for _, c := range s.Reviews {
		fmt.Fprintf(w, "%s\n", p.Warn("under review: "+belay.VisibleLine(c)))
	}
	if s.Interrupted {
		what, try := "a restore was interrupted", "finish it with belay doctor, or reverse it with belay undo"
		if s.Unfinished != nil {
			what, try = s.Unfinished.Message()
		}
		fmt.Fprintln(w, p.Warn(what+": "+try))
	}
	if len(s.Untrusted) > 0 {
		fmt.Fprintln(w, p.Warn("not trusted, so not run: "+belay.VisibleLine(strings.Join(s.Untrusted, ", "))+": run belay trust"))
	}
	if len(s.Tasks) > 0 || len(s.Worktrees) == 0 {
		PrintTasks(w, s.Tasks)
	}
	if len(s.Worktrees) > 0 {
		fmt.Fprintln(w, "\nworktrees:")
		PrintWorktrees(w, s.Worktrees)
		fmt.Fprintln(w)
	}
	for _, l := range s.Overruled {
		fmt.Fprintln(w, p.Warn(belay.VisibleLine(fmt.Sprintf("%s was accepted despite a rejection: %s", l.ID, l.Overruled))))
	}
	if len(s.Features) > 0 {
		fmt.Fprintln(w, "features:")
		PrintFeatures(w, s.Features)
	}
	if s.Ended > 0 {
		fmt.Fprintf(w, "%s (belay task list)\n", belay.CountOf(s.Ended, "closed task"))
	}
	fmt.Fprintf(w, "%s, %s\n", belay.CountOf(s.Snapshots.Snapshots, "snapshot"), belay.RoundSize(s.Snapshots.Bytes))
	if s.Archived > 0 {
		fmt.Fprintf(w, "%d archived: not needed for rollback or undo, deleted after snapshot.archive_for\n", s.Archived)
	}
	if n := s.Snapshots.Unreadable; n > 0 {
		fmt.Fprintln(w, p.Warn(belay.CountOf(n, "unreadable snapshot")+": run belay doctor"))
	}
	if len(s.MissingSnapshots) > 0 {
		fmt.Fprintln(w, p.Warn(MissingSnapshotsText(s.MissingSnapshots)))
	}
	for _, a := range s.AbsentRecords {
		if !slices.ContainsFunc(s.Tasks, func(l app.TaskLine) bool { return l.ID == a.Task }) {
			fmt.Fprintln(w, p.Warn(a.String()+": run belay doctor"))
		}
	}
	if s.OverCap {
		fmt.Fprintf(w, "%s\n", p.Warn("snapshots exceed the limit of "+belay.RoundSize(limit)+": run belay snapshot prune"))
	}
}

// MissingSnapshotsText returns the sentence about missing snapshots that tasks need.
func MissingSnapshotsText(ids []belay.SnapshotID) string {
	return fmt.Sprintf("%s that tasks need, the first %s: run belay doctor", belay.CountOf(len(ids), "missing snapshot"), ids[0].Short())
}

// ColourDiff colours a patch and makes it safe to print on a terminal.
func ColourDiff(p Paint, text string) string {
	var b strings.Builder
	for line := range strings.Lines(text) {
		line, end := strings.TrimSuffix(line, "\n"), "\n"
		shown := belay.Visible(line)
		switch {
		case strings.HasPrefix(line, "+++"), strings.HasPrefix(line, "---"), strings.HasPrefix(line, "diff "):
			shown = p.Bold(shown)
		case strings.HasPrefix(line, "+"):
			shown = p.Good(shown)
		case strings.HasPrefix(line, "-"):
			shown = p.Bad(shown)
		case strings.HasPrefix(line, "@@"):
			shown = p.Dim(shown)
		}
		b.WriteString(shown + end)
	}
	return b.String()
}

// PlanText summarises a plan in one line.
func PlanText(r restore.Restored) string {
	return amountsText(r, "%s to write, %d to remove, %d to keep", "to move")
}

func amountsText(r restore.Restored, paths, moved string) string {
	text := fmt.Sprintf(paths, belay.CountOf(len(r.Written), "path"), len(r.Removed), len(r.Kept))
	if len(r.Refs) > 0 {
		text += ", " + belay.CountOf(len(r.Refs), "ref") + " " + moved
	}
	var parts []string
	for _, part := range []struct {
		back bool
		name string
	}{{r.Index, "the index"}, {r.Head, "HEAD"}, {r.Operation, "an operation in progress"},
		{r.Admin, "git's config, hooks or info"}, {r.Logs, "reflogs"}} {
		if part.back {
			parts = append(parts, part.name)
		}
	}
	if len(parts) > 0 {
		text += "; also " + strings.Join(parts, ", ")
	}
	return text
}

// PrintRestored prints what a restore did or, if dry, would do.
func (t *Terminal) PrintRestored(r restore.Restored, dry bool) error {
	return t.printRestore(r, dry, "undo with: belay undo")
}

// PrintUndone prints what an undo or redo did or, if dry, would do.
func (t *Terminal) PrintUndone(r restore.Restored, dry bool, step string) error {
	if step == "undo" {
		return t.printRestore(r, dry, "undo with: belay redo")
	}
	return t.PrintRestored(r, dry)
}

func (t *Terminal) printRestore(r restore.Restored, dry bool, next string) error {
	return t.PrintResult(r, nil, func(w io.Writer) {
		verb := map[bool][2]string{false: {"wrote", "removed"}, true: {"would write", "would remove"}}[dry]
		for _, p := range r.Written {
			fmt.Fprintf(w, "%s %s\n", verb[0], belay.VisibleLine(p))
		}
		for _, p := range r.Removed {
			fmt.Fprintf(w, "%s %s\n", verb[1], belay.VisibleLine(p))
		}
		for _, k := range r.Kept {
			fmt.Fprintf(w, "kept %s: %s\n", belay.VisibleLine(k.Path), belay.VisibleLine(k.Reason))
		}
		for _, k := range r.Missing {
			fmt.Fprintf(w, "cannot restore %s: %s\n", belay.VisibleLine(k.Path), belay.VisibleLine(k.Reason))
		}
		for _, k := range r.Skipped {
			fmt.Fprintf(w, "skipped %s: %s\n", belay.VisibleLine(k.Path), belay.VisibleLine(k.Reason))
		}
		for _, m := range r.Refs {
			fmt.Fprintf(w, "%s %s → %s\n", belay.VisibleLine(m.Ref), ShortOID(m.From), ShortOID(m.To))
		}
		for _, k := range r.KeptRefs {
			fmt.Fprintf(w, "kept %s: %s\n", belay.VisibleLine(k.Path), belay.VisibleLine(k.Reason))
		}
		for _, p := range r.Overruled {
			fmt.Fprintf(w, "%s was also changed by someone else: that version is in the snapshot named below\n", belay.VisibleLine(p))
		}
		if dry {
			fmt.Fprintln(w, PlanText(r))
		} else {
			fmt.Fprintln(w, amountsText(r, "%s written, %d removed, %d kept", "moved"))
		}
		if n := len(r.Skipped); n > 0 && !dry {
			fmt.Fprintf(w, "%s\n", PaintFor(w).Warn(fmt.Sprintf("partial: %d skipped and unchanged", n)))
		}
		if r.Reversed {
			next = "reversed the interrupted restore"
		}
		if !dry && r.Rescue != "" {
			fmt.Fprintf(w, "the previous state is snapshot %s; %s\n", r.Rescue.Short(), next)
		}
	})
}

// ShortOID shortens an object name for display. A symbolic ref's value, the name of another ref, is
// not shortened.
func ShortOID(oid string) string {
	if oid == "" {
		return "none"
	}
	if target, symbolic := strings.CutPrefix(oid, "ref: "); symbolic {
		return belay.VisibleLine(target)
	}
	return oid[:min(10, len(oid))]
}

// PrintReport prints the checks' results.
func PrintReport(w io.Writer, report belay.Report) {
	p := PaintFor(w)
	for _, r := range report.Checks {
		word := prompt.CheckMark(r)
		paint := map[string]func(string) string{"pass": p.Good, "fail": p.Bad, "skipped": p.Dim}[word]
		if paint == nil {
			paint = p.Warn
		}
		word = paint(word)
		text := r.Summary
		if r.Why != "" {
			text = r.Why
		}
		fmt.Fprintf(w, "%-11s %s: %s\n", r.Check, word, belay.VisibleLine(text))
	}
	fmt.Fprint(w, prompt.Findings(report.Findings()))
}

package cli

import (
	"fmt"
	"io"
	"strings"

	"github.com/spf13/cobra"

	"github.com/belay-dev/belay/internal/app"
	"github.com/belay-dev/belay/internal/belay"
	"github.com/belay-dev/belay/internal/handoff"
	"github.com/belay-dev/belay/internal/session"
	"github.com/belay-dev/belay/internal/terminal"
)

func (a contextFamily) initCommand() *cobra.Command {
	var q contextFlags
	var in app.InitRequest
	var base string
	c := &cobra.Command{
		Use: "init [TASK]", Short: "Create a task's context", Args: cobra.MaximumNArgs(1),
		Long: `Init creates the immutable context of a started task: its text, scope and acceptance
criteria, the rules that apply (standards: in .belay/config.yaml; AGENTS.md, CLAUDE.md
and CONTRIBUTING.md if present) with location and hash, and the commands that verify it.
The same sources give the same bytes everywhere. Init also takes a snapshot as the base of
the work, and writes each role's part.

It fails if the context exists, if the task has not started (belay task start) or has
ended, and if there is nothing to describe or to cite.

Exit codes: 0 created · 1 it contains a secret · 2 could not be created · 6 no such task.`,
		Example: `  belay context init T7
  belay context init T7 --area backend --priority P1 --json`,
		ValidArgsFunction: a.CompleteTasks,
		RunE: a.withContext(&q, func(c *cobra.Command, s *session.Session, r app.ContextRequest) error {
			in.ContextRequest = r
			if base != "" {
				var err error
				if in.Base, err = belay.ParseSnapshotID(base); err != nil {
					return err
				}
			}
			m, err := app.InitContext(c.Context(), s, in)
			return a.printDataOrError(m, err, func(w io.Writer) { printCreatedContext(w, m) })
		}),
	}
	q.add(c)
	addSourceFlags(c, &in)
	c.Flags().StringVar(&base, "base", "", "the `SNAPSHOT` that the work starts from (default: the task's before snapshot)")
	return c
}

func addSourceFlags(c *cobra.Command, in *app.InitRequest) {
	c.Flags().StringVar(&in.Area, "area", "", "area, which selects standards (default: the task's)")
	c.Flags().StringVar(&in.Priority, "priority", "", "priority, which selects standards (default: the task's)")
	c.Flags().BoolVar(&in.WithoutStandards, "without-standards", false, "continue if there is no rule to cite")
}

func printCreatedContext(w io.Writer, m app.InitResult) {
	b := m.Block
	fmt.Fprintf(w, "%s: %s\n", b.Task.ID, belay.VisibleLine(b.Task.Title))
	rows := [][]string{
		{"block", m.SHA[:16]}, {"base", m.Base.Short() + ", HEAD " + terminal.ShortOID(b.Git.Head)},
		{"criteria", fmt.Sprint(len(b.Task.Acceptance))},
		{"citations", fmt.Sprintf("%d from %s", len(b.Citations), belay.CountOf(len(m.Sources)-1, "file"))},
		{"commands", fmt.Sprint(len(b.Baseline.Commands))}, {"paths in scope", fmt.Sprint(len(b.Paths) + b.MorePaths)},
	}
	terminal.PrintTable(w, rows)
	for _, c := range b.Baseline.Commands {
		fmt.Fprintf(w, "  %s  (%s)\n", belay.VisibleLine(c.Command), belay.VisibleLine(c.From))
	}
	for _, c := range b.Citations {
		fmt.Fprintf(w, "  %s#%s %s  %s\n", belay.VisibleLine(c.File), belay.VisibleLine(c.Section), c.Lines,
			belay.VisibleLine(c.Requirement))
	}
	printNotes(w, m.Notes)
}

func printNotes(w io.Writer, notes []string) {
	p := terminal.PaintFor(w)
	for _, n := range notes {
		fmt.Fprintln(w, p.Warn("note: "+belay.VisibleLine(n)))
	}
}

func (a contextFamily) rebuildCommand() *cobra.Command {
	var q contextFlags
	var in app.InitRequest
	var dry bool
	c := &cobra.Command{
		Use: "rebuild [TASK]", Short: "Update a context after its sources changed", Args: cobra.MaximumNArgs(1),
		Long: `Rebuild reads the task and the rules again and reports what changed. The earlier block
stays in the history and the roles' results are kept; citations that only moved are updated.

Exit codes: 0 done, or nothing changed · 1 it contains a secret · 2 could not rebuild · 6 no context.`,
		Example: `  belay context rebuild T7 --dry-run
  belay context rebuild T7`,
		ValidArgsFunction: a.CompleteTasks,
		RunE: a.withContext(&q, func(c *cobra.Command, s *session.Session, r app.ContextRequest) error {
			in.ContextRequest = r
			m, err := app.RebuildContext(c.Context(), s, in, dry)
			return a.printDataOrError(m, err, func(w io.Writer) {
				if len(m.Changes) == 0 {
					fmt.Fprintf(w, "%s: nothing changed, block %s\n", m.Task, m.SHA[:16])
				}
				for _, ch := range m.Changes {
					fmt.Fprintln(w, belay.VisibleLine(ch))
				}
				printNotes(w, m.Notes)
			})
		}),
	}
	q.add(c)
	addSourceFlags(c, &in)
	c.Flags().BoolVar(&dry, "dry-run", false, "list what would change, and record nothing")
	return c
}

func (a contextFamily) getCommand() *cobra.Command {
	var id, qa string
	c := &cobra.Command{
		Use: "get [TASK]", Short: "Read a task's context", Args: cobra.MaximumNArgs(1),
		Long: `Get prints the block, the status of each role, and what is outdated: another HEAD, a
changed task text, cited rules that changed.

Exit codes: 0 done · 6 no context.`,
		Example: `  belay context get T7
  belay context get T7 --json
  belay context get T7 --evidence E1`,
		ValidArgsFunction: a.CompleteTasks,
		RunE: a.withContext(&contextFlags{}, withPlace(func(c *cobra.Command, p *app.TaskContext) error {
			if qa != "" {
				proof, text, err := p.Log(qa)
				return a.printContents(proof, text, err)
			}
			if id != "" {
				e, text, err := p.Evidence(id)
				return a.printContents(e, text, err)
			}
			v, err := p.View(c.Context())
			return a.printDataOrError(v, err, func(w io.Writer) { printView(w, v) })
		})),
	}
	c.Flags().StringVar(&id, "evidence", "", "print the evidence of this `ID`")
	c.Flags().StringVar(&qa, "qa", "", "print the test results of this `ROLE`")
	return c
}

// printContents prints a stored text.
func (a contextFamily) printContents(what any, text []byte, err error) error {
	return a.printDataOrError(map[string]any{"what": what, "text": string(text)}, err, func(w io.Writer) {
		fmt.Fprint(w, belay.Visible(string(text)))
	})
}

func printView(w io.Writer, v app.ContextView) {
	b := v.Immutable
	fmt.Fprintf(w, "%s: %s\n", v.Task, belay.VisibleLine(b.Task.Title))
	terminal.PrintTable(w, [][]string{
		{"block", v.SHA[:16]}, {"made", v.Created.Local().Format("2006-01-02 15:04:05") + " by " + v.By},
		{"head", terminal.ShortOID(b.Git.Head)},
		{"last change", v.Audit.Updated.Local().Format("2006-01-02 15:04:05") + " by " + v.Audit.By},
	})
	fmt.Fprintln(w, "\n"+belay.Visible(b.Task.Description))
	list := func(name string, items []string) {
		if len(items) == 0 {
			return
		}
		fmt.Fprintf(w, "\n%s:\n", name)
		for _, i := range items {
			fmt.Fprintln(w, "  "+belay.VisibleLine(i))
		}
	}
	var cited, commands, kept []string
	for _, c := range b.Citations {
		cited = append(cited, fmt.Sprintf("%s#%s %s  %s", c.File, c.Section, c.Lines, c.Requirement))
	}
	for _, c := range b.Baseline.Commands {
		commands = append(commands, fmt.Sprintf("%s  (%s)", c.Command, c.From))
	}
	for _, e := range v.Evidence {
		kept = append(kept, strings.TrimSpace(fmt.Sprintf("%s  %s  %s %s", e.ID, e.Type, e.Path, e.Lines)))
	}
	list("in scope", b.Task.ScopeIn)
	list("out of scope", b.Task.ScopeOut)
	list("acceptance criteria", b.Task.Acceptance)
	list("rules", cited)
	list("proved by", commands)
	list("evidence", kept)
	fmt.Fprintln(w)
	printRoles(w, v.Roles)
	for _, proof := range v.QA {
		fmt.Fprintln(w, belay.VisibleLine(strings.TrimSpace(fmt.Sprintf("%s's tests: %s  %s", proof.Role, proof.Status, proof.Summary))))
	}
	printNotes(w, v.Warnings)
}

func printRoles(w io.Writer, roles []handoff.State) {
	var rows [][]string
	for _, r := range roles {
		row := []string{r.Name, string(r.Status), "-", ""}
		if r.Snapshot != nil {
			row[2], row[3] = r.Snapshot.Snapshot.Short(), fmt.Sprintf("%s, +%d -%d", belay.CountOf(r.Snapshot.Files, "file"),
				r.Snapshot.Added, r.Snapshot.Deleted)
		}
		if r.Drift > 0 {
			row[3] += fmt.Sprintf("  drift %d", r.Drift)
		}
		rows = append(rows, row)
	}
	terminal.PrintTable(w, rows)
	for _, r := range roles {
		for _, f := range r.Blocking {
			fmt.Fprintf(w, "%s blocks: %s\n", r.Name, belay.VisibleLine(f))
		}
	}
}

func (a contextFamily) statusCommand() *cobra.Command {
	return &cobra.Command{
		Use: "status [TASK]", Short: "Show where the roles of a task are", Args: cobra.MaximumNArgs(1),
		Long: `Status shows each role, what it handed over, and who may begin next. It does not look at
files: belay context verify does.

Exit codes: 0 done · 6 no such task.`,
		Example:           "  belay context status T7",
		ValidArgsFunction: a.CompleteTasks,
		RunE: a.withContext(&contextFlags{}, func(c *cobra.Command, sess *session.Session, r app.ContextRequest) error {
			s, err := app.ReadContextStatus(sess, r.Task)
			return a.printDataOrError(s, err, func(w io.Writer) { printStatus(w, s) })
		}),
	}
}

func printStatus(w io.Writer, s app.ContextStatus) {
	if !s.Exists {
		word := "has no context"
		if s.Purged {
			word = "had a context, now purged"
		}
		fmt.Fprintf(w, "%s %s\n", s.Task, word)
		return
	}
	var rows [][]string
	for _, l := range s.Roles {
		row := []string{l.Role, string(l.Status), l.Snapshot.Short(), ""}
		if l.Snapshot != "" {
			row[3] = belay.CountOf(l.Files, "file")
		}
		if l.Blocking > 0 {
			row[3] += fmt.Sprintf("  %d blocking", l.Blocking)
		}
		if l.Drift > 0 {
			row[3] += fmt.Sprintf("  drift %d", l.Drift)
		}
		rows = append(rows, row)
	}
	terminal.PrintTable(w, rows)
	switch {
	case s.AtWork != "":
		fmt.Fprintf(w, "%s is working\n", s.AtWork)
	case s.Next != "":
		fmt.Fprintf(w, "%s may start\n", s.Next)
	case s.Why != "":
		fmt.Fprintln(w, terminal.PaintFor(w).Warn("no role may start: "+belay.VisibleLine(s.Why)))
	}
}

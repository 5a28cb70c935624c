package cli

import (
	"fmt"
	"io"
	"strings"

	"github.com/spf13/cobra"

	"github.com/belay-dev/belay/internal/app"
	"github.com/belay-dev/belay/internal/belay"
	"github.com/belay-dev/belay/internal/session"

	"github.com/belay-dev/belay/internal/handoff"
	"github.com/belay-dev/belay/internal/terminal"
)

func (a contextFamily) initCommand() *cobra.Command {
	var q asked
	var in app.InitRequest
	var base string
	c := &cobra.Command{
		Use: "init [TASK]", Short: "Make a task's context", Args: cobra.MaximumNArgs(1),
		Long: `Init makes the immutable block of a task in progress: its words, scope and acceptance criteria, the
rules that it has to follow (standards: in .belay/config.yaml; AGENTS.md, CLAUDE.md and
CONTRIBUTING.md when they are there) with place and hash, and the commands that prove
it. The same sources give the same bytes everywhere. It holds the tree as the base of
the work, and gives each role its part.

It refuses a second time, a task that has not started (belay task start) or has ended, and
where there is nothing to describe or to cite.

Exit codes: 0 made · 1 a secret · 2 it could not be · 6 no such task.`,
		Example: `  belay context init T7
  belay context init T7 --area backend --priority P1 --json`,
		ValidArgsFunction: a.CompleteTasks,
		RunE: a.asked(&q, func(c *cobra.Command, d *session.Desk, r app.Request) error {
			in.Request = r
			if base != "" {
				var err error
				if in.Base, err = belay.ParseSnapshotID(base); err != nil {
					return err
				}
			}
			m, err := app.Init(c.Context(), d, in)
			if err != nil {
				return err
			}
			return a.Tell(m, nil, func(w io.Writer) { printMade(w, m) })
		}),
	}
	q.flags(c)
	sources(c, &in)
	c.Flags().StringVar(&base, "base", "", "the `SNAPSHOT` that the work begins from; the task's state before when left out")
	return c
}

func sources(c *cobra.Command, in *app.InitRequest) {
	c.Flags().StringVar(&in.Area, "area", "", "the task's area, which chooses standards; the task's own when left out")
	c.Flags().StringVar(&in.Priority, "priority", "", "its priority, likewise")
	c.Flags().BoolVar(&in.WithoutStandards, "without-standards", false, "go on where no rule can be cited")
}

func printMade(w io.Writer, m app.MadeContext) {
	b := m.Block
	fmt.Fprintf(w, "%s: %s\n", b.Task.ID, belay.VisibleLine(b.Task.Title))
	rows := [][]string{
		{"block", m.SHA[:16]}, {"base", m.Base.Short() + ", HEAD " + terminal.Short(b.Git.Head)},
		{"criteria", fmt.Sprint(len(b.Task.Acceptance))},
		{"citations", fmt.Sprintf("%d from %d file(s)", len(b.Citations), len(m.Sources)-1)},
		{"commands", fmt.Sprint(len(b.Baseline.Commands))}, {"paths in scope", fmt.Sprint(len(b.Paths) + b.MorePaths)},
	}
	terminal.Table(w, rows)
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
	var q asked
	var in app.InitRequest
	var dry bool
	c := &cobra.Command{
		Use: "rebuild [TASK]", Short: "Make the block anew after its sources changed", Args: cobra.MaximumNArgs(1),
		Long: `Rebuild reads the task and the rules again and says what changed. The block before
stays in the history, and what roles did stays; citations that only moved are followed.

Exit codes: 0 done, or nothing changed · 1 a secret · 2 it could not be · 6 no context.`,
		Example: `  belay context rebuild T7 --dry-run
  belay context rebuild T7`,
		ValidArgsFunction: a.CompleteTasks,
		RunE: a.asked(&q, func(c *cobra.Command, d *session.Desk, r app.Request) error {
			in.Request = r
			m, err := app.Rebuild(c.Context(), d, in, dry)
			if err != nil {
				return err
			}
			return a.Tell(m, nil, func(w io.Writer) {
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
	q.flags(c)
	sources(c, &in)
	c.Flags().BoolVar(&dry, "dry-run", false, "say what would change, and record nothing")
	return c
}

func (a contextFamily) getCommand() *cobra.Command {
	var id, qa string
	c := &cobra.Command{
		Use: "get [TASK]", Short: "Read a task's context", Args: cobra.MaximumNArgs(1),
		Long: `Get prints the block, what each role says, and what is no longer true: another HEAD,
other words of the task, cited rules that say something else now.

Exit codes: 0 done · 6 no context.`,
		Example: `  belay context get T7
  belay context get T7 --json
  belay context get T7 --evidence E1`,
		ValidArgsFunction: a.CompleteTasks,
		RunE: a.asked(&asked{}, func(c *cobra.Command, d *session.Desk, r app.Request) error {
			if qa != "" {
				proof, text, err := app.Log(c.Context(), d, r, qa)
				if err != nil {
					return err
				}
				return a.tellText(proof, text)
			}
			if id != "" {
				e, text, err := app.Evidence(c.Context(), d, r, id)
				if err != nil {
					return err
				}
				return a.tellText(e, text)
			}
			v, err := app.Get(c.Context(), d, r)
			if err != nil {
				return err
			}
			return a.Tell(v, nil, func(w io.Writer) { printView(w, v) })
		}),
	}
	c.Flags().StringVar(&id, "evidence", "", "print the evidence of this `ID`")
	c.Flags().StringVar(&qa, "qa", "", "print what the tests of this `ROLE` said")
	return c
}

// tellText prints what was kept.
func (a contextFamily) tellText(what any, text []byte) error {
	return a.Tell(map[string]any{"what": what, "text": string(text)}, nil, func(w io.Writer) { fmt.Fprint(w, belay.Visible(string(text))) })
}

func printView(w io.Writer, v app.View) {
	b := v.Immutable
	fmt.Fprintf(w, "%s: %s\n", v.Task, belay.VisibleLine(b.Task.Title))
	terminal.Table(w, [][]string{
		{"block", v.SHA[:16]}, {"made", v.Created.Local().Format("2006-01-02 15:04:05") + " by " + v.By},
		{"head", terminal.Short(b.Git.Head)},
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
			row[2], row[3] = r.Snapshot.Snapshot.Short(), fmt.Sprintf("%d file(s), +%d -%d", r.Snapshot.Files,
				r.Snapshot.Added, r.Snapshot.Deleted)
		}
		if r.Drift > 0 {
			row[3] += fmt.Sprintf("  drift %d", r.Drift)
		}
		rows = append(rows, row)
	}
	terminal.Table(w, rows)
	for _, r := range roles {
		for _, f := range r.Blocking {
			fmt.Fprintf(w, "%s blocks: %s\n", r.Name, belay.VisibleLine(f))
		}
	}
}

func (a contextFamily) statusCommand() *cobra.Command {
	return &cobra.Command{
		Use: "status [TASK]", Short: "Show where the roles of a task are", Args: cobra.MaximumNArgs(1),
		Long: `Status shows each role, what it handed over, and who may begin next. It looks at no
file: belay context verify does.

Exit codes: 0 done · 6 no such task.`,
		Example:           "  belay context status T7",
		ValidArgsFunction: a.CompleteTasks,
		RunE: a.asked(&asked{}, func(c *cobra.Command, d *session.Desk, r app.Request) error {
			s, err := app.StatusOf(d, r.Task)
			if err != nil {
				return err
			}
			return a.Tell(s, nil, func(w io.Writer) { printStatus(w, s) })
		}),
	}
}

func printStatus(w io.Writer, s app.ContextStatus) {
	if !s.There {
		word := "has no context"
		if s.Purged {
			word = "has had a context, which was purged"
		}
		fmt.Fprintf(w, "%s %s\n", s.Task, word)
		return
	}
	var rows [][]string
	for _, l := range s.Roles {
		row := []string{l.Role, string(l.Status), l.Snapshot.Short(), ""}
		if l.Snapshot != "" {
			row[3] = fmt.Sprintf("%d file(s)", l.Files)
		}
		if l.Blocking > 0 {
			row[3] += fmt.Sprintf("  %d blocking", l.Blocking)
		}
		if l.Drift > 0 {
			row[3] += fmt.Sprintf("  drift %d", l.Drift)
		}
		rows = append(rows, row)
	}
	terminal.Table(w, rows)
	switch {
	case s.AtWork != "":
		fmt.Fprintf(w, "%s is at work\n", s.AtWork)
	case s.Next != "":
		fmt.Fprintf(w, "%s may begin\n", s.Next)
	case s.Why != "":
		fmt.Fprintln(w, terminal.PaintFor(w).Warn("nobody may begin: "+belay.VisibleLine(s.Why)))
	}
}

package cli

import (
	"fmt"
	"io"

	"github.com/spf13/cobra"

	"github.com/belay-dev/belay/internal/app"
	"github.com/belay-dev/belay/internal/belay"
	"github.com/belay-dev/belay/internal/handoff"
	"github.com/belay-dev/belay/internal/session"
	"github.com/belay-dev/belay/internal/terminal"
)

func (a contextFamily) updateCommand() *cobra.Command {
	var q contextFlags
	var in app.UpdateRequest
	c := &cobra.Command{
		Use: "update [TASK] --role ROLE", Short: "Set the status of a role", Args: cobra.MaximumNArgs(1),
		Long: `Update records the status of a role. With --status in_progress it starts: the working
tree must match the previous handover, no other role may be working, and the rules that
the context cites must not have changed (belay context rebuild). Every other update
verifies the working tree as well.

Exit codes: 0 recorded · 1 blocked by a finding or by a changed rule, or a secret · 2 no such role or status ·
4 drift · 5 another role is at work · 6 nothing was handed over, or no context.`,
		Example: `  belay context update T7 --role reviewer --status in_progress
  belay context update T7 --role reviewer --status done --qa-log qa.log
  belay context update T7 --role reviewer --clear-findings`,
		ValidArgsFunction: a.CompleteTasks,
		RunE: a.withRole(&q, func(c *cobra.Command, sess *session.Session, r app.ContextRequest) error {
			in.ContextRequest = r
			s, err := app.UpdateRole(c.Context(), sess, in)
			return a.printState(s, err)
		}),
	}
	q.add(c)
	f := c.Flags()
	f.StringVar(&in.Role, "role", "", "the `ROLE` (default: BELAY_ROLE)")
	f.StringVar(&in.Status, "status", "", "pending, in_progress, done or blocked")
	f.StringVar(&in.Session, "session", "", "the `ID` of the agent's session, to continue it")
	f.StringVar(&in.QALog, "qa-log", "", "the `PATH` of a log (belay context record-qa stores its content)")
	f.BoolVar(&in.ClearFindings, "clear-findings", false, "its blocking findings are fixed")
	return c
}

func (a contextFamily) printState(s handoff.State, err error) error {
	return a.printDataOrError(s, err, func(w io.Writer) { printRoles(w, []handoff.State{s}) })
}

func (a contextFamily) blockCommand() *cobra.Command {
	var q contextFlags
	var role, finding string
	c := &cobra.Command{
		Use: "block [TASK] --role ROLE --finding TEXT", Short: "Record a finding that stops the roles after this one",
		Args: cobra.MaximumNArgs(1),
		Long: `Block records what must be fixed before any later role starts. It is recorded even
while there is drift.

Exit codes: 0 recorded · 1 it contains a secret · 2 no text, or no such role · 6 no context.`,
		Example:           `  belay context block T7 --role reviewer --finding "the error of Close is dropped in store.go:41"`,
		ValidArgsFunction: a.CompleteTasks,
		RunE: a.withRole(&q, func(c *cobra.Command, sess *session.Session, r app.ContextRequest) error {
			s, err := app.BlockRole(c.Context(), sess, r, role, finding)
			return a.printState(s, err)
		}),
	}
	q.add(c)
	c.Flags().StringVar(&role, "role", "", "the `ROLE` that found it (default: BELAY_ROLE)")
	c.Flags().StringVar(&finding, "finding", "", "what it is")
	return c
}

func (a contextFamily) snapshotCommand() *cobra.Command {
	var q contextFlags
	var role string
	var empty bool
	c := &cobra.Command{
		Use: "snapshot [TASK] --role ROLE", Short: "Hand over a role's work", Args: cobra.MaximumNArgs(1),
		Long: `Snapshot saves the whole working tree, committed or not, and what the role changed: every
file with its hashes, the diff since the task started, and the exact diff since the
previous handover. The role is then done. A working tree without changes since the task
started is an error, unless --empty.

Exit codes: 0 handed over · 2 not possible, or nothing changed · 4 drift: the tree changed
before the role began, something was committed, or a read-only role changed files · 5
another role is at work · 6 no context.`,
		Example: `  belay context snapshot T7 --role implementer
  belay context snapshot T7 --role reviewer --json`,
		ValidArgsFunction: a.CompleteTasks,
		RunE: a.withRole(&q, func(c *cobra.Command, s *session.Session, r app.ContextRequest) error {
			h, err := app.HandOver(c.Context(), s, r, role, empty)
			return a.printDataOrError(h, err, func(w io.Writer) { printHandoff(w, h) })
		}),
	}
	q.add(c)
	c.Flags().StringVar(&role, "role", "", "the `ROLE` that hands over (default: BELAY_ROLE)")
	c.Flags().BoolVar(&empty, "empty", false, "hand over although nothing changed")
	return c
}

func printHandoff(w io.Writer, h app.HandoverResult) {
	fmt.Fprintf(w, "%s  %s handed over %s: %s, +%d -%d\n", h.Task, roleOrBelay(h.Role), h.Snapshot.Short(),
		belay.CountOf(h.Files, "file"), h.Added, h.Deleted)
	printNotes(w, h.Notes)
}

func roleOrBelay(role string) string {
	if role == "" {
		return "the work is"
	}
	return role
}

func (a contextFamily) verifyCommand() *cobra.Command {
	var q contextFlags
	var in app.VerifyRequest
	c := &cobra.Command{
		Use: "verify [TASK]", Short: "Verify that nobody changed the working tree since the handover", Args: cobra.MaximumNArgs(1),
		Long: `Verify compares the working tree, byte for byte, with the last handover and lists each
difference: head-moved, committed, amended, reset, switched, stashed, discarded,
operation, git-config; content, line-endings, mode, rename, deletion, addition, type,
link, index, index-flag, folder, ignored, unreadable, nested; and belay's own files:
record, attachment, handoff-gone, belay-file. The differences are saved in a snapshot,
recorded and counted: while the count is above zero no role starts, until resolve-drift.

While a role is working it may change files; only the repository's git state is checked.

Exit codes: 0 unchanged · 1 blocked by a finding or by a changed rule · 2 could not verify
· 4 drift · 5 another role is at work · 6 nothing was handed over, or no context.`,
		Example: `  belay context verify T7
  belay context verify T7 --for reviewer
  belay context verify T7 --ignore-line-endings --json`,
		ValidArgsFunction: a.CompleteTasks,
		RunE: a.withContext(&q, func(c *cobra.Command, s *session.Session, r app.ContextRequest) error {
			in.ContextRequest = r
			v, err := app.VerifyHandover(c.Context(), s, in)
			if err != nil && (belay.CodeOf(err) != belay.CodeDrift || len(v.Differences) == 0) {
				return err
			}
			return a.PrintResult(v, err, func(w io.Writer) { printVerified(w, v) })
		}),
	}
	q.add(c)
	c.Flags().StringVar(&in.Role, "for", "", "also check whether this `ROLE` may begin")
	c.Flags().BoolVar(&in.IgnoreLineEnds, "ignore-line-endings", false, "report changed line ends as a note, not as drift")
	return c
}

func printVerified(w io.Writer, v app.HandoverCheck) {
	p := terminal.PaintFor(w)
	if v.OK {
		what := "no handover yet"
		if v.Expected != "" {
			what = "the tree equals snapshot " + v.Expected.Short()
		}
		if v.AtWork != "" {
			what = v.AtWork + " is at work; nothing was committed"
		}
		fmt.Fprintln(w, p.Good(fmt.Sprintf("%s: %s", v.Task, what)))
	}
	for _, d := range v.Differences {
		line := d.Sentence()
		if !d.IsNote {
			line = p.Bad(line)
		}
		fmt.Fprintln(w, line)
	}
	if v.NotListed > 0 {
		fmt.Fprintf(w, "and %d more\n", v.NotListed)
	}
	if !v.OK {
		fmt.Fprintf(w, "drift count %d\n", v.Drift)
	}
}

func (a contextFamily) resolveCommand() *cobra.Command {
	var q contextFlags
	var note string
	c := &cobra.Command{
		Use: "resolve-drift [TASK] --note TEXT", Short: "Accept the current working tree despite drift", Args: cobra.MaximumNArgs(1),
		Long: `Resolve-drift accepts the current working tree as the start of the next role. The note is
recorded and the drift count is reset to zero. The earlier handover is kept: to return to
it instead, run belay snapshot restore first.

Exit codes: 0 resolved · 2 no drift, or no note · 6 no context.`,
		Example:           `  belay context resolve-drift T7 --note "fixed a typo by hand in docs/x.md"`,
		ValidArgsFunction: a.CompleteTasks,
		RunE: a.withContext(&q, withPlace(func(c *cobra.Command, p *app.TaskContext) error {
			h, err := p.ResolveDrift(c.Context(), note)
			return a.printDataOrError(h, err, func(w io.Writer) {
				fmt.Fprintf(w, "%s: the next role starts from %s\n", h.Task, h.Snapshot.Short())
				printNotes(w, h.Notes)
			})
		})),
	}
	q.add(c)
	c.Flags().StringVar(&note, "note", "", "what happened and why it is correct")
	return c
}

func (a contextFamily) diffCommand() *cobra.Command {
	var in app.DiffRequest
	var kind string
	var full bool
	c := &cobra.Command{
		Use: "diff [TASK]", Short: "Show what a role changed", Args: cobra.MaximumNArgs(1),
		Long: `Diff prints the changes from the start of the task to a role's handover, or with --type
incremental the changes of that role alone, exact even for overlapping edits. --drift
shows what the last failed verification found. Output is cut at 10 MB; --full prints all.

Exit codes: 0 done · 2 no such type · 6 nothing was handed over, or no context.`,
		Example: `  belay context diff T7
  belay context diff T7 --role reviewer --type incremental
  belay context diff T7 --drift`,
		ValidArgsFunction: a.CompleteTasks,
		RunE: a.withContext(&contextFlags{}, withPlace(func(c *cobra.Command, p *app.TaskContext) error {
			switch kind {
			case "from_base":
			case "incremental":
				in.Incremental = true
			default:
				return belay.Refuse(belay.CodeUsage, "from_base or incremental", "%q is not a diff type", kind)
			}
			shown, print, err := p.Diff(c.Context(), in)
			if err != nil {
				return err
			}
			return a.printDiff(shown, print, full)
		})),
	}
	f := c.Flags()
	f.StringVar(&in.Role, "role", "", "the role; default: the last one")
	f.StringVar(&kind, "type", "from_base", "from_base or incremental")
	f.BoolVar(&in.Drift, "drift", false, "what the last failed verification found")
	f.BoolVar(&full, "full", false, "print a diff of any size")
	return c
}

func (a contextFamily) printDiff(d app.RoleDiff, print func(io.Writer) error, full bool) error {
	text := &limitedBuffer{remaining: handoff.LargeDiff}
	if full {
		text.remaining = -1
	}
	if err := print(text); err != nil {
		return err
	}
	if a.JSON {
		return a.PrintResult(struct {
			app.RoleDiff
			Text string `json:"text"`
			Cut  bool   `json:"cut,omitempty"`
		}{d, text.String(), text.cut}, nil)
	}
	return a.PrintResult(nil, nil, func(w io.Writer) {
		if d.Report != nil {
			for _, one := range d.Report.Differences {
				if d.To == "" || one.Path == "" || one.Kind == handoff.Mode || one.Kind == handoff.Index {
					fmt.Fprintln(w, one.Sentence())
				}
			}
		}
		fmt.Fprint(w, terminal.ColourDiff(terminal.PaintFor(w), text.String()))
		if text.cut {
			fmt.Fprintf(a.Err, "cut: the diff is larger than %s; use --full to print all of it\n", belay.RoundSize(handoff.LargeDiff))
		}
	})
}

// limitedBuffer keeps the first remaining bytes, or all if remaining is negative.
type limitedBuffer struct {
	text      []byte
	remaining int64
	cut       bool
}

func (l *limitedBuffer) Write(p []byte) (int, error) {
	keep := p
	if l.remaining >= 0 {
		keep = p[:min(int64(len(p)), l.remaining)]
		l.remaining -= int64(len(keep))
		l.cut = l.cut || len(keep) < len(p)
	}
	l.text = append(l.text, keep...)
	return len(p), nil
}

// String returns the bytes kept.
func (l *limitedBuffer) String() string { return string(l.text) }

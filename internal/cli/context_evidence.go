package cli

import (
	"fmt"
	"io"
	"os"
	"strings"

	"github.com/spf13/cobra"

	"github.com/belay-dev/belay/internal/app"
	"github.com/belay-dev/belay/internal/belay"
	"github.com/belay-dev/belay/internal/session"
	"github.com/belay-dev/belay/internal/terminal"
)

func (a contextFamily) qaCommand() *cobra.Command {
	var q contextFlags
	var in app.ProofRequest
	c := &cobra.Command{
		Use: "record-qa [TASK] --role ROLE --from FILE", Short: "Record a role's test results", Args: cobra.MaximumNArgs(1),
		Long: `Record-qa stores a log under its hash, compressed if large, with secrets masked. The test
result is read from it if it is a known report (docs/reports.md), or set with --status.
It fails if the task changed after the context was made.

Exit codes: 0 recorded · 2 not recorded · 4 drift · 6 no such file or context.`,
		Example:           "  belay context record-qa T7 --role implementer --from test.json",
		ValidArgsFunction: a.CompleteTasks,
		RunE: a.withRole(&q, withPlace(func(c *cobra.Command, p *app.TaskContext) error {
			in.Dir = a.workingFolder()
			proof, err := p.RecordQA(c.Context(), in)
			return a.printDataOrError(proof, err, func(w io.Writer) {
				fmt.Fprintln(w, belay.VisibleLine(strings.TrimSpace(fmt.Sprintf("%s: %s  %s", in.Role, proof.Status, proof.Summary))))
				if proof.Masked > 0 {
					printNotes(w, []string{belay.CountOf(proof.Masked, "secret") + " masked in the stored log"})
				}
			})
		})),
	}
	q.add(c)
	c.Flags().StringVar(&in.Role, "role", "", "the `ROLE` that ran the tests (default: BELAY_ROLE)")
	c.Flags().StringVar(&in.From, "from", "", "the `FILE` with the log or report")
	c.Flags().StringVar(&in.Status, "status", "", "pass, fail or unknown (default: read from the log)")
	return c
}

// workingFolder returns the folder that file names are relative to: -C's, or the current one.
func (a contextFamily) workingFolder() string {
	if a.Dir != "" && a.Dir != "." {
		return a.Dir
	}
	dir, err := os.Getwd()
	if err != nil {
		return "."
	}
	return dir
}

func (a contextFamily) attachCommand() *cobra.Command {
	var q contextFlags
	var in app.AttachRequest
	c := &cobra.Command{
		Use: "attach [TASK] --path FILE", Short: "Attach a file or an excerpt for later roles", Args: cobra.MaximumNArgs(1),
		Long: `Attach stores a file, or lines of it, under an ID. Exports contain the ID and the hash;
belay context get TASK --evidence ID prints the text.

Exit codes: 0 stored · 2 no such lines · 6 no such file or context.`,
		Example: `  belay context attach T7 --type plan --path docs/plan.md
  belay context attach T7 --type excerpt --path docs/api.md --lines 10-42`,
		ValidArgsFunction: a.CompleteTasks,
		RunE: a.withContext(&q, withPlace(func(c *cobra.Command, p *app.TaskContext) error {
			if in.Path == "" {
				return belay.Refuse(belay.CodeUsage, c.CommandPath()+" TASK --path FILE", "no file was given")
			}
			in.Dir = a.workingFolder()
			e, err := p.Attach(c.Context(), in)
			return a.printDataOrError(e, err, func(w io.Writer) {
				fmt.Fprintln(w, belay.VisibleLine(strings.TrimSpace(fmt.Sprintf("%s  %s  %s %s  %s", e.ID, e.Type,
					e.Path, e.Lines, e.SHA[:16]))))
			})
		})),
	}
	q.add(c)
	c.Flags().StringVar(&in.Type, "type", "evidence", "what it is, in a word: plan, design, excerpt …")
	c.Flags().StringVar(&in.Path, "path", "", "the `FILE`")
	c.Flags().StringVar(&in.Lines, "lines", "", "only these lines, like 10-42")
	return c
}

func (a contextFamily) exportCommand() *cobra.Command {
	var role string
	var manifest bool
	c := &cobra.Command{
		Use: "export [TASK]", Short: "Print a role's part of the context", Args: cobra.MaximumNArgs(1),
		Long: `Export prints what a role needs, and nothing else, as canonical JSON: sorted keys, one
line, the same bytes for the same input anywhere. Without --role it writes the parts of
all roles to files and prints their paths. Agents that belay runs find their part in the
file that BELAY_TASK_CONTEXT names and, after belay init, in .belay/now.

Exit codes: 0 done · 1 a cited rule has changed · 2 no such role · 6 no context.`,
		Example: `  belay context export T7 --role reviewer
  belay context export T7
  belay context export T7 --manifest`,
		ValidArgsFunction: a.CompleteTasks,
		RunE: a.withContext(&contextFlags{}, withPlace(func(c *cobra.Command, p *app.TaskContext) error {
			if manifest {
				text, err := p.Manifest()
				if err != nil {
					return err
				}
				return a.printRaw(text)
			}
			parts, err := p.Export(c.Context(), role)
			if err != nil {
				return err
			}
			if role != "" && !a.JSON {
				return a.printRaw(parts[0].Text)
			}
			return a.printParts(parts)
		})),
	}
	c.Flags().StringVar(&role, "role", "", "the `ROLE` (default: all)")
	c.Flags().BoolVar(&manifest, "manifest", false, "print the sources of the block and the parts")
	return c
}

// printRaw prints canonical bytes unchanged, or as a part of the JSON answer.
func (a contextFamily) printRaw(text []byte) error {
	if a.JSON {
		return a.PrintResult(rawJSON(text), nil)
	}
	_, err := a.Out.Write(text)
	a.Printed = err == nil
	return err
}

type rawJSON []byte

// MarshalJSON returns the bytes unchanged.
func (r rawJSON) MarshalJSON() ([]byte, error) { return r, nil }

func (a contextFamily) printParts(parts []app.RoleExport) error {
	type one struct {
		app.RoleExport
		Context rawJSON `json:"context"`
	}
	var all []one
	for _, p := range parts {
		all = append(all, one{p, rawJSON(p.Text)})
	}
	return a.PrintResult(map[string]any{"exports": all}, nil, func(w io.Writer) {
		rows := [][]string{}
		for _, p := range parts {
			rows = append(rows, []string{p.Role, fmt.Sprintf("%d bytes", p.Bytes),
				fmt.Sprintf("about %d tokens", p.Tokens), p.Attachment[:16], strings.Join(p.Files, "  ")})
		}
		terminal.PrintTable(w, rows)
	})
}

func (a contextFamily) statsCommand() *cobra.Command {
	return &cobra.Command{
		Use: "stats [TASK]", Short: "Compare what exports cost with pasting their sources", Args: cobra.MaximumNArgs(1),
		Long: `Stats compares, for each role, the estimated tokens of its part with those of the cited
sections and files, diff and logs pasted whole, and says how much of the part is new since
the previous handover. The estimate is a quarter of the bytes; models differ.

Exit codes: 0 done · 6 no context.`,
		Example:           "  belay context stats T7",
		ValidArgsFunction: a.CompleteTasks,
		RunE: a.withContext(&contextFlags{}, withPlace(func(c *cobra.Command, p *app.TaskContext) error {
			s, err := p.Stats(c.Context())
			return a.printDataOrError(s, err, func(w io.Writer) {
				rows := [][]string{{"role", "export", "sections pasted", "files pasted", "less than sections", "new"}}
				for _, one := range s.Roles {
					rows = append(rows, []string{one.Role, fmt.Sprint(one.Tokens), fmt.Sprint(one.Sections),
						fmt.Sprint(one.Files), savingText(one.Saved), fmt.Sprint(one.Changed)})
				}
				terminal.PrintTable(w, rows)
				fmt.Fprintf(w, "tokens, estimated (%s); %s of %s\n", s.Estimate, belay.CountOf(s.Citations, "citation"),
					belay.CountOf(s.Sources, "source"))
			})
		})),
	}
}

// savingText formats how much smaller a part is than its sources. If a task has few or short rules,
// the part is larger.
func savingText(percent int) string {
	if percent < 0 {
		return "none"
	}
	return fmt.Sprintf("%d %%", percent)
}

func (a contextFamily) purgeCommand() *cobra.Command {
	var q contextFlags
	var snapshots bool
	c := &cobra.Command{
		Use: "purge [TASK]", Short: "End a context", Args: cobra.MaximumNArgs(1),
		Long: `Purge removes the files that were written for agents, and records the end of the context.
Belay does this when the task ends. The record and its attachments stay; --snapshots also
deletes the snapshots that roles handed over.

Exit codes: 0 done · 6 no such task.`,
		Example:           "  belay context purge T7",
		ValidArgsFunction: a.CompleteTasks,
		RunE: a.withContext(&q, func(c *cobra.Command, s *session.Session, r app.ContextRequest) error {
			n, err := app.PurgeContext(c.Context(), s, r, snapshots)
			return a.printDataOrError(map[string]any{"task_id": r.Task, "purged": true, "snapshots_forgotten": n}, err, func(w io.Writer) {
				fmt.Fprintf(w, "%s: its context is purged\n", r.Task)
				if n > 0 {
					fmt.Fprintf(w, "deleted %s\n", belay.CountOf(n, "snapshot"))
				}
			})
		}),
	}
	q.add(c)
	c.Flags().BoolVar(&snapshots, "snapshots", false, "also delete the snapshots that roles handed over")
	return c
}

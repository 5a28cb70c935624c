package cli

import (
	"context"
	"fmt"
	"io"

	"github.com/spf13/cobra"

	"github.com/belay-dev/belay/internal/app"
	"github.com/belay-dev/belay/internal/belay"
	"github.com/belay-dev/belay/internal/terminal"
)

type importFlags struct {
	all, dry, every     bool
	asWritten           bool
	options             app.ImportOptions
	feature, role, with string
	settings            Settings
}

func (a importFamily) importCommand() *cobra.Command {
	var f importFlags
	c := &cobra.Command{
		Use: "import PATH…|--all [flags] [-- AGENT ARGS…]", Short: "Import open tasks from another tool's files",
		Long: `Import records the open tasks of other tools' files: tasks.md of GitHub spec-kit,
OpenSpec, Kiro and work items, work packages of spec-kitty, *.task.yaml, the JSON of gh
issue list, and any Markdown with boxes. A task keeps its text, its files and its
dependencies. Tasks that are done, already imported or unclear are listed and left alone.
When a task is accepted, belay ticks its box in the file and changes nothing else there.

PATH is a file, a folder, or - for standard input. --all reads the files in these tools'
usual places, or those that specs: in .belay/config.yaml names.

If the parts of a task have boxes of their own, the parts are recorded instead of the
task; --whole reverses that. Files that a task declares in a list limit what it may
change, like --files; files that it only mentions do so with --limit.

--dry-run records nothing and needs no repository. Lines that belong to no task are listed
as notes.

Exit codes: 0 done · 2 a file cannot be read (its line is named) · 6 no such file, or no
such task in it.`,
		Example: `  belay task import specs/001-login/tasks.md --dry-run
  belay task import --all --in-order --with claude
  gh issue list --json number,title,body,state | belay task import - --only '#12'`,
		RunE: func(c *cobra.Command, args []string) error { return a.doImport(c, &f, args) },
	}
	fl := c.Flags()
	fl.BoolVar(&f.all, "all", false, "all task files in the tools' usual places")
	fl.BoolVarP(&f.dry, "dry-run", "n", false, "list the tasks and record nothing")
	fl.BoolVar(&f.asWritten, "as-it-is", false, "run an ambiguous task as written, without asking")
	fl.BoolVar(&f.every, "notes", false, "print each note instead of their number")
	fl.BoolVar(&f.options.KeepParts, "whole", false, "record a task with parts as one task")
	fl.BoolVar(&f.options.InOrder, "in-order", false, "each task depends on the one before it, except those marked [P]")
	fl.StringSliceVar(&f.options.Only, "only", nil, "import only the tasks with these `IDS`")
	fl.BoolVar(&f.options.UseMentioned, "limit", false, "a task may change only the files that it mentions")
	fl.BoolVar(&f.options.IgnoreFiles, "no-limit", false, "a task's files do not limit what it may change")
	fl.StringVar(&f.feature, "feature", "", "the feature they belong to (default: the folder's name)")
	fl.StringVar(&f.with, "with", "", presetUsage())
	fl.StringVar(&f.role, "agent", "", "`NAME` of the agent in the record")
	f.settings.Add(fl)
	return c
}

func (a importFamily) doImport(c *cobra.Command, f *importFlags, args []string) error {
	var agent []string
	if dash := c.ArgsLenAtDash(); dash >= 0 {
		args, agent = args[:dash:dash], args[dash:]
	}
	agent, role, err := presetCommand(f.with, f.role, agent)
	if err != nil {
		return err
	}
	switch {
	case f.all == (len(args) > 0):
		return belay.Refuse(belay.CodeUsage, "belay task import FILE…, or belay task import --all", "give files, or --all")
	case f.options.UseMentioned && f.options.IgnoreFiles:
		return belay.Refuse(belay.CodeUsage, "use one of them", "--limit and --no-limit cannot be combined")
	}
	f.options.IgnoreFiles = f.options.IgnoreFiles || c.Flags().Changed("files")
	q := app.ImportQuery{Dir: a.Dir, Paths: args, All: f.all, Stdin: a.In}
	svc, err := a.Open(c.Context(), f.settings.Flags(c.Flags())...)
	if err != nil {
		if !f.dry || f.all || belay.CodeOf(err) != belay.CodeCannot {
			return err
		}
		svc = nil // a dry run needs no repository
	} else {
		agent = svc.AgentFrom(a.Dir, agent)
		q.Root, q.Specs = svc.Session.Repo.Root, svc.Session.Config.Specs
	}
	files, err := app.ReadTaskFiles(q)
	if err != nil {
		return err
	}
	im, err := f.importFiles(c.Context(), svc, files,
		app.NewTask{Agent: agent, Feature: f.feature, Role: role, Clarify: svc != nil && svc.Session.Config.Clarify, AsItIs: f.asWritten})
	if im.Tasks == nil {
		return err
	}
	return a.PrintResult(im, err, func(w io.Writer) { printImport(w, im, f.dry, f.every) })
}

func (f *importFlags) importFiles(ctx context.Context, svc *app.Service, files []app.ImportFile, q app.NewTask) (app.Import, error) {
	if !f.dry {
		return app.RecordImport(ctx, svc, files, f.options, q)
	}
	if svc == nil {
		return app.PlanImport(files, nil, f.options), nil
	}
	have, err := app.RecordedTasks(svc)
	if err != nil {
		return app.Import{}, err
	}
	return app.PlanImport(files, have, f.options), nil
}

// printImport prints an import for a person.
func printImport(w io.Writer, im app.Import, dry, every bool) {
	var rows [][]string
	for _, file := range im.Files {
		if file.Problem == "" {
			fmt.Fprintf(w, "%s: %s, %s in %d lines\n", belay.VisibleLine(file.Path), file.Dialect, belay.CountOf(file.Tasks,
				"task"), file.Lines.Total)
		}
	}
	for _, l := range im.Tasks {
		id := string(l.Belay)
		if id == "" {
			id = "-"
		}
		rows = append(rows, []string{id, l.ID, string(l.Outcome), belay.TitleOf(l.Title)})
	}
	terminal.PrintTable(w, rows)
	printImportNotes(w, im, every)
	if len(im.Tasks) == 0 && len(im.Files) > 0 {
		fmt.Fprintln(w, "no task in it: in Markdown a task is an item with a box (- [ ] …)")
	}
	verb, n := "added", im.Count(app.ImportAdded)
	if dry {
		verb, n = "to add", im.Count(app.ImportOpen)
	}
	fmt.Fprintf(w, "%d %s", n, verb)
	for _, o := range []app.ImportOutcome{app.ImportKnown, app.ImportChanged, app.ImportDone, app.ImportParts,
		app.ImportUnclear, app.ImportLeft} {
		if n := im.Count(o); n > 0 && o == app.ImportParts {
			fmt.Fprintf(w, ", %d in parts", n)
		} else if n > 0 {
			fmt.Fprintf(w, ", %d %s", n, o)
		}
	}
	fmt.Fprintln(w)
}

// printImportNotes prints the notes. Unless every is set, adjacent lines with the same note become
// one.
func printImportNotes(w io.Writer, im app.Import, every bool) {
	for i := 0; i < len(im.Notes); {
		n := im.Notes[i]
		j := i + 1
		for !every && j < len(im.Notes) && im.Notes[j].Why == n.Why && im.Notes[j].Source == n.Source &&
			im.Notes[j].Line > im.Notes[j-1].Line {
			j++
		}
		place := belay.VisibleLine(belay.At(n.Source, n.Line))
		if j == i+1 {
			fmt.Fprintf(w, "note %s: %s: %s\n", place, belay.VisibleLine(n.Why), belay.TitleOf(belay.VisibleLine(n.Text)))
		} else {
			fmt.Fprintf(w, "note %s to %d: %d lines: %s\n", place, im.Notes[j-1].Line, j-i, belay.VisibleLine(n.Why))
		}
		i = j
	}
}

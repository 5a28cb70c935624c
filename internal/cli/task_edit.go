package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"github.com/belay-dev/belay/internal/app"
	"github.com/belay-dev/belay/internal/belay"
	"github.com/belay-dev/belay/internal/fsroot"
	"github.com/belay-dev/belay/internal/prompt"
	"github.com/belay-dev/belay/internal/terminal"
)

func (a importFamily) editCommand() *cobra.Command {
	var file, by string
	var show bool
	var how Settings
	c := &cobra.Command{
		Use: "edit TASK", Short: "Edit a task", Args: cobra.ExactArgs(1), ValidArgsFunction: a.CompleteTasks,
		Long: `Edit opens a task in $VISUAL or $EDITOR: its text, the requirements that were read from
it, and the files it may change. If you change the text but not the requirements, belay
reads them again. Errors are listed by line and you can edit again; if you give up, your
text is saved in a file.

--file reads it from a file instead, - from standard input; --print prints it. --test sets
another test command; if the task has started, belay runs the baseline again when you
resume it. A task that has ended, or that is running, cannot be edited.

Exit codes: 0 changed, or no changes · 2 it cannot be edited now, or the text is
invalid · 5 somebody else changed it in the meantime · 6 no such task.`,
		Example: `  belay task edit T7
  belay task edit T7 --test "npm run test:unit"
  belay task edit T7 --print | sed 's/two/three/' | belay task edit T7 --file -`,
		RunE: func(c *cobra.Command, args []string) error {
			flags := how.Flags(c.Flags())
			svc, id, err := a.OpenTask(c.Context(), args[0], flags...)
			if err != nil {
				return err
			}
			r, err := app.LoadEditable(svc, id)
			if err != nil {
				return err
			}
			if len(flags) > 0 {
				if show || file != "" {
					return belay.Refuse(belay.CodeUsage, "use two commands",
						"the text and the test command cannot be changed together")
				}
				out, err := app.SetTestCommand(c.Context(), svc, r)
				return editSession{family: a, id: r.Task.ID}.printEdited(out, err)
			}
			s := editSession{family: a, svc: svc, id: r.Task.ID, by: by, text: prompt.EditableTask(r.Task)}
			switch {
			case show:
				return a.PrintResult(map[string]any{"task": r.Task.ID, "text": s.text}, nil, func(w io.Writer) { fmt.Fprint(w, s.text) })
			case file != "":
				return s.readFile(c.Context(), file)
			}
			return s.editUntilDone(c.Context())
		},
	}
	c.Flags().StringVar(&file, "file", "", "take the text from this `FILE`, - is standard input")
	c.Flags().BoolVar(&show, "print", false, "print the text and change nothing")
	how.AddTests(c.Flags())
	c.Flags().StringVar(&by, "by", os.Getenv("USER"), "who edits, for the record")
	return c
}

// editSession is one edit of a task.
type editSession struct {
	family importFamily
	svc    *app.Service
	id     belay.TaskID
	by     string
	text   string
}

const maxEditedText = belay.MaxProse + 1<<20

// readFile applies the text of a file.
func (s editSession) readFile(ctx context.Context, name string) error {
	text, err := s.family.readText(name, "the text", "cut it", maxEditedText)
	if err != nil {
		return err
	}
	out, err := app.EditTask(ctx, s.svc, s.id, text, s.by)
	if err != nil && name == "-" {
		return s.saveUnsaved(text, err)
	}
	return s.printEdited(out, err)
}

// editUntilDone lets a person edit the text until it is valid or given up.
func (s editSession) editUntilDone(ctx context.Context) error {
	editor := os.Getenv("VISUAL")
	if editor == "" {
		editor = os.Getenv("EDITOR")
	}
	if strings.TrimSpace(editor) == "" {
		return belay.Refuse(belay.CodeUsage, "set EDITOR, or belay task edit "+string(s.id)+" --file FILE",
			"VISUAL and EDITOR are not set")
	}
	dir, err := os.MkdirTemp("", "belay-edit-")
	if err != nil {
		return fmt.Errorf("make a folder for the text: %w", err)
	}
	defer os.RemoveAll(dir)
	path, text := filepath.Join(dir, "task.md"), s.text
	for {
		if text, err = s.openEditor(ctx, editor, path, text); err != nil {
			return s.saveUnsaved(text, err)
		}
		out, err := app.EditTask(ctx, s.svc, s.id, text, s.by)
		if err == nil {
			return s.printEdited(out, nil)
		}
		var wrong prompt.Problems
		if !errors.As(err, &wrong) || !terminal.IsTerminal(s.family.In) || !terminal.IsTerminal(s.family.Err) || s.family.JSON {
			return s.saveUnsaved(text, err)
		}
		fmt.Fprintln(s.family.Err, wrong.Error())
		answer, ok := s.family.AskLine("edit it again? [Y/n]")
		if !ok || strings.HasPrefix(strings.ToLower(answer), "n") {
			return s.saveUnsaved(text, err)
		}
	}
}

// openEditor opens the text in the person's editor. editor is a shell command.
func (s editSession) openEditor(ctx context.Context, editor, path, text string) (string, error) {
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		return text, fmt.Errorf("write the text: %w", err)
	}
	c := exec.CommandContext(ctx, "sh", "-c", editor+` "$@"`, editor, path)
	c.Stdin, c.Stdout, c.Stderr = s.family.In, os.Stderr, os.Stderr
	rerr := c.Run()
	data, err := fsroot.ReadUserFile(path, maxEditedText)
	switch {
	case err != nil:
		return text, &belay.Error{Code: belay.CodeCannot, What: "the edited text is gone",
			Try: "use an editor that writes to the given file", Err: err}
	case rerr != nil:
		return string(data), &belay.Error{Code: belay.CodeCannot, What: "the editor failed; nothing was changed",
			Try: "check VISUAL and EDITOR", Err: rerr}
	}
	return string(data), nil
}

// saveUnsaved ends an edit that was not applied. If the text was changed, it saves it in a new file.
func (s editSession) saveUnsaved(text string, err error) error {
	if text == s.text {
		return err
	}
	dir := s.svc.Session.Scratch("edits")
	path := filepath.Join(dir, s.id.Key()+".md")
	if merr := fsroot.MkdirAll(dir, 0o700); merr != nil {
		return errors.Join(err, merr)
	}
	f, werr := fsroot.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	for n := 2; errors.Is(werr, fs.ErrExist); n++ {
		path = filepath.Join(dir, fmt.Sprintf("%s-%d.md", s.id.Key(), n))
		f, werr = fsroot.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	}
	if werr != nil {
		return errors.Join(err, werr)
	}
	_, werr = f.WriteString(text)
	if werr = errors.Join(werr, f.Close()); werr != nil {
		return errors.Join(err, werr)
	}
	fmt.Fprintf(s.family.Err, "your text is saved in %s\n", belay.VisibleLine(path))
	return err
}

// printEdited prints the changes of an edit.
func (s editSession) printEdited(out app.EditResult, err error) error {
	return s.family.printDataOrError(out, err, func(w io.Writer) {
		if len(out.Changed) == 0 {
			fmt.Fprintf(w, "%s: no changes\n", s.id)
			return
		}
		fmt.Fprintf(w, "%s: changed: %s\n", s.id, strings.Join(out.Changed, ", "))
	})
}

package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
	"syscall"

	"github.com/spf13/cobra"

	"github.com/belay-dev/belay/internal/app"
	"github.com/belay-dev/belay/internal/belay"
	"github.com/belay-dev/belay/internal/restore"
	"github.com/belay-dev/belay/internal/session"
	"github.com/belay-dev/belay/internal/terminal"
)

// This package and package terminal decide nothing: a command reads its flags, makes one call to
// app, and prints.

// App has what all commands share.
type App struct {
	*terminal.Terminal
	Dir   string // -C
	Force bool   // --anywhere

	lastOpened      *app.Service // the service that was opened last
	RestoreReported bool         // the command has reported an interrupted restore itself

	// OnOpen, if set, receives every service before it is used. Tests inject faults and kills
	// there.
	OnOpen func(*app.Service)
}

// Open opens the repository for a command.
func (a *App) Open(ctx context.Context, flags ...app.Flag) (*app.Service, error) {
	svc, err := app.Open(ctx, a.Setting(flags))
	if err == nil {
		app.AttachPlans(svc)
		a.lastOpened, a.Bell = svc, svc.Session.Config.Notify.Bell
		svc.Session.Restores.Report = func(text string) { fmt.Fprintf(a.Err, "belay: %s\n", belay.Visible(text)) }
	}
	return svc, err
}

// ReportUnfinishedRestore prints to standard error, when a command ends, that a restore is still
// interrupted, unless the command or its error reported it.
func (a *App) ReportUnfinishedRestore(err error) {
	if a.lastOpened == nil || a.RestoreReported || err != nil && strings.Contains(err.Error(), "interrupted") {
		return
	}
	if t := a.lastOpened.Session.Restores.Unfinished(); t != nil {
		what, try := t.Message()
		fmt.Fprintf(a.Err, "belay: %s\n  try: %s\n", what, try)
	}
}

// ApplyRetention runs after a command that ended a task. It prints which snapshots are kept, and
// deletes those that the config does not keep. It never fails: the next task's end makes up for
// what was not done.
func (a *App) ApplyRetention(ctx context.Context) {
	if a.lastOpened == nil || ctx.Err() != nil {
		return
	}
	said, err := a.lastOpened.Retain(ctx)
	for _, r := range said {
		terminal.WrapOutput(func(w io.Writer) { fmt.Fprintf(w, "belay: %s: %s\n", r.Task, belay.VisibleLine(r.Text)) })(a.Err)
	}
	if err != nil && ctx.Err() == nil {
		fmt.Fprintf(a.Err, "belay: archived snapshots stay for now: %s\n", belay.VisibleLine(session.ErrorLine(err)))
	}
}

// AskSkipBroken asks whether to skip the paths of a *restore.BrokenError and restore everything
// else. Without a terminal the answer is no; there is a flag for it.
func (a *App) AskSkipBroken(err error) bool {
	var broken *restore.BrokenError
	if !errors.As(err, &broken) || broken.Command == "" || a.JSON || !terminal.IsTerminal(a.In) || !terminal.IsTerminal(a.Err) {
		return false
	}
	fmt.Fprintf(a.Err, "%s cannot be restored completely: \n", broken.Snapshot)
	for _, k := range broken.Paths {
		fmt.Fprintf(a.Err, "  %s: %s\n", belay.VisibleLine(k.Path), belay.VisibleLine(k.Reason))
	}
	return a.Confirm(fmt.Sprintf("skip %s and restore everything else?", belay.CountOf(len(broken.Paths), "path")), false)
}

// runRestore performs a restore and prints the result. With ask it first finishes an interrupted
// one of that tree and prints the plan, and a person may confirm it and skip what cannot be restored.
func (a *App) runRestore(what string, dry, ask, skip bool, finish func() error,
	do func(dry, skip bool) (restore.Restored, error)) error {
	ask = ask && !dry
	if ask { // a plan finishes no interrupted restore
		if err := finish(); err != nil {
			if !a.AskSkipBroken(err) {
				return err
			}
			ask, skip = false, true
		}
	}
	if ask {
		out, err := do(true, skip)
		if a.AskSkipBroken(err) {
			skip = true
			out, err = do(true, skip)
		}
		if err == nil && !a.Confirm(fmt.Sprintf("%s: %s?", what, terminal.PlanText(out)), false) {
			err = belay.Refuse(belay.CodeInterrupted, "add --yes to continue", "nothing was changed")
		}
		if err != nil {
			return err
		}
	}
	out, err := do(dry, skip)
	if err != nil {
		return err
	}
	return a.PrintRestored(out, dry)
}

// openInput opens a file named by a person, or standard input for "-". It does not wait for a FIFO
// without a writer. what and try are for the error.
func (a *App) openInput(name, what, try string) (io.ReadCloser, error) {
	if name == "-" {
		return io.NopCloser(a.In), nil
	}
	f, err := os.OpenFile(name, os.O_RDONLY|syscall.O_NONBLOCK, 0)
	if err != nil {
		return nil, belay.Refuse(belay.CodeCannot, try, "%s cannot be read: %v", what, err)
	}
	return f, nil
}

// readText reads the input that openInput opens, at most most bytes. shorten is the suggestion for
// a longer one.
func (a *App) readText(name, what, shorten string, most int) (string, error) {
	in, err := a.openInput(name, what, "give the path of a text file, or - for standard input")
	if err != nil {
		return "", err
	}
	defer func() { _ = in.Close() }()
	text, err := io.ReadAll(io.LimitReader(in, int64(most)+1))
	if err != nil {
		return "", fmt.Errorf("read %s: %w", what, err)
	}
	if len(text) > most {
		return "", belay.Refuse(belay.CodeUsage, shorten, "%s is larger than %d KiB", what, most>>10)
	}
	return string(text), nil
}

// ResolveTask returns the named task, or the one with the latest event.
func (a *App) ResolveTask(svc *app.Service, named []string) (belay.TaskID, error) {
	if len(named) > 0 {
		return belay.ParseTaskID(named[0])
	}
	return svc.Latest()
}

// OpenOneTask is Open for a command about the named task, or the latest one.
func (a *App) OpenOneTask(ctx context.Context, named []string) (*app.Service, belay.TaskID, error) {
	svc, err := a.Open(ctx)
	if err != nil {
		return nil, "", err
	}
	id, err := a.ResolveTask(svc, named)
	return svc, id, err
}

// OpenTask is Open for a command about the task with the ID word.
func (a *App) OpenTask(ctx context.Context, word string, flags ...app.Flag) (*app.Service, belay.TaskID, error) {
	id, err := belay.ParseTaskID(word)
	if err != nil {
		return nil, "", err
	}
	svc, err := a.Open(ctx, flags...)
	return svc, id, err
}

// withRepository returns the function of a command that works in the current repository.
func (a *App) withRepository(do func(*cobra.Command, *app.Service, []string) error) func(*cobra.Command, []string) error {
	return func(c *cobra.Command, args []string) error {
		svc, err := a.Open(c.Context())
		if err != nil {
			return err
		}
		return do(c, svc, args)
	}
}

// withTask is withRepository for a command about the named task, or the latest one.
func (a *App) withTask(do func(*cobra.Command, *app.Service, belay.TaskID) error) func(*cobra.Command, []string) error {
	return func(c *cobra.Command, args []string) error {
		svc, id, err := a.OpenOneTask(c.Context(), args)
		if err != nil {
			return err
		}
		return do(c, svc, id)
	}
}

// printDataOrError is PrintResult for data that is invalid after an error.
func (a *App) printDataOrError(data any, err error, text func(io.Writer)) error {
	if err != nil {
		return err
	}
	return a.PrintResult(data, nil, text)
}

// Setting returns the options to open a Service with.
func (a *App) Setting(flags []app.Flag) app.OpenOptions {
	self, err := os.Executable()
	if err != nil {
		self = os.Args[0]
	}
	return app.OpenOptions{Dir: a.Dir, Force: a.Force, Flags: flags, Self: []string{self, "_run"}, Ask: a.AskConfirmation, Opened: a.OnOpen}
}

// ExitStatus maps an error to the exit status (docs/exit-codes.md).
func ExitStatus(err error) int {
	if err == nil {
		return 0
	}
	if errors.Is(err, context.Canceled) {
		return 130
	}
	switch belay.CodeOf(err) {
	case belay.CodeRefused:
		return 1
	case belay.CodeWaiting:
		return 3
	case belay.CodeDrift:
		return 4
	case belay.CodeBusy:
		return 5
	case belay.CodeNotFound:
		return 6
	case belay.CodeInterrupted:
		return 130
	}
	return 2
}

package runner

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"runtime"
	"strings"
	"time"

	"github.com/belay-dev/belay/internal/belay"
	"github.com/belay-dev/belay/internal/proc"
	"github.com/belay-dev/belay/internal/session"
)

// notifyTime is how long telling somebody may take.
const notifyTime = 10 * time.Second

// notify tells a person that the task waits, as the config asks for. The question does not wait for it, and how it ends
// changes nothing about the task.
func (d *Driver) notify(ctx context.Context) {
	n, t, why := d.Config.Notify, d.Rec.Task, belay.VisibleLine(d.Rec.State.Gate.Why)
	start := func(what string, run func(context.Context) error) {
		d.telling.Go(func() {
			ctx, cancel := context.WithTimeout(ctx, notifyTime)
			defer cancel()
			if err := run(ctx); err != nil {
				d.Watch.Note(what + ": " + session.Sentence(err))
			}
		})
	}
	if len(n.Command) > 0 {
		start("notify.command", func(ctx context.Context) error {
			command, err := d.May.Program(n.Command)
			if err != nil {
				return err
			}
			var said proc.Spool
			end := proc.Program{
				Command: command, Dir: d.Repo.Root, Stdout: &said, Grace: time.Second,
				Env: proc.Environ(append(os.Environ(), "BELAY_TASK="+string(t.ID), "BELAY_TITLE="+belay.VisibleLine(t.Title),
					"BELAY_REASON="+why), d.Repo.Root),
			}.Run(ctx)
			if end.Code != 0 || end.Failed != nil {
				return fmt.Errorf("%s %s: %s", command, end, strings.TrimSpace(said.Last(200)))
			}
			return nil
		})
	}
	if n.Desktop {
		argv := desktop(fmt.Sprintf("%s waits for you", t.ID), belay.VisibleLine(t.Title)+": "+why)
		start("notify.desktop", func(ctx context.Context) error {
			return exec.CommandContext(ctx, argv[0], argv[1:]...).Run()
		})
	}
}

// desktop gives the command that shows a notification.
func desktop(title, text string) []string {
	if runtime.GOOS == "darwin" { // the texts are arguments of the script: they are no part of its source
		return []string{"osascript", "-e", "on run argv", "-e", "display notification (item 2 of argv) with title (item 1 of argv)",
			"-e", "end run", title, text}
	}
	return []string{"notify-send", "--app-name=belay", "--", title, text}
}

// Package cli is what every command of belay shares: the flags that stand for keys of
// the config, finding the repository, completion, and exit statuses. The commands
// themselves are families in the packages below it, each with Commands.
//
// Nothing here or below decides anything: a command reads its flags, calls flow once,
// and prints.
package cli

import (
	"context"
	"errors"
	"os"

	"github.com/belay-dev/belay/internal/belay"
	"github.com/belay-dev/belay/internal/flow"
	"github.com/belay-dev/belay/internal/flow/plans"
	"github.com/belay-dev/belay/internal/terminal"
)

// App is what every command shares.
type App struct {
	*terminal.Terminal
	Dir   string // -C
	Force bool   // --anywhere

	// OnOpen, when set, gets every desk before it is used: tests fail and kill there.
	OnOpen func(*flow.Desk)
}

// Open finds the repository for a command.
func (a *App) Open(ctx context.Context, flags ...flow.Flag) (*flow.Desk, error) {
	desk, err := flow.Open(ctx, a.Setting(flags))
	if err == nil {
		plans.Attach(desk)
	}
	if err == nil && a.OnOpen != nil {
		a.OnOpen(desk)
	}
	return desk, err
}

// OpenTask is Open for a command about one task, whose id is word.
func (a *App) OpenTask(ctx context.Context, word string, flags ...flow.Flag) (*flow.Desk, belay.TaskID, error) {
	id, err := belay.ParseTaskID(word)
	if err != nil {
		return nil, "", err
	}
	desk, err := a.Open(ctx, flags...)
	return desk, id, err
}

// Setting says where and how a command works.
func (a *App) Setting(flags []flow.Flag) flow.Setting {
	self, err := os.Executable()
	if err != nil {
		self = os.Args[0]
	}
	return flow.Setting{Dir: a.Dir, Force: a.Force, Flags: flags, Self: []string{self, "_run"}}
}

// Status maps an error to the exit status (docs/exit-codes.md).
func Status(err error) int {
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

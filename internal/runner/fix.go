package runner

import (
	"context"

	"github.com/belay-dev/belay/internal/loop"
	"github.com/belay-dev/belay/internal/prompt"
)

// fixPrompt returns the prompt after such a rejection: what it takes to fix it. If that is not
// shorter than the full prompt, it returns the full one.
func (d *Driver) fixPrompt(ctx context.Context, a loop.Attempt) (string, error) {
	full, err := d.PromptText(ctx, loop.PromptRepair)
	if err != nil {
		return "", err
	}
	in, err := d.FixInput(ctx, a)
	if err != nil {
		return "", err
	}
	in.Full = prompt.Tokens(full)
	if fix := prompt.FixPrompt(in); fix.Tokens < prompt.Tokens(full) {
		return fix.Text, nil
	}
	return full, nil
}

// FixInput returns the input of a fix prompt for attempt a: its findings, the code that they name,
// and what it changed.
func (d *Driver) FixInput(ctx context.Context, a loop.Attempt) (in prompt.FixInput, err error) {
	in = prompt.NewFixInput(d.Record.Task, d.Record.State, a)
	in.FullFiles = d.fullFiles()
	if in.Files, err = prompt.ReadFixFiles(d.Session.Repo.Root, in.Findings); err != nil {
		return in, err
	}
	in.Diff, err = d.lastDiff(ctx)
	return in, err
}

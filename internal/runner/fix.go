package runner

import (
	"context"

	"github.com/belay-dev/belay/internal/loop"
	"github.com/belay-dev/belay/internal/prompt"
)

// fixWords is the prompt after such a refusal: what it takes to fix it. Where that
// would not be shorter than the whole prompt, the whole one is given.
func (d *Driver) fixWords(ctx context.Context, a loop.Attempt) (string, error) {
	full, err := d.Words(ctx, loop.PromptRepair)
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

// FixInput says what attempt a is to be fixed for: its findings, with the code at their places
// and what it changed.
func (d *Driver) FixInput(ctx context.Context, a loop.Attempt) (in prompt.FixInput, err error) {
	in = prompt.Input(d.Rec.Task, d.Rec.State, a)
	in.Whole = d.whole()
	if in.Files, err = prompt.Files(d.Session.Repo.Root, in.Findings); err != nil {
		return in, err
	}
	in.Diff, err = d.lastDiff(ctx)
	return in, err
}

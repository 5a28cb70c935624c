package drive

import (
	"context"

	"github.com/belay-dev/belay/internal/brief"
	"github.com/belay-dev/belay/internal/loop"
	"github.com/belay-dev/belay/internal/mend"
)

// fixWords is the prompt after such a refusal: what it takes to mend it. Where that
// would not be shorter than the whole prompt, the whole one is given.
func (d *Driver) fixWords(ctx context.Context, a loop.Attempt) (string, error) {
	full, err := d.Words(ctx, loop.PromptRepair)
	if err != nil {
		return "", err
	}
	in := mend.Input(d.Rec.Task, d.Rec.State, a)
	in.Full = brief.Tokens(full)
	if in.Files, err = mend.Files(d.Repo.Root, in.Findings); err != nil {
		return "", err
	}
	if fix := brief.FixPrompt(in); fix.Tokens < brief.Tokens(full) {
		return fix.Text, nil
	}
	return full, nil
}

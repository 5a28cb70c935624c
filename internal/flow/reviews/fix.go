package reviews

import (
	"context"
	"fmt"

	"github.com/belay-dev/belay/internal/apart"
	"github.com/belay-dev/belay/internal/belay"
	"github.com/belay-dev/belay/internal/brief"
	"github.com/belay-dev/belay/internal/desk"
	"github.com/belay-dev/belay/internal/drive"
	"github.com/belay-dev/belay/internal/flow"
	"github.com/belay-dev/belay/internal/loop"
	"github.com/belay-dev/belay/internal/mend"
)

// FixPrompt makes the prompt that has the newest refusal of a task mended, within so
// many tokens (0 is no limit). CodeCannot when nothing was refused.
func FixPrompt(ctx context.Context, fd *flow.Desk, task belay.TaskID, tokens int) (brief.Fix, error) {
	d := fd.Desk
	r, err := d.Load(task)
	if err != nil {
		return brief.Fix{}, err
	}
	refused := mend.Refused(r.State)
	if refused == nil {
		return brief.Fix{}, belay.Refuse(belay.CodeCannot, fmt.Sprintf("belay show %s", task), "no attempt of %s was refused with a reason", task)
	}
	if at, err := apart.At(ctx, d, r); err == nil {
		d = at
	} else if belay.CodeOf(err) != belay.CodeNotFound { // without its tree the words are all there is
		return brief.Fix{}, err
	}
	full, err := fullPrompt(ctx, d, r)
	if err != nil {
		return brief.Fix{}, err
	}
	in := mend.Input(r.Task, r.State, *refused)
	in.Tokens, in.Full = tokens, brief.Tokens(full)
	if in.Files, err = mend.Files(d.Repo.Root, in.Findings); err != nil {
		return brief.Fix{}, err
	}
	return brief.FixPrompt(in), nil
}

// fullPrompt is what the next attempt would be told otherwise.
func fullPrompt(ctx context.Context, d *desk.Desk, r *desk.Record) (string, error) {
	dr := &drive.Driver{Desk: d, Rec: r, Soft: ctx}
	return dr.Words(ctx, loop.PromptRetry)
}

package reviews

import (
	"context"
	"fmt"

	"github.com/belay-dev/belay/internal/apart"
	"github.com/belay-dev/belay/internal/belay"
	"github.com/belay-dev/belay/internal/brief"
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
	dr := &drive.Driver{Desk: d, Rec: r, Soft: ctx}
	full, err := dr.Words(ctx, loop.PromptRetry) // what the next attempt would be told otherwise
	if err != nil {
		return brief.Fix{}, err
	}
	in, err := dr.FixInput(ctx, *refused)
	if err != nil {
		return brief.Fix{}, err
	}
	in.Tokens, in.Full = tokens, brief.Tokens(full)
	return brief.FixPrompt(in), nil
}

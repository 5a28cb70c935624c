package cli

import (
	"context"
	"fmt"

	"github.com/belay-dev/belay/internal/belay"
	"github.com/belay-dev/belay/internal/brief"
	"github.com/belay-dev/belay/internal/check/secrets"
	"github.com/belay-dev/belay/internal/flow"
)

// Clarified gives the words of a task after asking about what can be read in two ways.
// At a terminal the answer is put behind the words, which stay as they are; an empty one
// goes on. Without a terminal it is noted, and the task waits at a gate (wait) only when
// must or the config says so: words that could be clearer do not stop a script that did not
// ask for it.
func (a *App) Clarified(ctx context.Context, desk *flow.Desk, prose string, must bool) (words string, wait bool) {
	must = must || desk.Config.Clarify
	if prose == "" {
		return prose, must
	}
	req, _ := desk.Understand(ctx, prose)
	if req.Type != belay.Unclear {
		return prose, must
	}
	// They are looked through for secrets only when the task is recorded; until then none is shown.
	doubts, _ := secrets.Masked(brief.Doubts(req.Doubts), desk.Config.Secrets.Allow)
	if !must && a.JSON {
		return prose, false // the record holds them
	}
	words, asked := a.Question(doubts + "Say what is meant, or press Enter to go on as it is:")
	switch {
	case asked && words != "":
		return prose + "\n\n" + words, must
	case asked:
		return prose, false
	case must:
		return prose, true
	}
	fmt.Fprintf(a.Err, "note: the words can be read in more than one way:\n%s", belay.Visible(doubts))
	return prose, false
}

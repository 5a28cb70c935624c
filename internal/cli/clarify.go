package cli

import (
	"context"
	"fmt"

	"github.com/belay-dev/belay/internal/app"
	"github.com/belay-dev/belay/internal/belay"
	"github.com/belay-dev/belay/internal/check"
	"github.com/belay-dev/belay/internal/prompt"
)

// Clarify handles a new task with an ambiguous text. On a terminal it asks; the answer is appended
// to the text, and an empty answer runs the text as written. Without a terminal the task waits at a
// gate, unless --as-it-is was given or the config has clarify: false. must is --clarify, which
// overrides the config.
func (a *App) Clarify(ctx context.Context, svc *app.Service, q *app.NewTask, must bool) {
	q.Clarify = must || svc.Session.Config.Clarify
	if q.Text == "" {
		return
	}
	req, _ := svc.ParseRequest(ctx, q.Text)
	if !req.Waits() { // a text that is only vague is noted in the record
		return
	}
	// The text is checked for secrets only when the task is recorded, so mask them here.
	doubts, _ := check.MaskSecrets(prompt.DoubtsText(req.Doubts), svc.Session.Config.Secrets.Allow)
	wait := q.Clarify && !q.AsItIs
	if wait {
		switch words, asked := a.AskText("the task can be read in more than one way:\n" + doubts +
			"add detail, or press Enter to run it as written:"); {
		case asked && words != "":
			q.Answer = words
			return
		case asked:
			q.AsItIs = true
			return
		}
	}
	if !wait && !a.JSON { // the JSON of the record has them
		fmt.Fprintf(a.Err, "note: the task can be read in more than one way:\n%s", belay.Visible(doubts))
	}
}

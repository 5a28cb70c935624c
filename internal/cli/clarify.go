package cli

import (
	"context"
	"fmt"

	"github.com/belay-dev/belay/internal/app"
	"github.com/belay-dev/belay/internal/belay"
	"github.com/belay-dev/belay/internal/check"
	"github.com/belay-dev/belay/internal/prompt"
)

// Clarify asks about words of a new task that can be read in more than one way, and says what
// comes of it. At a terminal the answer is put behind the words, which stay as they are; an empty
// one runs them as they are written. Without a terminal the task waits at a gate, unless the
// person has said --as-it-is, or the config (clarify: false) that none does; must is --clarify,
// which counts more than the config.
func (a *App) Clarify(ctx context.Context, svc *app.Service, q *app.NewTask, must bool) {
	q.Clarify = must || svc.Session.Config.Clarify
	if q.Text == "" {
		return
	}
	req, _ := svc.ParseRequest(ctx, q.Text)
	if !req.Waits() { // what is only vague is in the record
		return
	}
	// They are looked through for secrets only when the task is recorded; until then none is shown.
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
	if !wait && !a.JSON { // with JSON the record holds them
		fmt.Fprintf(a.Err, "note: the task can be read in more than one way:\n%s", belay.Visible(doubts))
	}
}

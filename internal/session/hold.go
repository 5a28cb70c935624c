package session

import (
	"context"

	"github.com/belay-dev/belay/internal/belay"
)

// Hold takes the working tree for one run. CodeBusy names who has it.
func (d *Desk) Hold(_ context.Context, task belay.TaskID, doing string) (func(), error) {
	return Take(d.Scratch("tree.lock"), task, doing, now())
}

// Held reports who holds the working tree, if anybody does.
func (d *Desk) Held() (Holder, bool) { return Held(d.Scratch("tree.lock")) }

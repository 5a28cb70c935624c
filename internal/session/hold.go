package session

import (
	"context"

	"github.com/belay-dev/belay/internal/belay"
)

// Hold takes the working tree for one run. CodeBusy names who has it.
func (s *Session) Hold(_ context.Context, task belay.TaskID, doing string) (func(), error) {
	return Take(s.Scratch("tree.lock"), task, doing, now())
}

// Held reports who holds the working tree, if anybody does.
func (s *Session) Held() (Holder, bool) { return Held(s.Scratch("tree.lock")) }

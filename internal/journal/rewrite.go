package journal

import (
	"bytes"
	"context"

	"github.com/belay-dev/belay/internal/belay"
	"github.com/belay-dev/belay/internal/journal/entry"
)

// Rewrite brings a record back that vanished from the disk while it was in use, line
// for line as it was read: an agent may delete more than it was asked to. A record
// that is there is left alone, and the error is as from Create; so are the others.
// Attachments that vanished with it are gone, and Verify says so.
func (s *Store) Rewrite(ctx context.Context, log Log) error {
	var text bytes.Buffer
	for _, e := range log.Entries {
		l := entry.Line{Entry: e, Task: log.Task}
		one, err := entry.Make(&l)
		if err != nil {
			return err
		}
		if l.Hash != e.Hash {
			return belay.Refuse(belay.CodeCannot, "belay log --verify "+string(log.Task), "entry %d of %s is not as it was read", e.Seq, log.Task)
		}
		text.Write(one)
	}
	if err := s.makeDirs(s.tasksDir()); err != nil {
		return err
	}
	unlock, err := s.lock(ctx, log.Task)
	if err != nil {
		return err
	}
	defer unlock()
	if err := s.setAside(log.Task); err != nil {
		return err
	}
	return s.writeFirst(log.Task, text.Bytes())
}

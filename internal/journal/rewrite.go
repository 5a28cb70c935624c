package journal

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"

	"github.com/belay-dev/belay/internal/belay"
	"github.com/belay-dev/belay/internal/fsroot"
)

// Rewrite restores a record that was deleted from the disk while it was in use, line for line as it
// was read: an agent may delete more than it was asked to. An existing record is left unchanged.
// Errors are those of Create. Deleted attachments stay missing; Verify reports them.
func (s *Store) Rewrite(ctx context.Context, log Log) error {
	return s.rewrite(ctx, log, s.setAside)
}

// Replace is Rewrite for a record that another process changed while it was in use: the file in its
// place is kept beside it as <key>.jsonl.changed-N.
func (s *Store) Replace(ctx context.Context, log Log) error {
	return s.rewrite(ctx, log, func(task belay.TaskID) error {
		path := s.taskFile(task)
		if _, err := fsroot.Lstat(path); errors.Is(err, fs.ErrNotExist) {
			return nil
		}
		for n := 1; ; n++ {
			if err := s.moveNew(path, fmt.Sprintf("%s.changed-%d", path, n)); !errors.Is(err, fs.ErrExist) {
				return err
			}
		}
	})
}

func (s *Store) rewrite(ctx context.Context, log Log, away func(belay.TaskID) error) error {
	var text bytes.Buffer
	if err := encodeLines(&text, log); err != nil {
		return err
	}
	if err := s.makeDirs(s.tasksDir()); err != nil {
		return err
	}
	unlock, err := s.lock(ctx, log.Task)
	if err != nil {
		return err
	}
	defer unlock()
	if err := away(log.Task); err != nil {
		return err
	}
	return s.writeFirst(log.Task, text.Bytes())
}

// encodeLines writes entries as they were read. CodeCannot if one was changed in memory.
func encodeLines(text *bytes.Buffer, log Log) error {
	for _, e := range log.Entries {
		l := Line{Entry: e, Task: log.Task}
		one, err := Make(&l)
		if err != nil {
			return err
		}
		if l.Hash != e.Hash {
			return belay.Refuse(belay.CodeCannot, "belay log --verify "+string(log.Task),
				"entry %d of %s changed since it was read", e.Seq, log.Task)
		}
		text.Write(one)
	}
	return nil
}

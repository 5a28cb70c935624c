package journal

import (
	"bytes"
	"context"
	"errors"
	"io/fs"
	"os"

	"github.com/belay-dev/belay/internal/belay"
	"github.com/belay-dev/belay/internal/fsroot"
)

// Extend appends the missing entries of log to a copy of its record, or creates the copy. The
// caller has verified the chain of log. CodeRefused, and nothing is written, if the copy is not the
// beginning of log, because entries never change. Other errors are those of Append.
func (s *Store) Extend(ctx context.Context, log Log) error {
	path := s.taskFile(log.Task)
	if _, err := fsroot.Lstat(path); errors.Is(err, fs.ErrNotExist) {
		return s.Rewrite(ctx, log)
	}
	unlock, err := s.lock(ctx, log.Task)
	if err != nil {
		return err
	}
	defer unlock()
	f, err := openRecord(path, os.O_RDWR)
	if err != nil {
		return couldNot("write", path, err)
	}
	defer f.Close()
	end, err := findEnd(f, log.Task)
	if err != nil {
		return err
	}
	n := end.last.Seq
	if n > len(log.Entries) {
		return belay.Refuse(belay.CodeRefused, "find out who changed it", "the record of %s has %d entries, and had %d", log.Task,
			len(log.Entries), n)
	}
	if log.Entries[n-1].Hash != end.last.Hash {
		return belay.Refuse(belay.CodeRefused, "find out who changed it",
			"the record of %s was replaced: entry %d is not the one that was seen", log.Task, n)
	}
	var text bytes.Buffer
	if err := encodeLines(&text, Log{Task: log.Task, Entries: log.Entries[n:]}); err != nil || text.Len() == 0 {
		return err
	}
	return s.extend(f, end, text.Bytes())
}

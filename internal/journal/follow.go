package journal

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"iter"
	"os"
	"time"

	"github.com/belay-dev/belay/internal/belay"
	"github.com/belay-dev/belay/internal/fsroot"
)

// Follow yields the entries of task's record with a number greater than after, first the existing
// ones and then each new one, until ctx or the caller's loop ends. It polls ten times a second. It
// ends with an error if there is no such task (belay.CodeNotFound), or if the record is damaged
// (belay.CodeCannot). It waits for the rest of a torn entry.
func (s *Store) Follow(ctx context.Context, task belay.TaskID, after int) iter.Seq2[Entry, error] {
	return func(yield func(Entry, error) bool) {
		t := tail{store: s, task: task}
		tick := time.NewTicker(s.poll)
		defer tick.Stop()
		for {
			entries, err := t.next()
			for _, e := range entries {
				if e.Seq > after && !yield(e, nil) {
					return
				}
			}
			if err != nil {
				yield(Entry{}, err)
				return
			}
			select {
			case <-ctx.Done():
				return
			case <-tick.C:
			}
		}
	}
}

// tail is a record and how far it has been read.
type tail struct {
	store *Store
	task  belay.TaskID
	read  int64 // size of the entries returned so far
	last  Line
}

// next returns the complete entries that were added since the last call.
func (t *tail) next() ([]Entry, error) {
	path := t.store.taskFile(t.task)
	if t.last.Seq == 0 { // a damaged or missing record is an error at once, as in Read
		found, err := t.store.scan(t.task)
		if err != nil {
			return nil, err
		}
		t.read, t.last = found.complete, found.last
		return found.log.Entries, found.damage
	}
	info, err := fsroot.Lstat(path)
	if err != nil {
		return nil, fmt.Errorf("follow %s: %w", t.task, err)
	}
	if info.Size() == t.read {
		return nil, nil
	}
	if info.Size() < t.read {
		return nil, belay.Refuse(belay.CodeCannot, "belay log --verify "+string(t.task), "the record of %s was truncated", t.last.Task)
	}
	return t.added(path)
}

func (t *tail) added(path string) ([]Entry, error) {
	f, err := openRecord(path, os.O_RDONLY)
	if err != nil {
		return nil, fmt.Errorf("follow %s: %w", t.task, err)
	}
	defer f.Close()
	if _, err := f.Seek(t.read, io.SeekStart); err != nil {
		return nil, fmt.Errorf("follow %s: %w", t.task, err)
	}
	br := bufio.NewReader(f)
	var entries []Entry
	for {
		raw, size, err := ReadLine(br)
		if err != nil {
			return entries, fmt.Errorf("follow %s: %w", t.task, err)
		}
		l, err := Next(raw, t.last, t.task)
		switch {
		case err == nil:
			t.last, t.read = l, t.read+size
			entries = append(entries, l.Entry)
		case IsComplete(raw):
			_, again := t.store.Read(t.task) // reading all of it names the damaged line, or finds it repaired
			return entries, again
		default:
			return entries, nil // the end, or a torn entry, which may be completed
		}
	}
}

package journal

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"

	"github.com/belay-dev/belay/internal/belay"
	"github.com/belay-dev/belay/internal/fsroot"
)

// Read returns the record of task; the case of the id does not matter. It takes no
// lock, so an append under way may show as torn bytes. A record that is damaged before
// its end gives the entries before the damage and an error that names the file and the
// line (belay.CodeCannot); a task without one whole entry is belay.CodeNotFound.
func (s *Store) Read(task belay.TaskID) (Log, error) {
	found, err := s.scan(task)
	if err != nil {
		return Log{}, err
	}
	return found.log, found.damage
}

// scanned is one pass over a record.
type scanned struct {
	log      Log
	complete int64 // bytes of the whole entries: where the next one belongs
	last     Line
	damage   error // entries follow, or stand, where the chain is broken
}

// scan reads the record, once more when it looks damaged: a reader without a lock can
// see half of a torn end and half of the entry that was written in its place.
func (s *Store) scan(task belay.TaskID) (found scanned, err error) {
	for range 3 {
		if found, err = s.scanOnce(task); err != nil || found.damage == nil {
			break
		}
	}
	return found, err
}

func (s *Store) scanOnce(task belay.TaskID) (scanned, error) {
	f, err := openRecord(s.taskFile(task), os.O_RDONLY)
	if errors.Is(err, fs.ErrNotExist) {
		return scanned{}, notFound(task)
	}
	if err != nil {
		return scanned{}, fmt.Errorf("read the record of %s: %w", task, err)
	}
	defer f.Close()
	found, err := scanRecord(f, f.Name(), task)
	if err != nil {
		return found, err
	}
	if len(found.log.Entries) == 0 && found.damage == nil {
		return found, notFound(task)
	}
	return found, nil
}

// mostRecord is how many bytes a record may have. What an agent printed is not in it.
const mostRecord = 512 << 20

// openRecord opens path when it is a regular file: a fifo or a link put in its place
// must neither block belay nor lead it elsewhere.
func openRecord(path string, flag int) (*os.File, error) {
	info, err := fsroot.Lstat(path)
	if err != nil {
		return nil, err
	}
	if !info.Mode().IsRegular() {
		return nil, belay.Refuse(belay.CodeCannot, "check it and move it away", "%s is not a regular file", path)
	}
	if info.Size() > mostRecord {
		return nil, belay.Refuse(belay.CodeCannot, "check it and move it away",
			"%s cannot be read: over %d bytes, too large for a record", path, mostRecord)
	}
	return fsroot.OpenFile(path, flag, 0)
}

// scanRecord reads entries as long as they are whole and chained. What follows is torn
// when no line of it is whole JSON: a crash during an append leaves part of a line,
// perhaps with blocks of zeros. Whole JSON that does not fit was written whole, so the
// record was altered, and that is damage.
func scanRecord(r io.Reader, path string, task belay.TaskID) (found scanned, err error) {
	br := bufio.NewReaderSize(r, 64<<10)
	var why error
	bad := 0
	for n := 1; ; n++ {
		raw, size, err := ReadLine(br)
		if err != nil {
			return found, fmt.Errorf("read %s: %w", path, err)
		}
		if size == 0 {
			return found, nil
		}
		if bad == 0 {
			l, err := Next(raw, found.last, task)
			if err == nil {
				found.add(l, size)
				continue
			}
			bad, why = n, err
		}
		found.log.Torn += size
		if found.damage == nil && IsComplete(raw) {
			found.damage = damaged(path, bad, why)
		}
	}
}

func (s *scanned) add(l Line, size int64) {
	s.last = l
	s.complete += size
	s.log.Task = l.Task
	s.log.Entries = append(s.log.Entries, l.Entry)
	s.log.Head = l.Head()
}

func damaged(path string, n int, why error) error {
	return &belay.Error{Code: belay.CodeCannot, What: fmt.Sprintf("line %d of %s is damaged", n, path), Err: why,
		Try: "belay log --verify lists all damage; the lines before it are intact"}
}

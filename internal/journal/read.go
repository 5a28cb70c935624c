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

// Read returns the record of task; the case of the ID is ignored. It takes no lock, so a running
// append may appear as torn bytes. For a record that is damaged before its end it returns the
// entries before the damage and an error that names the file and the line (belay.CodeCannot); a
// task without a complete entry is belay.CodeNotFound.
func (s *Store) Read(task belay.TaskID) (Log, error) {
	found, err := s.scan(task)
	if err != nil {
		return Log{}, err
	}
	return found.log, found.damage
}

// scanned is the result of one pass over a record.
type scanned struct {
	log      Log
	complete int64 // size of the complete entries
	last     Line
	damage   error // complete lines exist after the chain is broken
}

// scan reads the record, and again if it looks damaged: a reader without a lock can see a mixture
// of a torn end and the entry that replaced it.
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

// mostRecord is the maximum size of a record in bytes. Agents' output is not part of it.
const mostRecord = 512 << 20

// openRecord opens path if it is a regular file: a FIFO or a link in its place must not block belay
// or lead it elsewhere.
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

// scanRecord reads entries while they are complete and chained. The rest is torn if no line of it
// is complete JSON: a crash during an append leaves part of a line, perhaps with blocks of zeros. A
// complete JSON line that does not fit was altered after it was written, so it is damage.
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

package journal

import (
	"bytes"
	"errors"
	"io/fs"
	"os"

	"github.com/belay-dev/belay/internal/belay"
)

// Ends gives the first entry of a record and its newest ones, oldest first: at least most of them where there are so
// many. It reads as much of a long record as of a short one, and does not check what is in between. CodeNotFound without a record.
func (s *Store) Ends(task belay.TaskID, most int) (first Entry, last []Entry, err error) {
	path := s.taskFile(task)
	l, exists, err := firstLine(path, task)
	switch {
	case errors.Is(err, fs.ErrNotExist) || err == nil && !exists:
		return Entry{}, nil, notFound(task)
	case err != nil:
		return Entry{}, nil, err
	}
	f, err := openRecord(path, os.O_RDONLY)
	if err != nil {
		return Entry{}, nil, err
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return Entry{}, nil, couldNot("read", path, err)
	}
	for piece := int64(16 << 10); ; piece *= 4 {
		n := min(piece, info.Size())
		buf := make([]byte, n)
		if _, err := f.ReadAt(buf, info.Size()-n); err != nil && n > 0 {
			return Entry{}, nil, couldNot("read", path, err)
		}
		last = wholeLines(buf, n == info.Size())
		if len(last) >= most || n == info.Size() || n > Max {
			break
		}
	}
	if len(last) == 0 {
		log, err := s.Read(task) // torn or damaged: reading all of it says how
		return l.Entry, log.Entries, err
	}
	return l.Entry, last, nil
}

// wholeLines parses the whole lines at the end of a piece of a record, back to the first one that is none.
func wholeLines(buf []byte, fromStart bool) (list []Entry) {
	lines := bytes.Split(buf, []byte("\n"))
	lines = lines[:len(lines)-1] // what follows the last newline is torn
	if !fromStart && len(lines) > 0 {
		lines = lines[1:]
	}
	for i := len(lines) - 1; i >= 0; i-- {
		l, err := Parse(lines[i])
		if err != nil || len(list) > 0 && list[0].Prev != l.Hash {
			break
		}
		list = append([]Entry{l.Entry}, list...)
	}
	return list
}

package journal

import (
	"bytes"
	"errors"
	"io/fs"
	"os"
	"slices"

	"github.com/belay-dev/belay/internal/belay"
)

// Ends returns the first entry of a record and up to most of its newest ones, oldest first, back to
// the first damaged one. Its cost does not depend on the length of the record, and it does not
// check the entries in between. CodeNotFound without a record.
func (s *Store) Ends(task belay.TaskID, most int) (first Entry, last []Entry, err error) {
	path := s.taskFile(task)
	f, err := openRecord(path, os.O_RDONLY)
	if errors.Is(err, fs.ErrNotExist) {
		return Entry{}, nil, notFound(task)
	}
	if err != nil {
		return Entry{}, nil, err
	}
	defer f.Close()
	l, exists, err := firstLineOf(f, path, task)
	if err != nil {
		return Entry{}, nil, err
	}
	if !exists {
		return Entry{}, nil, notFound(task)
	}
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
		last = completeLines(buf, n == info.Size(), most)
		if len(last) >= most || n == info.Size() || n > MaxLine {
			break
		}
	}
	if len(last) == 0 {
		log, err := s.Read(task) // torn or damaged: Read returns the cause
		return l.Entry, log.Entries, err
	}
	return l.Entry, last, nil
}

// completeLines parses up to most complete lines at the end of a piece of a record, back to the
// first invalid one.
func completeLines(buf []byte, fromStart bool, most int) (list []Entry) {
	buf = buf[:bytes.LastIndexByte(buf, '\n')+1] // a line without a newline is torn
	for len(buf) > 0 && len(list) < most {
		start := bytes.LastIndexByte(buf[:len(buf)-1], '\n') + 1
		if start == 0 && !fromStart {
			break
		}
		l, err := Parse(buf[start : len(buf)-1])
		if err != nil || len(list) > 0 && list[len(list)-1].Prev != l.Hash {
			break
		}
		list, buf = append(list, l.Entry), buf[:start]
	}
	slices.Reverse(list)
	return list
}

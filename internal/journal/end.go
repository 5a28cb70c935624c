package journal

import (
	"bytes"
	"fmt"
	"io"
	"os"

	"github.com/belay-dev/belay/internal/belay"
)

// recordEnd is the end of a record: its last complete entry, the size up to the end of that entry,
// and the number of bytes after it.
type recordEnd struct {
	last     Line
	complete int64
	torn     int64
}

// findEnd finds the end of the record. If the last line is complete it reads only that line, so the
// cost of an append does not depend on the length of the record; otherwise it reads everything.
func findEnd(f *os.File, task belay.TaskID) (recordEnd, error) {
	info, err := f.Stat()
	if err != nil {
		return recordEnd{}, fmt.Errorf("read %s: %w", f.Name(), err)
	}
	raw, err := lastLine(f, info.Size())
	if err != nil {
		return recordEnd{}, fmt.Errorf("read %s: %w", f.Name(), err)
	}
	if text, ok := bytes.CutSuffix(raw, []byte("\n")); ok {
		l, err := Parse(text)
		if err == nil && l.Task.Key() == task.Key() {
			return recordEnd{last: l, complete: info.Size()}, nil
		}
	}
	found, err := scanRecord(io.NewSectionReader(f, 0, info.Size()), f.Name(), task)
	switch {
	case err != nil:
		return recordEnd{}, err
	case found.damage != nil:
		return recordEnd{}, found.damage
	case len(found.log.Entries) == 0:
		return recordEnd{}, notFound(task)
	}
	return recordEnd{last: found.last, complete: found.complete, torn: found.log.Torn}, nil
}

// lastLine returns the last line, reading backwards in growing pieces; nil if it is longer than
// MaxLine.
func lastLine(f io.ReaderAt, size int64) ([]byte, error) {
	for piece := int64(16 << 10); ; piece *= 4 {
		n := min(piece, size)
		buf := make([]byte, n)
		if _, err := f.ReadAt(buf, size-n); err != nil && n > 0 {
			return nil, err
		}
		if n == 0 {
			return nil, nil
		}
		if i := bytes.LastIndexByte(buf[:n-1], '\n'); i >= 0 {
			return buf[i+1:], nil
		}
		if n == size {
			return buf, nil
		}
		if n > MaxLine {
			return nil, nil
		}
	}
}

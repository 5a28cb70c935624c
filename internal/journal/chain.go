package journal

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"time"

	"github.com/belay-dev/belay/internal/belay"
)

// Next parses raw, a line that must end in a newline, and checks that it follows last in the record
// of task. The zero last precedes the first line.
func Next(raw []byte, last Line, task belay.TaskID) (Line, error) {
	text, whole := bytes.CutSuffix(raw, []byte("\n"))
	if !whole {
		return Line{}, errors.New("it has no end")
	}
	l, err := Parse(text)
	if err != nil {
		return l, err
	}
	return l, follows(last, l, task)
}

func follows(last, l Line, task belay.TaskID) error {
	prev := last.Hash
	if last.Seq == 0 {
		prev = First
	}
	switch {
	case l.Seq != last.Seq+1:
		return fmt.Errorf("its number is %d, expected %d", l.Seq, last.Seq+1)
	case l.Prev != prev:
		return errors.New("it is not chained to the line before it")
	case l.Time.Before(last.Time):
		return fmt.Errorf("its time %s is before that of the line before it", l.Time.Format(time.RFC3339Nano))
	case last.Seq > 0 && l.Task != last.Task, l.Task.Key() != task.Key():
		return fmt.Errorf("it belongs to the task %s", l.Task)
	}
	return nil
}

// ReadLine returns the next line with its newline and its size in bytes; 0 is the end. For a line
// longer than MaxLine it returns only the size. bufio.Scanner would stop at such a line.
func ReadLine(br *bufio.Reader) (raw []byte, size int64, err error) {
	tooLong := false
	for {
		part, err := br.ReadSlice('\n')
		size += int64(len(part))
		if tooLong = tooLong || size > MaxLine+1; tooLong {
			raw = nil
		} else {
			raw = append(raw, part...)
		}
		switch {
		case err == nil, errors.Is(err, io.EOF):
			return raw, size, nil
		case !errors.Is(err, bufio.ErrBufferFull):
			return nil, size, err
		}
	}
}

// IsComplete reports whether a line is a complete JSON value that starts with { and ends with a
// newline.
func IsComplete(raw []byte) bool {
	return bytes.HasPrefix(raw, []byte("{")) && bytes.HasSuffix(raw, []byte("\n")) && json.Valid(raw)
}

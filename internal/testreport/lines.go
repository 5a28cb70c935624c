package testreport

import (
	"bufio"
	"errors"
	"io"
	"slices"
)

// maxLine is how many bytes a line may have.
const maxLine = 1 << 20

// ErrLong is said of a line over MaxLine, which is passed over.
var ErrLong = errors.New("a line is over 1 MiB")

// Lines gives a stream line by line. A line that is too long costs that line only:
// bufio.Scanner would give up at the first and lose the rest.
type Lines struct{ in *bufio.Reader }

// NewLines begins at r's present place.
func NewLines(r io.Reader) *Lines { return &Lines{bufio.NewReaderSize(r, 1<<16)} }

// Next returns the next line with its end, valid until the next call; ErrLong for one
// that is too long; and what is left together with the error that ended the stream.
func (l *Lines) Next() ([]byte, error) {
	line, err := l.in.ReadSlice('\n')
	if !errors.Is(err, bufio.ErrBufferFull) {
		return line, err
	}
	long, over := slices.Clone(line), false
	for errors.Is(err, bufio.ErrBufferFull) {
		line, err = l.in.ReadSlice('\n')
		if over = over || len(long)+len(line) > maxLine; !over {
			long = append(long, line...)
		}
	}
	if over {
		return nil, ErrLong // the stream's own error comes again with the next line
	}
	return long, err
}

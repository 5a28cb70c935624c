package testreport

import (
	"bufio"
	"errors"
	"io"
	"slices"
)

// maxLine is the maximum length of a line in bytes.
const maxLine = 1 << 20

// errLongLine is returned for a line over maxLine, which is skipped.
var errLongLine = errors.New("a line is over 1 MiB")

// EachLine calls do for each line of a text in any encoding, including the line end. A line that is
// too long is skipped and reported to long; bufio.Scanner would stop there and lose the rest. The
// error is from r.
func EachLine(r io.Reader, do func(line []byte), long func(error)) error {
	in := bufio.NewReaderSize(NewUTF8Reader(r), 1<<16)
	for {
		line, err := nextLine(in)
		switch {
		case errors.Is(err, errLongLine):
			long(err)
			continue
		case len(line) > 0:
			do(line)
		}
		if err == io.EOF {
			return nil
		}
		if err != nil {
			return err
		}
	}
}

// nextLine returns the next line with its end, valid until the next call. A too long line is
// skipped, with errLongLine. At the end of the stream it returns the rest together with the error.
func nextLine(in *bufio.Reader) ([]byte, error) {
	line, err := in.ReadSlice('\n')
	if !errors.Is(err, bufio.ErrBufferFull) {
		return line, err
	}
	long, over := slices.Clone(line), false
	for errors.Is(err, bufio.ErrBufferFull) {
		line, err = in.ReadSlice('\n')
		if over = over || len(long)+len(line) > maxLine; !over {
			long = append(long, line...)
		}
	}
	if over {
		return nil, errLongLine // the next call returns the stream's error again
	}
	return long, err
}

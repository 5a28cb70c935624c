package testreport

import (
	"bufio"
	"errors"
	"io"
	"slices"
)

// maxLine is how many bytes a line may have.
const maxLine = 1 << 20

// errLongLine is said of a line over maxLine, which is passed over.
var errLongLine = errors.New("a line is over 1 MiB")

// EachLine calls do for every line of a stream of text, in whatever encoding, with its end. A line that is too long
// costs that line only, of which long is told: bufio.Scanner would give up at the first and lose the rest. The error
// is r's own.
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

// nextLine returns the next line with its end, valid until the next call; errLongLine for one
// that is too long; and what is left together with the error that ended the stream.
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
		return nil, errLongLine // the stream's own error comes again with the next line
	}
	return long, err
}

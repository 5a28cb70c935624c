package lint

import (
	"fmt"
	"io"
)

// reportReader parses a linter's report while it is written: the stored output is bounded, but
// remarks in the middle of a long report count too.
type reportReader struct {
	pipe   *io.PipeWriter
	done   chan struct{}
	report Report
	err    error
}

func newReportReader(format string) *reportReader {
	from, to := io.Pipe()
	l := &reportReader{pipe: to, done: make(chan struct{})}
	go func() {
		defer close(l.done)
		defer from.Close() // the program must not wait for a reader that has stopped reading
		defer func() {
			if e := recover(); e != nil {
				l.err = fmt.Errorf("internal error while reading the report: %v", e)
			}
		}()
		l.report, l.err = Read(from, format)
	}()
	return l
}

// Write never fails.
func (l *reportReader) Write(p []byte) (int, error) {
	l.pipe.Write(p) // fails after the reader has stopped, which is intended
	return len(p), nil
}

// finish returns the report, after the program has ended.
func (l *reportReader) finish() (Report, error) {
	l.pipe.Close()
	<-l.done
	return l.report, l.err
}

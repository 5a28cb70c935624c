package lint

import (
	"fmt"
	"io"
)

// reportReader reads a linter's report while it is written: what is kept of a program's
// output for people is bounded, and a remark in the middle of a long one counts too.
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
		defer from.Close() // the program must never wait for a reader that has read enough
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
	l.pipe.Write(p) // a reader that is gone refuses everything, which is meant
	return len(p), nil
}

// finish returns what was read, once the program has ended.
func (l *reportReader) finish() (Report, error) {
	l.pipe.Close()
	<-l.done
	return l.report, l.err
}

package terminal

import (
	"bytes"
	"fmt"
	"io"
	"log/slog"
	"strings"
	"sync"

	"github.com/belay-dev/belay/internal/belay"
	"github.com/belay-dev/belay/internal/loop"
	"github.com/belay-dev/belay/internal/prompt"
	"github.com/belay-dev/belay/internal/session"
)

// Log writes progress as one JSON object a line, for programs: time, level, msg and what it is about.
type Log struct{ to *slog.Logger }

// NewLog makes a log of what is written to w.
func NewLog(w io.Writer) *Log {
	return &Log{slog.New(slog.NewJSONHandler(w, nil))}
}

// Warn writes something a person should know.
func (l *Log) Warn(text string) { l.to.Warn(belay.VisibleLine(text)) }

// logProblem writes the error that a command ends with.
func (l *Log) logProblem(p *Problem) {
	l.to.Error(belay.VisibleLine(p.What), "code", p.Code, "try", belay.VisibleLine(p.Try))
}

// logCommand writes that a command of the loop starts.
func (l *Log) logCommand(r *session.Record, c loop.Command) {
	attrs := []any{"task", r.Task.ID, "event", "begins", "step", c.Kind}
	if c.Attempt > 0 {
		attrs = append(attrs, "attempt", c.Attempt)
	}
	l.to.Info(belay.VisibleLine(prompt.CommandText(c)), attrs...)
}

// logEvent writes an event as it is recorded, in the words that a person would read.
func (l *Log) logEvent(r *session.Record, e loop.Event) {
	attrs := []any{"task", r.Task.ID, "event", e.Kind, "phase", r.State.Phase}
	if n := len(r.State.Attempts); n > 0 {
		attrs = append(attrs, "attempt", n)
	}
	if e.Verdict != "" {
		attrs = append(attrs, "verdict", e.Verdict)
	}
	if e.Snapshot != "" {
		attrs = append(attrs, "snapshot", e.Snapshot)
	}
	if e.Elapsed > 0 {
		attrs = append(attrs, "seconds", e.Elapsed.Seconds())
	}
	if n := len(e.Findings); n > 0 {
		attrs = append(attrs, "findings", n)
	}
	if g := r.State.Gate; g != nil {
		attrs = append(attrs, "gate", g.Kind)
	}
	text := strings.TrimSpace(prompt.EventText(r.State, e))
	if text == "" {
		text = string(e.Kind)
	}
	level := l.to.Info
	if e.Verdict == belay.VerdictFail || e.Verdict == belay.VerdictUnknown || e.Kind == loop.EvBroken || e.Kind == loop.EvLost {
		level = l.to.Warn
	}
	level(belay.VisibleLine(text), attrs...)
}

// lineLogger makes an entry of each line of text that something else writes to standard error: a reader of the log gets no
// line that is not JSON.
type lineLogger struct {
	log     *Log
	mu      sync.Mutex
	partial []byte
}

// Write takes text; what follows the last line end waits for its own.
func (a *lineLogger) Write(p []byte) (int, error) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.partial = append(a.partial, p...)
	for {
		i := bytes.IndexByte(a.partial, '\n')
		if i < 0 {
			return len(p), nil
		}
		if line := strings.TrimSpace(string(a.partial[:i])); line != "" {
			a.log.Warn(strings.TrimPrefix(line, "belay: "))
		}
		a.partial = a.partial[i+1:]
	}
}

// ParseLogFlag reads the value of --log. It comes before anything is written.
func (t *Terminal) ParseLogFlag(value string) error {
	switch value {
	case "json":
		if t.Log == nil {
			t.Log = NewLog(t.Err)
			t.Err = &lineLogger{log: t.Log}
		}
	case "text":
	default:
		return fmt.Errorf("use text or json")
	}
	return nil
}

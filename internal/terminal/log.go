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

// Log writes progress for programs, as one JSON object per line: time, level, msg and attributes.
type Log struct{ to *slog.Logger }

// NewLog returns a log that writes to w.
func NewLog(w io.Writer) *Log {
	return &Log{slog.New(slog.NewJSONHandler(w, nil))}
}

// Warn writes a warning.
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

// logEvent writes a recorded event, with the text that a person would see.
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

// lineLogger logs each line that other code writes to standard error, so that the log contains
// nothing but JSON.
type lineLogger struct {
	log     *Log
	mu      sync.Mutex
	partial []byte
}

// Write logs the complete lines; an incomplete one waits for its line end.
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

// ParseLogFlag applies the value of --log. It must be called before anything is written.
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

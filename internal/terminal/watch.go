package terminal

import (
	"bytes"
	"fmt"
	"io"
	"time"

	"golang.org/x/term"

	"github.com/belay-dev/belay/internal/app"
	"github.com/belay-dev/belay/internal/belay"
)

// Watched is what Watch shows.
type Watched struct {
	Status func() (app.Status, error)
	Tasks  func() ([]app.TaskLine, error)
	Limit  int64 // of Status
}

// look is how often Watch looks. Where one look takes long, it waits longer: it is to take a twentieth of a processor
// at most.
const look = 500 * time.Millisecond

// Watch shows the status until somebody wants to stop, which is no error: on a terminal in place, drawn anew at each
// change of it or of the terminal's size; with --json one object for each change; elsewhere once, and then a line for
// each task that changed.
func (t *Terminal) Watch(w Watched) error {
	shown, tasks := "", map[belay.TaskID]string{}
	live := moves(t.Out) && !t.JSON
	for first := true; ; first = false {
		began := time.Now()
		s, err := w.Status()
		if t.Soft.Err() != nil {
			break
		}
		if err != nil {
			return err
		}
		var text []byte
		switch {
		case t.JSON:
			if text, err = JSON(answer{Success: true, Data: s}); err != nil {
				return err
			}
		case live:
			text = t.drawing(s, w.Limit)
		case first:
			Status(t.Out, s, w.Limit)
		}
		if string(text) != shown {
			shown = string(text)
			_, err = t.Out.Write(text)
		}
		if !live && !t.JSON {
			err = t.changed(w, tasks, first)
		}
		if err != nil {
			return err
		}
		select {
		case <-t.Soft.Done():
		case <-time.After(max(look, 20*time.Since(began))):
		}
	}
	t.Told = true
	return nil
}

// drawing is what replaces everything on the screen by the status, as far as it fits there.
func (t *Terminal) drawing(s app.Status, limit int64) []byte {
	var text, out bytes.Buffer
	Status(screenOf{&text, t.Out}, s, limit)
	width, height := Columns(t.Out), 0
	if f, ok := t.Out.(interface{ Fd() uintptr }); ok {
		_, height, _ = term.GetSize(int(f.Fd()))
	}
	out.WriteString("\x1b[H")
	rows := 2
	for line := range bytes.Lines(text.Bytes()) {
		if rows += 1 + (len(line)-1)/max(width, 1); rows > height {
			out.WriteString("…\x1b[K\n")
			break
		}
		fmt.Fprintf(&out, "%s\x1b[K\n", bytes.TrimSuffix(line, []byte("\n")))
	}
	out.WriteString(PaintFor(t.Out).Dim("Ctrl-C ends this") + "\x1b[K\r\x1b[J")
	return out.Bytes()
}

// screenOf is a text for a screen that somebody else writes.
type screenOf struct {
	io.Writer
	screen io.Writer
}

// Fd makes it count as the terminal.
func (s screenOf) Fd() uintptr { return s.screen.(interface{ Fd() uintptr }).Fd() }

// changed prints a line for each task that is not as it was.
func (t *Terminal) changed(w Watched, was map[belay.TaskID]string, first bool) error {
	lines, err := w.Tasks()
	if err != nil {
		return err
	}
	for _, l := range lines {
		var row bytes.Buffer
		Tasks(&row, []app.TaskLine{l})
		if was[l.ID] == row.String() {
			continue
		}
		if was[l.ID] = row.String(); first {
			continue
		}
		if _, err := fmt.Fprintf(t.Out, "%s  %s", time.Now().Format(time.TimeOnly), row.String()); err != nil {
			return err
		}
	}
	return nil
}

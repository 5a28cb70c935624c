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

// WatchSource provides what Watch shows.
type WatchSource struct {
	Status func() (app.Status, error)
	Tasks  func() ([]app.TaskLine, error)
	Limit  int64 // for Status
}

// watchInterval is how often Watch looks for changes. If one look takes long, it waits longer, so
// that it uses at most 5% of a processor.
const watchInterval = 500 * time.Millisecond

// Watch shows the status until the user stops it, which is no error. On a terminal it redraws the
// status when it or the terminal's size changes; with --json it prints an object for each change;
// otherwise it prints the status once, then a line for each task that changes.
func (t *Terminal) Watch(w WatchSource) error {
	shown, tasks := "", map[belay.TaskID]string{}
	live, size := canRedraw(t.Out) && !t.JSON, screenSize{}
	for first := true; ; first = false {
		began := time.Now()
		s, err := w.Status()
		if t.StopRequested.Err() != nil {
			break
		}
		if err != nil {
			return err
		}
		var text []byte
		switch {
		case t.JSON:
			if text, err = EncodeJSON(answer{Success: true, Data: s}); err != nil {
				return err
			}
		case live:
			size = t.size()
			text = size.renderStatus(t.Out, s, w.Limit)
		case first:
			PrintStatus(t.Out, s, w.Limit)
		}
		if now := fmt.Sprint(size) + string(text); now != shown {
			shown = now
			_, err = t.Out.Write(text)
		}
		if !live && !t.JSON {
			err = t.printChanged(w, tasks, first)
		}
		if err != nil {
			return err
		}
		select {
		case <-t.StopRequested.Done():
		case <-time.After(max(watchInterval, 20*time.Since(began))):
		}
	}
	if t.Printed = true; live {
		fmt.Fprintln(t.Out)
	}
	return nil
}

type screenSize struct{ width, height int }

// size returns the terminal's current size.
func (t *Terminal) size() screenSize {
	width, height, err := term.GetSize(int(wrappedScreen{nil, t.Out}.Fd()))
	if err != nil {
		return screenSize{80, 24}
	}
	return screenSize{width, height}
}

// renderStatus returns the text that replaces the screen's content by as much of the status as
// fits.
func (z screenSize) renderStatus(on io.Writer, s app.Status, limit int64) []byte {
	var text, out bytes.Buffer
	WrapOutput(func(w io.Writer) { PrintStatus(w, s, limit) })(wrappedScreen{&text, on})
	lines := bytes.SplitAfter(text.Bytes(), []byte("\n"))
	if len(lines) > z.height {
		lines = append(lines[:max(0, z.height-2)], []byte("…\n"))
	}
	out.WriteString("\x1b[H")
	for _, line := range lines {
		out.Write(bytes.ReplaceAll(line, []byte("\n"), []byte("\x1b[K\n")))
	}
	out.WriteString(PaintFor(on).Dim("Ctrl-C ends this") + "\x1b[J\r")
	return out.Bytes()
}

// printChanged prints a line for each task that has changed.
func (t *Terminal) printChanged(w WatchSource, was map[belay.TaskID]string, first bool) error {
	lines, err := w.Tasks()
	if err != nil {
		return err
	}
	for _, l := range lines {
		var row bytes.Buffer
		PrintTasks(&row, []app.TaskLine{l})
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

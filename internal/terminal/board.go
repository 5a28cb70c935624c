package terminal

import (
	"context"
	"fmt"
	"io"
	"strings"
	"sync"
	"time"

	"github.com/belay-dev/belay/internal/belay"
	"github.com/belay-dev/belay/internal/check"
	"github.com/belay-dev/belay/internal/loop"
	"github.com/belay-dev/belay/internal/prompt"
	"github.com/belay-dev/belay/internal/runner"
	"github.com/belay-dev/belay/internal/session"
)

// Board is the terminal of several runs at once. It prints what happens when it happens, each line
// with its task in front, and below that one progress line for each task that is being worked on.
// The agents' output is not shown; it is in their records. Everything goes to standard error, so
// that standard output contains only the results.
type Board struct {
	t     *Terminal
	quiet bool
	live  bool
	paint Paint

	mu         sync.Mutex
	order      []belay.TaskID
	doing      map[belay.TaskID]string
	startedAt  map[belay.TaskID]time.Time
	used       map[belay.TaskID]string // what the running attempt has used
	drawnLines int                     // progress lines on the screen now
}

// Board returns the terminal of several runs.
func (t *Terminal) Board(quiet bool) *Board {
	return &Board{t: t, quiet: quiet || t.JSON, live: canRedraw(t.Err) && !quiet && !t.JSON, paint: PaintFor(t.Err),
		doing: map[belay.TaskID]string{}, startedAt: map[belay.TaskID]time.Time{}, used: map[belay.TaskID]string{}}
}

// Tick redraws the progress lines every second until ctx ends.
func (b *Board) Tick(ctx context.Context) {
	if !b.live {
		return
	}
	go everySecond(ctx, func() { b.redrawAround(func() {}) })
}

// redrawAround erases the progress lines, calls do, and draws them again.
func (b *Board) redrawAround(do func()) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.drawnLines > 0 {
		fmt.Fprintf(b.t.Err, "\x1b[%dA\r\x1b[J", b.drawnLines)
		b.drawnLines = 0
	}
	do()
	if !b.live {
		return
	}
	for _, id := range b.order {
		if doing := b.doing[id]; doing != "" {
			fmt.Fprintln(b.t.Err, b.paint.Dim(progressLine(b.t.Err, doing, b.startedAt[id], b.used[id])))
			b.drawnLines++
		}
	}
}

// Watcher returns the observer of one task.
func (b *Board) Watcher(task belay.TaskID) runner.Observer {
	b.mu.Lock()
	defer b.mu.Unlock()
	if _, known := b.startedAt[task]; !known {
		b.order = append(b.order, task)
		b.startedAt[task] = time.Now()
	}
	return &boardLine{b: b, task: task, checks: map[string]bool{}}
}

// Stop erases the progress lines.
func (b *Board) Stop() {
	b.redrawAround(func() { clear(b.doing) })
}

// boardLine is the observer of one task on a board.
type boardLine struct {
	b      *Board
	task   belay.TaskID
	checks map[string]bool // whether each check is running; one goroutine at a time, under the board's lock
}

func (l *boardLine) setProgress(doing string) {
	l.b.redrawAround(func() {
		if l.b.doing[l.task] != doing {
			l.b.doing[l.task], l.b.startedAt[l.task], l.b.used[l.task] = doing, time.Now(), ""
		}
	})
}

func (l *boardLine) print(text string, paint func(string) string) {
	l.b.redrawAround(func() {
		for s := range strings.SplitSeq(strings.TrimRight(text, "\n"), "\n") {
			fmt.Fprintf(l.b.t.Err, "%s  %s\n", l.b.paint.Bold(string(l.task)), paint(belay.VisibleLine(s)))
		}
	})
}

// Begins implements runner.Observer.
func (l *boardLine) Begins(_ *session.Record, c loop.Command) {
	l.b.t.setWork(l.task, c.Kind)
	doing := prompt.CommandText(c)
	if c.Kind == loop.CmdAttempt && !l.b.quiet {
		l.print(doing, l.b.paint.Dim)
	}
	l.setProgress(string(l.task) + "  " + belay.VisibleLine(doing))
}

// Happened implements runner.Observer.
func (l *boardLine) Happened(r *session.Record, e loop.Event) {
	l.b.redrawAround(func() { l.b.t.ringBell(r) })
	if text := prompt.EventText(r.State, e); text != "" && !l.b.quiet {
		l.print(text, l.b.paint.forEvent(e))
	}
	if !r.Open() || r.State.Gate != nil {
		l.setProgress("")
	}
}

// Checking implements runner.Observer.
func (l *boardLine) Checking(p check.Progress) {
	var names []string
	l.b.mu.Lock()
	l.checks[p.Check] = !p.Done
	for _, n := range check.Names() {
		if l.checks[n] {
			names = append(names, n)
		}
	}
	l.b.mu.Unlock()
	if len(names) > 0 {
		l.setProgress(string(l.task) + "  checking: " + strings.Join(names, ", "))
	}
}

// Used implements runner.Observer.
func (l *boardLine) Used(_ belay.TaskID, used belay.Use) {
	l.b.redrawAround(func() { l.b.used[l.task] = "  " + prompt.UseText(used) })
}

// Output implements runner.Observer. It shows nothing; the output is in the records.
func (l *boardLine) Output() io.Writer { return nil }

// Note implements runner.Observer.
func (l *boardLine) Note(text string) {
	if l.b.quiet {
		l.b.redrawAround(func() { fmt.Fprintf(l.b.t.Err, "belay: %s: %s\n", l.task, belay.VisibleLine(text)) })
		return
	}
	l.print(text, l.b.paint.Warn)
}

// Ask implements runner.Observer. It asks nothing, because other tasks are running; the task stays
// at its gate.
func (l *boardLine) Ask(context.Context, *session.Record) (loop.Decision, string, bool, error) {
	return "", "", false, nil
}

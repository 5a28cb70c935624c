package terminal

import (
	"fmt"
	"maps"
	"slices"
	"sync"

	"github.com/belay-dev/belay/internal/belay"
	"github.com/belay-dev/belay/internal/loop"
)

// taskWork records what each task is doing.
type taskWork struct {
	mu    sync.Mutex
	tasks map[belay.TaskID]loop.CommandKind
}

// setWork records what a task is doing.
func (t *Terminal) setWork(task belay.TaskID, kind loop.CommandKind) {
	t.work.mu.Lock()
	defer t.work.mu.Unlock()
	if t.work.tasks == nil {
		t.work.tasks = map[belay.TaskID]loop.CommandKind{}
		if t.OnFirstWork != nil {
			t.OnFirstWork()
		}
	}
	t.work.tasks[task] = kind
}

// InterruptedError returns the error (CodeInterrupted) for a process that exits before its command
// has finished. It says what may still be running and how to continue.
func (t *Terminal) InterruptedError() *belay.Error {
	t.work.mu.Lock()
	defer t.work.mu.Unlock()
	ids := slices.Sorted(maps.Keys(t.work.tasks))
	switch len(ids) {
	case 0:
		return belay.Refuse(belay.CodeInterrupted, "belay status, then run the command again", "interrupted")
	case 1:
		what, id := "interrupted; %s can be resumed", ids[0]
		switch t.work.tasks[id] {
		case loop.CmdAttempt:
			what = "interrupted; the agent of %s may still be running"
		case loop.CmdDebug:
			what = "interrupted; the debugger of %s may still be running"
		case loop.CmdRestore:
			what = "interrupted while rolling back %s"
		}
		return belay.Refuse(belay.CodeInterrupted, fmt.Sprintf("belay run --resume %s", id), what, id)
	}
	return belay.Refuse(belay.CodeInterrupted, "belay status, then belay run --resume TASK",
		"interrupted; agents of %d tasks may still be running", len(ids))
}

// ReportEarlyExit reports that the process exits before its command has finished, unless the
// command has printed its result. It may be called from any goroutine. It blocks while the output's
// reader blocks.
func (t *Terminal) ReportEarlyExit() {
	t.printMu.Lock()
	told := t.Printed
	t.printMu.Unlock()
	if told {
		return
	}
	if IsTerminal(t.Err) {
		fmt.Fprint(t.Err, "\r\x1b[K") // a progress line
	}
	_ = t.PrintResult(nil, t.InterruptedError())
}

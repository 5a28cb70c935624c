package terminal

import (
	"fmt"
	"maps"
	"slices"
	"sync"

	"github.com/belay-dev/belay/internal/belay"
	"github.com/belay-dev/belay/internal/loop"
)

// taskWork is what tasks are at.
type taskWork struct {
	mu    sync.Mutex
	tasks map[belay.TaskID]loop.CommandKind
}

// setWork takes down what a task is at.
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

// InterruptedError is the refusal (CodeInterrupted) that a program ends with that leaves before
// its command is done: what may still be running, and how to come back to it.
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

// ReportEarlyExit says that the program leaves before its command is done, unless the command has said
// how it ended. It may be called from another goroutine than the command's; it waits as long
// as the reader of the output does.
func (t *Terminal) ReportEarlyExit() {
	t.printMu.Lock()
	told := t.Printed
	t.printMu.Unlock()
	if told {
		return
	}
	if IsTerminal(t.Err) {
		fmt.Fprint(t.Err, "\r\x1b[K") // a line of progress
	}
	_ = t.PrintResult(nil, t.InterruptedError())
}

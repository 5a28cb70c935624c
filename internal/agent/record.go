package agent

import (
	"encoding/json"
	"errors"
	"fmt"
	"syscall"
	"time"

	"golang.org/x/sys/unix"

	"github.com/belay-dev/belay/internal/fence"
	"github.com/belay-dev/belay/internal/fsroot"
	"github.com/belay-dev/belay/internal/proc"
)

// The ways in which a run ends.
const (
	EndedExit    = "exit"    // the agent exited with Exit, or could not be started
	EndedTimeout = "timeout" // after Spec.Timeout
	EndedQuiet   = "quiet"   // after no output for Spec.Quiet
	EndedStopped = "stopped" // by Stop, or by a TERM or INT sent to the shim
	EndedLost    = "lost"    // the shim died before it could write a result
)

// Result describes how a run ended. Times follow the monotonic clock: Finished is Started plus
// Elapsed, even if the wall clock was changed.
type Result struct {
	Ended         string        `json:"ended"`
	Exit          int           `json:"exit"`             // exit status; 128 + signal; 126 or 127 when it could not be started; -1 unknown
	Signal        string        `json:"signal,omitempty"` // SIGKILL, … when a signal ended it
	Core          bool          `json:"core,omitempty"`   // it dumped core
	Started       time.Time     `json:"started,omitzero"`
	Finished      time.Time     `json:"finished,omitzero"` // zero when lost
	Elapsed       time.Duration `json:"elapsed_ns"`        // of a lost run: until its last output
	OutputBytes   int64         `json:"output_bytes"`      // total of stdout and stderr
	Cut           int64         `json:"cut,omitempty"`     // bytes of them that were not kept
	Error         string        `json:"error,omitempty"`   // why it could not be started, was lost, or is incomplete
	LeftProcesses []string      `json:"left,omitempty"`    // processes that could not be killed: the tree is not quiet

	Denied []fence.Denial `json:"denied,omitempty"` // what its fence denied
}

func (r *Result) setStatus(ws syscall.WaitStatus) {
	switch {
	case ws.Signaled():
		r.Exit = 128 + int(ws.Signal())
		r.Signal = unix.SignalName(ws.Signal())
		r.Core = ws.CoreDump()
	case ws.Exited():
		r.Exit = ws.ExitStatus()
	}
}

// beginRecord is begun.json: once it exists the agent may have run, so the run is never started
// again. Agent is added after the agent has started; until then the token in the environment
// identifies it.
type beginRecord struct {
	Boot    string    `json:"boot"` // process IDs are meaningless after a reboot
	Guard   proc.ID   `json:"guard"`
	Shim    proc.ID   `json:"shim"`
	Agent   proc.ID   `json:"agent,omitzero"`
	Started time.Time `json:"started"`
}

// newTrace returns how to find the processes of a run when its guard and shim may both have died.
func (b beginRecord) newTrace(d specFile) proc.Trace {
	return proc.Trace{
		Boot: b.Boot, Marker: d.marker(), Members: []proc.ID{b.Guard, b.Shim, b.Agent},
		Session: b.Guard.PID, Group: b.Agent.PID, Dir: string(d.Dir),
	}
}

func readJSON(path string, into any) error {
	data, err := fsroot.ReadFile(path, fsroot.MaxSmallFile)
	if err != nil {
		return err
	}
	if err := json.Unmarshal(data, into); err != nil {
		return fmt.Errorf("reading %s: %w", path, err)
	}
	return nil
}

// writeJSON replaces path. With sync, the value and its name are on the disk when it returns;
// without, a power cut may lose both, for files that are useless once the run has ended.
func writeJSON(path string, v any, sync bool) error {
	data, err := json.MarshalIndent(v, "", "  ")
	if err != nil {
		return fmt.Errorf("writing %s: %w", path, err)
	}
	return fsroot.AtomicWrite(path, fsroot.AtomicOptions{Synced: sync}, append(data, '\n'))
}

// syncFile syncs a file's content, or a folder's entries, to the disk.
func syncFile(path string) error {
	if fsroot.IsFolder(path) {
		return fsroot.SyncDir(path)
	}
	f, err := fsroot.Open(path)
	if err != nil {
		return err
	}
	return errors.Join(f.Sync(), f.Close())
}

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

// How a run ended.
const (
	EndedExit    = "exit"    // by itself, with Exit; also when it could not be started
	EndedTimeout = "timeout" // at Spec.Timeout
	EndedQuiet   = "quiet"   // no output for Spec.Quiet
	EndedStopped = "stopped" // by Stop, or by a TERM or INT sent to the shim
	EndedLost    = "lost"    // the shim died before it could write a result
)

// Result is how a run ended. Times follow the monotonic clock: Finished is Started
// plus Elapsed whatever happened to the wall clock meanwhile.
type Result struct {
	Ended         string        `json:"ended"`
	Exit          int           `json:"exit"`             // exit status; 128 + signal; 126 or 127 when it could not be started; -1 unknown
	Signal        string        `json:"signal,omitempty"` // SIGKILL, … when a signal ended it
	Core          bool          `json:"core,omitempty"`   // it dumped core
	Started       time.Time     `json:"started,omitzero"`
	Finished      time.Time     `json:"finished,omitzero"` // zero when lost
	Elapsed       time.Duration `json:"elapsed_ns"`        // when lost: until its last output
	OutputBytes   int64         `json:"output_bytes"`      // all it wrote, stdout and stderr
	Cut           int64         `json:"cut,omitempty"`     // of them not kept
	Error         string        `json:"error,omitempty"`   // why it could not be started, was lost, or is incomplete
	LeftProcesses []string      `json:"left,omitempty"`    // processes that could not be killed: the tree is not quiet

	Denied []fence.Denial `json:"denied,omitempty"` // what its fence refused
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

// beginRecord is begun.json: from the moment it exists the agent may have run, so the run
// is never started again. Agent is filled in once the agent is there; in between,
// the token in the environment tells who it is.
type beginRecord struct {
	Boot    string    `json:"boot"` // ids of processes mean nothing after a reboot
	Guard   proc.ID   `json:"guard"`
	Shim    proc.ID   `json:"shim"`
	Agent   proc.ID   `json:"agent,omitzero"`
	Started time.Time `json:"started"`
}

// newTrace is how the processes of a run are found when its guard and shim may both be gone.
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

// writeJSON replaces path. With sync, once it returns the new value is on the disk, name
// and all; without it a power cut may take both, for what need not outlive one, because
// the run does not.
func writeJSON(path string, v any, sync bool) error {
	data, err := json.MarshalIndent(v, "", "  ")
	if err != nil {
		return fmt.Errorf("writing %s: %w", path, err)
	}
	return fsroot.AtomicWrite(path, fsroot.AtomicOptions{Synced: sync}, append(data, '\n'))
}

// syncFile brings a file's bytes, or a folder's names, to the disk.
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

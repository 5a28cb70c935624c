package agent

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"syscall"
	"time"

	"golang.org/x/sys/unix"

	"github.com/belay-dev/belay/internal/belay"
	"github.com/belay-dev/belay/internal/fsroot"
)

// State is the state of a run.
type State string

// States of a run. A lost run has no result and never will.
const (
	Running  State = "running"
	Finished State = "finished"
	Lost     State = "lost"
)

// Run is a command that was started, by this process or another. Its methods may be
// called from several goroutines and several processes at once.
type Run struct {
	dir  string
	lock *os.File // for queries only, never locked for long: it works even after the folder was removed
	spec specFile
}

// Start runs s under a shim and returns as soon as the shim is spawned. runDir is the run's own
// folder and identifies it: if it already contains a run, whether running, finished or lost, that
// run is returned and nothing is started, even with concurrent calls of Start. A Start that was
// killed before the agent could begin is repeated. self is the command that calls Main; runDir is
// appended to it. ctx ends waiting for another Start, not the run.
//
// Fails with CodeUsage for an invalid Spec. A missing agent program is found by the shim and
// reported in the result, see LookPath.
func Start(ctx context.Context, runDir string, self []string, s Spec) (*Run, error) {
	d, err := s.complete()
	if err != nil {
		return nil, err
	}
	if len(self) == 0 {
		return nil, belay.Refuse(belay.CodeUsage, "set the path of the belay command", "there is no command to run the shim")
	}
	dir, err := filepath.Abs(runDir)
	if err != nil {
		return nil, err
	}
	lock, err := lockRun(ctx, dir)
	if err != nil {
		return nil, fmt.Errorf("starting a run in %s: %w", dir, err)
	}
	if lock == nil {
		return open(dir)
	}
	defer lock.Close()
	if err := prepare(dir, s.Prompt, d); err != nil {
		return nil, fmt.Errorf("preparing the run in %s: %w", dir, err)
	}
	// Open it before the agent can remove it, and with a new descriptor: a query through the
	// guard's own descriptor would change the guard's lock.
	r, err := open(dir)
	if err != nil {
		return nil, err
	}
	if err := spawn(dir, lock, self, s.environment(dir, d.Token)); err != nil {
		r.lock.Close()
		_ = fsroot.Remove(r.file("spec.json"))
		return nil, fmt.Errorf("starting the shim for %s: %w", dir, err)
	}
	return r, nil
}

// Prompt returns the prompt in the run's folder; the agent may have changed it.
func (r *Run) Prompt() ([]byte, error) { return fsroot.ReadFile(r.file("prompt"), MostPrompt) }

// MostPrompt is the maximum size in bytes of a prompt that Prompt reads.
const MostPrompt = 64 << 20

// lockRun takes the lock for a new run. It returns nil if the folder already contains a run.
func lockRun(ctx context.Context, dir string) (*os.File, error) {
	if err := fsroot.MkdirAll(dir, 0o700); err != nil {
		return nil, err
	}
	if err := fsroot.Chmod(dir, 0o700); err != nil { // the folder may be older than this run
		return nil, err
	}
	// After a power cut a run must not look as if it had never begun.
	if err := syncFile(filepath.Dir(dir)); err != nil {
		return nil, err
	}
	lock, err := fsroot.OpenFile(filepath.Join(dir, "lock"), os.O_CREATE|os.O_RDWR, 0o600)
	if err != nil {
		return nil, err
	}
	for {
		err = flock(lock, unix.LOCK_EX|unix.LOCK_NB) // lock before hasBegun: the previous owner may have begun
		switch {
		case hasBegun(dir):
			lock.Close()
			return nil, nil
		case err == nil:
			return lock, nil
		case errors.Is(err, unix.EWOULDBLOCK):
			// Another process queries the lock (for microseconds), prepares this run, or is a shim
			// that is about to begin.
			err = pause(ctx, 5*time.Millisecond)
		}
		if err != nil {
			lock.Close()
			return nil, err
		}
	}
}

// hasBegun reports whether the agent may have run.
func hasBegun(dir string) bool {
	for _, name := range []string{"begun.json", "result.json"} {
		if _, err := fsroot.Lstat(filepath.Join(dir, name)); !errors.Is(err, fs.ErrNotExist) {
			return true
		}
	}
	return false
}

// prepare writes what the shim reads. Files of an earlier Start that was killed are replaced; its
// run never began.
func prepare(dir string, prompt []byte, d specFile) error {
	for _, name := range []string{"stop", "kill"} {
		if err := fsroot.Remove(filepath.Join(dir, name)); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
	}
	if err := fsroot.AtomicWrite(filepath.Join(dir, "prompt"), fsroot.AtomicOptions{}, prompt); err != nil {
		return err
	}
	return writeJSON(filepath.Join(dir, "spec.json"), d, true)
}

// spawn starts the guard in its own session. The lock is passed as descriptor 3, so it is never
// free between this process and the guard.
func spawn(dir string, lock *os.File, self, env []string) error {
	own, err := fsroot.OpenFile(filepath.Join(dir, "shim.log"), os.O_CREATE|os.O_WRONLY|os.O_TRUNC|os.O_APPEND, 0o600)
	if err != nil {
		return err
	}
	defer own.Close()
	program, err := exec.LookPath(self[0])
	if err != nil {
		return err
	}
	if program, err = filepath.Abs(program); err != nil {
		return err
	}
	cmd := exec.Command(program, append(slices.Clone(self[1:]), dir)...)
	cmd.Dir = "/" // the guard must not keep a folder busy
	cmd.Env = env
	cmd.Stderr = own
	cmd.ExtraFiles = []*os.File{lock}
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
	if err := cmd.Start(); err != nil {
		return err
	}
	go func() { _ = cmd.Wait() }() // only reaps the process; its result is in the folder
	return nil
}

// Attach returns the run in runDir, started by any process. fs.ErrNotExist: there is none, or its
// Start was killed before the agent could begin; calling Start is safe.
func Attach(runDir string) (*Run, error) {
	dir, err := filepath.Abs(runDir)
	if err != nil {
		return nil, err
	}
	r, err := open(dir)
	if err != nil {
		return nil, err
	}
	if !r.alive() && !hasBegun(dir) {
		r.lock.Close()
		return nil, fmt.Errorf("the run in %s did not start: %w", dir, fs.ErrNotExist)
	}
	return r, nil
}

func open(dir string) (*Run, error) {
	d, err := readSpec(dir)
	if err != nil {
		return nil, fmt.Errorf("attaching to the run in %s: %w", dir, err)
	}
	lock, err := fsroot.OpenFile(filepath.Join(dir, "lock"), os.O_RDWR, 0)
	if err != nil {
		return nil, fmt.Errorf("attaching to the run in %s: %w", dir, err)
	}
	return &Run{dir: dir, lock: lock, spec: d}, nil
}

// State returns the state of the run. Finished means that a result exists and every process of the
// run is dead; Lost, that guard and shim died before they could write a result: Wait then kills the
// processes that they left.
func (r *Run) State() State {
	if r.alive() {
		return Running
	}
	if _, err := fsroot.Lstat(r.file("result.json")); err == nil && r.folderIntact() {
		return Finished
	}
	return Lost
}

// alive asks the kernel whether guard or shim are alive. If the query fails it returns true:
// treating a live run as lost would let two agents into one tree.
func (r *Run) alive() bool {
	if err := flock(r.lock, unix.LOCK_SH|unix.LOCK_NB); err != nil {
		return true
	}
	_ = flock(r.lock, unix.LOCK_UN)
	return false
}

// WorksIn reports whether the run is still running, with the working folder dir.
func (r *Run) WorksIn(dir string) bool { return string(r.spec.Dir) == dir && r.alive() }

// folderIntact reports whether the folder is still the one that the run was started in.
func (r *Run) folderIntact() bool { return sameFile(r.lock, r.file("lock")) }

func sameFile(f *os.File, path string) bool {
	a, err := f.Stat()
	if err != nil {
		return false
	}
	b, err := fsroot.Lstat(path)
	return err == nil && fsroot.SameFile(a, b)
}

func (r *Run) file(name string) string { return filepath.Join(r.dir, name) }

// label returns the run's name in messages.
func (r *Run) label() string {
	if r.spec.Label != "" {
		return belay.VisibleLine(r.spec.Label)
	}
	return belay.VisibleLine(r.spec.argv()[0] + " in " + r.dir)
}

func flock(f *os.File, how int) error {
	for {
		err := unix.Flock(int(f.Fd()), how)
		if !errors.Is(err, unix.EINTR) {
			return err
		}
	}
}

// pause waits for d or the end of ctx.
func pause(ctx context.Context, d time.Duration) error {
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-t.C:
		return nil
	}
}

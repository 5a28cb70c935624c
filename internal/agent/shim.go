package agent

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"strconv"
	"syscall"
	"time"

	"golang.org/x/sys/unix"

	"github.com/belay-dev/belay/internal/belay"
	"github.com/belay-dev/belay/internal/fence"
	"github.com/belay-dev/belay/internal/fsroot"
	"github.com/belay-dev/belay/internal/proc"
)

// Main is the hidden command that Start spawns as the guard, and the guard as the shim. It returns
// the exit status: 0 when the run's result was written, 1 when it was not, 2 when it was not called
// by Start.
func Main(runDir string) int {
	err := proc.CloseInherited(3)
	switch lock, bad := inheritLock(runDir); {
	case bad != nil:
		fmt.Fprintln(os.Stderr, bad)
		return 2
	case err != nil:
	case os.Getenv(roleName) == "":
		err = guard(lock)
	default:
		err = shim(runDir, lock)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	return 0
}

// inheritLock takes over descriptor 3 and verifies that it is the run's lock, that it is locked,
// and that the agent will not inherit it: then the lock would never be free.
func inheritLock(runDir string) (*os.File, error) {
	unix.CloseOnExec(3)
	lock := os.NewFile(3, "lock")
	err := belay.Refuse(belay.CodeUsage, "belay run", "this command is for belay's internal use")
	if lock == nil || !sameFile(lock, filepath.Join(runDir, "lock")) {
		return nil, err
	}
	// A new descriptor must find it locked, by ours.
	other, openErr := fsroot.OpenFile(filepath.Join(runDir, "lock"), os.O_RDWR, 0)
	if openErr != nil {
		return nil, err
	}
	defer other.Close()
	if flock(other, unix.LOCK_SH|unix.LOCK_NB) == nil {
		return nil, err
	}
	return lock, nil
}

// guard starts the shim and waits for it. If the shim dies early, the guard adopts and kills the
// processes that it left; only then the guard ends and the lock is free.
func guard(lock *os.File) error {
	if err := proc.Adopt(); err != nil {
		return err
	}
	self, err := proc.Executable()
	if err != nil {
		return err
	}
	cmd := exec.Command(self, os.Args[1:]...)
	cmd.Args[0] = os.Args[0]
	cmd.Env = append(os.Environ(), roleName+"="+strconv.Itoa(os.Getpid()))
	cmd.Stderr = os.Stderr
	cmd.ExtraFiles = []*os.File{lock}
	// Caught, not ignored: an ignored signal would be ignored in the agent, too.
	asked := make(chan os.Signal, 8)
	signal.Notify(asked, syscall.SIGTERM, syscall.SIGINT, syscall.SIGHUP)
	if err := cmd.Start(); err != nil {
		return fmt.Errorf("starting the shim: %w", err)
	}
	go func() {
		for sig := range asked {
			if sig != syscall.SIGHUP {
				_ = cmd.Process.Signal(sig)
			}
		}
	}()
	if err := cmd.Wait(); err == nil {
		return nil // the shim ended the run
	}
	t := proc.NewTree(0, markerName+"="+os.Getenv(markerName))
	if left := t.Kill(killPatience); len(left) > 0 {
		return belay.Refuse(belay.CodeBusy, "end them by hand",
			"the shim died and left processes that cannot be killed: %v", processNames(left))
	}
	return nil
}

// shim runs the agent and writes the result.
func shim(runDir string, lock *os.File) error {
	if err := proc.Adopt(); err != nil {
		return err
	}
	spec, err := readSpec(runDir)
	if err != nil {
		return err
	}
	j := &job{dir: runDir, lock: lock, spec: spec, signals: make(chan os.Signal, 8), child: make(chan os.Signal, 1)}
	signal.Notify(j.signals, syscall.SIGTERM, syscall.SIGINT, syscall.SIGHUP)
	signal.Notify(j.child, syscall.SIGCHLD)
	if err := j.begin(); err != nil {
		return err
	}
	res := j.run()
	return j.finish(res)
}

// job is one run, in the shim.
type job struct {
	dir      string
	lock     *os.File
	spec     specFile
	begun    beginRecord
	clock    time.Time // carries the monotonic clock
	out      *outputStore
	signals  chan os.Signal
	child    chan os.Signal
	fence    *fence.Fence
	stopping bool // a signal asked to stop
	killing  bool // a second one did
}

func (j *job) file(name string) string { return filepath.Join(j.dir, name) }

// begin writes begun.json: from then on this run is never started again.
func (j *job) begin() error {
	var err error
	if j.out, err = newStore(j.file("out"), j.spec.Head, j.spec.Tail, segmentSize); err != nil {
		return fmt.Errorf("preparing the output: %w", err)
	}
	// Reserve space for the result, in case the agent fills the disk.
	if err := fsroot.WriteFile(j.file("reserve"), make([]byte, 64<<10), 0o600); err != nil {
		return fmt.Errorf("preparing the result: %w", err)
	}
	j.clock = time.Now()
	j.begun = beginRecord{Boot: proc.BootID(), Started: j.clock.Round(0)}
	// The guard passes its own ID: after its death getppid would name an unrelated process that
	// adopts orphans, which would later be killed as part of the run.
	pid, _ := strconv.Atoi(os.Getenv(roleName))
	if j.begun.Guard, err = proc.Identify(pid); err != nil || os.Getppid() != pid {
		return errors.New("the guard died before the agent started")
	}
	if j.begun.Shim, err = proc.Identify(os.Getpid()); err != nil {
		return fmt.Errorf("checking the shim: %w", err)
	}
	return writeJSON(j.file("begun.json"), j.begun, true)
}

// finish writes the result, after freeing the reserved space in case the disk is full.
func (j *job) finish(res Result) error {
	res.Started, res.Elapsed = j.begun.Started, time.Since(j.clock)
	res.Finished = res.Started.Add(res.Elapsed)
	size, err := j.out.finish()
	res.OutputBytes, res.Cut = size.Bytes, size.Cut
	if err != nil {
		res.addError("its output is incomplete: " + err.Error())
	}
	if j.folderReplaced() {
		return errors.New("the run's folder was removed")
	}
	_ = fsroot.Remove(j.file("reserve"))
	return writeJSON(j.file("result.json"), res, true)
}

func (r *Result) addError(what string) {
	if r.Error != "" {
		r.Error += "; "
	}
	r.Error += what
}

// folderReplaced reports whether the run's folder was removed or replaced.
func (j *job) folderReplaced() bool { return !sameFile(j.lock, j.file("lock")) }

func (j *job) hasRequest(name string) bool {
	_, err := fsroot.Lstat(j.file(name))
	return err == nil
}

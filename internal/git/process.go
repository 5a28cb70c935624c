package git

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os/exec"
	"runtime"
	"sync"
	"sync/atomic"
	"syscall"
	"time"

	"github.com/belay-dev/belay/internal/fsroot"
)

// SilenceLimits are the times that a git process may be silent while belay waits for its output.
// Any output restarts them.
type SilenceLimits struct {
	FIFOCheck time.Duration // interval of checks whether it is blocked on opening a FIFO
	Answer    time.Duration // for a question, and for a process that is blocked on something other than a file
	Work      time.Duration // for commands that read many objects or files before the first byte of output
}

// DefaultLimits are the limits of every git process. Only tests change them.
var DefaultLimits = SilenceLimits{FIFOCheck: time.Second, Answer: 30 * time.Second, Work: 10 * time.Minute}

// slowCommands may work for a long time before they print anything.
var slowCommands = map[string]bool{
	"diff-files": true, "diff-index": true, "diff-tree": true, "for-each-ref": true, "ls-files": true, "ls-tree": true,
	"merge-base": true, "read-tree": true, "rev-list": true, "status": true, "update-ref": true, "worktree": true,
}

// SilenceError reports that a git process did not answer in time and was terminated.
type SilenceError struct {
	Command  string // the git command, like check-ignore
	After    time.Duration
	Path     string // the file it waited for; "" when unknown
	FileKind string // the kind of that file: "a FIFO"
}

func (s *SilenceError) Error() string {
	text := fmt.Sprintf("git %s did not answer within %s", s.Command, s.After)
	if s.Path != "" {
		text += fmt.Sprintf(": %q is %s", s.Path, s.FileKind)
	}
	return text
}

// Try returns advice for a person.
func (s *SilenceError) Try() string {
	switch {
	case s.Path == "" && s.Command == "check-ignore":
		return "check the .gitignore files and .git/info/exclude for patterns with many * or **: git status is as slow"
	case s.Path == "":
		return "check whether git itself answers: git status"
	}
	return (&fsroot.TypeError{Path: s.Path}).Try()
}

// Cmd is a git process. It is used like an exec.Cmd: set its input and output, then Run or Output,
// or Start and Wait with StdinPipe and StdoutPipe.
//
// Three things are different. It is terminated, with all its children, when it is silent for too
// long while belay waits for its output (*SilenceError): a FIFO or a device in the place of a file
// would block it forever. When its context is done it gets TERM, at which git removes its lock
// files. And on Linux it ends when this process does, even after a kill.
type Cmd struct {
	*exec.Cmd
	ctx    context.Context
	limits SilenceLimits

	pid        atomic.Int64 // 0 before Start and after Wait
	silence    atomic.Pointer[SilenceError]
	lastOutput atomic.Int64 // time of the last output, since epoch
}

var epoch = time.Now()

// newCmd prepares a process. ctx may not be nil.
func newCmd(ctx context.Context, program string, args ...string) *Cmd {
	c := &Cmd{Cmd: exec.CommandContext(ctx, program, args...), ctx: ctx, limits: DefaultLimits}
	if !slowCommands[subcommand(c.Args)] {
		c.limits.Work = c.limits.Answer
	}
	c.SysProcAttr = processAttr()
	began := time.Now()
	c.Cancel = func() error {
		c.WaitDelay = time.Second
		c.pid.Store(int64(c.Process.Pid)) // Start may not have set it yet
		if path, is := blockedOn(c.Process.Pid, c.Dir); path != "" && isOverdue(ctx) {
			c.silence.CompareAndSwap(nil, &SilenceError{Command: subcommand(c.Args),
				After: time.Since(began).Round(100 * time.Millisecond), Path: path, FileKind: is})
		}
		c.terminate()
		return nil
	}
	c.WaitDelay = readTime
	return c
}

// readTime limits reading the output of an ended process, which takes seconds on a busy machine.
// Only a surviving child keeps the pipe open for longer.
const readTime = 30 * time.Second

func isOverdue(ctx context.Context) bool {
	return errors.Is(ctx.Err(), context.DeadlineExceeded) || errors.Is(context.Cause(ctx), context.DeadlineExceeded)
}

// starter starts every git process, on one thread that exists as long as this process: the kernel
// sends the signal about the death of the parent when the thread that started the child ends, and
// Go ends idle threads (golang/go#27505).
var starter = sync.OnceValue(func() chan<- func() {
	asked := make(chan func())
	go func() {
		runtime.LockOSThread()
		for start := range asked {
			start()
		}
	}()
	return asked
})

// running are the started processes, for EndAll.
var running struct {
	sync.Mutex
	all map[*Cmd]bool
	off bool
}

// EndAll terminates every git process and starts no more, for a program that is about to exit.
func EndAll() {
	running.Lock()
	defer running.Unlock()
	running.off = true
	for c := range running.all {
		c.signal(syscall.SIGTERM)
	}
}

// Start starts the process.
func (c *Cmd) Start() error {
	running.Lock()
	off := running.off
	if running.all == nil {
		running.all = map[*Cmd]bool{}
	}
	if !off {
		running.all[c] = true
	}
	running.Unlock()
	if off {
		return context.Canceled
	}
	failed := make(chan error, 1)
	starter() <- func() { failed <- c.Cmd.Start() }
	err := <-failed
	if err != nil {
		c.unregister()
		return err
	}
	c.pid.Store(int64(c.Process.Pid))
	limitMemory(c.Process.Pid)
	return nil
}

func (c *Cmd) unregister() {
	running.Lock()
	delete(running.all, c)
	running.Unlock()
}

// Wait waits for the process to end. The error is a *SilenceError after a termination for silence,
// and the context's error when the context was done.
func (c *Cmd) Wait() error {
	stop := c.watchSilence()
	err := c.Cmd.Wait()
	stop()
	c.pid.Store(0) // the pid may be reused now
	c.unregister()
	if s := c.silence.Load(); s != nil {
		return s
	}
	var exit *exec.ExitError
	if errors.As(err, &exit) && exit.ExitCode() < 0 && c.ctx.Err() != nil { // c.Cancel terminated it
		return fmt.Errorf("git %s: %w", subcommand(c.Args), context.Cause(c.ctx))
	}
	return err
}

// Run starts the process and waits until it ends.
func (c *Cmd) Run() error {
	if c.Stdout != nil {
		c.Stdout = outputWriter{c, c.Stdout}
	}
	if err := c.Start(); err != nil {
		return err
	}
	return c.Wait()
}

// Output runs the process and returns its output.
func (c *Cmd) Output() ([]byte, error) {
	var out bytes.Buffer
	c.Stdout = &out
	err := c.Run()
	return out.Bytes(), err
}

// StdoutPipe returns the output of the process. The limits apply only during a read, which then
// fails with *SilenceError.
func (c *Cmd) StdoutPipe() (io.Reader, error) {
	out, err := c.Cmd.StdoutPipe()
	return &outputReader{c, out}, err
}

// watchSilence terminates the process when it is silent for too long, until stop is called.
func (c *Cmd) watchSilence() (stop func()) {
	c.noteOutput()
	var mu sync.Mutex
	done := false
	var timer *time.Timer
	mu.Lock()
	defer mu.Unlock()
	look := c.limits.Answer
	if c.limits.FIFOCheck > 0 {
		look = min(look, c.limits.FIFOCheck)
	}
	timer = time.AfterFunc(look, func() {
		mu.Lock()
		defer mu.Unlock()
		since := time.Since(epoch) - time.Duration(c.lastOutput.Load())
		switch {
		case done:
		case since < look:
			timer.Reset(look - since)
		case !c.endIfSilent(since):
			timer.Reset(look)
		}
	})
	return func() {
		timer.Stop()
		mu.Lock()
		done = true
		mu.Unlock()
	}
}

func (c *Cmd) noteOutput() { c.lastOutput.Store(int64(time.Since(epoch))) }

// endIfSilent terminates a process that has been silent for a time, unless its command may work for
// longer.
func (c *Cmd) endIfSilent(since time.Duration) (ended bool) {
	pid := int(c.pid.Load())
	if pid == 0 {
		return true
	}
	s := &SilenceError{Command: subcommand(c.Args), After: since.Round(100 * time.Millisecond)}
	if since < c.limits.Answer {
		s.Path, s.FileKind = blockedOnFIFO(pid, c.Dir)
	} else {
		s.Path, s.FileKind = blockedOn(pid, c.Dir)
	}
	if s.Path == "" && since < c.limits.Work {
		return false
	}
	c.silence.Store(s)
	c.terminate()
	return true
}

// terminate sends TERM to the process and its children, and KILL half a second later.
func (c *Cmd) terminate() {
	c.signal(syscall.SIGTERM)
	time.AfterFunc(500*time.Millisecond, func() { c.signal(syscall.SIGKILL) })
}

func (c *Cmd) signal(sig syscall.Signal) {
	if pid := int(c.pid.Load()); pid > 1 {
		_ = syscall.Kill(-pid, sig) // its group, including children
	}
}

// outputWriter passes on the output of a process and records its time.
type outputWriter struct {
	c *Cmd
	w io.Writer
}

func (p outputWriter) Write(b []byte) (int, error) {
	p.c.noteOutput()
	return p.w.Write(b)
}

// outputReader reads the output of a process, within the limits.
type outputReader struct {
	c *Cmd
	r io.Reader
}

func (a *outputReader) Read(p []byte) (int, error) {
	stop := a.c.watchSilence()
	n, err := a.r.Read(p)
	stop()
	if s := a.c.silence.Load(); s != nil && err != nil {
		return n, s
	}
	return n, err
}

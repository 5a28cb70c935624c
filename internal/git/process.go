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

// Limits is how long a git process may be silent while somebody waits for it. Whatever it
// prints starts the time again.
type Limits struct {
	Look   time.Duration // until it is looked whether it waits for somebody to write into a FIFO, and again
	Answer time.Duration // of a question, and of everything that waits for a file that is none
	Work   time.Duration // of what reads many objects or files before its first byte
}

// Patience is the limits of every git process. Only tests change it.
var Patience = Limits{Look: time.Second, Answer: 30 * time.Second, Work: 10 * time.Minute}

// slow are the commands that may work for long before they print anything.
var slow = map[string]bool{
	"diff-files": true, "diff-index": true, "diff-tree": true, "for-each-ref": true, "ls-files": true, "ls-tree": true,
	"merge-base": true, "read-tree": true, "rev-list": true, "status": true, "update-ref": true, "worktree": true,
}

// Silence says that a git process did not answer in time, and was ended.
type Silence struct {
	Command string // the git command, like check-ignore
	After   time.Duration
	Path    string // the file it waited for; "" when that is not known
	Is      string // what that is: "a FIFO"
}

func (s *Silence) Error() string {
	text := fmt.Sprintf("git %s did not answer within %s", s.Command, s.After)
	if s.Path != "" {
		text += fmt.Sprintf(": %q is %s", s.Path, s.Is)
	}
	return text
}

// Try returns what a person can do about it.
func (s *Silence) Try() string {
	switch {
	case s.Path == "" && s.Command == "check-ignore":
		return "check the .gitignore files and .git/info/exclude for patterns with many * or **: git status is as slow"
	case s.Path == "":
		return "check whether git itself answers: git status"
	}
	return (&fsroot.TypeError{Path: s.Path}).Try()
}

// Cmd is a git process. It is used like an exec.Cmd: set what it reads and writes, then
// Run or Output, or Start and Wait with StdinPipe and StdoutPipe.
//
// Three things are different. It is ended, with everything it started, when it is silent
// for too long while it is waited for (*Silence): a FIFO or a device where git expects a
// file would hold it forever. The end of its context ends it as well, with TERM, at which
// git removes its lock files. And on Linux it ends when this process does, however that
// ends.
type Cmd struct {
	*exec.Cmd
	ctx    context.Context
	limits Limits

	pid   atomic.Int64 // 0 before it started and after it was waited for
	late  atomic.Pointer[Silence]
	heard atomic.Int64 // when it last printed something, since epoch
}

var epoch = time.Now()

// newCmd prepares a process. ctx may not be nil.
func newCmd(ctx context.Context, program string, args ...string) *Cmd {
	c := &Cmd{Cmd: exec.CommandContext(ctx, program, args...), ctx: ctx, limits: Patience}
	if !slow[subcommand(c.Args)] {
		c.limits.Work = c.limits.Answer
	}
	c.SysProcAttr = processAttr()
	began := time.Now()
	c.Cancel = func() error {
		c.WaitDelay = time.Second
		c.pid.Store(int64(c.Process.Pid)) // Start may not have got there yet
		if path, is := waitsFor(c.Process.Pid, c.Dir); path != "" && overdue(ctx) {
			c.late.CompareAndSwap(nil, &Silence{Command: subcommand(c.Args),
				After: time.Since(began).Round(100 * time.Millisecond), Path: path, Is: is})
		}
		c.end()
		return nil
	}
	c.WaitDelay = readTime
	return c
}

// readTime is how long it may take to read what an ended process has printed: on a busy machine, seconds. Only what outlived
// it keeps the pipe open for longer.
const readTime = 30 * time.Second

func overdue(ctx context.Context) bool {
	return errors.Is(ctx.Err(), context.DeadlineExceeded) || errors.Is(context.Cause(ctx), context.DeadlineExceeded)
}

// starter starts every git process, on one thread that lives as long as this process: the
// kernel tells a process that its parent died when the thread that started it does, and Go
// ends threads that are idle (golang/go#27505).
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

// under are the processes under way, for EndAll.
var under struct {
	sync.Mutex
	all map[*Cmd]bool
	off bool
}

// EndAll ends every git process and starts no more: for a program that leaves at once.
func EndAll() {
	under.Lock()
	defer under.Unlock()
	under.off = true
	for c := range under.all {
		c.signal(syscall.SIGTERM)
	}
}

// Start starts the process.
func (c *Cmd) Start() error {
	under.Lock()
	off := under.off
	if under.all == nil {
		under.all = map[*Cmd]bool{}
	}
	if !off {
		under.all[c] = true
	}
	under.Unlock()
	if off {
		return context.Canceled
	}
	failed := make(chan error, 1)
	starter() <- func() { failed <- c.Cmd.Start() }
	err := <-failed
	if err != nil {
		c.forget()
		return err
	}
	c.pid.Store(int64(c.Process.Pid))
	limitMemory(c.Process.Pid)
	return nil
}

func (c *Cmd) forget() {
	under.Lock()
	delete(under.all, c)
	under.Unlock()
}

// Wait waits for the end of the process. The error is a *Silence when it was ended for
// that, and the context's when it was ended for that one.
func (c *Cmd) Wait() error {
	stop := c.watch()
	err := c.Cmd.Wait()
	stop()
	c.pid.Store(0) // its number may be somebody else's now
	c.forget()
	if s := c.late.Load(); s != nil {
		return s
	}
	var exit *exec.ExitError
	if errors.As(err, &exit) && exit.ExitCode() < 0 && c.ctx.Err() != nil { // it died of c.Cancel
		return fmt.Errorf("git %s: %w", subcommand(c.Args), context.Cause(c.ctx))
	}
	return err
}

// Run starts the process and waits for its end.
func (c *Cmd) Run() error {
	if c.Stdout != nil {
		c.Stdout = progress{c, c.Stdout}
	}
	if err := c.Start(); err != nil {
		return err
	}
	return c.Wait()
}

// Output runs the process and gives what it prints.
func (c *Cmd) Output() ([]byte, error) {
	var out bytes.Buffer
	c.Stdout = &out
	err := c.Run()
	return out.Bytes(), err
}

// StdoutPipe returns what the process prints. Only while it is read from, the process may
// not be silent; then reading fails with *Silence.
func (c *Cmd) StdoutPipe() (io.Reader, error) {
	out, err := c.Cmd.StdoutPipe()
	return &prints{c, out}, err
}

// watch ends the process when it is silent for too long, until stop is called.
func (c *Cmd) watch() (stop func()) {
	c.hear()
	var mu sync.Mutex
	done := false
	var timer *time.Timer
	mu.Lock()
	defer mu.Unlock()
	look := c.limits.Answer
	if c.limits.Look > 0 {
		look = min(look, c.limits.Look)
	}
	timer = time.AfterFunc(look, func() {
		mu.Lock()
		defer mu.Unlock()
		since := time.Since(epoch) - time.Duration(c.heard.Load())
		switch {
		case done:
		case since < look:
			timer.Reset(look - since)
		case !c.silent(since):
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

func (c *Cmd) hear() { c.heard.Store(int64(time.Since(epoch))) }

// silent ends a process that printed nothing for so long, unless it is one that may work on.
func (c *Cmd) silent(since time.Duration) (ended bool) {
	pid := int(c.pid.Load())
	if pid == 0 {
		return true
	}
	s := &Silence{Command: subcommand(c.Args), After: since.Round(100 * time.Millisecond)}
	if since < c.limits.Answer {
		s.Path, s.Is = heldBy(pid, c.Dir)
	} else {
		s.Path, s.Is = waitsFor(pid, c.Dir)
	}
	if s.Path == "" && since < c.limits.Work {
		return false
	}
	c.late.Store(s)
	c.end()
	return true
}

// end asks the process and all it started to end, and makes them a moment later.
func (c *Cmd) end() {
	c.signal(syscall.SIGTERM)
	time.AfterFunc(500*time.Millisecond, func() { c.signal(syscall.SIGKILL) })
}

func (c *Cmd) signal(sig syscall.Signal) {
	if pid := int(c.pid.Load()); pid > 1 {
		_ = syscall.Kill(-pid, sig) // its group: what it started as well
	}
}

// progress passes on what a process prints.
type progress struct {
	c *Cmd
	w io.Writer
}

func (p progress) Write(b []byte) (int, error) {
	p.c.hear()
	return p.w.Write(b)
}

// prints reads what a process prints, which must not take too long.
type prints struct {
	c *Cmd
	r io.Reader
}

func (a *prints) Read(p []byte) (int, error) {
	stop := a.c.watch()
	n, err := a.r.Read(p)
	stop()
	if s := a.c.late.Load(); s != nil && err != nil {
		return n, s
	}
	return n, err
}

package proc

import (
	"context"
	"crypto/rand"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"
	"sync/atomic"
	"syscall"
	"time"

	"golang.org/x/sys/unix"

	"github.com/belay-dev/belay/internal/config"
	"github.com/belay-dev/belay/internal/fence"
)

// On Linux the command is run by a second process of this executable, which works in any program
// that imports the package (holder_linux.go). The package knows nothing about tests, reads no
// output and writes no file.

// Slack is how long ending all processes may take beyond the grace; Run may take twice that. Only a
// program that forks all the time, or cannot be killed, needs more than a moment, but on an
// overloaded machine (load 40 per processor) a moment is seconds.
const Slack = 5 * time.Second

// inTime is how long before the end of Slack killing stops, so that the number of survivors can
// still be reported.
const inTime = time.Second

// outputGrace is how long to wait for output that may never end: from processes that outlived the
// program, or to a writer that blocks.
const outputGrace = time.Second

// Program is a command to run, including all processes that it starts. Without Stdin its standard
// input is empty.
type Program struct {
	Command config.Command // only a config.Gate makes one that can be started
	Dir     string
	Env     []string // the complete environment; Run adds Marker
	Stdin   *os.File // read from its current position
	Stdout  io.Writer
	Stderr  io.Writer     // nil: same as Stdout, in the order written
	Grace   time.Duration // from SIGTERM to SIGKILL
	Cut     func()        // called at the timeout, before anything is ended; may be nil
	// ReadOnly are folders, absolute, that the program may read but not change. If the kernel
	// cannot enforce that, Ending.Writable is set.
	ReadOnly []string
	Open     []string // folders within ReadOnly that it may change
	// Fence limits what it may write; nil for no fence. A fence that closes the folders of ReadOnly
	// replaces the mounts if the kernel does not allow those.
	Fence *fence.Policy

	token string
}

// Marker is the environment variable that identifies the processes of one run.
const Marker = "BELAY_CHECK"

// Ending describes how a program ended.
type Ending struct {
	Code   int            // exit code, -1 when signalled or never started
	Signal syscall.Signal // the signal that ended it, 0 for none
	Cut    bool           // it was ended because ctx ended
	Failed error          // it could not be started, or its end was not observed
	Left   int            // processes of it that could not be ended

	Writable bool // the folders of ReadOnly could not be closed
}

// String describes how it ended, as the rest of a sentence that begins with the program's name.
func (e Ending) String() string {
	switch {
	case e.Failed != nil:
		return "could not be run: " + e.Failed.Error()
	case e.Signal != 0:
		return fmt.Sprintf("was ended by signal %d (%s)", int(e.Signal), e.Signal)
	}
	return fmt.Sprintf("ended with exit code %d", e.Code)
}

// heldProgram is a running program, and how to end it on this platform.
type heldProgram struct {
	ended chan Ending // gets exactly one
	stop  func()      // asks all processes to end, and kills them after the grace
	kill  func()      // kills the holder and its processes, as a last resort
}

// Run runs the program and returns when it and all processes that it started have ended: on Linux
// all of them; elsewhere those that stayed in its process group. When ctx ends, they get SIGTERM
// and, after the grace, SIGKILL.
func (p Program) Run(ctx context.Context) Ending {
	if !p.Command.Set() {
		return Ending{Code: -1, Failed: errors.New("no command may run")}
	}
	p.token = newToken()
	p.Env = append(slices.DeleteFunc(slices.Clone(p.Env), func(e string) bool {
		return strings.HasPrefix(e, Marker+"=")
	}), Marker+"="+p.token)
	stdout, err := newDrain(p.Stdout)
	if err != nil {
		return Ending{Code: -1, Failed: err}
	}
	drains := []*drain{stdout}
	stderr := stdout
	if p.Stderr != nil {
		if stderr, err = newDrain(p.Stderr); err != nil {
			stdout.abandon()
			return Ending{Code: -1, Failed: err}
		}
		drains = append(drains, stderr)
	}
	h, err := p.start(stdout.w, stderr.w)
	for _, d := range drains {
		d.begin()
	}
	var end Ending
	if err != nil {
		end = Ending{Code: -1, Failed: err}
	} else {
		end = p.await(ctx, h, drains)
	}
	over := time.Now().Add(outputGrace)
	for _, d := range drains {
		d.finish(over)
	}
	return end
}

func newToken() string {
	var b [16]byte
	rand.Read(b[:]) // documented never to fail
	return hex.EncodeToString(b[:])
}

func (p Program) await(ctx context.Context, h *heldProgram, drains []*drain) Ending {
	select {
	case end := <-h.ended:
		return end
	case <-ctx.Done():
	}
	if p.Cut != nil {
		for _, d := range drains {
			d.catchUp() // what it printed in time counts, even if not read yet
		}
		p.Cut()
	}
	h.stop()
	select {
	case end := <-h.ended:
		return end
	case <-time.After(p.Grace + Slack):
	}
	h.kill()
	select {
	case end := <-h.ended:
		end.Cut = true
		return end
	case <-time.After(Slack):
		return Ending{Code: -1, Cut: true, Left: 1}
	}
}

// drain copies a pipe to a writer until the last process has closed it, or until end is called: a
// process that was not ended may keep a pipe open forever.
type drain struct {
	to   io.Writer
	r, w *os.File
	got  atomic.Int64       // bytes passed on
	ask  chan chan struct{} // closed when everything printed before has been passed on
	done chan struct{}
}

func newDrain(to io.Writer) (*drain, error) {
	r, w, err := os.Pipe()
	if err != nil {
		return nil, fmt.Errorf("opening a pipe for the output: %w", err)
	}
	return &drain{to: to, r: r, w: w, ask: make(chan chan struct{}, 1), done: make(chan struct{})}, nil
}

func (d *drain) abandon() {
	d.r.Close()
	d.w.Close()
}

// begin closes this process's copy of the writing end and starts copying.
func (d *drain) begin() {
	d.w.Close()
	go func() {
		defer close(d.done)
		buf := make([]byte, 1<<16)
		for {
			n, err := d.r.Read(buf)
			// Ignore errors of the writer: the program must not block on its output.
			d.to.Write(buf[:n])
			d.got.Add(int64(n))
			if errors.Is(err, os.ErrDeadlineExceeded) {
				select {
				case caughtUp := <-d.ask:
					d.r.SetReadDeadline(time.Time{}) // first: nothing is read after a deadline
					err = d.empty(buf)
					close(caughtUp)
					if err == nil {
						continue
					}
				default: // end was called
					d.rest(buf)
				}
			}
			if err != nil {
				return
			}
		}
	}()
}

// empty passes on the content of the pipe.
func (d *drain) empty(buf []byte) error {
	return Empty(d.r, buf, func(p []byte) {
		d.to.Write(p)
		d.got.Add(int64(len(p)))
	})
}

// Empty passes on the content of a pipe without waiting. It stops after len(buf) bytes, because a
// pipe that is written to all the time never becomes empty. After the deadline of r it reads
// nothing and returns an error.
func Empty(r *os.File, buf []byte, take func([]byte)) error {
	conn, err := r.SyscallConn()
	for left := len(buf); err == nil && left > 0; {
		var n int
		var readErr error
		if err = conn.Read(func(fd uintptr) bool { n, readErr = unix.Read(int(fd), buf[:left]); return true }); err != nil {
			return err
		}
		if n <= 0 || readErr != nil {
			return nil // empty now; an end or an error is reported by the next read
		}
		take(buf[:n])
		left -= n
	}
	return err
}

// rest passes on what was printed before end was called, which a busy machine may not have read
// yet.
func (d *drain) rest(buf []byte) {
	for { // end may set the deadline again meanwhile
		d.r.SetReadDeadline(time.Time{})
		if err := d.empty(buf); !errors.Is(err, os.ErrDeadlineExceeded) {
			return
		}
	}
}

// catchUp returns when the content of the pipe has been passed on, or after outputGrace.
func (d *drain) catchUp() {
	caughtUp := make(chan struct{})
	d.ask <- caughtUp
	d.r.SetReadDeadline(time.Now()) // wakes the copying goroutine, which then checks ask
	select {
	case <-caughtUp:
	case <-d.done:
	case <-time.After(outputGrace):
	}
}

// end stops the copying.
func (d *drain) end() {
	for {
		d.r.SetReadDeadline(time.Now())
		select {
		case <-d.done:
			return
		case <-time.After(outputGrace / 4): // a late answer to ask removed the deadline
		}
	}
}

// finish waits for the end of the output while bytes arrive, but not beyond over.
func (d *drain) finish(over time.Time) {
	defer d.r.Close()
	for before := int64(-1); ; {
		select {
		case <-d.done:
			return
		case <-time.After(outputGrace / 4):
		}
		now := d.got.Load()
		if now == before || time.Now().After(over) {
			d.end()
			return
		}
		before = now
	}
}

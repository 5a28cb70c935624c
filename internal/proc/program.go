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

// On Linux the command is held by a second process of this executable, which any
// program that imports the package can become (holder_linux.go). The package knows
// nothing of tests, reads no output and writes no file.

// Slack is how long ending everything may take beyond the grace; Run may take twice that. Only what forks all the time, or
// cannot be killed, needs more than a moment. On a machine with forty times as much to do as it has processors, a moment is seconds.
const Slack = 5 * time.Second

// inTime is how long before Slack is over those give up who have to say how many are left.
const inTime = time.Second

// outputGrace is how long to wait for output that may never end: from processes that outlived
// the program, or to a writer that does not accept it.
const outputGrace = time.Second

// Program is a command to run to its end with everything it starts. Its standard
// input is Stdin, and empty without.
type Program struct {
	Command config.Command // what does not come from a config.Gate cannot be started
	Dir     string
	Env     []string // whole; Run adds Marker
	Stdin   *os.File // read from where it stands
	Stdout  io.Writer
	Stderr  io.Writer     // nil: where Stdout goes, in the order written
	Grace   time.Duration // between SIGTERM and SIGKILL
	Cut     func()        // called when time is up, before anything is ended; may be nil
	// ReadOnly are folders, absolute, that the program may read and not change. Where
	// the kernel cannot do that, Ending.Writable says so.
	ReadOnly []string
	Open     []string // folders within those of ReadOnly that it may change anyway
	// Fence is what it may write, and nothing else; nil for no fence. One that closes the folders of ReadOnly takes
	// their place where the kernel cannot close them otherwise.
	Fence *fence.Policy

	token string
}

// Marker names the environment variable that tells the processes of one run from all
// others.
const Marker = "BELAY_CHECK"

// Ending is how a program ended.
type Ending struct {
	Code   int            // exit code, -1 when signalled or never started
	Signal syscall.Signal // that ended it, 0 for none
	Cut    bool           // it was ended because ctx was over
	Failed error          // it could not be started, or its end was not seen
	Left   int            // processes of it that could not be ended

	Writable bool // the folders of ReadOnly could not be closed to it
}

// String says how it ended, after the program's name.
func (e Ending) String() string {
	switch {
	case e.Failed != nil:
		return "could not be run: " + e.Failed.Error()
	case e.Signal != 0:
		return fmt.Sprintf("was ended by signal %d (%s)", int(e.Signal), e.Signal)
	}
	return fmt.Sprintf("ended with exit code %d", e.Code)
}

// heldProgram is a program under way, held by means of the platform.
type heldProgram struct {
	ended chan Ending // gets exactly one
	stop  func()      // asks everything to end, and after the grace makes it
	kill  func()      // ends whatever holds the program, as a last resort
}

// Run runs the program and returns when it has ended and nothing it started is left
// alive: on Linux, whatever tricks it plays; elsewhere, unless it left its process
// group. When ctx is over it gets SIGTERM and, after the grace, SIGKILL.
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
	rand.Read(b[:]) // never fails, says its documentation
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
			d.catchUp() // what it printed in time counts, read or not
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

// drain copies a pipe to a writer until its last writer is gone, or until told that
// nobody who matters is left: a process out of reach may keep a pipe open forever.
type drain struct {
	to   io.Writer
	r, w *os.File
	got  atomic.Int64       // bytes passed on
	ask  chan chan struct{} // closed when everything printed before is passed on
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

// begin gives up this process's own writing end and starts copying.
func (d *drain) begin() {
	d.w.Close()
	go func() {
		defer close(d.done)
		buf := make([]byte, 1<<16)
		for {
			n, err := d.r.Read(buf)
			// A writer that fails must not stop the program: it gets to write on.
			d.to.Write(buf[:n])
			d.got.Add(int64(n))
			if errors.Is(err, os.ErrDeadlineExceeded) {
				select {
				case caughtUp := <-d.ask:
					d.r.SetReadDeadline(time.Time{}) // first: past it, nothing is read
					err = d.empty(buf)
					close(caughtUp)
					if err == nil {
						continue
					}
				default: // it is to end
					d.rest(buf)
				}
			}
			if err != nil {
				return
			}
		}
	}()
}

// empty passes on what is in the pipe.
func (d *drain) empty(buf []byte) error {
	return Empty(d.r, buf, func(p []byte) {
		d.to.Write(p)
		d.got.Add(int64(len(p)))
	})
}

// Empty passes on what is in a pipe and waits for nothing. A pipe that is written to all the time is never empty: it ends
// when buf was full once. A deadline that is over is an error, and nothing is read then.
func Empty(r *os.File, buf []byte, take func([]byte)) error {
	conn, err := r.SyscallConn()
	for left := len(buf); err == nil && left > 0; {
		var n int
		var readErr error
		if err = conn.Read(func(fd uintptr) bool { n, readErr = unix.Read(int(fd), buf[:left]); return true }); err != nil {
			return err
		}
		if n <= 0 || readErr != nil {
			return nil // nothing there now; an end or an error comes again at the next read
		}
		take(buf[:n])
		left -= n
	}
	return err
}

// rest passes on what was printed before the copying was to end: on a busy machine that may not have been read yet.
func (d *drain) rest(buf []byte) {
	for { // end may set the deadline again meanwhile
		d.r.SetReadDeadline(time.Time{})
		if err := d.empty(buf); !errors.Is(err, os.ErrDeadlineExceeded) {
			return
		}
	}
}

// catchUp returns when everything that lay in the pipe is passed on, or the writer does not
// take it for too long.
func (d *drain) catchUp() {
	caughtUp := make(chan struct{})
	d.ask <- caughtUp
	d.r.SetReadDeadline(time.Now()) // wakes the copying, which then looks at ask
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
		case <-time.After(outputGrace / 4): // a late answer to ask took the deadline away
		}
	}
}

// finish waits for the end of the output: as long as bytes keep coming, but not
// beyond over.
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

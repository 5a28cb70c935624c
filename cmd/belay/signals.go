package main

import (
	"context"
	"fmt"
	"os"
	"os/signal"
	"syscall"
	"time"

	"golang.org/x/sys/unix"

	"github.com/belay-dev/belay/internal/git"
	"github.com/belay-dev/belay/internal/terminal"
)

const (
	// same is how long after the first signal a second one counts as the same request: GNU timeout
	// sends TERM to its child and then to its process group.
	same = time.Second
	// orderly is the time from TERM or a hang-up until every wait is cancelled, last the time until
	// belay exits anyway. A machine that shuts down may allow only two seconds.
	orderly, last = 1200 * time.Millisecond, 1700 * time.Millisecond
	// farewell is the time limit for the last message, because perhaps nobody reads it.
	farewell = 100 * time.Millisecond
)

// signals returns the hard context, and sets t.StopRequested, the soft one. The first Ctrl-C, TERM
// or hang-up ends the soft one, which asks for an orderly end: the agent is stopped, its work
// captured. Ctrl-C allows unlimited time for that; a second one later exits at once. TERM and a
// hang-up allow little time: they end the hard context as well, and then exit, with a message about
// what may still be running and how to continue. All files are then as after a kill, from which the
// next command recovers. A hang-up that was ignored at the start, as nohup does, stays ignored.
//
// Once a task is under way, a broken pipe of the output (belay run … | head -1) counts as the
// first Ctrl-C; any other command ends by SIGPIPE as usual. Further writes to the pipe change
// nothing.
func signals(t *terminal.Terminal) (hard context.Context, stop func()) {
	hard, kill := context.WithCancel(context.Background())
	soft, ask := context.WithCancel(hard)
	t.StopRequested = soft
	c, unread := make(chan os.Signal, 4), make(chan os.Signal, 1)
	signal.Notify(c, os.Interrupt, syscall.SIGTERM)
	if !signal.Ignored(syscall.SIGHUP) {
		signal.Notify(c, syscall.SIGHUP)
	}
	t.OnFirstWork = func() { signal.Notify(unread, syscall.SIGPIPE) }
	go func() {
		var first time.Time
		var end, out, hint <-chan time.Time
		for {
			select {
			case sig := <-c:
				if sig == os.Interrupt && t.IsPaging() {
					continue // the pager gets it, too
				}
				if !first.IsZero() && time.Since(first) > same {
					leave(t)
				}
				if first.IsZero() {
					first = time.Now()
					ask()
				}
				if sig != os.Interrupt && end == nil {
					end, out = time.After(orderly), time.After(last)
				} else if hint == nil {
					hint = time.After(last)
				}
			case <-unread:
				if outputBroken() { // otherwise a git process died while belay wrote to it
					ask()
				}
			case <-hint:
				if terminal.IsTerminal(t.Err) && !t.JSON {
					fmt.Fprintln(t.Err, "\nbelay: stopping; press Ctrl-C again to exit at once")
				}
			case <-end:
				kill()
			case <-out:
				leave(t)
			}
		}
	}()
	return hard, func() { signal.Stop(c); signal.Stop(unread); ask(); kill() }
}

// outputBroken reports whether the reader of the standard output or the standard error has closed
// it. SIGPIPE does not identify the pipe.
func outputBroken() bool {
	fds := []unix.PollFd{{Fd: 1}, {Fd: 2}}
	if _, err := unix.Poll(fds, 0); err != nil {
		return false
	}
	return (fds[0].Revents|fds[1].Revents)&(unix.POLLERR|unix.POLLHUP) != 0
}

// leave exits, and ends belay's git processes, but not the agent's shim.
func leave(t *terminal.Terminal) {
	git.EndAll()
	told := make(chan struct{})
	go func() {
		t.ReportEarlyExit()
		close(told)
	}()
	select {
	case <-told:
	case <-time.After(farewell):
	}
	os.Exit(130)
}

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
	// same is how soon after the first signal a second one is the same request: GNU timeout
	// sends TERM to its child and then to its whole group.
	same = time.Second
	// From TERM or a hang-up to the end of every wait, and to leaving whatever still goes on.
	// A machine that shuts down gives two seconds where it gives any.
	orderly, last = 1200 * time.Millisecond, 1700 * time.Millisecond
	// farewell is how long a last message may take: nobody may be reading.
	farewell = 100 * time.Millisecond
)

// signals gives a context, and t another one. The first Ctrl-C, TERM or hang-up ends that of
// t, which asks for an orderly end: the agent is stopped, its work captured. Ctrl-C gives it
// all the time it needs; a second one later leaves at once. TERM and a hang-up do not wait
// long: they end the context given as well, and then leave, with what may still be running
// and how to come back. Every file is then as after a kill at that moment, which the next
// command recovers from.
//
// A reader of the output that goes away (belay run … | head -1) is the first Ctrl-C once a task
// is under way, and any other command ends by SIGPIPE as usual. Each further write tells it again:
// that hurries nobody.
func signals(t *terminal.Terminal) (hard context.Context, stop func()) {
	hard, kill := context.WithCancel(context.Background())
	soft, ask := context.WithCancel(hard)
	t.StopRequested = soft
	c, unread := make(chan os.Signal, 4), make(chan os.Signal, 1)
	signal.Notify(c, os.Interrupt, syscall.SIGTERM, syscall.SIGHUP)
	t.OnFirstWork = func() { signal.Notify(unread, syscall.SIGPIPE) }
	go func() {
		var first time.Time
		var end, out, hint <-chan time.Time
		for {
			select {
			case sig := <-c:
				if sig == os.Interrupt && t.IsPaging() {
					continue // the pager has it, too
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
				if outputBroken() { // a git process that died while belay wrote to it is another matter
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

// outputBroken reports whether nobody reads the standard output or the errors any more. SIGPIPE does not say which of the
// process's pipes it is about.
func outputBroken() bool {
	fds := []unix.PollFd{{Fd: 1}, {Fd: 2}}
	if _, err := unix.Poll(fds, 0); err != nil {
		return false
	}
	return (fds[0].Revents|fds[1].Revents)&(unix.POLLERR|unix.POLLHUP) != 0
}

// leave ends the process, with its git processes. The agent's shim stays.
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

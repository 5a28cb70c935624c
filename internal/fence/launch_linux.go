//go:build linux && !portable && (amd64 || arm64)

package fence

import (
	"fmt"
	"os"
	"runtime"
	"time"

	"golang.org/x/sys/unix"
)

// clockStep is how far the time stamps of files may lag behind the clock.
const clockStep = 50 * time.Millisecond

// rootOnly are the capabilities that reach into other processes and the kernel.
var rootOnly = []uintptr{unix.CAP_SYS_ADMIN, unix.CAP_SYS_PTRACE, unix.CAP_SYS_MODULE, unix.CAP_SYS_RAWIO, unix.CAP_SYS_BOOT,
	unix.CAP_SYS_TIME, unix.CAP_PERFMON, unix.CAP_BPF, unix.CAP_DAC_READ_SEARCH, unix.CAP_SYSLOG, unix.CAP_MAC_ADMIN, unix.CAP_MKNOD}

// Fence is a policy under which one program can be started.
type Fence struct {
	policy Policy
	wall   *wall
	book   book
	keep   *keeper
}

// New prepares a fence. Call Close if no program is started in it.
func New(p Policy) (*Fence, error) {
	if err := Probe(); err != nil {
		return nil, err
	}
	f := &Fence{policy: p, book: newBook(p)}
	var err error
	f.wall, err = build(p, f.book)
	return f, err
}

// Close releases a fence in which no program was started.
func (f *Fence) Close() {
	if f != nil && f.keep == nil {
		f.wall.close()
	}
}

// Start runs start, which starts a program, on a new thread in the fence; without a fence on an
// ordinary thread. If a program was started, the thread keeps running, because the kernel treats
// its end as the end of the program's parent.
//
// This needs no second process, but leaves a thread of this process in the fence. So this process
// is protected from fenced programs from then on: it is not dumpable, and the filter refuses
// signals to it.
func (f *Fence) Start(start func() error) error {
	done := make(chan error)
	go func() {
		runtime.LockOSThread() // never unlocked: a fenced thread must not be reused
		err := f.enter()
		if err == nil {
			err = start()
		}
		failed := err != nil // the receiver of done may change err
		done <- err
		if !failed {
			select {}
		}
	}()
	return <-done
}

// enter puts this thread into the fence.
func (f *Fence) enter() error {
	if f == nil {
		return nil
	}
	// The program must not inherit files that belay's own parents left open.
	if err := unix.CloseRange(3, 1<<31-1, unix.CLOSE_RANGE_CLOEXEC); err != nil {
		return fmt.Errorf("enter the fence: close inherited files: %w", err)
	}
	if err := unix.Prctl(unix.PR_SET_DUMPABLE, 0, 0, 0, 0); err != nil {
		return fmt.Errorf("enter the fence: not dumpable: %w", err)
	}
	if err := unix.Prctl(unix.PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0); err != nil {
		return fmt.Errorf("enter the fence: no_new_privs: %w", err)
	}
	if os.Geteuid() == 0 {
		for _, c := range rootOnly { // dropped when the program begins
			_ = unix.Prctl(unix.PR_CAPBSET_DROP, c, 0, 0, 0)
		}
	}
	if _, _, errno := unix.Syscall(unix.SYS_LANDLOCK_RESTRICT_SELF, f.wall.ruleset.Fd(), 0, 0); errno != 0 {
		return fmt.Errorf("enter the fence: landlock: %w", errno)
	}
	listener, err := install(os.Getpid(), unix.Gettid(), f.policy.restrictsPorts())
	if err != nil {
		return fmt.Errorf("enter the fence: seccomp: %w", err)
	}
	f.keep = &keeper{fd: listener, book: f.book, wall: f.wall, network: f.policy, since: time.Now().Add(-clockStep),
		denied: map[Denial]int{}}
	go f.keep.serve()
	return nil
}

// Denied returns the refusals so far.
func (f *Fence) Denied() []Denial {
	if f == nil || f.keep == nil {
		return nil
	}
	return f.keep.list()
}

//go:build linux && !portable && (amd64 || arm64)

package fence

import (
	"errors"
	"fmt"
	"os"
	"runtime"
	"syscall"
	"time"

	"golang.org/x/sys/unix"
)

// clockStep is how far the times of files may lag behind the clock.
const clockStep = 50 * time.Millisecond

// helperName is what this executable is called while it goes into a fence and becomes the program.
const helperName = "belay-fence"

// The helper's descriptors behind the three that the program gets.
const (
	wallFD = 3 // the ruleset
	lineFD = 4 // to the gatekeeper's process: the listener goes out, or a text that says what failed
)

func init() {
	if len(os.Args) > 2 && os.Args[0] == helperName {
		runtime.LockOSThread() // what is entered here is entered by this thread, which becomes the program
		err := enter(os.Args[1], os.Args[2:])
		_ = unix.Sendto(lineFD, []byte(err.Error()), 0, nil)
		syscall.Exit(126)
	}
}

// rootOnly are the rights of root that reach into other processes and the kernel itself.
var rootOnly = []uintptr{unix.CAP_SYS_ADMIN, unix.CAP_SYS_PTRACE, unix.CAP_SYS_MODULE, unix.CAP_SYS_RAWIO, unix.CAP_SYS_BOOT,
	unix.CAP_SYS_TIME, unix.CAP_PERFMON, unix.CAP_BPF, unix.CAP_DAC_READ_SEARCH, unix.CAP_SYSLOG, unix.CAP_MAC_ADMIN, unix.CAP_MKNOD}

// enter goes into the fence and becomes the program. It returns only what kept it from that.
func enter(program string, argv []string) error {
	unix.CloseOnExec(wallFD)
	unix.CloseOnExec(lineFD)
	// Whatever anybody above left open is no business of the program.
	if err := unix.CloseRange(wallFD, 1<<31-1, unix.CLOSE_RANGE_CLOEXEC); err != nil {
		return fmt.Errorf("close inherited files: %w", err)
	}
	if err := unix.Prctl(unix.PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0); err != nil {
		return fmt.Errorf("no_new_privs: %w", err)
	}
	if os.Geteuid() == 0 {
		for _, c := range rootOnly { // gone when the program begins
			_ = unix.Prctl(unix.PR_CAPBSET_DROP, c, 0, 0, 0)
		}
	}
	if _, _, errno := unix.Syscall(unix.SYS_LANDLOCK_RESTRICT_SELF, wallFD, 0, 0); errno != 0 {
		return fmt.Errorf("landlock: %w", errno)
	}
	listener, err := install()
	if err != nil {
		return fmt.Errorf("seccomp: %w", err)
	}
	if err := unix.Sendmsg(lineFD, []byte{0}, unix.UnixRights(listener), nil, 0); err != nil {
		return fmt.Errorf("give the listener away: %w", err)
	}
	return fmt.Errorf("start %s: %w", program, syscall.Exec(program, argv, os.Environ()))
}

// Fence is a policy that one program can be started under.
type Fence struct {
	wall *wall
	book book
	line [2]*os.File // this side, the helper's side
	keep *keeper
}

// New prepares a fence. Whoever does not start a program in it calls Close.
func New(p Policy) (*Fence, error) {
	if err := Probe(); err != nil {
		return nil, err
	}
	f := &Fence{book: newBook(p)}
	var err error
	if f.wall, err = build(p, f.book); err != nil {
		return nil, err
	}
	line, err := unix.Socketpair(unix.AF_UNIX, unix.SOCK_SEQPACKET|unix.SOCK_CLOEXEC, 0)
	if err != nil {
		f.wall.close()
		return nil, fmt.Errorf("open a socket pair: %w", err)
	}
	f.line = [2]*os.File{os.NewFile(uintptr(line[0]), "line"), os.NewFile(uintptr(line[1]), "line")}
	return f, nil
}

// Close gives up a fence that no program was started in.
func (f *Fence) Close() {
	if f == nil {
		return
	}
	f.line[0].Close()
	f.line[1].Close()
	f.wall.close()
}

// Command gives what to start, under the file /proc/self/exe, in place of a program, which is a path, and its
// arguments.
func (f *Fence) Command(program string, argv []string) []string {
	return append([]string{helperName, program}, argv...)
}

// Files gives the descriptors that the helper gets behind its first three.
func (f *Fence) Files() []*os.File { return []*os.File{f.wall.ruleset, f.line[1]} }

// Started waits until the helper has become the program, and lets the gatekeeper begin. An error says why it has not:
// its process then ends with 126.
func (f *Fence) Started() error {
	f.line[1].Close()
	defer f.line[0].Close()
	line := int(f.line[0].Fd())
	text, oob := make([]byte, 4096), make([]byte, unix.CmsgSpace(4))
	n, size, err := receive(line, text, oob)
	fds := rights(oob[:size])
	switch {
	case err == nil && n == 0:
		err = errors.New("it was killed before it began")
	case err == nil && len(fds) != 1:
		err = errors.New(string(text[:n]))
	}
	if err != nil {
		f.wall.close()
		return fmt.Errorf("enter the fence: %w", err)
	}
	f.keep = &keeper{fd: fds[0], book: f.book, wall: f.wall, since: time.Now().Add(-clockStep), denied: map[Denial]int{}}
	go f.keep.serve()
	if n, _, err = receive(line, text, oob); err == nil && n > 0 {
		return errors.New(string(text[:n]))
	}
	return nil
}

func receive(fd int, text, oob []byte) (n, size int, err error) {
	for {
		n, size, _, _, err = unix.Recvmsg(fd, text, oob, unix.MSG_CMSG_CLOEXEC)
		if !errors.Is(err, unix.EINTR) {
			return n, size, err
		}
	}
}

func rights(oob []byte) []int {
	messages, err := unix.ParseSocketControlMessage(oob)
	if err != nil || len(messages) != 1 {
		return nil
	}
	fds, err := unix.ParseUnixRights(&messages[0])
	if err != nil {
		return nil
	}
	return fds
}

// Denied gives what was refused so far.
func (f *Fence) Denied() []Denial {
	if f == nil || f.keep == nil {
		return nil
	}
	return f.keep.list()
}

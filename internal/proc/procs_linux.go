//go:build linux && !portable

package proc

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"

	"golang.org/x/sys/unix"
)

// Adopts is true if Adopt works here: orphans become children of the process that called it, so the
// kernel reports when no descendant is left.
const Adopts = true

// Adopt makes this process the parent of every orphan below it, permanently. If Adopts is false it
// does nothing.
func Adopt() error {
	if err := unix.Prctl(unix.PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0); err != nil {
		return fmt.Errorf("asking to adopt orphans: %w", err)
	}
	return nil
}

func launchAttr() *syscall.SysProcAttr {
	return &syscall.SysProcAttr{Setpgid: true, Pdeathsig: syscall.SIGKILL}
}

// Executable returns a path that starts this program, even if its file was replaced while it runs.
func Executable() (string, error) { return "/proc/self/exe", nil }

// BootID identifies the time since the machine was started. It is empty where a process's start
// time is a date, which no reboot repeats.
func BootID() string {
	id, _ := os.ReadFile("/proc/sys/kernel/random/boot_id")
	return strings.TrimSpace(string(id))
}

// List returns every process of the machine, including zombies. It may miss processes that fork or
// end while it runs.
func List() ([]Process, error) {
	d, err := os.Open("/proc")
	if err != nil {
		return nil, fmt.Errorf("listing processes: %w", err)
	}
	defer d.Close()
	names, err := d.Readdirnames(-1)
	if err != nil {
		return nil, fmt.Errorf("listing processes: %w", err)
	}
	all := make([]Process, 0, len(names))
	for _, name := range names {
		if pid, err := strconv.Atoi(name); err == nil {
			if p, err := process(pid); err == nil { // an error: it has ended
				all = append(all, p)
			}
		}
	}
	return all, nil
}

// children returns the living children of this process, including adopted ones, and none if the
// kernel does not list them.
func children() (found []Process) {
	lists, _ := filepath.Glob("/proc/self/task/*/children")
	for _, list := range lists {
		text, _ := os.ReadFile(list)
		for word := range strings.FieldsSeq(string(text)) {
			pid, _ := strconv.Atoi(word)
			if p, err := process(pid); err == nil && p.PPID == os.Getpid() && !p.Dead {
				found = append(found, p)
			}
		}
	}
	return found
}

func process(pid int) (Process, error) {
	line, err := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/stat")
	if err != nil {
		return Process{}, err
	}
	return parseStat(line)
}

var errStat = errors.New("not a line of /proc/PID/stat")

// parseStat parses proc_pid_stat(5). The name, in brackets, may itself contain spaces and brackets,
// so the fields are counted from the last bracket.
func parseStat(line []byte) (Process, error) {
	open, end := bytes.IndexByte(line, '('), bytes.LastIndexByte(line, ')')
	if open < 0 || end < open {
		return Process{}, errStat
	}
	f := bytes.Fields(line[end+1:])
	if len(f) < 20 || len(f[0]) != 1 {
		return Process{}, errStat
	}
	p := Process{Name: string(line[open+1 : end])}
	p.Start = string(f[19])
	threads := 0
	for _, n := range []struct {
		text []byte
		into *int
	}{{bytes.TrimSpace(line[:open]), &p.PID}, {f[1], &p.PPID}, {f[2], &p.PGID}, {f[3], &p.SID}, {f[17], &threads}} {
		v, err := strconv.Atoi(string(n.text))
		if err != nil {
			return Process{}, errStat
		}
		*n.into = v
	}
	// A process shows as a zombie if its first thread has ended, even while other threads run.
	p.Dead = (f[0][0] == 'Z' || f[0][0] == 'X') && threads <= 1
	return p, nil
}

// Identify returns the process that has this process ID now, dead or alive, and an error if there
// is none.
func Identify(pid int) (ID, error) {
	p, err := process(pid)
	return p.ID, err
}

// Carries reports whether marker (NAME=value) is in the environment that the process was started
// with. It returns false for a process that may not be inspected.
func (p Process) Carries(marker string) bool {
	env, err := os.ReadFile("/proc/" + strconv.Itoa(p.PID) + "/environ")
	if err != nil {
		return false
	}
	for kv := range bytes.SplitSeq(env, []byte{0}) {
		if string(kv) == marker {
			return true
		}
	}
	return false
}

func workdir(pid int) string {
	dir, _ := os.Readlink("/proc/" + strconv.Itoa(pid) + "/cwd")
	return dir
}

// Signal signals exactly this process, or fails. It opens a pidfd before it compares the start
// time, so a reused process ID is never signalled.
func (id ID) Signal(sig syscall.Signal) error {
	fd, err := unix.PidfdOpen(id.PID, 0)
	if errors.Is(err, unix.ENOSYS) || errors.Is(err, unix.EPERM) { // before Linux 5.3, or a sandbox
		return id.signalChecked(sig)
	}
	if err != nil {
		return err
	}
	defer unix.Close(fd)
	if now, err := Identify(id.PID); err != nil || now != id {
		return unix.ESRCH
	}
	return unix.PidfdSendSignal(fd, sig, nil, 0)
}

// exited reports whether a child has ended, and leaves it a zombie: until it is reaped, the number
// of its group is not reused.
func exited(pid int) bool {
	var info unix.Siginfo
	for {
		err := unix.Waitid(unix.P_PID, pid, &info, unix.WEXITED|unix.WNOHANG|unix.WNOWAIT, nil)
		if !errors.Is(err, unix.EINTR) {
			return err == nil && info.Signo != 0
		}
	}
}

//go:build linux && !portable

package agent

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"strconv"
	"strings"
	"syscall"

	"golang.org/x/sys/unix"
)

// adopts says that orphans of the run become children of the shim or the guard, so
// that the kernel itself says when nobody is left.
const adopts = true

func becomeSubreaper() error {
	if err := unix.Prctl(unix.PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0); err != nil {
		return fmt.Errorf("asking to adopt orphans: %w", err)
	}
	return nil
}

// agentAttr puts the agent into a group of its own and has it die with the shim. The
// kernel counts the death of the thread that started it, see launch.
func agentAttr() *syscall.SysProcAttr {
	return &syscall.SysProcAttr{Setpgid: true, Pdeathsig: syscall.SIGKILL}
}

// selfExe is this program even when its file was replaced while it runs.
func selfExe() (string, error) { return "/proc/self/exe", nil }

func bootID() string {
	id, _ := os.ReadFile("/proc/sys/kernel/random/boot_id")
	return strings.TrimSpace(string(id))
}

func processes() ([]proc, error) {
	d, err := os.Open("/proc")
	if err != nil {
		return nil, fmt.Errorf("listing processes: %w", err)
	}
	defer d.Close()
	names, err := d.Readdirnames(-1)
	if err != nil {
		return nil, fmt.Errorf("listing processes: %w", err)
	}
	all := make([]proc, 0, len(names))
	for _, name := range names {
		if pid, err := strconv.Atoi(name); err == nil {
			if p, err := process(pid); err == nil { // an error: gone since
				all = append(all, p)
			}
		}
	}
	return all, nil
}

func process(pid int) (proc, error) {
	line, err := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/stat")
	if err != nil {
		return proc{}, err
	}
	return parseStat(line)
}

var errStat = errors.New("not a line of /proc/PID/stat")

// parseStat reads proc_pid_stat(5). The name, in brackets, may itself hold spaces
// and brackets, so the fields are counted from the last one.
func parseStat(line []byte) (proc, error) {
	open, end := bytes.IndexByte(line, '('), bytes.LastIndexByte(line, ')')
	if open < 0 || end < open {
		return proc{}, errStat
	}
	f := bytes.Fields(line[end+1:])
	if len(f) < 20 || len(f[0]) != 1 {
		return proc{}, errStat
	}
	p := proc{Name: string(line[open+1 : end])}
	p.Start = string(f[19])
	threads := 0
	for _, n := range []struct {
		text []byte
		into *int
	}{{bytes.TrimSpace(line[:open]), &p.PID}, {f[1], &p.PPID}, {f[2], &p.PGID}, {f[3], &p.SID}, {f[17], &threads}} {
		v, err := strconv.Atoi(string(n.text))
		if err != nil {
			return proc{}, errStat
		}
		*n.into = v
	}
	// A process whose first thread has ended shows as a zombie while others work.
	p.Dead = (f[0][0] == 'Z' || f[0][0] == 'X') && threads <= 1
	return p, nil
}

func identify(pid int) (ident, error) {
	p, err := process(pid)
	return p.ident, err
}

func carries(p proc, marker string) bool {
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

// signalExactly signals that very process or none: the descriptor pins it before its
// start is compared, so an id used again is never hit.
func signalExactly(id ident, sig syscall.Signal) error {
	fd, err := unix.PidfdOpen(id.PID, 0)
	if errors.Is(err, unix.ENOSYS) || errors.Is(err, unix.EPERM) { // before Linux 5.3, or a sandbox
		return signalChecked(id, sig)
	}
	if err != nil {
		return err
	}
	defer unix.Close(fd)
	if now, err := identify(id.PID); err != nil || now != id {
		return unix.ESRCH
	}
	return unix.PidfdSendSignal(fd, sig, nil, 0)
}

// exited reports whether a child has ended, and leaves it a zombie: as long as it is
// one, its group's number belongs to nobody else.
func exited(pid int) bool {
	var info unix.Siginfo
	for {
		err := unix.Waitid(unix.P_PID, pid, &info, unix.WEXITED|unix.WNOHANG|unix.WNOWAIT, nil)
		if !errors.Is(err, unix.EINTR) {
			return err == nil && info.Signo != 0
		}
	}
}

//go:build !linux || portable

package proc

import (
	"bufio"
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"slices"
	"strconv"
	"strings"
	"syscall"
)

// Adopts is false: orphans belong to init. They are found by the marker in their environment. A
// daemon that clears its environment and leaves the group is not found.
const Adopts = false

// Adopt does nothing here.
func Adopt() error { return nil }

func launchAttr() *syscall.SysProcAttr { return &syscall.SysProcAttr{Setpgid: true} }

// Executable returns a path that starts this program.
func Executable() (string, error) { return os.Executable() }

// BootID is empty: here a process's start time is a date, which no reboot repeats.
func BootID() string { return "" }

// List returns every process of the machine. It runs ps by its absolute path, because the PATH may
// come from the user whose processes are to be ended. The options mean the same on macOS, the BSDs
// and Linux: every process, with its environment after its command.
func List() ([]Process, error) { return ps("axeww") }

func ps(args ...string) ([]Process, error) {
	cmd := exec.Command("/bin/ps",
		append(args, "-o", "pid=", "-o", "ppid=", "-o", "pgid=", "-o", "stat=", "-o", "lstart=", "-o", "command=")...)
	cmd.Env = []string{"PATH=/bin:/usr/bin:/sbin:/usr/sbin", "LC_ALL=C", "TZ=UTC0"}
	out, err := cmd.Output()
	if err != nil && len(out) == 0 {
		return nil, fmt.Errorf("listing processes: %w", err)
	}
	all := parsePS(out)
	if cmd.Process != nil { // ps itself has ended, and would look like a process of the tree
		all = slices.DeleteFunc(all, func(p Process) bool { return p.PID == cmd.Process.Pid })
	}
	return all, nil
}

// parsePS parses one process per line: four fields, five of the date, the command. Other lines are
// ignored.
func parsePS(out []byte) []Process {
	var all []Process
	for line := range bytes.Lines(out) {
		f, rest := fields(string(line), 9)
		if len(f) < 9 {
			continue
		}
		pid, err1 := strconv.Atoi(f[0])
		ppid, err2 := strconv.Atoi(f[1])
		pgid, err3 := strconv.Atoi(f[2])
		if err1 != nil || err2 != nil || err3 != nil || pid <= 0 {
			continue
		}
		name, _, _ := strings.Cut(rest, " ")
		all = append(all, Process{
			ID:   ID{PID: pid, Start: strings.Join(f[4:9], " ")},
			PPID: ppid, PGID: pgid, Dead: strings.HasPrefix(f[3], "Z"), Name: name, env: rest,
		})
	}
	return all
}

// fields splits off the first n words.
func fields(s string, n int) (words []string, rest string) {
	for range n {
		s = strings.TrimLeft(s, " \t")
		i := strings.IndexAny(s, " \t\n")
		if i < 0 {
			return words, ""
		}
		words, s = append(words, s[:i]), s[i:]
	}
	return words, strings.TrimSpace(s)
}

// Identify returns the process that has this process ID now, and an error if there is none.
func Identify(pid int) (ID, error) {
	all, err := ps("-p", strconv.Itoa(pid))
	if err != nil {
		return ID{}, err
	}
	for _, p := range all {
		if p.PID == pid {
			return p.ID, nil
		}
	}
	return ID{}, os.ErrProcessDone
}

// Carries reports whether marker (NAME=value, without spaces) is a word of the process's command
// line or environment, which ps does not separate.
func (p Process) Carries(marker string) bool {
	words := bufio.NewScanner(strings.NewReader(p.env))
	words.Buffer(nil, len(p.env)+1)
	words.Split(bufio.ScanWords)
	for words.Scan() {
		if words.Text() == marker {
			return true
		}
	}
	return false
}

func workdir(int) string { return "" }

// Signal signals exactly this process, or fails.
func (id ID) Signal(sig syscall.Signal) error { return id.signalChecked(sig) }

// exited cannot check without reaping here; Tree.reap does it.
func exited(int) bool { return false }

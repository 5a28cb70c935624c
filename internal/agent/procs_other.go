//go:build !linux || portable

package agent

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

// Without adoption, orphans belong to init; they are found by the token in their
// environment, which is the best there is without Linux. A daemon that clears its
// environment and leaves session and group is not found.
const adopts = false

func becomeSubreaper() error { return nil }

func agentAttr() *syscall.SysProcAttr { return &syscall.SysProcAttr{Setpgid: true} }

func selfExe() (string, error) { return os.Executable() }

// bootID is empty: here a process's start is a full date, which no reboot repeats.
func bootID() string { return "" }

// processes asks ps by its full path, the PATH being the agent's here. Its options below mean the same on macOS, the BSDs and Linux:
// every process, with its environment after its command.
func processes() ([]proc, error) { return ps("axeww") }

func ps(args ...string) ([]proc, error) {
	cmd := exec.Command("/bin/ps", append(args, "-o", "pid=", "-o", "ppid=", "-o", "pgid=", "-o", "stat=", "-o", "lstart=", "-o", "command=")...)
	cmd.Env = []string{"PATH=/bin:/usr/bin:/sbin:/usr/sbin", "LC_ALL=C", "TZ=UTC0"}
	out, err := cmd.Output()
	if err != nil && len(out) == 0 {
		return nil, fmt.Errorf("listing processes: %w", err)
	}
	all := parsePS(out)
	if cmd.Process != nil { // ps itself is gone by now, and below the shim it would look like the agent's
		all = slices.DeleteFunc(all, func(p proc) bool { return p.PID == cmd.Process.Pid })
	}
	return all, nil
}

// parsePS reads one process a line: four fields, five of date, the command. Lines
// that read differently are not processes.
func parsePS(out []byte) []proc {
	var all []proc
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
		all = append(all, proc{
			ident: ident{PID: pid, Start: strings.Join(f[4:9], " ")},
			PPID:  ppid, PGID: pgid, Dead: strings.HasPrefix(f[3], "Z"), Name: name, env: rest,
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

func identify(pid int) (ident, error) {
	all, err := ps("-p", strconv.Itoa(pid))
	if err != nil {
		return ident{}, err
	}
	for _, p := range all {
		if p.PID == pid {
			return p.ident, nil
		}
	}
	return ident{}, os.ErrProcessDone
}

func carries(p proc, marker string) bool {
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

func signalExactly(id ident, sig syscall.Signal) error { return signalChecked(id, sig) }

// exited cannot look without reaping here; tree.reap finds out.
func exited(int) bool { return false }

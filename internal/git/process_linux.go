//go:build linux && !portable

package git

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"syscall"

	"golang.org/x/sys/unix"

	"github.com/belay-dev/belay/internal/fsroot"
)

// processAttr starts a process in a group of its own, so that belay handles Ctrl-C and git is not
// killed in the middle of a transaction. When belay ends, it gets TERM, at which git removes its
// lock files.
func processAttr() *syscall.SysProcAttr {
	return &syscall.SysProcAttr{Setpgid: true, Pdeathsig: syscall.SIGTERM}
}

// maxMemory limits the memory of a git process, besides mapped files. git needs far less; the limit
// stops one that reads without end.
const maxMemory = 4 << 30 // bytes

func limitMemory(pid int) {
	_ = unix.Prlimit(pid, unix.RLIMIT_DATA, &unix.Rlimit{Cur: maxMemory, Max: maxMemory}, nil)
}

// blockedOnFIFO returns the FIFO that a process is blocked on opening, until somebody writes to it.
func blockedOnFIFO(pid int, dir string) (path, is string) {
	path = pathBeingOpened("/proc/"+strconv.Itoa(pid), dir)
	if info, err := os.Stat(path); path == "" || err != nil || info.Mode()&os.ModeNamedPipe == 0 {
		return "", ""
	}
	return path, oddFileKind(path)
}

// blockedOn returns the path and the kind of something other than a file that a process waits for
// or reads without end. Both are "" when there is none, or the kernel does not show it.
func blockedOn(pid int, dir string) (path, is string) {
	proc := "/proc/" + strconv.Itoa(pid)
	if path := pathBeingOpened(proc, dir); path != "" {
		if is := oddFileKind(path); is != "" {
			return path, is
		}
	}
	open, err := os.ReadDir(proc + "/fd")
	if err != nil {
		return "", ""
	}
	for _, e := range open {
		if fd, err := strconv.Atoi(e.Name()); err != nil || fd < 3 {
			continue
		}
		path, err := os.Readlink(proc + "/fd/" + e.Name())
		if err != nil || !filepath.IsAbs(path) {
			continue // one of our pipes
		}
		if is := oddFileKind(path); is != "" {
			return path, is
		}
	}
	return "", ""
}

func oddFileKind(path string) string {
	info, err := os.Stat(path)
	if err != nil || info.Mode().IsRegular() || info.IsDir() || fsroot.IsNullDevice(info) {
		return ""
	}
	return fsroot.KindName(info)
}

// pathBeingOpened returns the path that a process is blocked on opening, usually a FIFO without a
// writer.
func pathBeingOpened(proc, dir string) string {
	text, err := os.ReadFile(proc + "/syscall") // number and arguments, in hexadecimal; or "running"
	if err != nil {
		return ""
	}
	words := strings.Fields(string(text))
	if len(words) < 3 {
		return ""
	}
	const oldOpen = 2 // open, on amd64
	at := ""
	switch number := words[0]; {
	case number == fmt.Sprint(unix.SYS_OPENAT):
		at = words[2]
	case number == fmt.Sprint(oldOpen) && runtime.GOARCH == "amd64":
		at = words[1]
	}
	address, err := strconv.ParseInt(strings.TrimPrefix(at, "0x"), 16, 64)
	if err != nil {
		return ""
	}
	mem, err := os.Open(proc + "/mem")
	if err != nil {
		return ""
	}
	defer mem.Close()
	name := make([]byte, 4096)
	n, _ := mem.ReadAt(name, address) // fewer at the end of the process's memory
	path, _, whole := bytes.Cut(name[:n], []byte{0})
	if !whole || len(path) == 0 {
		return ""
	}
	if filepath.IsAbs(string(path)) {
		return string(path)
	}
	if cwd, err := os.Readlink(proc + "/cwd"); err == nil {
		dir = cwd
	}
	return filepath.Join(dir, string(path))
}

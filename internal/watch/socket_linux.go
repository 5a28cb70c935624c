package watch

import (
	"fmt"
	"os"
	"path/filepath"

	"golang.org/x/sys/unix"

	"github.com/belay-dev/belay/internal/fsroot"
)

func available() bool { return true }

// peer returns the user at the other end of a connection.
func peer(fd int) (int, error) {
	c, err := unix.GetsockoptUcred(fd, unix.SOL_SOCKET, unix.SO_PEERCRED)
	if err != nil {
		return -1, err
	}
	return int(c.Uid), nil
}

// shortPath returns a path to name in dir that is short enough for a socket address (108 bytes). It
// goes through an open descriptor, so it still leads there when dir is replaced by a link.
func shortPath(dir, name string) (string, func(), error) {
	d, err := fsroot.OpenDir(dir)
	if err != nil {
		return "", nil, err
	}
	if path := filepath.Join(dir, name); len(path) < 100 {
		if _, err := os.Stat(fmt.Sprintf("/proc/self/fd/%d", d.Fd())); err != nil { // /proc is not mounted
			return path, func() {}, d.Close()
		}
	}
	return fmt.Sprintf("/proc/self/fd/%d/%s", d.Fd(), name), func() { _ = d.Close() }, nil
}

package watch

import (
	"fmt"
	"os"
	"path/filepath"

	"golang.org/x/sys/unix"
)

func available() bool { return true }

// peer gives the user at the other end of a connection.
func peer(fd int) (int, error) {
	c, err := unix.GetsockoptUcred(fd, unix.SOL_SOCKET, unix.SO_PEERCRED)
	if err != nil {
		return -1, err
	}
	return int(c.Uid), nil
}

// shortPath gives a path to name in dir that fits into a socket's address, which is
// 108 bytes long.
func shortPath(dir, name string) (string, func(), error) {
	path := filepath.Join(dir, name)
	if len(path) < 100 {
		return path, func() {}, nil
	}
	d, err := os.Open(dir)
	if err != nil {
		return "", nil, err
	}
	return fmt.Sprintf("/proc/self/fd/%d/%s", d.Fd(), name), func() { _ = d.Close() }, nil
}

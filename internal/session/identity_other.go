//go:build !linux

package session

import (
	"fmt"
	"os"
	"syscall"
)

// identity tells a git folder from another one that is made later at the same path. The
// number of the device is left out: it changes from boot to boot.
func identity(dir string) (string, error) {
	info, err := os.Lstat(dir)
	if err != nil {
		return "", err
	}
	st, ok := info.Sys().(*syscall.Stat_t)
	if !ok {
		return "", nil
	}
	return fmt.Sprintf("%d %s", st.Ino, born(st)), nil
}

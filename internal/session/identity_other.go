//go:build !linux

package session

import (
	"fmt"
	"os"
	"syscall"
)

// folderIdentity identifies a git folder, so that another one created later at the same path
// is different. It leaves out the device number, which changes from boot to boot.
func folderIdentity(dir string) (string, error) {
	info, err := os.Lstat(dir)
	if err != nil {
		return "", err
	}
	st, ok := info.Sys().(*syscall.Stat_t)
	if !ok {
		return "", nil
	}
	return fmt.Sprintf("%d %s", st.Ino, birthTime(st)), nil
}

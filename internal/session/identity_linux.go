package session

import (
	"fmt"

	"golang.org/x/sys/unix"
)

// folderIdentity identifies a git folder, so that another one created later at the same path
// is different. It leaves out the device number, which changes from boot to boot.
func folderIdentity(dir string) (string, error) {
	var st unix.Statx_t
	if err := unix.Statx(unix.AT_FDCWD, dir, unix.AT_SYMLINK_NOFOLLOW, unix.STATX_INO|unix.STATX_BTIME, &st); err != nil {
		return "", err
	}
	if st.Mask&unix.STATX_BTIME == 0 { // not every file system records the birth time
		st.Btime = unix.StatxTimestamp{}
	}
	return fmt.Sprintf("%d %d.%d", st.Ino, st.Btime.Sec, st.Btime.Nsec), nil
}

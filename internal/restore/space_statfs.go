//go:build linux || darwin || freebsd

package restore

import "golang.org/x/sys/unix"

// freeSpace returns the bytes that this user may still write to a path's file system.
func freeSpace(path string) (int64, bool) {
	var st unix.Statfs_t
	if err := unix.Statfs(path, &st); err != nil {
		return 0, false
	}
	return int64(st.Bavail) * int64(st.Bsize), true
}

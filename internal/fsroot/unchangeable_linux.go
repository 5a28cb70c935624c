package fsroot

import (
	"errors"

	"golang.org/x/sys/unix"
)

// unchangeableReason returns why a name in a folder, or without a name the folder itself, cannot
// change.
func unchangeableReason(fd int, name string) (string, error) {
	flags := unix.AT_SYMLINK_NOFOLLOW | unix.AT_NO_AUTOMOUNT
	if name == "" {
		flags |= unix.AT_EMPTY_PATH
	}
	var st unix.Statx_t
	err := unix.Statx(fd, name, flags, unix.STATX_TYPE, &st)
	if errors.Is(err, unix.ENOSYS) || errors.Is(err, unix.EPERM) { // an old kernel, or a sandbox
		return "", nil
	}
	if err != nil {
		return "", err
	}
	switch {
	case st.Attributes&unix.STATX_ATTR_IMMUTABLE != 0:
		return Immutable, nil
	case st.Attributes&unix.STATX_ATTR_APPEND != 0:
		return AppendOnly, nil
	case st.Attributes&unix.STATX_ATTR_MOUNT_ROOT != 0:
		return MountPoint, nil
	}
	return "", nil
}

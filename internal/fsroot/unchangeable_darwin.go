package fsroot

import "golang.org/x/sys/unix"

// The relevant flags of chflags(2), of the owner and of the system.
const (
	flagsImmutable  = 0x2 | 0x20000
	flagsAppendOnly = 0x4 | 0x40000
)

// unchangeableReason returns why a name in a folder, or without a name the folder itself, cannot
// change.
func unchangeableReason(fd int, name string) (string, error) {
	var st unix.Stat_t
	var err error
	if name == "" {
		err = unix.Fstat(fd, &st)
	} else {
		err = unix.Fstatat(fd, name, &st, unix.AT_SYMLINK_NOFOLLOW)
	}
	switch {
	case err != nil:
		return "", err
	case st.Flags&flagsImmutable != 0:
		return Immutable, nil
	case st.Flags&flagsAppendOnly != 0:
		return AppendOnly, nil
	}
	return "", nil
}

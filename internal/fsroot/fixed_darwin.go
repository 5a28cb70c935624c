package fsroot

import "golang.org/x/sys/unix"

// The flags of chflags(2) that matter, of the owner and of the system.
const (
	noChange   = 0x2 | 0x20000
	onlyAppend = 0x4 | 0x40000
)

// fixed says why a name in a folder, or with no name the folder itself, cannot change.
func fixed(fd int, name string) (string, error) {
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
	case st.Flags&noChange != 0:
		return Immutable, nil
	case st.Flags&onlyAppend != 0:
		return AppendOnly, nil
	}
	return "", nil
}

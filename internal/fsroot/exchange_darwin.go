package fsroot

import "golang.org/x/sys/unix"

// ExchangeAt swaps two names in open folders in one step. unix.ENOTSUP, which is
// errors.ErrUnsupported too, if the file system cannot.
func ExchangeAt(fd int, name string, to int, other string) error {
	err := unix.RenameatxNp(fd, name, to, other, unix.RENAME_SWAP)
	if err == unix.EINVAL {
		return unix.ENOTSUP
	}
	return err
}

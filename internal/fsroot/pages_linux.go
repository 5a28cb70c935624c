package fsroot

import "golang.org/x/sys/unix"

// inLargePages is a hint: a system that refuses it has said enough.
func inLargePages(b []byte) { _ = unix.Madvise(b, unix.MADV_HUGEPAGE) }

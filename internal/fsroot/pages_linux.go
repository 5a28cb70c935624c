package fsroot

import "golang.org/x/sys/unix"

// adviseLargePages is a hint: a system that refuses it has said enough.
func adviseLargePages(b []byte) { _ = unix.Madvise(b, unix.MADV_HUGEPAGE) }

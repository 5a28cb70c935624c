package fsroot

import "golang.org/x/sys/unix"

// adviseLargePages is a hint; errors do not matter.
func adviseLargePages(b []byte) { _ = unix.Madvise(b, unix.MADV_HUGEPAGE) }

package terminal

import "golang.org/x/sys/unix"

// forget drops what was typed before a question was asked.
func forget(fd int) { _ = unix.IoctlSetInt(fd, unix.TCFLSH, unix.TCIFLUSH) }

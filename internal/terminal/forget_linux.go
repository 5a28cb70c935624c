package terminal

import "golang.org/x/sys/unix"

// forget drops what was typed before a question was asked.
func forget(fd int) { _ = unix.IoctlSetInt(fd, unix.TCFLSH, unix.TCIFLUSH) }

// How a terminal's settings are read and set.
const (
	getTermios = unix.TCGETS
	setTermios = unix.TCSETS
)

package terminal

import "golang.org/x/sys/unix"

// discardInput drops what was typed before a question was asked.
func discardInput(fd int) { _ = unix.IoctlSetInt(fd, unix.TCFLSH, unix.TCIFLUSH) }

// How a terminal's settings are read and set.
const (
	getTermios = unix.TCGETS
	setTermios = unix.TCSETS
)

package terminal

import "golang.org/x/sys/unix"

// discardInput drops input that was typed before a question was asked.
func discardInput(fd int) { _ = unix.IoctlSetInt(fd, unix.TCFLSH, unix.TCIFLUSH) }

// The requests that read and write a terminal's settings.
const (
	getTermios = unix.TCGETS
	setTermios = unix.TCSETS
)

//go:build !linux

package terminal

import "golang.org/x/sys/unix"

// discardInput drops what was typed before a question was asked. 1 is FREAD: what was not read.
func discardInput(fd int) { _ = unix.IoctlSetPointerInt(fd, unix.TIOCFLUSH, 1) }

// How a terminal's settings are read and set.
const (
	getTermios = unix.TIOCGETA
	setTermios = unix.TIOCSETA
)

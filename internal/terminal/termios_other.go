//go:build !linux

package terminal

import "golang.org/x/sys/unix"

// discardInput drops input that was typed before a question was asked. 1 is FREAD, the input queue.
func discardInput(fd int) { _ = unix.IoctlSetPointerInt(fd, unix.TIOCFLUSH, 1) }

// The requests that read and write a terminal's settings.
const (
	getTermios = unix.TIOCGETA
	setTermios = unix.TIOCSETA
)

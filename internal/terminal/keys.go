package terminal

import (
	"errors"
	"time"

	"golang.org/x/sys/unix"
)

// readSingleKeys makes a terminal deliver each key when it is pressed, without echo; Ctrl-C still
// interrupts. restore resets the terminal.
func readSingleKeys(fd int) (restore func(), err error) {
	was, err := unix.IoctlGetTermios(fd, getTermios)
	if err != nil {
		return nil, err
	}
	is := *was
	is.Lflag &^= unix.ICANON | unix.ECHO
	is.Cc[unix.VMIN], is.Cc[unix.VTIME] = 1, 0
	if err := unix.IoctlSetTermios(fd, setTermios, &is); err != nil {
		return nil, err
	}
	return func() { _ = unix.IoctlSetTermios(fd, setTermios, was) }, nil
}

// waitInput reports whether input arrives within the given time.
func waitInput(fd int, within time.Duration) (bool, error) {
	list := []unix.PollFd{{Fd: int32(fd), Events: unix.POLLIN}}
	n, err := unix.Poll(list, int(within.Milliseconds()))
	if errors.Is(err, unix.EINTR) {
		return false, nil
	}
	return n > 0, err
}

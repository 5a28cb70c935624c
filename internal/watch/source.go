package watch

import "errors"

// source reports changes in folders, in the order in which they happened.
type source interface {
	add(fd int) (wd int32, err error)
	remove(wd int32)
	read() ([]event, error) // blocks until there are events
	close()
}

type event struct {
	wd   int32
	name string // "" for the watched folder itself
	what what
}

type what uint8

const (
	written what = 1 << iota
	attributes
	cameOrWent
	movedItself
	ofFolder // name is a folder
	ended    // no more events for wd
	overflow
	unmounted
)

var (
	// ErrElsewhere says that this operating system is not supported.
	ErrElsewhere = errors.New("watch is not supported on this system")
	// ErrLimit says that the kernel allows no more watched folders.
	ErrLimit = errors.New("the kernel's limit of watches is reached")
	// ErrSilent says that events on a file system may be incomplete.
	ErrSilent = errors.New("the file system does not report changes made on other machines")
)

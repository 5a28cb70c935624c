package watch

import "errors"

// source reports changes in folders, in the order in which they happened.
type source interface {
	add(fd int) (wd int32, err error)
	remove(wd int32)
	read() ([]event, error) // waits
	close()
}

type event struct {
	wd   int32
	name string // "" is the watched folder itself
	what what
}

type what uint8

const (
	written what = 1 << iota
	attributes
	cameOrWent
	movedItself
	ofFolder // name is a folder
	ended    // nothing more comes for wd
	overflow
	unmounted
)

var (
	// ErrElsewhere says that this system is not supported.
	ErrElsewhere = errors.New("watch is not supported on this system")
	// ErrLimit says that no more folders may be watched.
	ErrLimit = errors.New("the kernel's limit of watches is reached")
	// ErrSilent says that a file system cannot be watched.
	ErrSilent = errors.New("the file system does not report changes made on other machines")
)

package fsroot

import (
	"crypto/rand"
	"encoding/hex"
)

// Fault, when set, is called before every system call that changes something, with the operation
// (create, write, chmod, rename, symlink, mkdir, unlink, rmdir, sync) and the path, which is
// relative to the tree for Root's methods. Other packages call it through Step. An error prevents
// the call and is returned; a test may also end the process in it. Set it only while nothing else
// runs.
var Fault func(op, path string) error

// Step calls Fault if it is set.
func Step(op, path string) error {
	if Fault == nil {
		return nil
	}
	return Fault(op, path)
}

// TempPrefix starts the name of every temporary file and link. One that a killed process left may
// be removed while no other process works there.
const TempPrefix = ".belay-tmp-"

// TempName returns a unique name that starts with TempPrefix.
func TempName() string {
	var b [8]byte
	_, _ = rand.Read(b[:]) // never fails
	return TempPrefix + hex.EncodeToString(b[:])
}

package testutil

import (
	"os"
	"syscall"
)

// WriteProgram writes a program that the same process is to start. While the file is open for writing, no other test may
// start a process: that would have the open file until its own program begins, and the kernel refuses to run a file that
// somebody may write to (ETXTBSY).
func WriteProgram(path string, text []byte) error {
	syscall.ForkLock.RLock()
	defer syscall.ForkLock.RUnlock()
	return os.WriteFile(path, text, 0o755) //nolint:gosec // a program
}

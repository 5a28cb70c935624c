package testutil

import (
	"os"
	"syscall"
)

// WriteProgram writes an executable file that this process will start. Meanwhile no other test may
// start a process. The new process would inherit the open file until it runs its own program, and
// the kernel does not run a file that is open for writing (ETXTBSY).
func WriteProgram(path string, text []byte) error {
	syscall.ForkLock.RLock()
	defer syscall.ForkLock.RUnlock()
	return os.WriteFile(path, text, 0o755) //nolint:gosec // a program
}

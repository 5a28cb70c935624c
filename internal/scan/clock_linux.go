package scan

import (
	"golang.org/x/sys/unix"

	"github.com/belay-dev/belay/internal/fsroot"
)

// openProbe opens an unnamed file in dir, so that a kill leaves nothing behind.
func openProbe(dir string) (int, error) {
	f, err := fsroot.OpenDir(dir)
	if err != nil {
		return -1, err
	}
	defer f.Close()
	return unix.Openat(int(f.Fd()), ".", unix.O_TMPFILE|unix.O_RDWR|unix.O_CLOEXEC, 0o600)
}

// openKernelProbe opens a file in memory, which gets its times from the kernel's clock.
func openKernelProbe() (int, error) { return unix.MemfdCreate("belay-clock", unix.MFD_CLOEXEC) }

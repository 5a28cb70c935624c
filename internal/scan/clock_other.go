//go:build !linux

package scan

import "golang.org/x/sys/unix"

// openProbe opens an unnamed file in dir, so that a kill leaves nothing behind.
func openProbe(dir string) (int, error) { return -1, unix.EOPNOTSUPP }

// openKernelProbe opens a file in memory, which gets its times from the kernel's clock.
func openKernelProbe() (int, error) { return -1, unix.EOPNOTSUPP }

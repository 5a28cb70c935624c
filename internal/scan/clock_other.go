//go:build !linux

package scan

import "golang.org/x/sys/unix"

func openProbe(dir string) (int, error) { return -1, unix.EOPNOTSUPP }

func openKernelProbe() (int, error) { return -1, unix.EOPNOTSUPP }

//go:build !linux

package scan

import "golang.org/x/sys/unix"

func probe(dir string) (int, error) { return -1, unix.EOPNOTSUPP }

func probeKernel() (int, error) { return -1, unix.EOPNOTSUPP }

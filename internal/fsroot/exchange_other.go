//go:build !linux && !darwin

package fsroot

import "golang.org/x/sys/unix"

// ExchangeAt is not supported here.
func ExchangeAt(int, string, int, string) error { return unix.ENOTSUP }

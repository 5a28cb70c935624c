//go:build !linux && !darwin

package fsroot

import "golang.org/x/sys/unix"

// ExchangeAt has no counterpart here.
func ExchangeAt(int, string, int, string) error { return unix.ENOTSUP }

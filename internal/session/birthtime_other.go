//go:build !linux && !darwin && !freebsd && !netbsd

package session

import "syscall"

func birthTime(*syscall.Stat_t) string { return "" }

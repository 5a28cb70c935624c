//go:build !linux && !openbsd

package fsroot

import (
	"syscall"
	"time"
)

func modTime(st *syscall.Stat_t) time.Time { return time.Unix(st.Mtimespec.Unix()) }

// ChangeTime returns the inode's change time in nanoseconds.
func ChangeTime(st *syscall.Stat_t) int64 { return st.Ctimespec.Nano() }

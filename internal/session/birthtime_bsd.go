//go:build darwin || freebsd || netbsd

package session

import (
	"fmt"
	"syscall"
)

func birthTime(st *syscall.Stat_t) string {
	return fmt.Sprintf("%d.%d", st.Birthtimespec.Sec, st.Birthtimespec.Nsec)
}

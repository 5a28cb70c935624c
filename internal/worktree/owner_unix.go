//go:build unix

package worktree

import (
	"io/fs"
	"os"
	"syscall"
)

// ours reports whether the folder belongs to this user. Others may not be removed.
func ours(info fs.FileInfo) bool {
	st, ok := info.Sys().(*syscall.Stat_t)
	return ok && int(st.Uid) == os.Getuid()
}

package testutil

import "syscall"

func mtimeOf(st *syscall.Stat_t) int64 { return st.Mtimespec.Nano() }

package testutil

import (
	"syscall"
	"time"
)

// Patience is how long a test waits for something that takes a moment on an idle machine, and
// would otherwise never happen. On a machine with forty times as much to do as it has processors
// a process is started in seconds.
const Patience = time.Minute

// CPU is the processor time that the program has used, however much else the machine does.
func CPU() time.Duration {
	var u syscall.Rusage
	if syscall.Getrusage(syscall.RUSAGE_SELF, &u) != nil {
		return 0
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}

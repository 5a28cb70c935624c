package testutil

import (
	"context"
	"flag"
	"os"
	"strconv"
	"syscall"
	"testing"
	"time"
)

// Patience is how long a test waits for something that takes a moment on an idle machine, and
// would otherwise never happen. On a machine with forty times as much to do as it has processors
// a process is started in seconds.
const Patience = time.Minute

// Until gives a context that ends, of this cause, once there is a file at the path: a time limit that is up when
// something has happened, however long that takes.
func Until(t testing.TB, path string, cause error) context.Context {
	ctx, end := context.WithCancelCause(t.Context())
	go func() {
		for late := time.Now().Add(Patience); ctx.Err() == nil && time.Now().Before(late); time.Sleep(5 * time.Millisecond) {
			if _, err := os.Lstat(path); err == nil {
				break
			}
		}
		end(cause)
	}()
	return ctx
}

// Wide says whether a test takes the larger sample of `make suites`, by BELAY_WIDE. The full suites
// set other variables and take all.
func Wide() bool { return os.Getenv("BELAY_WIDE") != "" || os.Getenv("BELAY_CRASH_ALL") != "" }

// Examples sets how many examples the property tests of a package try, for those that are dear: so many, or a
// hundred when the sample is to be wide. -rapid.checks on the command line comes later, and wins.
func Examples(n int) {
	if Wide() {
		n = 100
	}
	if err := flag.Set("rapid.checks", strconv.Itoa(n)); err != nil {
		panic(err)
	}
}

// CPU is the processor time that the program has used, however much else the machine does.
func CPU() time.Duration {
	var u syscall.Rusage
	if syscall.Getrusage(syscall.RUSAGE_SELF, &u) != nil {
		return 0
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}

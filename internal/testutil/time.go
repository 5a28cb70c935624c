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

// Patience is how long a test waits for something that takes a moment on an idle machine. On a
// machine with forty times as much to do as it has processors, starting a process takes seconds.
const Patience = time.Minute

// Until returns a context that ends with this cause once the file at path exists. It replaces a
// time limit in tests that have to time out after some event, however long that takes.
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

// Wide reports whether tests should take the larger samples of `make suites`, which sets
// BELAY_WIDE. The full suites set other variables.
func Wide() bool { return os.Getenv("BELAY_WIDE") != "" || os.Getenv("BELAY_CRASH_ALL") != "" }

// Examples sets how many examples the property tests of a package try when each takes long: n, or a
// hundred when Wide. The flag -rapid.checks takes precedence.
func Examples(n int) {
	if Wide() {
		n = 100
	}
	if err := flag.Set("rapid.checks", strconv.Itoa(n)); err != nil {
		panic(err)
	}
}

// CPU returns the processor time of this program so far, which does not depend on the load of the
// machine.
func CPU() time.Duration {
	var u syscall.Rusage
	if syscall.Getrusage(syscall.RUSAGE_SELF, &u) != nil {
		return 0
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}

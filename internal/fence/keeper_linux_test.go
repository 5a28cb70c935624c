package fence

import (
	"os"
	"strconv"
	"testing"

	"golang.org/x/sys/unix"
)

// TestHandedOverWhole: an open that the keeper answers returns a new descriptor, even if signals
// reach the keeper meanwhile. Go sends itself one when a goroutine has run for long.
func TestHandedOverWhole(t *testing.T) {
	needFence(t)
	w := makeWorld(t, false)
	done := make(chan struct{})
	defer close(done)
	go func() {
		for {
			select {
			case <-done:
				return
			default:
			}
			threads, _ := os.ReadDir("/proc/self/task")
			for _, one := range threads {
				if id, err := strconv.Atoi(one.Name()); err == nil {
					_ = unix.Tgkill(os.Getpid(), id, unix.SIGURG)
				}
			}
		}
	}()
	if r := w.fenced(t, w.policy(), "many descriptors"); r.code != 0 {
		t.Errorf("%d: %s%v", r.code, r.said, r.denied)
	}
}

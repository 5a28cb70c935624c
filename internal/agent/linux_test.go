//go:build linux

package agent

import (
	"path/filepath"
	"strings"
	"testing"

	"golang.org/x/sys/unix"
)

// TestDiskFull: the agent goes on, the result is written, and says what is missing.
func TestDiskFull(t *testing.T) {
	t.Parallel()
	small := t.TempDir()
	if err := unix.Mount("belay", small, "tmpfs", 0, "size=1m"); err != nil {
		t.Skipf("needs a small file system of its own: %v", err)
	}
	t.Cleanup(func() { _ = unix.Unmount(small, unix.MNT_DETACH) })
	b := newBench(t, `echo first; head -c 3000000 /dev/zero; head -c 3000000 /dev/zero >"$(dirname "$BELAY_PROMPT_FILE")/junk"; exit 3`)
	b.dir = filepath.Join(small, "run")
	res := b.start().wait()
	if res.Ended != EndedExit || res.Exit != 3 || !strings.Contains(res.Error, "no space left") {
		t.Errorf("got %+v", res)
	}
	if res.OutputBytes < 3000006 || res.Cut == 0 || !strings.HasPrefix(b.output(), "first\n") {
		t.Errorf("output %+v, %d kept", res, len(b.output()))
	}
}

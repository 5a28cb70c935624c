//go:build linux

package agent

import (
	"encoding/json"
	"errors"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"github.com/belay-dev/belay/internal/config"
	"github.com/belay-dev/belay/internal/proc"
	"github.com/belay-dev/belay/internal/testutil"
)

// TestDiskFull: the agent continues, and the result is written and names the loss.
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

// TestUnkillable: a process of another user, as under sudo, cannot be killed. The run ends anyway,
// and reports that the tree is not quiet.
func TestUnkillable(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("waits ten seconds for what does not die")
	}
	if os.Geteuid() != 0 {
		t.Skip("needs root, to have somebody who is not")
	}
	const nobody = 65534
	b := newBench(t, "")
	home := t.TempDir()
	for _, dir := range []string{filepath.Dir(home), home} { // t.TempDir's own folder is closed to others, and with some umasks so are all
		if err := os.Chmod(dir, 0o755); err != nil {
			t.Fatal(err)
		}
	}
	plain, root := filepath.Join(home, "plain"), filepath.Join(home, "root")
	copyFile(t, plain, 0o755)
	copyFile(t, root, os.ModeSetuid|0o755)
	runs := filepath.Join(home, "runs")
	if err := errors.Join(os.Mkdir(runs, 0o700), os.Chown(runs, nobody, nobody)); err != nil {
		t.Fatal(err)
	}
	b.spec.Command = config.TypedCommand([]string{root, "_agent", "root", b.mark})
	b.spec.Dir = "/"
	var left []proc.Process
	for limit := 300 * time.Millisecond; len(left) == 0 && limit < testutil.Patience; limit *= 4 { // it must become root within the limit
		b.dir, b.spec.Timeout = filepath.Join(runs, limit.String()), limit
		spec, err := json.Marshal(said{b.spec, b.spec.Command.Argv()})
		if err != nil {
			t.Fatal(err)
		}
		cmd := exec.Command("setpriv", "--reuid", itoa(nobody), "--regid", itoa(nobody), "--clear-groups", plain, "_belay", "run", b.dir, string(spec))
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Fatalf("%v\n%s", err, out)
		}
		if left = b.survivors(); b.said("ready") > 0 {
			break
		}
	}
	for _, p := range left {
		_ = syscall.Kill(p.PID, syscall.SIGKILL)
	}
	b.await("its end", func() bool { return len(b.survivors()) == 0 })
	b.attach()
	res, err := b.run.Wait(t.Context(), nil)
	if err != nil || res.Ended != EndedTimeout || len(left) != 1 || len(res.LeftProcesses) != 1 || res.LeftProcesses[0] != left[0].String() || !strings.Contains(res.Error, "cannot be killed") {
		t.Errorf("%+v %v, alive %v", res, err, left)
	}
}

func copyFile(t *testing.T, to string, mode os.FileMode) {
	t.Helper()
	in, err := os.Open(exe())
	if err != nil {
		t.Fatal(err)
	}
	defer in.Close()
	out, err := os.Create(to)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := io.Copy(out, in); err != nil {
		t.Fatal(err)
	}
	if err := out.Close(); err != nil {
		t.Fatal(err)
	}
	if err := os.Chmod(to, mode); err != nil {
		t.Fatal(err)
	}
}

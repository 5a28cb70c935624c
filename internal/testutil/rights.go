package testutil

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
)

// Many tests compare modes, which should not depend on the user's umask.
func init() { syscall.Umask(0o022) }

// mark is set in the process that Without starts.
const mark = "BELAY_TEST_UNPRIVILEGED"

// Without runs the body of a test in another process whose user is not root and owns the folder for
// its temporary files. The test fails when that process does.
func Without(t *testing.T, body func(t *testing.T)) {
	t.Helper()
	if os.Getenv(mark) != "" {
		body(t)
		return
	}
	top := t.TempDir()
	for dir := top; dir != os.TempDir() && dir != "/"; dir = filepath.Dir(dir) {
		if err := os.Chmod(dir, 0o755); err != nil {
			t.Fatal(err)
		}
	}
	only := []string{"-test.run=^" + t.Name() + "$", "-test.v"}
	cmd := exec.Command(os.Args[0], only...)
	if os.Getuid() == 0 {
		cmd = asSomebody(t, top, only)
	}
	cmd.Env = append(os.Environ(), mark+"=1", "TMPDIR="+top)
	if out, err := cmd.CombinedOutput(); err != nil || !strings.Contains(string(out), "\n--- PASS") {
		t.Fatalf("%v\n%s", err, out)
	}
}

// asSomebody returns a command that runs this program as a user without any rights. The program is
// copied into top, which becomes that user's.
func asSomebody(t *testing.T, top string, args []string) *exec.Cmd {
	t.Helper()
	if err := os.Chown(top, 12345, 12345); err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile("/proc/self/exe")
	if err != nil {
		t.Fatal(err)
	}
	self := filepath.Join(top, "self")
	if err := os.WriteFile(self, text, 0o755); err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command("setpriv", append([]string{"--reuid", "12345", "--regid", "12345", "--clear-groups", self}, args...)...)
	cmd.Dir = top
	return cmd
}

package main

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"syscall"
	"testing"
)

// userID owns crash worlds, because permissions apply to this user. They do not apply to root, so
// if the tests run as root, belay and git run as another user.
const userID = 12345

func asUser(c *exec.Cmd) {
	if os.Geteuid() == 0 {
		c.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: userID, Gid: userID, NoSetGroups: true}}
	}
}

// give makes that user the owner of a folder's contents.
func give(t testing.TB, dir string) {
	t.Helper()
	if os.Geteuid() == 0 {
		command(t, "chown", "-R", fmt.Sprintf("%d:%d", userID, userID), dir)
	}
}

// folder creates a test folder that the user can access, and that is removed whatever its
// permissions.
func folder(t testing.TB) string {
	t.Helper()
	dir := t.TempDir()
	reach(t, filepath.Dir(dir))
	if belay, err := exec.LookPath("belay"); err != nil {
		t.Fatal(err)
	} else {
		reach(t, filepath.Dir(filepath.Dir(belay)))
	}
	t.Cleanup(func() { _ = exec.Command("chmod", "-R", "u+w", dir).Run() })
	return dir
}

func reach(t testing.TB, dir string) {
	t.Helper()
	if err := os.Chmod(dir, 0o755); err != nil {
		t.Fatal(err)
	}
}

func command(t testing.TB, name string, args ...string) {
	t.Helper()
	if out, err := exec.Command(name, args...).CombinedOutput(); err != nil {
		t.Fatalf("%s %v: %v\n%s", name, args, err, out)
	}
}

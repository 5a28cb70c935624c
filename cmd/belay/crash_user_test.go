package main

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"syscall"
	"testing"
)

// Crash worlds belong to a user whom permissions hold. They do not hold root, so where
// the tests run as root, belay and git run as somebody else.
const userID = 12345

func asUser(c *exec.Cmd) {
	if os.Geteuid() == 0 {
		c.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: userID, Gid: userID, NoSetGroups: true}}
	}
}

// give makes that user the owner of everything in a folder.
func give(t testing.TB, dir string) {
	t.Helper()
	if os.Geteuid() == 0 {
		command(t, "chown", "-R", fmt.Sprintf("%d:%d", userID, userID), dir)
	}
}

// folder is a folder of the test's that the user can reach, and that goes away however
// it is locked.
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

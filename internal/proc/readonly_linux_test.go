//go:build !portable

package proc

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/belay-dev/belay/internal/config"
)

// TestReadOnly: a program cannot change the folders closed to it by any means, can change others,
// and gets its input.
func TestReadOnly(t *testing.T) {
	closed, open := t.TempDir(), t.TempDir()
	within := filepath.Join(closed, "within", "it")
	if err := os.MkdirAll(within, 0o777); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(closed, "f"), []byte("mine"), 0o666); err != nil {
		t.Fatal(err)
	}
	in, err := os.CreateTemp(t.TempDir(), "in")
	if err != nil {
		t.Fatal(err)
	}
	defer in.Close()
	if _, err := in.WriteString("said\n"); err != nil {
		t.Fatal(err)
	}
	if _, err := in.Seek(0, 0); err != nil {
		t.Fatal(err)
	}
	script := `echo x > in; cd "$CLOSED"; echo x > f; rm -f f; mv f g; mkdir d; chmod 777 f; ln -s a l; touch f; touch within/no; echo x > within/it/yes; umount "$CLOSED"; mount -o remount,rw "$CLOSED"
cd "$OPEN" && cat "$CLOSED/f" > seen && cat > input && env | grep CHECK_CLOSED`
	var out bytes.Buffer
	end := Program{
		Command: config.TypedCommand([]string{"sh", "-c", script}), Dir: closed, Env: append(os.Environ(), "CLOSED="+closed, "OPEN="+open),
		Stdin: in, Stdout: &out, ReadOnly: []string{closed}, Open: []string{within},
	}.Run(t.Context())
	if end.Writable {
		t.Skipf("this kernel closes no folders to this user: %s", out.String())
	}
	for path, want := range map[string]string{closed + "/f": "mine", within + "/yes": "x\n", open + "/seen": "mine", open + "/input": "said\n"} {
		if text, err := os.ReadFile(path); err != nil || string(text) != want {
			t.Errorf("%s is %q, %v\n%s", path, text, err, out.String())
		}
	}
	if list, _ := os.ReadDir(closed); len(list) != 2 {
		t.Errorf("%v", list)
	}
	if strings.Contains(out.String(), "BELAY_CHECK_CLOSED") {
		t.Error("the program was told how it is held")
	}
	if err := os.WriteFile(filepath.Join(closed, "f"), nil, 0o666); err != nil {
		t.Errorf("it stays closed for others: %v", err)
	}
}

// TestReadOnlyWithoutRoot runs the same as an ordinary user, in a separate process.
func TestReadOnlyWithoutRoot(t *testing.T) {
	if os.Getuid() != 0 {
		t.Skip("TestReadOnly ran as an ordinary user")
	}
	self := filepath.Join(t.TempDir(), "self")
	text, err := os.ReadFile("/proc/self/exe")
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(self, text, 0o755); err != nil {
		t.Fatal(err)
	}
	tmp := filepath.Join(os.TempDir(), "belay-unprivileged-"+filepath.Base(filepath.Dir(self)))
	for _, err := range []error{os.Mkdir(tmp, 0o777), os.Chmod(tmp, 0o777), os.Rename(self, filepath.Join(tmp, "self")), os.Chmod(filepath.Join(tmp, "self"), 0o755)} {
		if err != nil {
			t.Fatal(err)
		}
	}
	defer os.RemoveAll(tmp)
	cmd := exec.Command("setpriv", "--reuid", "12345", "--regid", "12345", "--clear-groups", filepath.Join(tmp, "self"), "-test.run=^TestReadOnly$", "-test.v")
	cmd.Dir, cmd.Env = tmp, append(os.Environ(), "TMPDIR="+tmp)
	if out, err := cmd.CombinedOutput(); err != nil || !bytes.Contains(out, []byte("--- ")) {
		t.Errorf("%v\n%s", err, out)
	} else {
		t.Logf("%s", out)
	}
}

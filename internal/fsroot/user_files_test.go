package fsroot

import (
	"errors"
	"os"
	"path/filepath"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"github.com/belay-dev/belay/internal/testutil"
)

// TestNothingIsWaitedFor checks that every function that reads a person's path, or one below a
// root, immediately refuses a FIFO, a device and a file that is too large, also through links.
func TestNothingIsWaitedFor(t *testing.T) {
	dir := t.TempDir()
	at := func(name string) string { return filepath.Join(dir, name) }
	for _, err := range []error{
		unix.Mkfifo(at("fifo"), 0o600), os.Symlink("fifo", at("to-fifo")), os.Symlink("/dev/zero", at("zero")), os.WriteFile(at("large"), nil, 0o600),
		os.Truncate(at("large"), 4<<30), os.WriteFile(at("small"), []byte("text"), 0o600), os.Symlink("small", at("to-small")), os.Symlink(os.DevNull, at("null")),
	} {
		if err != nil {
			t.Fatal(err)
		}
	}
	root, err := os.OpenRoot(dir)
	if err != nil {
		t.Fatal(err)
	}
	defer root.Close()
	began := time.Now()
	for name, want := range map[string]string{
		"fifo": "type", "to-fifo": "type", "zero": "type", "large": "size", "small": "text", "to-small": "text", "null": "", ".": "type", "none": "error",
	} {
		read := func(data []byte, err error) string {
			var wrong *TypeError
			var large *SizeError
			switch {
			case errors.As(err, &wrong):
				return "type"
			case errors.As(err, &large):
				return "size"
			case err != nil:
				return "error"
			}
			return string(data)
		}
		if got := read(ReadUserFile(at(name), 1<<20)); got != want {
			t.Errorf("ReadUsers %s: %q, want %q", name, got, want)
		}
		usable := CheckReadable(at(name), 1<<20)
		if got := read(nil, usable); (want == "type" && name != "." || want == "size") != (got != "") || got != "" && got != want {
			t.Errorf("Usable %s: %v", name, usable)
		}
		if name == "zero" || name == "null" {
			want = "error" // links out of a root are not followed
		}
		if got := read(ReadIn(root, name, 1<<20)); got != want {
			t.Errorf("ReadIn %s: %q, want %q", name, got, want)
		}
	}
	if got, err := ReadStart(root, "small", 2); string(got) != "te" || err != nil {
		t.Errorf("ReadStart: %q %v", got, err)
	}
	if took := time.Since(began); took > testutil.Patience {
		t.Errorf("it took %s", took)
	}
}

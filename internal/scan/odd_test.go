package scan

import (
	"context"
	"errors"
	"net"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"golang.org/x/sys/unix"

	"github.com/belay-dev/belay/internal/fsroot"
)

// TestOddIgnoreFile checks that a .gitignore for which git would wait, or that is far too large, is
// refused by name before git is asked about its folder. One that git skips (a link, a folder, a
// socket) is no rule file.
func TestOddIgnoreFile(t *testing.T) {
	for kind, c := range map[string]struct {
		make   func(path string) error
		refuse bool
	}{
		"FIFO":   {func(path string) error { return unix.Mkfifo(path, 0o600) }, true},
		"sparse": {func(path string) error { return errors.Join(os.WriteFile(path, nil, 0o600), os.Truncate(path, 4<<30)) }, true},
		"link":   {func(path string) error { return os.Symlink("/dev/zero", path) }, false},
		"folder": {func(path string) error { return os.Mkdir(path, 0o700) }, false},
		"socket": {func(path string) error {
			l, err := net.Listen("unix", path)
			if err == nil {
				l.(*net.UnixListener).SetUnlinkOnClose(false)
				err = l.Close()
			}
			return err
		}, false},
	} {
		b := newBench(t)
		b.put("sub/deep/x", "x")
		path := b.path("sub/.gitignore")
		if err := c.make(path); err != nil {
			t.Fatal(kind, err)
		}
		b.o.Ignored = func(_ context.Context, paths []string) ([]bool, error) {
			for _, p := range paths {
				if c.refuse && p != "sub/" && strings.HasPrefix(p, "sub/") {
					t.Errorf("%s: git is asked about %s", kind, p)
				}
			}
			return make([]bool, len(paths)), nil
		}
		_, err := Scan(t.Context(), b.o)
		var wrong *fsroot.TypeError
		var large *fsroot.SizeError
		if refused := errors.As(err, &wrong) || errors.As(err, &large); refused != c.refuse || !refused && err != nil {
			t.Errorf("%s: %v", kind, err)
		}
		if c.refuse && err != nil && !strings.Contains(err.Error(), filepath.Join("sub", ".gitignore")) {
			t.Errorf("%s is not named: %v", kind, err)
		}
	}
}

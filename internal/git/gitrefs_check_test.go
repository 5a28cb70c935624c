package git

import (
	"errors"
	"os"
	"path/filepath"
	"testing"

	"golang.org/x/sys/unix"
)

// TestOddRefs checks that files for which git would wait are refused, even if other refs have to be
// left to git.
func TestOddRefs(t *testing.T) {
	for name, set := range map[string]func(path string) error{
		"FIFO":        func(path string) error { return unix.Mkfifo(path, 0o600) },
		"device":      func(path string) error { return os.Symlink("/dev/zero", path) },
		"too large":   func(path string) error { return errors.Join(os.WriteFile(path, nil, 0o600), os.Truncate(path, 1<<32)) },
		"nothing odd": func(path string) error { return nil },
	} {
		dir, err := filepath.EvalSymlinks(t.TempDir())
		if err != nil {
			t.Fatal(err)
		}
		heads := filepath.Join(dir, "refs", "heads")
		err = errors.Join(os.MkdirAll(heads, 0o700), set(filepath.Join(heads, "odd")),
			os.Symlink("odd", filepath.Join(heads, "a-link")), os.WriteFile(filepath.Join(heads, "a~b"), nil, 0o600))
		if err != nil {
			t.Fatal(err)
		}
		var odd interface{ Try() string }
		_, err = newRefReader(40).readRefs(dir, dir)
		if name == "nothing odd" {
			if !errors.Is(err, ErrUnsupportedRefs) || CheckLooseRefs(dir, dir) != nil {
				t.Errorf("%s: %v, %v", name, err, CheckLooseRefs(dir, dir))
			}
			continue
		}
		if !errors.As(err, &odd) {
			t.Errorf("%s: Read gives %v", name, err)
		}
		if err := CheckLooseRefs(dir, dir); !errors.As(err, &odd) {
			t.Errorf("%s: Check gives %v", name, err)
		}
	}
}

package app

import (
	"os"
	"path/filepath"
	"testing"
)

// TestPlacesOf: a file is reached through links of its folders, also if it or its folder is new, and
// through a link that is the file itself.
func TestPlacesOf(t *testing.T) {
	t.Parallel()
	root, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	if err := os.Mkdir(filepath.Join(root, "secret"), 0o755); err != nil {
		t.Fatal(err)
	}
	for name, to := range map[string]string{"l": "secret", "f": "secret/new.txt", "far": "l/sub/new.txt", "ring": "ring"} {
		if err := os.Symlink(to, filepath.Join(root, name)); err != nil {
			t.Fatal(err)
		}
	}
	for p, want := range map[string]string{
		"a.txt": "a.txt", "l/new.txt": "secret/new.txt", "l/sub/new.txt": "secret/sub/new.txt", "f": "secret/new.txt",
		"far": "secret/sub/new.txt", "ring": "ring", "ring/a": "ring/a",
	} {
		got := placesOf(filepath.Join(root, p))
		if got[0] != filepath.Join(root, p) || got[len(got)-1] != filepath.Join(root, want) {
			t.Errorf("%s: %q", p, got)
		}
	}
}

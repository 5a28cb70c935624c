package proc

import (
	"errors"
	"os"
	"path/filepath"
	"testing"

	"github.com/belay-dev/belay/internal/belay"
)

func TestLookPath(t *testing.T) {
	t.Parallel()
	root := t.TempDir()
	for name, mode := range map[string]os.FileMode{"a/tool": 0o644, "b/tool": 0o755, "a/dull": 0o644, "work/local": 0o755, "work/bin/sub": 0o755} {
		path := filepath.Join(root, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, nil, mode); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Symlink("loop", filepath.Join(root, "loop")); err != nil {
		t.Fatal(err)
	}
	other := errors.New("another reason")
	path := []string{"PATH=/nowhere", "PATH=" + root + "/a::.:bin:" + root + "/b"}
	for _, c := range []struct {
		argv0 string
		env   []string
		want  error // nil, ErrMissing, or other
	}{
		{"tool", path, nil},          // only the second folder has an executable one
		{"dull", path, other},        // none is executable
		{"none", path, ErrMissing},   //
		{"local", path, ErrMissing},  // in the working folder, which is "." and ""
		{"sub", path, ErrMissing},    // in a relative folder of PATH
		{"./local", path, nil},       // by its path
		{"bin/sub", nil, nil},        //
		{root + "/b/tool", nil, nil}, //
		{"tool", nil, ErrMissing},    // no PATH at all
		{"", path, ErrMissing},       //
		{root, nil, other},           //
		{root + "/loop", nil, other}, //
		{"./none", path, ErrMissing}, //
	} {
		_, err := LookPath(c.argv0, filepath.Join(root, "work"), c.env)
		refused := belay.CodeOf(err) == belay.CodeCannot
		if refused != (c.want != nil) || errors.Is(err, ErrMissing) != (c.want == ErrMissing) {
			t.Errorf("%q: %v", c.argv0, err)
		}
	}
}

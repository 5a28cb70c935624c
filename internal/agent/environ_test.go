package agent

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/belay-dev/belay/internal/belay"
)

func TestEnviron(t *testing.T) {
	t.Parallel()
	base := []string{
		"PATH=/bin", "API_KEY=secret=with=equals", "EMPTY=", "BYTES=\xff", "PATH=/usr/bin", "broken", "=odd",
		"GIT_DIR=/x/.git", "GIT_INDEX_FILE=i", "GIT_SSH_COMMAND=ssh -v", "GIT_AUTHOR_NAME=Me", "BELAY_TASK=outer", "LD_PRELOAD=x.so",
		"LD_LIBRARY_PATH=/lib", "LD_AUDIT=x", "DYLD_INSERT_LIBRARIES=x", "BASH_ENV=~/.evil", "ENV=~/.evil", "ENVIRONMENT=prod",
	}
	got := Environ(base, []string{"GIT_SSH_COMMAND", "GIT_AUTHOR_*"}, map[string]string{"BELAY_TASK": "T1", "EMPTY": "no"})
	want := []string{
		"API_KEY=secret=with=equals", "BELAY_TASK=T1", "BYTES=\xff", "EMPTY=no", "ENVIRONMENT=prod",
		"GIT_AUTHOR_NAME=Me", "GIT_SSH_COMMAND=ssh -v", "LD_LIBRARY_PATH=/lib", "PATH=/usr/bin",
	}
	if !slices.Equal(got, want) {
		t.Errorf("got  %q\nwant %q", got, want)
	}
}

// TestEnvironProperty: what it gives is sorted, has each name once, and giving it
// again changes nothing.
func TestEnvironProperty(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		base := rapid.SliceOf(rapid.StringMatching(`(GIT_|BELAY_|LD_)?[A-C]{1,2}=[a-z=]{0,3}`)).Draw(t, "base")
		once := Environ(base, nil, nil)
		if !slices.IsSorted(once) || !slices.Equal(once, Environ(once, nil, nil)) {
			t.Fatalf("%q", once)
		}
		for _, kv := range base {
			name, _, _ := strings.Cut(kv, "=")
			want := variable(base, name)
			if matches(dropped, name) {
				want = ""
			}
			if got := variable(once, name); got != want {
				t.Fatalf("%s: %q, want %q", name, got, want)
			}
		}
	})
}

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
		want  error // nil, errMissing, or other
	}{
		{"tool", path, nil},          // the second folder has one that can be run
		{"dull", path, other},        // only one that cannot
		{"none", path, errMissing},   //
		{"local", path, errMissing},  // in the working folder, which is "." and ""
		{"sub", path, errMissing},    // in a relative folder of PATH
		{"./local", path, nil},       // asked for
		{"bin/sub", nil, nil},        //
		{root + "/b/tool", nil, nil}, //
		{"tool", nil, errMissing},    // no PATH at all
		{"", path, errMissing},       //
		{root, nil, other},           //
		{root + "/loop", nil, other}, //
		{"./none", path, errMissing}, //
	} {
		err := LookPath(c.argv0, filepath.Join(root, "work"), c.env)
		refused := belay.CodeOf(err) == belay.CodeCannot
		if refused != (c.want != nil) || errors.Is(err, errMissing) != (c.want == errMissing) {
			t.Errorf("%q: %v", c.argv0, err)
		}
	}
}

package agent

import (
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

func TestEnviron(t *testing.T) {
	t.Parallel()
	base := []string{
		"PATH=/bin", "API_KEY=secret=with=equals", "EMPTY=", "BYTES=\xff", "PATH=/usr/bin", "broken", "=odd",
		"GIT_DIR=/x/.git", "GIT_INDEX_FILE=i", "GIT_SSH_COMMAND=ssh -v", "GIT_AUTHOR_NAME=Me", "BELAY_TASK=outer", "LD_PRELOAD=x.so",
		"LD_LIBRARY_PATH=/lib", "LD_AUDIT=x", "DYLD_INSERT_LIBRARIES=x", "BASH_ENV=~/.evil", "ENV=~/.evil", "ENVIRONMENT=prod",
	}
	got := BuildEnviron(base, []string{"GIT_SSH_COMMAND", "GIT_AUTHOR_*"}, map[string]string{"BELAY_TASK": "T1", "EMPTY": "no"})
	want := []string{
		"API_KEY=secret=with=equals", "BELAY_TASK=T1", "BYTES=\xff", "EMPTY=no", "ENVIRONMENT=prod",
		"GIT_AUTHOR_NAME=Me", "GIT_SSH_COMMAND=ssh -v", "LD_LIBRARY_PATH=/lib", "PATH=/usr/bin",
	}
	if !slices.Equal(got, want) {
		t.Errorf("got  %q\nwant %q", got, want)
	}
}

// TestEnvironProperty: the result is sorted, has each name once, and building it again changes
// nothing.
func TestEnvironProperty(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		base := rapid.SliceOf(rapid.StringMatching(`(GIT_|BELAY_|LD_)?[A-C]{1,2}=[a-z=]{0,3}`)).Draw(t, "base")
		once := BuildEnviron(base, nil, nil)
		if !slices.IsSorted(once) || !slices.Equal(once, BuildEnviron(once, nil, nil)) {
			t.Fatalf("%q", once)
		}
		for _, kv := range base {
			name, _, _ := strings.Cut(kv, "=")
			want := variable(base, name)
			if matchesAny(droppedVariables, name) {
				want = ""
			}
			if got := variable(once, name); got != want {
				t.Fatalf("%s: %q, want %q", name, got, want)
			}
		}
	})
}

// variable returns the last value of name in env, as programs see it.
func variable(env []string, name string) string {
	for _, kv := range slices.Backward(env) {
		if k, v, ok := strings.Cut(kv, "="); ok && k == name {
			return v
		}
	}
	return ""
}

package app

import (
	"testing"

	"github.com/belay-dev/belay/internal/belay"
)

func TestGoTestIsAskedForItsEvents(t *testing.T) {
	for in, want := range map[string]string{
		"go test ./...":                   "go test -json ./...",
		"go test":                         "go test -json",
		"go test -json ./...":             "go test -json ./...",
		"go testing":                      "go testing",
		"go test ./... | tee log":         "go test ./... | tee log",
		"go vet && go test":               "go vet && go test",
		"go test -run 'A$(touch x)' ./..": "go test -run 'A$(touch x)' ./..",
	} {
		got := withEventStream(belay.TestCommand{Command: in})
		if got.Command != want || (got.Format == "gotest") != (want != in) {
			t.Errorf("%q: %q as %q", in, got.Command, got.Format)
		}
	}
	kept := belay.TestCommand{Command: "go test ./...", Format: "junit"}
	if got := withEventStream(kept); got.Command != kept.Command {
		t.Errorf("the configured format was changed: %+v", got)
	}
}

func TestWithin(t *testing.T) {
	for _, c := range []struct {
		paths []string
		path  string
		want  bool
	}{
		{nil, "a/b", true},
		{[]string{"a"}, "a/b", true},
		{[]string{"a/"}, "a/b", true},
		{[]string{"a"}, "ab", false},
		{[]string{"x", "."}, "a", true},
		{[]string{"a/b"}, "a", false},
	} {
		if got := isWithin(c.paths, c.path); got != c.want {
			t.Errorf("%v, %q: %v", c.paths, c.path, got)
		}
	}
}

package restore_test

import (
	"context"
	"os"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/belay-dev/belay/internal/testutil"
)

// TestTouched changes one thing at a time that a restore restores: exactly that is reported,
// although git sees no change in most.
func TestTouched(t *testing.T) {
	t.Parallel()
	s := newSandbox(t)
	testutil.Base(s.Sandbox)
	s.Write("d/one.txt", "1")
	s.Write("d/two.txt", "2")
	s.Write("d/three.txt", "3")
	s.Write("e/run", "#!/bin/sh")
	s.Mkdir("hollow/folder")
	s.Chmod("e/run", 0o750)
	for _, c := range []struct {
		name string
		do   func()
		want []string
	}{
		{"nothing", func() {}, nil},
		{"bytes", func() { s.Write("d/one.txt", "other") }, []string{"d/one.txt"}},
		{"mode of a file", func() { s.Chmod("d/two.txt", 0o600) }, []string{"d/two.txt"}},
		{"mode of a program", func() { s.Chmod("e/run", 0o700) }, []string{"e/run"}},
		{"the x bit", func() { s.Chmod("d/three.txt", 0o755) }, []string{"d/three.txt"}},
		{"mode of a folder", func() { s.Chmod("d", 0o700) }, []string{"d"}},
		{"mode of an empty folder", func() { s.Chmod("hollow/folder", 0o700) }, []string{"hollow/folder"}},
		{"modes of nearly all", func() { chmodFiles(s, "a.txt", "d/one.txt", "d/three.txt", "e/run") }, []string{"a.txt", "d/one.txt", "d/three.txt", "e/run"}},
		{"an empty folder gone", func() { s.Remove("hollow/folder") }, []string{"hollow/folder"}},
		{"an empty folder new", func() { s.Mkdir("hollow/other") }, []string{"hollow/other"}},
		{"a folder filled", func() { s.Write("hollow/other/file", "x") }, []string{"hollow", "hollow/other", "hollow/other/file"}},
		{"a file gone", func() { s.Ok(os.Remove(s.Path("e/run"))); s.Mkdir("e") }, []string{"e", "e/run"}},
	} {
		from := s.take().ID
		c.do()
		to := s.take().ID
		got, err := s.store().Snapshots.ChangedPaths(context.Background(), from, to)
		s.Ok(err)
		if d := cmp.Diff(c.want, got, cmpopts.EquateEmpty()); d != "" {
			t.Errorf("%s: %s", c.name, d)
		}
	}
}

func chmodFiles(s *sandbox, names ...string) {
	for _, n := range names {
		s.Chmod(n, 0o711)
	}
}

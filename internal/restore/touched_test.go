package restore_test

import (
	"context"
	"os"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
)

// TestTouched changes one thing at a time that a restore puts back: each is named, and
// nothing else, although most are no change to git.
func TestTouched(t *testing.T) {
	t.Parallel()
	s := newSandbox(t)
	base(s)
	s.write("d/one.txt", "1")
	s.write("d/two.txt", "2")
	s.write("d/three.txt", "3")
	s.write("e/run", "#!/bin/sh")
	s.mkdir("hollow/folder")
	s.chmod("e/run", 0o750)
	for _, c := range []struct {
		name string
		do   func()
		want []string
	}{
		{"nothing", func() {}, nil},
		{"bytes", func() { s.write("d/one.txt", "other") }, []string{"d/one.txt"}},
		{"mode of a file", func() { s.chmod("d/two.txt", 0o600) }, []string{"d/two.txt"}},
		{"mode of a program", func() { s.chmod("e/run", 0o700) }, []string{"e/run"}},
		{"the x bit", func() { s.chmod("d/three.txt", 0o755) }, []string{"d/three.txt"}},
		{"mode of a folder", func() { s.chmod("d", 0o700) }, []string{"d"}},
		{"mode of an empty folder", func() { s.chmod("hollow/folder", 0o700) }, []string{"hollow/folder"}},
		{"modes of nearly all", func() { chmodFiles(s, "a.txt", "d/one.txt", "d/three.txt", "e/run") }, []string{"a.txt", "d/one.txt", "d/three.txt", "e/run"}},
		{"an empty folder gone", func() { s.remove("hollow/folder") }, []string{"hollow/folder"}},
		{"an empty folder new", func() { s.mkdir("hollow/other") }, []string{"hollow/other"}},
		{"a folder filled", func() { s.write("hollow/other/file", "x") }, []string{"hollow", "hollow/other", "hollow/other/file"}},
		{"a file gone", func() { s.ok(os.Remove(s.path("e/run"))); s.mkdir("e") }, []string{"e", "e/run"}},
	} {
		from := s.take().ID
		c.do()
		to := s.take().ID
		got, err := s.store().Snapshots.Touched(context.Background(), from, to)
		s.ok(err)
		if d := cmp.Diff(c.want, got, cmpopts.EquateEmpty()); d != "" {
			t.Errorf("%s: %s", c.name, d)
		}
	}
}

func chmodFiles(s *sandbox, names ...string) {
	for _, n := range names {
		s.chmod(n, 0o711)
	}
}

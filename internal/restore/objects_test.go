package restore_test

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// unpack makes every object of the repository a loose one.
func (s *sandbox) unpack() {
	s.t.Helper()
	list, err := filepath.Glob(s.path(".git/objects/pack/pack-*.pack"))
	s.ok(err)
	for _, p := range list {
		away := filepath.Join(s.up, filepath.Base(p))
		s.ok(os.Rename(p, away))
		side, err := filepath.Glob(strings.TrimSuffix(p, "pack") + "*")
		s.ok(err)
		for _, f := range side {
			s.ok(os.Remove(f))
		}
		text, err := os.ReadFile(away)
		s.ok(err)
		if _, err := s.try(s.dir, string(text), "unpack-objects", "-q"); err != nil {
			s.t.Fatal(err)
		}
	}
}

func (s *sandbox) loose(oid string) string { return s.path(".git/objects/" + oid[:2] + "/" + oid[2:]) }

func TestUnreadableObjects(t *testing.T) {
	t.Parallel()
	s := newSandbox(t)
	s.commit("first", "a.txt", "a\n", "dir/b.txt", "b\n")
	s.write("c.txt", "staged\n")
	s.git("add", "c.txt")
	staged := s.git("rev-parse", ":c.txt")
	s.write("c.txt", "edited\n")
	i := s.take()
	whole := func(want ...string) {
		t.Helper()
		list, err := s.store().Unreadable(context.Background(), i)
		s.ok(err)
		var got []string
		for _, b := range list {
			got = append(got, b.Part+" "+b.Path)
		}
		if strings.Join(got, ", ") != strings.Join(want, ", ") {
			t.Errorf("unreadable: %q, want %q (%v)", got, want, list)
		}
	}
	whole()
	s.unpack()
	whole()
	s.ok(os.Remove(s.loose(staged)))
	whole("staged ")
	s.ok(os.Truncate(s.loose(s.git("rev-parse", i.Commit+":tree/dir/b.txt")), 0))
	whole("file dir/b.txt", "staged ")
	s.ok(os.Remove(s.loose(s.git("rev-parse", i.Commit+":tree/dir"))))
	whole("file dir/", "staged ")
	s.ok(os.Remove(s.loose(i.Commit)))
	whole("commit the snapshot")
}

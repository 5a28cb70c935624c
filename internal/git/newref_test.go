package git

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"testing"
)

func TestNewRef(t *testing.T) {
	t.Parallel()
	s := newSandbox(t)
	tip := s.commit("a", "1")
	s.git("config", "core.sharedRepository", "group")
	for name, mode := range map[string]fs.FileMode{"refs": 0o775, "HEAD": 0o664} { // regardless of the umask
		if err := os.Chmod(s.dir+"/.git/"+name, mode); err != nil {
			t.Fatal(err)
		}
	}
	r := s.open()
	scratch := t.TempDir()
	make := func(name string, between func()) error {
		n, err := r.NewRef(name, tip, scratch)
		if err != nil {
			t.Fatal(err)
		}
		defer n.Discard()
		between()
		return n.Create(context.Background(), "test")
	}
	nothing := func() {}
	if err := make("refs/belay/one", nothing); err != nil {
		t.Fatal(err)
	}
	for name, want := range map[string]fs.FileMode{"": 0o775, "/one": 0o664} {
		if info, err := os.Stat(s.dir + "/.git/refs/belay" + name); err != nil || info.Mode().Perm() != want {
			t.Errorf("refs/belay%s: %v, %v", name, info.Mode(), err)
		}
	}
	if err := make("refs/belay/one", nothing); !errors.Is(err, fs.ErrExist) {
		t.Errorf("made twice: %v", err)
	}
	// git recreates a folder that pack-refs deleted meanwhile.
	if err := make("refs/belay/two", func() { s.git("pack-refs", "--all", "--prune") }); err != nil {
		t.Error(err)
	}
	for _, name := range []string{"one", "two"} {
		if got := s.git("rev-parse", "refs/belay/"+name); got != tip {
			t.Errorf("%s is %s", name, got)
		}
	}
	if left := files(t, scratch); len(left) > 0 {
		t.Errorf("left in scratch: %q", left)
	}
	s.fsck()
}

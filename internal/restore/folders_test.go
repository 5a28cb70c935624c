package restore_test

import (
	"os"
	"testing"

	"github.com/belay-dev/belay/internal/restore"
	"github.com/belay-dev/belay/internal/testutil"
)

// TestModesOfFolders checks that a folder gets its mode back even if one of its files is removed
// and others stay, and that a folder that the snapshot does not contain keeps its mode while it
// contains something uncaptured.
func TestModesOfFolders(t *testing.T) {
	t.Parallel()
	s := newSandbox(t)
	testutil.Base(s.Sandbox)
	s.Mkdir("shut")
	s.Write("shut/in.txt", "in\n")
	s.Chmod("shut", 0o555)
	before := s.Fingerprint()
	id := s.take().ID
	for _, closed := range []string{"dir", "dir/deep", "shut"} {
		s.Chmod(closed, 0o755)
		s.Write(closed+"/new.txt", "new\n")
		s.Chmod(closed, 0o700)
	}
	met := s.Fingerprint()
	s.restore(id)
	s.Same("restore", before, s.Fingerprint())
	if _, err := s.store().Undo(t.Context(), restore.Options{}); err != nil {
		t.Fatal(err)
	}
	s.Same("undo", met, s.Fingerprint())

	s.Mkdir("private")
	s.Write("private/key.log", "ignored\n")
	s.Write("private/agent.txt", "captured\n")
	s.Chmod("private", 0o700)
	s.restore(id)
	if info, err := os.Stat(s.Path("private")); err != nil || info.Mode().Perm() != 0o700 {
		t.Errorf("a folder that the snapshot does not know: %v %v, want mode 0700", info, err)
	}
	if _, err := os.Stat(s.Path("private/agent.txt")); err == nil {
		t.Error("what the agent put there is still there")
	}
}

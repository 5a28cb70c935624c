package restore_test

import (
	"os"
	"testing"

	"github.com/belay-dev/belay/internal/restore"
)

// TestModesOfFolders holds that a folder gets its mode back also where a file in it goes
// and others stay, and that a folder the snapshot does not know keeps the mode that
// somebody gave it, for as long as something that nobody captured lies in it.
func TestModesOfFolders(t *testing.T) {
	t.Parallel()
	s := newSandbox(t)
	base(s)
	s.mkdir("shut")
	s.write("shut/in.txt", "in\n")
	s.chmod("shut", 0o555)
	before := s.fingerprint()
	id := s.take().ID
	for _, closed := range []string{"dir", "dir/deep", "shut"} {
		s.chmod(closed, 0o755)
		s.write(closed+"/new.txt", "new\n")
		s.chmod(closed, 0o700)
	}
	met := s.fingerprint()
	s.restore(id)
	s.same("restore", before, s.fingerprint())
	if _, err := s.store().Undo(t.Context(), restore.Options{}); err != nil {
		t.Fatal(err)
	}
	s.same("undo", met, s.fingerprint())

	s.mkdir("private")
	s.write("private/key.log", "ignored\n")
	s.write("private/agent.txt", "captured\n")
	s.chmod("private", 0o700)
	s.restore(id)
	if info, err := os.Stat(s.path("private")); err != nil || info.Mode().Perm() != 0o700 {
		t.Errorf("a folder that the snapshot does not know: %v %v, want mode 0700", info, err)
	}
	if _, err := os.Stat(s.path("private/agent.txt")); err == nil {
		t.Error("what the agent put there is still there")
	}
}

package remote_test

import (
	"context"
	"path/filepath"
	"testing"

	"github.com/belay-dev/belay/fleet/remote"
	"github.com/belay-dev/belay/internal/testutil"
)

// TestFormat: the copy of a remote has its object format, even if the remote has no task or is
// empty; with each protocol of git.
func TestFormat(t *testing.T) {
	t.Parallel()
	for _, format := range []string{"sha1", "sha256"} {
		t.Run(format, func(t *testing.T) {
			t.Parallel()
			s := testutil.NewSandbox(t)
			h := serve(t, s.Up, nil)
			for _, name := range []string{"empty.git", "branch.git"} {
				s.At(s.Up, "init", "-q", "--bare", "--object-format="+format, name)
			}
			bare := filepath.Join(s.Up, "branch.git")
			s.At(bare, "update-ref", "refs/heads/main", s.At(bare, "commit-tree", "-m", "one", s.At(bare, "hash-object", "-t", "tree", "-w", "/dev/null")))
			for i, url := range []string{filepath.Join(s.Up, "empty.git"), bare, h.URL + "/empty.git", h.URL + "/branch.git"} {
				f := remote.NewFollower(filepath.Join(s.Up, "copies", string(rune('a'+i))), url)
				if _, _, _, err := f.Fetch(context.Background()); err != nil {
					t.Errorf("%s: %v", url, err)
				}
				if got := s.At(f.Mirror.Dir, "rev-parse", "--show-object-format"); got != format {
					t.Errorf("%s: its copy has %s", url, got)
				}
			}
			if left, _ := filepath.Glob(filepath.Join(s.Up, "copies", "new-*")); len(left) > 0 {
				t.Errorf("left behind: %v", left)
			}
		})
	}
}

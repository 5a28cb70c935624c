package snapshot

import (
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/belay-dev/belay/internal/git"
)

// TestFilesBeyondTheLimit checks that it is recorded where ignored files were not looked at: one of
// them that is looked at later is not new.
func TestFilesBeyondTheLimit(t *testing.T) {
	t.Parallel()
	root := t.TempDir()
	l := ignoredInspection{worktree: &Worktree{Repo: &git.Repo{Root: root}}, files: make([]*ignoredFile, maxIgnoredFiles)}
	for _, p := range []string{"a.txt", "b.txt", "d/e/c.txt"} {
		path := filepath.Join(root, p)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, nil, 0o644); err != nil {
			t.Fatal(err)
		}
		l.addFile(p, true)
	}
	if want := []string{"b.txt", "d/e/"}; len(l.files) != maxIgnoredFiles+1 || !slices.Equal(l.tooMany, want) {
		t.Errorf("%d files, too many in %q, want %q", len(l.files), l.tooMany, want)
	}
}

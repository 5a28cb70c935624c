package restore

import (
	"os"
	"path"
	"path/filepath"
	"strings"

	"github.com/gofrs/flock"

	"github.com/belay-dev/belay/internal/capture"
	"github.com/belay-dev/belay/internal/putback"
	"github.com/belay-dev/belay/internal/worktree"
)

// tidy sweeps when nobody else is at work in this tree; it does not wait for that.
func (s *Store) tidy() {
	lock := flock.New(s.LockPath(), flock.SetFlag(os.O_RDWR)) // without a lock file nobody was ever here
	if ok, err := lock.TryLock(); ok && err == nil {
		s.sweep()
	}
	_ = lock.Unlock()
}

// sweep removes temporary files that killed processes left. It runs under the lock
// that keeps every take and restore of this tree away.
func (s *Store) sweep() {
	tmp := filepath.Join(s.Dir, "tmp")
	list, _ := os.ReadDir(tmp)
	for _, e := range list {
		_ = os.RemoveAll(filepath.Join(tmp, e.Name()))
	}
	list, _ = os.ReadDir(s.Dir)
	for _, e := range list {
		if strings.HasPrefix(e.Name(), capture.TempPrefix) || strings.HasPrefix(e.Name(), worktree.TempPrefix) {
			_ = os.Remove(filepath.Join(s.Dir, e.Name()))
		}
	}
}

// sweepTree removes what a killed restore left beside what it wrote: temporary links,
// and files where the git folder is on another device. A snapshot must not hold them.
func (s *Store) sweepTree(root *worktree.Root, p *putback.Plan) {
	seen := map[string]bool{}
	for _, w := range p.Writes {
		dir := putback.Parent(string(w.Path))
		if seen[dir] {
			continue
		}
		seen[dir] = true
		list, _ := os.ReadDir(filepath.Join(s.Repo.Root, filepath.FromSlash(dir)))
		for _, e := range list {
			if strings.HasPrefix(e.Name(), worktree.TempPrefix) && !e.IsDir() {
				_ = root.Remove(path.Join(dir, e.Name()))
			}
		}
	}
}

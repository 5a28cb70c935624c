package restore

import (
	"context"
	"maps"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/belay-dev/belay/internal/belay"
	"github.com/belay-dev/belay/internal/fsroot"

	"github.com/belay-dev/belay/internal/snapshot"
)

// sweepIfFree sweeps if no other process is working in this tree; it does not wait.
func (s *Store) sweepIfFree() {
	lock := fsroot.NewExistingLock(s.Snapshots.LockPath()) // without a lock file belay never ran here
	if ok, err := lock.TryLock(); ok && err == nil {
		s.sweep()
		_ = s.Snapshots.CleanUpPacks() // partial packs; the rest is removed later
	}
	_ = lock.Unlock()
}

// sweep removes temporary files that killed processes left. The caller has the lock that excludes
// snapshots and restores of this tree.
func (s *Store) sweep() {
	tmp := filepath.Join(s.Snapshots.Worktree.Dir, "tmp")
	list, _ := fsroot.ReadDir(tmp)
	for _, e := range list {
		if !strings.HasPrefix(e.Name(), fsroot.SwapPrefix) {
			_ = fsroot.RemoveAll(filepath.Join(tmp, e.Name()))
		}
	}
	list, _ = fsroot.ReadDir(s.Snapshots.Worktree.Dir)
	for _, e := range list {
		if strings.HasPrefix(e.Name(), fsroot.AtomicTempPrefix) || strings.HasPrefix(e.Name(), fsroot.TempPrefix) {
			_ = fsroot.Remove(filepath.Join(s.Snapshots.Worktree.Dir, e.Name()))
		}
	}
}

// sweepTree removes what a killed restore left beside the files that it wrote: temporary links, and
// temporary files if the git folder is on another device. No snapshot may contain them.
//
// A swapped file may have been saved by somebody meanwhile. It is removed when the plan or the
// rescue snapshot has its bytes. Otherwise it gets a visible name, which the result reports.
func (s *Store) sweepTree(ctx context.Context, root *fsroot.Root, j *intent) (saved []Kept, err error) {
	seen := map[string]bool{}
	var swapped []string
	for _, p := range slices.Concat(writtenPaths(&j.Plan), j.Plan.Remove, editedPaths(j.Edits)) {
		dir := Parent(string(p))
		if seen[dir] {
			continue
		}
		seen[dir] = true
		list, _ := fsroot.ReadDir(filepath.Join(s.Snapshots.Repo.Root, filepath.FromSlash(dir)))
		for _, e := range list {
			if strings.HasPrefix(e.Name(), fsroot.TempPrefix) && !e.IsDir() {
				_ = root.Remove(path.Join(dir, e.Name()))
			} else if strings.HasPrefix(e.Name(), fsroot.SwapPrefix) {
				swapped = append(swapped, path.Join(dir, e.Name()))
			}
		}
	}
	if len(swapped)+len(s.ownSwapFiles()) == 0 {
		return nil, nil
	}
	known, err := s.knownObjects(ctx, j)
	if err != nil {
		return nil, err
	}
	if saved, err = s.sweepSwapped(root, known, swapped, ""); err != nil {
		return saved, err
	}
	more, err := s.sweepOwn(known)
	return append(saved, more...), err
}

// sweepUnread is sweepTree for a restore with an unreadable intent: its paths are unknown, but what
// it displaced may be in belay's own folder. j is the restore that was made instead.
func (s *Store) sweepUnread(ctx context.Context, j *intent) (saved []Kept, err error) {
	if len(s.ownSwapFiles()) == 0 {
		return nil, nil
	}
	known, err := s.knownObjects(ctx, j)
	if err != nil {
		return nil, err
	}
	all, _, err := s.Snapshots.ListAll(ctx)
	if err != nil {
		return nil, err
	}
	rescues := slices.DeleteFunc(all, func(i snapshot.Info) bool { return i.Kind != belay.KindRescue })
	for _, i := range rescues[max(0, len(rescues)-3):] { // one of them belongs to that restore
		names, err := s.Snapshots.Repo.TreeNames(ctx, i.Commit)
		if err != nil {
			return nil, err
		}
		maps.Copy(known, names)
	}
	return s.sweepOwn(known)
}

// sweepOwn is sweepSwapped for belay's own folder.
func (s *Store) sweepOwn(known map[string]bool) (saved []Kept, err error) {
	tmp, err := s.Snapshots.Worktree.MakeScratchDir("tmp")
	if err != nil {
		return saved, err
	}
	own, err := fsroot.OpenRoot(tmp)
	if err != nil {
		return saved, err
	}
	defer own.Close()
	return s.sweepSwapped(own, known, s.ownSwapFiles(), s.Snapshots.Worktree.Dir)
}

// ownSwapFiles returns the swapped files that killed processes left in belay's own folder.
func (s *Store) ownSwapFiles() (names []string) {
	list, _ := fsroot.ReadDir(filepath.Join(s.Snapshots.Worktree.Dir, "tmp"))
	for _, e := range list {
		if strings.HasPrefix(e.Name(), fsroot.SwapPrefix) {
			names = append(names, e.Name())
		}
	}
	return names
}

// knownObjects returns the objects that a restore's rescue contains and those that it writes.
func (s *Store) knownObjects(ctx context.Context, j *intent) (map[string]bool, error) {
	known := map[string]bool{}
	if rescue, err := s.Snapshots.LookUp(ctx, j.Rescue); err == nil {
		if known, err = s.Snapshots.Repo.TreeNames(ctx, rescue.Commit); err != nil {
			return nil, err
		}
	}
	for _, w := range j.Plan.Writes {
		known[w.OID] = true
	}
	return known, nil
}

func writtenPaths(p *Plan) (paths []RawPath) {
	for _, w := range p.Writes {
		paths = append(paths, w.Path)
	}
	return paths
}

// sweepSwapped removes swapped files with known content. Others get a visible name beside their
// path, or are moved to the folder to if it is set.
func (s *Store) sweepSwapped(root *fsroot.Root, known map[string]bool, paths []string, to string) (saved []Kept, err error) {
	for _, p := range paths {
		oid, err := root.Bytes(p, s.Snapshots.Repo.NewHash)
		if err != nil {
			return saved, err
		}
		if known[oid.String()] {
			if err := root.Remove(p); err != nil {
				return saved, err
			}
			continue
		}
		at, err := root.Reveal(p)
		if err == nil && to != "" {
			from := filepath.Join(to, "tmp", at)
			at = filepath.Join(to, at)
			err = fsroot.Rename(from, at)
		}
		if err != nil {
			return saved, err
		}
		saved = append(saved, Kept{Path: at, Reason: "was saved during a restore that was interrupted"})
	}
	return saved, nil
}

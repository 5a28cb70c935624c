package restore

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"runtime"
	"sync"

	"github.com/belay-dev/belay/internal/belay"
	"github.com/belay-dev/belay/internal/git"

	"github.com/belay-dev/belay/internal/fsroot"
	"github.com/belay-dev/belay/internal/scan"
	"github.com/belay-dev/belay/internal/snapshot"
)

// Export writes the bytes and modes of a snapshot's files into a folder that is empty or missing.
func Export(ctx context.Context, s *snapshot.Store, id belay.SnapshotID, dir string) error {
	i, err := s.LookUp(ctx, id)
	if err != nil {
		return err
	}
	m, err := s.Manifest(ctx, i)
	if err != nil {
		return err
	}
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return fmt.Errorf("make %s: %w", dir, err)
	}
	if there, err := os.ReadDir(dir); err != nil || len(there) > 0 {
		return errors.Join(err, belay.Refuse(belay.CodeUsage, "use an empty folder", "%s is not empty", belay.VisibleLine(dir)))
	}
	entries, err := s.Files(ctx, i)
	if err != nil {
		return err
	}
	root, err := fsroot.OpenRoot(dir)
	if err != nil {
		return err
	}
	defer root.Close()
	to := Target{Repo: s.Repo, Root: root}
	ctx, stop := context.WithCancelCause(ctx)
	defer stop(nil)
	var all sync.WaitGroup
	workers := max(1, min(exportWorkers, runtime.GOMAXPROCS(0), len(entries)/256))
	for w := range workers {
		part := entries[len(entries)*w/workers : len(entries)*(w+1)/workers]
		all.Go(func() {
			if err := to.writeEntries(ctx, part, m); err != nil {
				stop(err)
			}
		})
	}
	all.Wait()
	return context.Cause(ctx)
}

// exportWorkers is the number of goroutines that write files at the same time.
const exportWorkers = 4

// writeEntries writes files and links that do not exist yet.
func (s *Target) writeEntries(ctx context.Context, entries []git.TreeEntry, m *snapshot.Manifest) error {
	rd, err := s.Repo.Reader(ctx)
	if err != nil {
		return err
	}
	defer func() { _ = rd.Close() }()
	made := ""
	for _, e := range entries {
		if err := ctx.Err(); err != nil {
			return err
		}
		path := string(RawPath(e.Path))
		if dir := Parent(path); dir != made {
			if err := MakeParents(s.Root, path); err != nil {
				return s.handleFailure("make the folder of", path, err)
			}
			made = dir
		}
		w := Write{Path: RawPath(e.Path), Mode: e.Mode, OID: e.OID, Perm: m.Perm(e.Path, e.Mode == 0o100755)}
		if w.Mode == 0o120000 {
			err = s.writeOne(rd, w, &scan.Result{})
		} else if err = s.Root.CreateFile(path, w.Perm, copyObject(rd, w)); errors.Is(err, fs.ErrExist) { // two names are equal here
			err = s.writeOne(rd, w, &scan.Result{})
		}
		if err != nil {
			return s.handleFailure("write", path, err)
		}
	}
	return nil
}

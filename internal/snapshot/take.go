package snapshot

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"time"

	"github.com/belay-dev/belay/internal/belay"

	"github.com/belay-dev/belay/internal/fsroot"
	"github.com/belay-dev/belay/internal/git"
)

// Take takes a snapshot of the current state and changes nothing else: neither the index, nor refs
// outside belay's own, nor files. It starts no program that the repository names. Info.Gaps lists
// what could not be captured, and Info.Partial is set then.
//
// A transient snapshot has no ref.
//
// CodeBusy when another process is restoring in this working tree.
func (s *Store) Take(ctx context.Context, m Meta) (Info, error) {
	return s.TakeWith(ctx, m, Extent{})
}

// TakeWith is Take with an extent: it captures more than git shows.
func (s *Store) TakeWith(ctx context.Context, m Meta, e Extent) (Info, error) {
	if s.BeforeTake != nil {
		if err := s.BeforeTake(ctx); err != nil {
			return Info{}, err
		}
	}
	return s.TakeUnfinished(ctx, m, e)
}

// TakeUnfinished is TakeWith without BeforeTake: an interrupted restore is part of the state.
func (s *Store) TakeUnfinished(ctx context.Context, m Meta, e Extent) (Info, error) {
	unlock, err := s.LockShared(ctx)
	if err != nil {
		return Info{}, err
	}
	defer unlock()
	w, done, err := s.captureOptions(ctx, e)
	if err != nil {
		return Info{}, err
	}
	defer done()
	w.UseWatch = true
	if m.Transient {
		return s.takeTransient(ctx, m, w)
	}
	info, _, err := s.TakeLocked(ctx, m, w)
	return info, err
}

// takeTransient is TakeLocked without a ref: nothing remains even if this process is killed.
// Everything can be read until the next gc; a gc with --prune=now at that moment makes the command
// fail, and it can be repeated. Later snapshots do not depend on it.
func (s *Store) takeTransient(ctx context.Context, m Meta, w CaptureOptions) (Info, error) {
	if _, err := s.Worktree.MakeScratchDir("tmp"); err != nil {
		return Info{}, err
	}
	var info Info
	_, _, err := s.captureStable(ctx, w, func(c *Capture) ([]git.NewObject, error) {
		if m.SkipIfTree != "" && c.SnapshotTree == m.SkipIfTree {
			return nil, ErrSame
		}
		var tag git.NewObject
		info, tag = s.newTag(c, m)
		return []git.NewObject{tag}, nil
	})
	if err != nil {
		return Info{}, err
	}
	s.opts.Registry.addTransient(info)
	_ = s.objects.Packs.CleanUp(false)
	return info, nil
}

// LockShared prevents restores of this tree, and the removal of temporary files, until unlock is
// called. CodeBusy when a restore is running.
func (s *Store) LockShared(ctx context.Context) (func(), error) {
	if _, err := s.Worktree.MakeScratchDir(); err != nil {
		return nil, err
	}
	lock := fsroot.NewLock(s.LockPath())
	waiting, stop := context.WithTimeout(ctx, 10*time.Second)
	defer stop()
	if ok, err := lock.TryRLockContext(waiting, 20*time.Millisecond); !ok {
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
		if err == nil || errors.Is(err, context.DeadlineExceeded) {
			return nil, s.BusyError()
		}
		return nil, fmt.Errorf("lock %s: %w", lock.Path(), err)
	}
	return func() { _ = lock.Unlock() }, nil
}

// maxTries is the number of times that a tree is read while it changes.
const maxTries = 3

// TakeLocked reads the state, stores it, writes the ref, and only then verifies that every object
// exists and that everything that was named still is. So no gc can remove its objects, no matter
// when that gc read the refs. The caller has the lock of LockShared.
func (s *Store) TakeLocked(ctx context.Context, m Meta, w CaptureOptions) (Info, *Capture, error) {
	if _, err := s.Worktree.MakeScratchDir("tmp"); err != nil {
		return Info{}, nil, err
	}
	for try := 1; ; try++ {
		info, c, err := s.takeOnce(ctx, m, w)
		if err == nil {
			// The snapshot exists. A missing cache only makes the next one slower; an error would
			// make the caller take a second one.
			_ = s.saveCaches(ctx, c, info.ID)
			_ = s.objects.Packs.CleanUp(false)
			return info, c, nil
		}
		if !errors.Is(err, ErrRefsDeleted) || try == 3*maxTries {
			if w.InnerSnapshots != nil {
				err = errors.Join(err, w.InnerSnapshots.Drop(ctx))
			}
			return Info{}, nil, err
		}
	}
}

func (s *Store) takeOnce(ctx context.Context, m Meta, w CaptureOptions) (Info, *Capture, error) {
	unlock, err := s.objects.Packs.LockShared()
	if err != nil {
		return Info{}, nil, err
	}
	defer unlock()
	var info Info
	var ref *git.NewRef
	var used *commitRefs
	drop := func() {
		ref.Discard()
		used.discard()
	}
	defer func() { drop() }()
	c, st, err := s.captureStable(ctx, w, func(c *Capture) ([]git.NewObject, error) {
		drop()
		if m.SkipIfTree != "" && c.SnapshotTree == m.SkipIfTree {
			return nil, ErrSame
		}
		var tag git.NewObject
		var err error
		tmp := filepath.Join(s.Worktree.Dir, "tmp")
		info, tag = s.newTag(c, m)
		if used, err = s.prepareCommitRefs(c.Refs, c.NextCache.neededCommits(s.Repo), tmp); err == nil {
			ref, err = s.Repo.NewRef(info.ref(), tag.OID, tmp)
		}
		return []git.NewObject{tag}, err
	})
	if err != nil {
		return Info{}, nil, err
	}
	if st.packPath != "" {
		if at, err := fsroot.Lstat(st.packPath + ".pack"); err == nil {
			info.AddedBytes = at.Size()
		}
	}
	if err = used.create(ctx, c); err == nil {
		err = Fault("ref", info.ref())
	}
	if err == nil {
		err = ref.Create(ctx, "belay: snapshot")
	}
	if err == nil {
		if err = Fault("verify", info.ref()); err == nil {
			err = s.objects.Verify(ctx, c, st)
		}
	}
	if err != nil {
		return Info{}, nil, errors.Join(err, s.deleteUnfinishedRef(ctx, info), used.deleteBroken(ctx))
	}
	return info, c, nil
}

// deleteUnfinishedRef deletes the ref of a snapshot that was not finished, if it exists. The pack
// is left to gc: by now it may be the only copy of objects that git deleted as duplicates.
func (s *Store) deleteUnfinishedRef(ctx context.Context, info Info) error {
	ctx = context.WithoutCancel(ctx)
	refs, err := s.Repo.Refs(ctx, RefPrefix)
	if err != nil {
		return err
	}
	for _, r := range refs {
		if r.Name == info.ref() {
			return s.Repo.UpdateRefs(ctx, "belay: drop", []git.Update{{Ref: r.Name, Old: info.Commit}})
		}
	}
	return nil
}

// linkedName returns git's name of the linked worktree that the store is for; "" for the main one.
func (s *Store) linkedName() string {
	if s.Repo.Linked() {
		return filepath.Base(s.Repo.Dir)
	}
	return ""
}

// newTag makes the tag of the snapshot of a capture.
func (s *Store) newTag(c *Capture, m Meta) (Info, git.NewObject) {
	now := s.opts.Now()
	info := Info{ID: newID(now, s.newestID(c.Refs, now)), Meta: m, Time: now.UTC(), Head: c.Head.OID, Branch: c.Head.Branch,
		Operation: git.Operation(c.OperationFiles), Tree: c.FilesTree, Files: c.FileCount,
		Partial:  len(c.Manifest.Gaps)+len(c.Manifest.Lost) > 0,
		Unstable: c.Unstable, SnapshotTree: c.SnapshotTree, oddCount: len(c.Manifest.Odd), innerCount: len(c.Manifest.Inner)}
	info.Worktree = s.linkedName()
	info.Gaps, info.Nested = splitGaps(c.Manifest)
	for _, b := range c.BrokenRefs {
		info.BrokenRefs = append(info.BrokenRefs, b.Name)
	}
	tag := tagObject(s.Repo, c.SnapshotTree, string(info.ID), now, info.tagMessage())
	info.Commit = tag.OID
	return info, tag
}

// captureStable captures the current state and stores its objects, with those that seal adds. If
// files change meanwhile it tries again. After maxTries it stores copies of the files, and marks
// the capture Unstable.
func (s *Store) captureStable(ctx context.Context, w CaptureOptions, seal ExtraObjects) (*Capture, StoredObjects, error) {
	for try := 1; ; try++ {
		c, err := s.readPresent(ctx, w, try == 1)
		if errors.Is(err, git.ErrChanged) && try < maxTries {
			continue
		}
		if err != nil {
			return nil, StoredObjects{}, err
		}
		if c.Unstable && try < maxTries {
			continue
		}
		more, err := seal(c)
		if err != nil {
			return nil, StoredObjects{}, err
		}
		st, err := s.objects.Store(ctx, c, more)
		if err == nil {
			return c, st, nil
		}
		changed := errors.Is(err, git.ErrChanged) || errors.Is(err, fs.ErrNotExist)
		if !changed || try > 2*maxTries {
			return nil, StoredObjects{}, err
		}
		if try >= maxTries { // it changes faster than it can be read: store copies
			if st, err := s.objects.Freeze(ctx, c, seal); err == nil {
				return c, st, nil
			}
		}
	}
}

// readPresent captures the current state, in the first try with the help of a watcher when there
// is one.
func (s *Store) readPresent(ctx context.Context, w CaptureOptions, first bool) (*Capture, error) {
	if first {
		if c := s.captureWatched(ctx, w); c != nil {
			return c, nil
		}
	}
	return s.Worktree.Capture(ctx, w)
}

// CapturePresent captures the current state, with the help of a watcher when there is one, and
// stores nothing: it can be compared with a snapshot, but its trees cannot be read. CodeBusy when
// another process is restoring in this working tree.
func (s *Store) CapturePresent(ctx context.Context, e Extent) (*Capture, error) {
	unlock, err := s.LockShared(ctx)
	if err != nil {
		return nil, err
	}
	defer unlock()
	w, done, err := s.captureOptions(ctx, e)
	if err != nil {
		return nil, err
	}
	defer done()
	w.UseWatch, w.InnerSnapshots = true, nil
	for try := 1; ; try++ {
		c, err := s.readPresent(ctx, w, try == 1)
		again := errors.Is(err, git.ErrChanged) || err == nil && c.Unstable
		if !again || try == maxTries {
			return c, err
		}
	}
}

// noExtraObjects is for captures that do not become a snapshot.
func noExtraObjects(*Capture) ([]git.NewObject, error) { return nil, nil }

// StoreFilesTree captures the current state and stores it without a ref. The tree of its files can
// be compared with a snapshot's until the next gc.
func (s *Store) StoreFilesTree(ctx context.Context, e Extent) (tree string, err error) {
	unlock, err := s.LockShared(ctx)
	if err != nil {
		return "", err
	}
	defer unlock()
	w, done, err := s.captureOptions(ctx, e)
	if err != nil {
		return "", err
	}
	defer done()
	w.UseWatch, w.InnerSnapshots = true, nil
	c, _, err := s.captureStable(ctx, w, noExtraObjects)
	if err != nil {
		return "", err
	}
	return c.FilesTree, nil
}

// CaptureLocked captures and stores like StoreFilesTree, with the given options, and returns the
// capture. The caller has the lock of LockShared.
func (s *Store) CaptureLocked(ctx context.Context, w CaptureOptions) (*Capture, error) {
	c, _, err := s.captureStable(ctx, w, noExtraObjects)
	return c, err
}

// LockPath is the lock file that prevents snapshots and restores of this tree from running at the
// same time.
func (s *Store) LockPath() string { return filepath.Join(s.Worktree.Dir, "restore.lock") }

// BusyError returns the error for a lock that another process has.
func (s *Store) BusyError() error {
	var by struct {
		PID         int
		Host, Since string
	}
	what := "another belay is restoring this working tree"
	if note, err := fsroot.ReadFile(s.LockPath(), fsroot.MaxSmallFile); err == nil && json.Unmarshal(note, &by) == nil && by.PID > 0 {
		what += fmt.Sprintf(": process %d on %s, since %s", by.PID, belay.VisibleLine(by.Host), belay.VisibleLine(by.Since))
	}
	return belay.Refuse(belay.CodeBusy, "wait for it to finish", "%s", what)
}

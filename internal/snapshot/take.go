package snapshot

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"sort"
	"strings"
	"time"

	"github.com/gofrs/flock"

	"github.com/belay-dev/belay/internal/belay"
	"github.com/belay-dev/belay/internal/capture"
	"github.com/belay-dev/belay/internal/git"
	"github.com/belay-dev/belay/internal/gitfiles"
	"github.com/belay-dev/belay/internal/scan"
	"github.com/belay-dev/belay/internal/worktree"
)

// Take holds the present state and changes nothing else: not the index, no ref outside
// of refs/belay/, no file. It starts no program that the repository names. What could
// not be captured is in the Info's Gaps, and Partial says so.
//
// CodeBusy when another process restores in this working tree.
func (s *Store) Take(ctx context.Context, m Meta) (Info, error) {
	unlock, err := s.share(ctx)
	if err != nil {
		return Info{}, err
	}
	defer unlock()
	info, _, err := s.Hold(ctx, m, capture.Wanted{Brief: true})
	return info, err
}

// share keeps restores away while a take reads the tree.
func (s *Store) share(ctx context.Context) (func(), error) {
	if _, err := s.Scratch(); err != nil {
		return nil, err
	}
	lock := flock.New(s.LockPath())
	waiting, stop := context.WithTimeout(ctx, 10*time.Second)
	defer stop()
	if ok, err := lock.TryRLockContext(waiting, 20*time.Millisecond); !ok {
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
		if err == nil || errors.Is(err, context.DeadlineExceeded) {
			return nil, s.Busy()
		}
		return nil, fmt.Errorf("lock %s: %w", lock.Path(), err)
	}
	return func() { _ = lock.Unlock() }, nil
}

// tries is how often a tree that changes under the take is read again.
const tries = 3

// Hold reads, stores, writes the ref, and only then verifies that everything is there:
// a gc that runs meanwhile may have pruned what was found before the ref existed.
func (s *Store) Hold(ctx context.Context, m Meta, w capture.Wanted) (Info, *capture.Capture, error) {
	if _, err := s.Scratch(); err != nil {
		return Info{}, nil, err
	}
	var info Info
	var commit git.NewObject
	c, err := s.look(ctx, w, func(c *capture.Capture) []git.NewObject {
		info, commit = s.seal(c, m)
		return []git.NewObject{commit}
	})
	if err != nil {
		return Info{}, nil, err
	}
	if err := s.anchor(ctx, c, info, commit); err != nil {
		return Info{}, nil, err
	}
	if err := s.verify(ctx, c, commit); err != nil {
		drop := s.Repo.UpdateRefs(ctx, "belay: drop", []git.Update{{Ref: info.ref(), Old: commit.OID}})
		return Info{}, nil, errors.Join(err, drop)
	}
	// The snapshot exists. That the next take has to look at everything again is no
	// reason to call it failed: whoever asked would take a second one.
	_ = s.learn(ctx, c, info.ID)
	_ = s.releaseKept() // a pack that is kept for longer harms nobody
	return info, c, nil
}

// anchor writes the ref. When a gc took the commit before it had one, everything is
// stored once more, where gc does not go.
func (s *Store) anchor(ctx context.Context, c *capture.Capture, info Info, commit git.NewObject) error {
	if err := capture.Fault("ref", info.ref()); err != nil {
		return err
	}
	update := []git.Update{{Ref: info.ref(), New: commit.OID}}
	err := s.Repo.UpdateRefs(ctx, "belay: snapshot", update)
	var f *git.Failure
	if !errors.As(err, &f) || !strings.Contains(f.Says, "nonexistent object") {
		return err
	}
	root, err := worktree.OpenRoot(s.Repo.Root)
	if err != nil {
		return err
	}
	defer root.Close()
	if err := s.keepFromGC(ctx, c, append(s.candidates(root, c), commit)); err != nil {
		return err
	}
	return s.Repo.UpdateRefs(ctx, "belay: snapshot", update)
}

// seal makes the snapshot's commit of what was captured.
func (s *Store) seal(c *capture.Capture, m Meta) (Info, git.NewObject) {
	now := s.opts.Now()
	info := Info{ID: newID(now, c.Newest), Meta: m, Time: now.UTC(), Head: c.Head.OID, Branch: c.Head.Branch,
		Operation: gitfiles.Operation(c.State), Tree: c.Tree, Files: c.Count, Partial: len(c.Man.Gaps) > 0, Moving: c.Moving, odd: len(c.Man.Odd)}
	info.Gaps, info.Nested = gapsOf(c.Man)
	commit := capture.CommitObject(s.Repo, c.Whole, c.Parents, now, info.message())
	info.Commit = commit.OID
	return info, commit
}

// look captures the present and stores its objects, with those that seal adds. When
// files change meanwhile it is done again, and in the end what was read is what is
// held, marked as moving.
func (s *Store) look(ctx context.Context, w capture.Wanted, seal func(*capture.Capture) []git.NewObject) (*capture.Capture, error) {
	for try := 1; ; try++ {
		c, err := s.read(ctx, w, try == 1)
		if errors.Is(err, git.ErrChanged) && try < tries {
			continue
		}
		if err != nil {
			return nil, err
		}
		if c.Moving && try < tries {
			continue
		}
		err = s.storeAll(ctx, c, seal(c))
		if err == nil {
			return c, nil
		}
		changed := errors.Is(err, git.ErrChanged) || errors.Is(err, fs.ErrNotExist)
		if !changed || try > 2*tries {
			return nil, err
		}
		if try >= tries { // it changes faster than it can be read: hold copies
			if err := s.freeze(ctx, c, seal); err == nil {
				return c, nil
			}
		}
	}
}

// read reads the present, once with the help of a watch when there is one.
func (s *Store) read(ctx context.Context, w capture.Wanted, first bool) (*capture.Capture, error) {
	if first {
		if c := s.watched(ctx, w); c != nil {
			return c, nil
		}
	}
	return s.Place.Read(ctx, w)
}

// storeAll stores what the repository does not hold yet.
func (s *Store) storeAll(ctx context.Context, c *capture.Capture, more []git.NewObject) error {
	root, err := worktree.OpenRoot(s.Repo.Root)
	if err != nil {
		return err
	}
	defer root.Close()
	objects := s.candidates(root, c)
	if len(c.Blobs) > 20 || !c.Last.Valid {
		if objects, err = s.lacking(ctx, objects); err != nil {
			return err
		}
	}
	return s.store(ctx, append(objects, more...))
}

func (s *Store) store(ctx context.Context, objects []git.NewObject) error {
	if err := capture.Fault("store", "objects"); err != nil {
		return err
	}
	return s.Repo.Store(ctx, objects, filepath.Join(s.Dir, "tmp"))
}

// candidates gives everything of a capture that may have to be stored.
// Blobs are read through root when they are wanted.
func (s *Store) candidates(root *worktree.Root, c *capture.Capture) []git.NewObject {
	objects := slices.Clone(c.Objects)
	for oid, src := range c.Blobs {
		objects = append(objects, object(src, root, oid))
	}
	sort.Slice(objects, func(i, j int) bool { return objects[i].OID < objects[j].OID })
	return slices.CompactFunc(objects, func(a, b git.NewObject) bool { return a.OID == b.OID })
}

// object reads a blob's bytes from the working tree when they are wanted.
func object(src *capture.Source, root *worktree.Root, oid string) git.NewObject {
	open := func() (io.ReadCloser, error) { return root.Open(src.Path) }
	if src.Link {
		open = func() (io.ReadCloser, error) {
			target, err := root.ReadLink(src.Path)
			return io.NopCloser(strings.NewReader(target)), err
		}
	}
	return git.NewObject{OID: oid, Type: "blob", Size: src.Size, Open: open}
}

// lacking gives those objects that the repository does not hold.
func (s *Store) lacking(ctx context.Context, objects []git.NewObject) ([]git.NewObject, error) {
	oids := make([]string, len(objects))
	for i, o := range objects {
		oids[i] = o.OID
	}
	missing, err := s.Repo.Missing(ctx, oids)
	if err != nil {
		return nil, err
	}
	gone := map[string]bool{}
	for _, oid := range missing {
		gone[oid] = true
	}
	return slices.DeleteFunc(objects, func(o git.NewObject) bool { return !gone[o.OID] }), nil
}

// verify asks a fresh process for every object that no earlier snapshot is known to
// hold, and stores once more what a gc took meanwhile.
func (s *Store) verify(ctx context.Context, c *capture.Capture, commit git.NewObject) error {
	root, err := worktree.OpenRoot(s.Repo.Root)
	if err != nil {
		return err
	}
	defer root.Close()
	for range 2 {
		objects := append(s.candidates(root, c), commit)
		if capture.Collecting(s.Repo) {
			// It may have looked at the refs before ours was there, and delete what we see now.
			if err := s.keepFromGC(ctx, c, objects); err != nil {
				return err
			}
		}
		objects, err := s.lacking(ctx, objects)
		if err != nil {
			return err
		}
		if len(objects) == 0 {
			return s.anchored(ctx, c)
		}
		if err := s.store(ctx, objects); err != nil {
			return fmt.Errorf("store again what was pruned meanwhile: %w", err)
		}
	}
	return belay.Refuse(belay.CodeCannot, "wait for git gc to end, then try again", "objects of the snapshot vanish as fast as they are stored")
}

// keepFromGC stores what only this snapshot is known to hold in a place that gc does
// not touch. What HEAD holds is left out: no gc takes that.
func (s *Store) keepFromGC(ctx context.Context, c *capture.Capture, objects []git.NewObject) error {
	if !c.Last.Valid && c.Head.OID != "" {
		entries, err := s.Repo.ListTree(ctx, c.Head.OID)
		if err != nil {
			return err
		}
		safe := map[string]bool{}
		for _, e := range entries {
			safe[e.OID] = true
		}
		objects = slices.DeleteFunc(slices.Clone(objects), func(o git.NewObject) bool { return o.Type == "blob" && safe[o.OID] })
	}
	if err := capture.Fault("store", "kept objects"); err != nil {
		return err
	}
	if err := capture.WriteWhole(s.keptPath(), nil, false); err != nil {
		return err
	}
	return s.Repo.StoreKept(ctx, objects, filepath.Join(s.Dir, "tmp"), capture.KeepNote)
}

// keptPath marks that there are packs to be released once no gc runs.
func (s *Store) keptPath() string { return filepath.Join(s.Dir, "kept") }

func (s *Store) releaseKept() error {
	if _, err := os.Lstat(s.keptPath()); err != nil || capture.Collecting(s.Repo) {
		return nil
	}
	return errors.Join(capture.Release(s.Repo), os.Remove(s.keptPath()))
}

// anchored checks that the snapshots the capture rests on still exist, now that its
// own ref holds everything.
func (s *Store) anchored(ctx context.Context, c *capture.Capture) error {
	if !c.Last.Valid || s.loose(c.Last.Anchors) {
		return nil
	}
	refs, err := s.Repo.Refs(ctx, Prefix)
	if err != nil {
		return err
	}
	if c.Recall != nil && c.Recall(refs).Valid || c.Recall == nil && s.Remember(refs).Valid {
		return nil
	}
	if err := s.Forget(); err != nil {
		return err
	}
	return belay.Refuse(belay.CodeCannot, "try again", "snapshots were dropped while one was taken")
}

// loose reports whether all refs are there as files, which spares asking git.
func (s *Store) loose(ids []belay.SnapshotID) bool {
	for _, id := range ids {
		if _, err := os.Lstat(filepath.Join(s.Repo.Common, filepath.FromSlash(Prefix+string(id)))); err != nil {
			return false
		}
	}
	return !s.Repo.Reftab
}

// freeze copies every file that was read in this capture, and names and stores the
// copies: what is held is what was read, although the tree did not stand still.
func (s *Store) freeze(ctx context.Context, c *capture.Capture, seal func(*capture.Capture) []git.NewObject) error {
	dir, err := s.Scratch("tmp")
	if err != nil {
		return err
	}
	if dir, err = os.MkdirTemp(dir, "frozen-"); err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	root, err := worktree.OpenRoot(s.Repo.Root)
	if err != nil {
		return err
	}
	defer root.Close()
	copies := map[string]string{} // oid → copy
	for i := range c.Scan.Entries {
		e := &c.Scan.Entries[i]
		if _, wanted := c.Blobs[e.OID.String()]; !wanted {
			continue
		}
		path := filepath.Join(dir, fmt.Sprint(i))
		if err := s.copyOut(root, e, path); errors.Is(err, fs.ErrNotExist) {
			e.Path = "" // it is gone again
			continue
		} else if err != nil {
			return err
		}
		copies[e.OID.String()] = path
	}
	c.Scan.Entries = slices.DeleteFunc(c.Scan.Entries, func(e scan.Entry) bool { return e.Path == "" })
	c.Moving, c.Scan.Moving, c.Blobs = true, true, map[string]*capture.Source{}
	if err := s.Name(ctx, c); err != nil {
		return err
	}
	objects := s.candidates(root, c)
	for i, o := range objects {
		if path, ok := copies[o.OID]; ok {
			objects[i].Open = func() (io.ReadCloser, error) { return os.Open(path) }
		}
	}
	return s.store(ctx, append(objects, seal(c)...))
}

func (s *Store) copyOut(root *worktree.Root, e *scan.Entry, path string) error {
	if e.Kind == worktree.Link {
		target, err := root.ReadLink(e.Path)
		if err != nil {
			return err
		}
		e.OID, e.Size, e.Fresh = worktree.OID(capture.Raw(s.Repo.Name("blob", []byte(target)))), int64(len(target)), true
		return os.WriteFile(path, []byte(target), 0o600)
	}
	in, err := root.Open(e.Path)
	if err != nil {
		return err
	}
	defer in.Close()
	out, err := os.Create(path)
	if err != nil {
		return err
	}
	n, err := io.Copy(out, in)
	if err = errors.Join(err, out.Close()); err != nil {
		return err
	}
	f, err := os.Open(path)
	if err != nil {
		return err
	}
	defer f.Close()
	h := s.Repo.NewHash()
	fmt.Fprintf(h, "blob %d\x00", n)
	if _, err := io.Copy(h, f); err != nil {
		return err
	}
	e.OID, e.Size, e.Fresh = worktree.OID(h.Sum(nil)), n, true
	return nil
}

// nothingMore is for what is read without becoming a snapshot.
func nothingMore(*capture.Capture) []git.NewObject { return nil }

// Peek reads the present and stores it without a ref: the tree of its files can be
// compared with a snapshot's until the next gc.
func (s *Store) Peek(ctx context.Context) (tree string, err error) {
	unlock, err := s.share(ctx)
	if err != nil {
		return "", err
	}
	defer unlock()
	c, err := s.look(ctx, capture.Wanted{Brief: true}, nothingMore)
	if err != nil {
		return "", err
	}
	return c.Tree, nil
}

// Look is Peek with everything that was read, and with what w wants besides.
func (s *Store) Look(ctx context.Context, w capture.Wanted) (*capture.Capture, error) {
	return s.look(ctx, w, nothingMore)
}

// LockPath is the file whose lock keeps takes and restores of this tree apart.
func (s *Store) LockPath() string { return filepath.Join(s.Dir, "restore.lock") }

// Busy is the refusal when that lock is held.
func (s *Store) Busy() error {
	note, _ := os.ReadFile(s.LockPath())
	return belay.Refuse(belay.CodeBusy, "wait for it to end", "another belay restores in this working tree %s", belay.VisibleLine(string(note)))
}

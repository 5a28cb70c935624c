package snapshot

import (
	"bytes"
	"context"
	"errors"
	"io"
	"path/filepath"
	"slices"
	"sort"
	"strings"
	"sync"

	"github.com/belay-dev/belay/internal/belay"

	"github.com/belay-dev/belay/internal/fsroot"
	"github.com/belay-dev/belay/internal/git"

	"github.com/belay-dev/belay/internal/scan"
)

// StoredObjects locates the objects of a capture: in the new pack or, for those in found, in the
// repository, named by HEAD's tree or by earlier snapshots.
type StoredObjects struct {
	packPath string
	found    []string
}

// ErrRefsDeleted reports that refs of objects in the capture were deleted while the snapshot was
// stored. The state has to be captured again.
var ErrRefsDeleted = belay.Refuse(belay.CodeCannot, "try again", "branches or snapshots were deleted while a snapshot was taken")

// Objects stores belay's objects in a repository.
type Objects struct {
	worktree *Worktree
	Packs    *git.Packs
}

// ExtraObjects returns objects to store together with a capture.
type ExtraObjects func(*Capture) ([]git.NewObject, error)

// Store stores all objects of a capture that git gc could remove.
func (s Objects) Store(ctx context.Context, c *Capture, more []git.NewObject) (st StoredObjects, err error) {
	root, err := fsroot.OpenRoot(s.worktree.Repo.Root)
	if err != nil {
		return st, err
	}
	defer root.Close()
	objects := candidateObjects(root, c)
	if !c.LastCache.Valid || c.LastCache.Untrusted || hasManyObjects(c) {
		if objects, st.found, err = s.splitStored(ctx, c, objects); err != nil {
			return st, err
		}
	}
	staged, err := s.stagedCopies(ctx, c, objects)
	defer staged.close()
	if err != nil {
		return st, err
	}
	st.packPath, err = s.putForCapture(ctx, c, slices.Concat(objects, staged.objects, more))
	return st, err
}

// putForCapture stores objects and records their pack as one that the capture depends on.
func (s Objects) putForCapture(ctx context.Context, c *Capture, objects []git.NewObject) (string, error) {
	pack, err := s.Put(ctx, objects)
	if err != nil {
		return pack, err
	}
	own, err := git.FoundInPack(s.worktree.Repo, pack)
	if err == nil { // if the pack is missing again, Verify reports it
		c.FoundIn = c.FoundIn.Merge(own)
	}
	return pack, nil
}

// hasManyObjects reports whether a capture has so many objects, as after a change of branch, that
// it pays to look them up in HEAD's tree.
func hasManyObjects(c *Capture) bool {
	var bytes int64
	for _, b := range c.Blobs {
		bytes += b.Size
	}
	return len(c.Blobs) > 20 && (bytes > 8<<20 || 20*len(c.Blobs) > c.FileCount)
}

func (s Objects) Put(ctx context.Context, objects []git.NewObject) (string, error) {
	if err := Fault("store", "objects"); err != nil {
		return "", err
	}
	return s.Packs.Store(ctx, objects)
}

// candidateObjects returns all objects of a capture that may have to be stored. Blobs are read
// through root, when their bytes are needed.
func candidateObjects(root *fsroot.Root, c *Capture) []git.NewObject {
	objects := slices.Clone(c.Objects)
	for oid, src := range c.Blobs {
		objects = append(objects, blobObject(src, root, oid))
	}
	sort.Slice(objects, func(i, j int) bool { return objects[i].OID < objects[j].OID })
	return slices.CompactFunc(objects, func(a, b git.NewObject) bool { return a.OID == b.OID })
}

// blobObject returns an object that reads a blob from the working tree when its bytes are needed.
func blobObject(src *BlobSource, root *fsroot.Root, oid string) git.NewObject {
	open := func() (io.ReadCloser, error) { return root.Open(src.Path) }
	if src.IsLink {
		open = func() (io.ReadCloser, error) {
			target, err := root.ReadLink(src.Path)
			return io.NopCloser(strings.NewReader(target)), err
		}
	}
	return git.NewObject{OID: oid, Type: "blob", Size: src.Size, Open: open}
}

// splitStored returns the objects that have to be stored, and the names of those that HEAD's tree
// or an earlier snapshot names and that exist. The repository may contain others too, but git may
// prune unnamed objects at any moment.
func (s Objects) splitStored(ctx context.Context, c *Capture, objects []git.NewObject) (lacking []git.NewObject,
	found []string, err error) {
	inHead, err := s.worktree.HeadObjects(ctx, c)
	if err != nil {
		return nil, nil, err
	}
	for _, o := range objects {
		src := c.Blobs[o.OID]
		if inHead[RawOID(o.OID)] || c.LastCache.Has(o.OID) || src != nil && src.Stored {
			found = append(found, o.OID)
		}
	}
	checked, err := git.CheckObjects(ctx, s.worktree.Repo, found, git.CheckOptions{KnownPacks: c.LastCache.FoundIn.Merge(c.FoundIn)})
	if err != nil {
		return nil, nil, err
	}
	c.FoundIn = c.FoundIn.Merge(checked.FoundObjects)
	// If one object of an earlier snapshot is missing, the others may not be named any more either.
	broken := slices.ContainsFunc(found, func(oid string) bool { return checked.Unusable[oid] != nil && !inHead[RawOID(oid)] })
	named := map[string]bool{}
	for _, oid := range found {
		named[oid] = checked.Unusable[oid] == nil && (inHead[RawOID(oid)] || !broken)
	}
	found = slices.DeleteFunc(found, func(oid string) bool { return !named[oid] })
	return slices.DeleteFunc(objects, func(o git.NewObject) bool { return named[o.OID] }), found, nil
}

// repoCopies are objects that are read from the repository in order to be stored again in belay's
// pack.
type repoCopies struct {
	objects []git.NewObject
	rd      *git.Reader
	readers sync.WaitGroup
	rdMu    sync.Mutex // for rd
}

func (k *repoCopies) close() {
	k.readers.Wait()
	if k.rd != nil {
		_ = k.rd.Close()
	}
}

// stagedCopies returns the blobs that only the index names: once it no longer names them, git gc
// removes them, and they exist nowhere else.
func (s Objects) stagedCopies(ctx context.Context, c *Capture, known []git.NewObject) (*repoCopies, error) {
	k := &repoCopies{}
	if len(c.Index.StagedBlobs) == 0 {
		return k, nil
	}
	here := map[string]bool{}
	for _, o := range known {
		here[o.OID] = true
	}
	var seen []scan.Entry // a watcher omits it
	if c.Scan != nil {
		seen = c.Scan.Entries
	}
	for _, e := range seen {
		if !e.Fresh && c.LastCache.Valid {
			here[e.OID.String()] = true // an earlier snapshot contains it
		}
	}
	for oid := range c.Index.StoredBlobs {
		here[oid] = true
	}
	for _, b := range c.Index.StagedBlobs {
		if here[b.OID] {
			continue
		}
		if k.rd == nil {
			var err error
			if k.rd, err = s.worktree.Repo.Reader(ctx); err != nil {
				return k, err
			}
		}
		k.objects = append(k.objects, git.NewObject{OID: b.OID, Type: "blob", Size: b.Size, Open: k.openFunc(b.OID)})
	}
	return k, nil
}

// KeepUntilReleased stores objects that no gc removes until release is called. Before that, a ref
// has to name them.
func (s Objects) KeepUntilReleased(ctx context.Context, objects []git.NewObject) (release func(), err error) {
	release, err = s.Packs.LockShared()
	if err != nil {
		return nil, err
	}
	if _, err = s.Put(ctx, objects); err != nil {
		release()
		return nil, err
	}
	return release, nil
}

// openFunc returns a function that opens one object. It can be read once the previous one was read
// or closed.
func (k *repoCopies) openFunc(oid string) func() (io.ReadCloser, error) {
	return func() (io.ReadCloser, error) {
		out, in := io.Pipe()
		k.readers.Go(func() {
			k.rdMu.Lock()
			defer k.rdMu.Unlock()
			_, err := k.rd.Copy(oid, in)
			_ = in.CloseWithError(err)
		})
		return out, nil
	}
}

// Verify checks, after the ref was written, that the pack and every object that was found in the
// repository still exist, and stores missing ones again. Then it checks that everything that was
// named is still named: otherwise a gc that read the refs in between may still delete it.
func (s Objects) Verify(ctx context.Context, c *Capture, st StoredObjects) error {
	if there, err := git.PackExists(st.packPath); !there {
		return errors.Join(err, belay.Refuse(belay.CodeCannot,
			"stop the program that deletes packs in this repository, then try again",
			"objects of the snapshot were deleted as soon as they were stored"))
	}
	if err := s.storeMissing(ctx, c, st); err != nil {
		return err
	}
	refs, err := s.checkStillNamed(ctx, c)
	if err == nil && len(withoutRef(refs, c.NextCache.neededCommits(s.worktree.Repo))) > 0 {
		err = ErrRefsDeleted
	}
	return err
}

// checkStillNamed reads the refs and fails with ErrRefsDeleted when an object is no longer named.
func (s Objects) checkStillNamed(ctx context.Context, c *Capture) ([]git.Ref, error) {
	refs, _, err := s.worktree.Repo.RefsUnread(ctx, isSnapshotRef, c.Refs)
	if err != nil {
		return nil, err
	}
	head, err := s.worktree.Repo.Head(ctx, refs)
	if err == nil && !s.areAllNamed(c, refs, head) {
		err = ErrRefsDeleted
	}
	return refs, err
}

// storeMissing stores the objects of a capture that were found before and are missing now.
func (s Objects) storeMissing(ctx context.Context, c *Capture, st StoredObjects) error {
	if len(st.found) == 0 && !c.OmitsStored {
		return nil
	}
	if _, same := git.RefreshFound(ctx, s.worktree.Repo, c.FoundIn); same {
		return nil
	}
	checked, err := git.CheckObjects(ctx, s.worktree.Repo, append(c.restoreOmittedBlobs(), st.found...), git.CheckOptions{})
	if err != nil {
		return err
	}
	own, err := git.FoundInPack(s.worktree.Repo, st.packPath)
	if err != nil {
		return err
	}
	// Loose objects are objects of refs, and were not in st.found.
	c.FoundIn = checked.FoundObjects.Merge(own, git.FoundObjects{Loose: c.FoundIn.Loose})
	if len(checked.Unusable) == 0 {
		return nil
	}
	root, err := fsroot.OpenRoot(s.worktree.Repo.Root)
	if err != nil {
		return err
	}
	defer root.Close()
	_, err = s.putForCapture(ctx, c, slices.DeleteFunc(candidateObjects(root, c),
		func(o git.NewObject) bool { return checked.Unusable[o.OID] == nil }))
	return err
}

// restoreOmittedBlobs adds the blobs that OmitsStored left out to Blobs again, and returns their
// names.
func (c *Capture) restoreOmittedBlobs() []string {
	if !c.OmitsStored {
		return nil
	}
	var oids []string
	for i := range c.Scan.Entries {
		e := &c.Scan.Entries[i]
		if oid := e.OID.String(); c.isStored(e) && c.Blobs[oid] == nil {
			oids, c.Blobs[oid] = append(oids, oid), newBlobSource(e, false)
		}
	}
	c.OmitsStored = false
	return oids
}

// areAllNamed reports whether everything that was named when refs were read still is: the snapshots
// that this one depends on, and the objects of refs and HEAD, for which a reflog entry is enough.
func (s Objects) areAllNamed(c *Capture, refs []git.Ref, head git.Head) bool {
	now := map[string]bool{head.OID: true, "": true}
	for _, r := range refs {
		now[r.OID], now[r.Name] = true, true
	}
	if c.LastCache.Valid {
		for _, id := range c.LastCache.Anchors {
			if !now[RefPrefix+string(id)] {
				return false
			}
		}
	}
	if !now[c.Head.OID] && !isInReflog(s.worktree.Repo.Dir, "HEAD", c.Head.OID) {
		return false
	}
	for _, r := range c.Refs {
		ours := IsOwnRef(r.Name) || strings.HasPrefix(r.Name, "refs/remotes/") // snapshots do not keep these
		if !now[r.OID] && !ours && !isInReflog(s.worktree.Repo.Dir, "HEAD", r.OID) && !isInReflog(s.worktree.Repo.Common, r.Name, r.OID) {
			return false
		}
	}
	return true
}

// isInReflog reports whether the reflog of a ref names an object.
func isInReflog(dir, ref, oid string) bool {
	text, err := fsroot.ReadFile(filepath.Join(dir, "logs", filepath.FromSlash(ref)), fsroot.MaxSmallFile)
	return err == nil && bytes.Contains(text, []byte(oid))
}

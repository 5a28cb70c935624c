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

// Stored says where a capture's objects are: those that are not in the pack were found
// to be sound in the repository, named by HEAD's tree or by earlier snapshots.
type Stored struct {
	pack  string
	found []string
}

// ErrMoved says that what a capture rests on went while it was stored: it has to be
// captured again.
var ErrMoved = belay.Refuse(belay.CodeCannot, "try again", "branches or snapshots were deleted while a snapshot was taken")

// Objects is a repository's store as belay uses it.
type Objects struct {
	place *Place
	Packs *git.Packs
}

// Sealer gives what is stored besides a capture.
type Sealer func(*Capture) ([]git.NewObject, error)

// Store stores everything that is not known to be named by what stays.
func (s Objects) Store(ctx context.Context, c *Capture, more []git.NewObject) (st Stored, err error) {
	root, err := fsroot.OpenRoot(s.place.Repo.Root)
	if err != nil {
		return st, err
	}
	defer root.Close()
	objects := candidates(root, c)
	if !c.Last.Valid || c.Last.Doubt || many(c) {
		if objects, st.found, err = s.split(ctx, c, objects); err != nil {
			return st, err
		}
	}
	staged, err := s.staged(ctx, c, objects)
	defer staged.close()
	if err != nil {
		return st, err
	}
	st.pack, err = s.putFor(ctx, c, slices.Concat(objects, staged.objects, more))
	return st, err
}

// putFor stores objects of a capture, which rests on them from then on.
func (s Objects) putFor(ctx context.Context, c *Capture, objects []git.NewObject) (string, error) {
	pack, err := s.Put(ctx, objects)
	if err != nil {
		return pack, err
	}
	own, err := git.Of(s.place.Repo, pack)
	if err == nil { // if it is gone again, Verify says so
		c.Relied = c.Relied.And(own)
	}
	return pack, nil
}

// many reports whether so much may have to be stored that it is worth finding out what
// HEAD's tree holds of it, as after a change of branch.
func many(c *Capture) bool {
	var bytes int64
	for _, b := range c.Blobs {
		bytes += b.Size
	}
	return len(c.Blobs) > 20 && (bytes > 8<<20 || 20*len(c.Blobs) > c.Count)
}

func (s Objects) Put(ctx context.Context, objects []git.NewObject) (string, error) {
	if err := Fault("store", "objects"); err != nil {
		return "", err
	}
	return s.Packs.Store(ctx, objects)
}

// candidates returns everything of a capture that may have to be stored.
// Blobs are read through root when they are wanted.
func candidates(root *fsroot.Root, c *Capture) []git.NewObject {
	objects := slices.Clone(c.Objects)
	for oid, src := range c.Blobs {
		objects = append(objects, object(src, root, oid))
	}
	sort.Slice(objects, func(i, j int) bool { return objects[i].OID < objects[j].OID })
	return slices.CompactFunc(objects, func(a, b git.NewObject) bool { return a.OID == b.OID })
}

// object reads a blob's bytes from the working tree when they are wanted.
func object(src *Source, root *fsroot.Root, oid string) git.NewObject {
	open := func() (io.ReadCloser, error) { return root.Open(src.Path) }
	if src.Link {
		open = func() (io.ReadCloser, error) {
			target, err := root.ReadLink(src.Path)
			return io.NopCloser(strings.NewReader(target)), err
		}
	}
	return git.NewObject{OID: oid, Type: "blob", Size: src.Size, Open: open}
}

// split returns the objects that have to be stored, and those that HEAD's tree or an earlier
// snapshot names and that have their bytes. Others may be there as well, but what nothing
// names can be pruned in the next moment.
func (s Objects) split(ctx context.Context, c *Capture, objects []git.NewObject) (lacking []git.NewObject, found []string, err error) {
	inHead, err := s.place.InHead(ctx, c)
	if err != nil {
		return nil, nil, err
	}
	for _, o := range objects {
		src := c.Blobs[o.OID]
		if inHead[Raw(o.OID)] || c.Last.Has(o.OID) || src != nil && src.Held {
			found = append(found, o.OID)
		}
	}
	checked, err := git.CheckObjects(ctx, s.place.Repo, found, git.How{Known: c.Last.Relied.And(c.Relied)})
	if err != nil {
		return nil, nil, err
	}
	c.Relied = c.Relied.And(checked.Relied)
	// Where something of an earlier snapshot is gone, the rest of it may have no name any
	// more either.
	broken := slices.ContainsFunc(found, func(oid string) bool { return checked.Bad[oid] != nil && !inHead[Raw(oid)] })
	named := map[string]bool{}
	for _, oid := range found {
		named[oid] = checked.Bad[oid] == nil && (inHead[Raw(oid)] || !broken)
	}
	found = slices.DeleteFunc(found, func(oid string) bool { return !named[oid] })
	return slices.DeleteFunc(objects, func(o git.NewObject) bool { return named[o.OID] }), found, nil
}

// copies are objects that are read from the repository, to be stored where they stay.
type copies struct {
	objects []git.NewObject
	rd      *git.Reader
	open    sync.WaitGroup
	turn    sync.Mutex // of rd
}

func (k *copies) close() {
	k.open.Wait()
	if k.rd != nil {
		_ = k.rd.Close()
	}
}

// staged returns the blobs that only the index names: once it names them no more, a gc
// takes them, and nobody else has their bytes.
func (s Objects) staged(ctx context.Context, c *Capture, known []git.NewObject) (*copies, error) {
	k := &copies{}
	if len(c.Index.Blobs) == 0 {
		return k, nil
	}
	here := map[string]bool{}
	for _, o := range known {
		here[o.OID] = true
	}
	var seen []scan.Entry // a watch leaves it out
	if c.Scan != nil {
		seen = c.Scan.Entries
	}
	for _, e := range seen {
		if !e.Fresh && c.Last.Valid {
			here[e.OID.String()] = true // an earlier snapshot holds it
		}
	}
	for oid := range c.Index.Held {
		here[oid] = true
	}
	for _, b := range c.Index.Blobs {
		if here[b.OID] {
			continue
		}
		if k.rd == nil {
			var err error
			if k.rd, err = s.place.Repo.Reader(ctx); err != nil {
				return k, err
			}
		}
		k.objects = append(k.objects, git.NewObject{OID: b.OID, Type: "blob", Size: b.Size, Open: k.reading(b.OID)})
	}
	return k, nil
}

// Keep stores objects, which no gc takes until release is called; then something has to
// name them.
func (s Objects) Keep(ctx context.Context, objects []git.NewObject) (release func(), err error) {
	release, err = s.Packs.Guard()
	if err != nil {
		return nil, err
	}
	if _, err = s.Put(ctx, objects); err != nil {
		release()
		return nil, err
	}
	return release, nil
}

// reading reads one object, when the one before was read to its end or closed.
func (k *copies) reading(oid string) func() (io.ReadCloser, error) {
	return func() (io.ReadCloser, error) {
		out, in := io.Pipe()
		k.open.Go(func() {
			k.turn.Lock()
			defer k.turn.Unlock()
			_, err := k.rd.Copy(oid, in)
			_ = in.CloseWithError(err)
		})
		return out, nil
	}
}

// Verify looks, now that the ref stands, for the pack and for everything that was found
// in the repository, and stores once more what went meanwhile. Then it checks that all that
// was found named is named still: a gc that ran while it was not may yet delete it.
func (s Objects) Verify(ctx context.Context, c *Capture, st Stored) error {
	if there, err := git.Stands(st.pack); !there {
		return errors.Join(err, belay.Refuse(belay.CodeCannot,
			"stop the program that deletes packs in this repository, then try again",
			"objects of the snapshot were deleted as soon as they were stored"))
	}
	if err := s.storeAgain(ctx, c, st); err != nil {
		return err
	}
	refs, err := s.stillNamed(ctx, c)
	if err == nil && len(unused(refs, c.Next.uses(s.place.Repo))) > 0 {
		err = ErrMoved
	}
	return err
}

// stillNamed reads the refs and fails with ErrMoved when something that was found named has no
// name any more.
func (s Objects) stillNamed(ctx context.Context, c *Capture) ([]git.Ref, error) {
	refs, _, err := s.place.Repo.GlanceRefs(ctx, isSnapshot, c.Refs)
	if err != nil {
		return nil, err
	}
	head, err := s.place.Repo.Head(ctx, refs)
	if err == nil && !s.allNamed(c, refs, head) {
		err = ErrMoved
	}
	return refs, err
}

// storeAgain stores those objects of a capture that were found and are gone.
func (s Objects) storeAgain(ctx context.Context, c *Capture, st Stored) error {
	if len(st.found) == 0 && !c.InStore {
		return nil
	}
	if _, same := git.Unchanged(ctx, s.place.Repo, c.Relied); same {
		return nil
	}
	checked, err := git.CheckObjects(ctx, s.place.Repo, append(c.backToBlobs(), st.found...), git.How{})
	if err != nil {
		return err
	}
	own, err := git.Of(s.place.Repo, st.pack)
	if err != nil {
		return err
	}
	// Loose objects are those of refs, and were not among what was found.
	c.Relied = checked.Relied.And(own, git.Relied{Loose: c.Relied.Loose})
	if len(checked.Bad) == 0 {
		return nil
	}
	root, err := fsroot.OpenRoot(s.place.Repo.Root)
	if err != nil {
		return err
	}
	defer root.Close()
	_, err = s.putFor(ctx, c, slices.DeleteFunc(candidates(root, c), func(o git.NewObject) bool { return checked.Bad[o.OID] == nil }))
	return err
}

// backToBlobs puts what InStore leaves out back into Blobs, and gives their names.
func (c *Capture) backToBlobs() []string {
	if !c.InStore {
		return nil
	}
	var oids []string
	for i := range c.Scan.Entries {
		e := &c.Scan.Entries[i]
		if oid := e.OID.String(); c.inStore(e) && c.Blobs[oid] == nil {
			oids, c.Blobs[oid] = append(oids, oid), sourceOf(e, false)
		}
	}
	c.InStore = false
	return oids
}

// allNamed reports whether everything that was found named when refs were read has a
// name now: snapshots that this one rests on, and what refs and HEAD named, be it only
// in the log of a ref that moved on.
func (s Objects) allNamed(c *Capture, refs []git.Ref, head git.Head) bool {
	now := map[string]bool{head.OID: true, "": true}
	for _, r := range refs {
		now[r.OID], now[r.Name] = true, true
	}
	if c.Last.Valid {
		for _, id := range c.Last.Anchors {
			if !now[RefPrefix+string(id)] {
				return false
			}
		}
	}
	if !now[c.Head.OID] && !logged(s.place.Repo.Dir, "HEAD", c.Head.OID) {
		return false
	}
	for _, r := range c.Refs {
		ours := Ours(r.Name) || strings.HasPrefix(r.Name, "refs/remotes/") // not held
		if !now[r.OID] && !ours && !logged(s.place.Repo.Dir, "HEAD", r.OID) && !logged(s.place.Repo.Common, r.Name, r.OID) {
			return false
		}
	}
	return true
}

// logged reports whether the log of a ref names an object.
func logged(dir, ref, oid string) bool {
	text, err := fsroot.ReadFile(filepath.Join(dir, "logs", filepath.FromSlash(ref)), fsroot.Usual)
	return err == nil && bytes.Contains(text, []byte(oid))
}

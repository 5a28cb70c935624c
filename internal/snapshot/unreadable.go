package snapshot

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/belay-dev/belay/internal/git"
)

// BrokenPart is a part of a snapshot that cannot be read.
type BrokenPart struct {
	Part string `json:"part"` // one of the Part constants
	Path string `json:"path"` // of a file; a folder with unknown files ends in "/"; below meta/ as in docs/formats.md
	OID  string `json:"oid"`  // the object, in hex
	Err  error  `json:"-"`    // wraps git.ErrNoObject or git.ErrDamaged
}

// The values of BrokenPart.Part.
const (
	PartFile   = "file"   // the working tree
	PartStaged = "staged" // content that only the index names; Path is empty
	PartMeta   = "meta"   // the index, git's own files, the manifest
	PartCommit = "commit" // the tag of the snapshot itself, or what HEAD named
)

// String names the part for display.
func (b BrokenPart) String() string {
	why := "is missing"
	if !errors.Is(b.Err, git.ErrNoObject) {
		why = "is damaged"
	}
	what := b.Path
	switch b.Part {
	case PartStaged:
		what = "staged content"
	case PartCommit:
		what = "the commit of " + b.Path
	}
	return fmt.Sprintf("%s (object %s %s)", what, b.OID[:min(len(b.OID), 12)], why)
}

// Unreadable reads everything in a snapshot and returns what cannot be read, sorted by part and
// path; nothing when a restore would find every byte. Commits that it only keeps alive are not
// followed: git fsck checks their history.
//
// An error is about the repository in general, or ctx's.
func (s *Store) Unreadable(ctx context.Context, info Info) ([]BrokenPart, error) {
	rd, err := s.Repo.Reader(ctx)
	if err != nil {
		return nil, err
	}
	defer rd.Close()
	w := objectWalk{store: s, ctx: ctx, rd: rd, paths: map[string][]BrokenPart{}}
	w.add(PartCommit, "the snapshot", info.Commit)
	if info.Head != "" {
		w.add(PartCommit, "HEAD", info.Head)
	}
	if o, err := rd.Read(info.Commit); err == nil {
		if err := w.walkTree("", snapshotTree(o)); err != nil {
			return nil, err
		}
	}
	w.addOdd()
	return w.check()
}

// snapshotTree returns the tree of a snapshot, given the object that its ref names. That begins
// with "object <oid>", in format 1 with "tree <oid>".
func snapshotTree(o git.Object) string {
	first, _, _ := strings.Cut(string(o.Data), "\n")
	return first[strings.IndexByte(first, ' ')+1:]
}

// objectWalk collects the objects of a snapshot.
type objectWalk struct {
	store    *Store
	ctx      context.Context
	rd       *git.Reader
	paths    map[string][]BrokenPart // the parts that an unreadable object breaks, by oid
	manifest *Manifest
}

func (w *objectWalk) add(part, path, oid string) {
	w.paths[oid] = append(w.paths[oid], BrokenPart{Part: part, Path: path, OID: oid})
}

// walkTree collects a tree of the snapshot. check finds a tree that cannot be read.
func (w *objectWalk) walkTree(path, oid string) error {
	if w.ctx.Err() != nil {
		return w.ctx.Err()
	}
	w.addObject(path+"/", oid)
	entries, err := w.rd.Folder(oid)
	if err != nil {
		return w.ctx.Err()
	}
	for _, e := range entries {
		sub := strings.TrimPrefix(path+"/"+e.Path, "/")
		switch {
		case sub == "keep": // only kept alive
		case e.Type == "tree":
			if err := w.walkTree(sub, e.OID); err != nil {
				return err
			}
		case sub == "meta/manifest":
			if o, err := w.rd.Read(e.OID); err == nil {
				w.manifest, _ = Decode(o.Data)
			}
			fallthrough
		default:
			w.addObject(sub, e.OID)
		}
	}
	return nil
}

func (w *objectWalk) addObject(path, oid string) {
	switch group, rest, _ := strings.Cut(path, "/"); group {
	case "tree":
		if rest == "" {
			rest = "./"
		}
		w.add(PartFile, rest, oid)
	case "odd": // addOdd adds the paths, from the manifest
		if w.paths[oid] == nil {
			w.paths[oid] = []BrokenPart{}
		}
	case "staged":
		w.add(PartStaged, "", oid)
	case "meta":
		w.add(PartMeta, path, oid)
	default:
		w.add(PartCommit, "the snapshot", oid)
	}
}

// addOdd adds the paths of the objects below odd/.
func (w *objectWalk) addOdd() {
	if w.manifest == nil {
		return
	}
	for _, o := range w.manifest.Odd {
		w.add(PartFile, o.Path, o.OID)
	}
}

func (w *objectWalk) check() ([]BrokenPart, error) {
	var oids []string
	for oid := range w.paths {
		oids = append(oids, oid)
	}
	c, err := git.CheckObjects(w.ctx, w.store.Repo, oids, git.CheckOptions{AllowLoose: true})
	if err != nil {
		return nil, err
	}
	var list []BrokenPart
	for oid, why := range c.Unusable {
		for _, b := range w.paths[oid] {
			b.Err = why
			list = append(list, b)
		}
	}
	slices.SortFunc(list, func(a, b BrokenPart) int {
		return strings.Compare(a.Part+"\x00"+a.Path+"\x00"+a.OID, b.Part+"\x00"+b.Path+"\x00"+b.OID)
	})
	return list, nil
}

// Damaged is a snapshot with parts that cannot be read.
type Damaged struct {
	Info   Info
	Broken []BrokenPart
}

// Examine is Unreadable for many snapshots: shared objects are read once. It returns the damaged
// ones in the given order. progress, if not nil, is called before each with the number examined so
// far.
func (s *Store) Examine(ctx context.Context, list []Info, progress func(done int)) ([]Damaged, error) {
	seen := map[string]bool{}
	rd, err := s.Repo.Reader(ctx)
	if err != nil {
		return nil, err
	}
	defer rd.Close()
	var names func(tree string) error
	names = func(tree string) error {
		if seen[tree] {
			return nil
		}
		seen[tree] = true
		entries, err := rd.Folder(tree)
		if err != nil {
			return ctx.Err() // the check finds it
		}
		for _, e := range entries {
			if e.Type != "tree" {
				seen[e.OID] = true
			} else if err := names(e.OID); err != nil {
				return err
			}
		}
		return ctx.Err()
	}
	for n, info := range list {
		if progress != nil {
			progress(n)
		}
		seen[info.Commit] = true
		if info.Head != "" {
			seen[info.Head] = true
		}
		if o, err := rd.Read(info.Commit); err == nil {
			if err := names(snapshotTree(o)); err != nil {
				return nil, err
			}
		}
	}
	c, err := git.CheckObjects(ctx, s.Repo, slices.Collect(maps.Keys(seen)), git.CheckOptions{AllowLoose: true})
	if err != nil || len(c.Unusable) == 0 {
		return nil, err
	}
	var out []Damaged
	for _, info := range list {
		broken, err := s.Unreadable(ctx, info)
		if err != nil {
			return nil, err
		}
		if len(broken) > 0 {
			out = append(out, Damaged{info, broken})
		}
	}
	return out, nil
}

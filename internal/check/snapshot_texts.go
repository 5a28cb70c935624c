package check

import (
	"context"
	"fmt"
	"sync"

	"github.com/belay-dev/belay/internal/belay"
	"github.com/belay-dev/belay/internal/git"
	"github.com/belay-dev/belay/internal/snapshot"
)

// Texts are read from snapshots and never from the working tree, which may have changed since.

// SnapshotTexts is two snapshots of one store. It is safe for concurrent use.
type SnapshotTexts struct {
	snaps         *snapshot.Store
	before, after belay.SnapshotID

	once          sync.Once
	entriesBefore map[string]snapshot.Entry
	entriesAfter  map[string]snapshot.Entry
	inner         []snapshot.InnerPair // nested repositories; then and now contain their entries
	err           error
}

// NewSnapshotTexts returns the texts of two snapshots, which are read when needed.
func NewSnapshotTexts(snaps *snapshot.Store, before, after belay.SnapshotID) *SnapshotTexts {
	return &SnapshotTexts{snaps: snaps, before: before, after: after}
}

// Each calls take for each of the paths that differs, in order, with the file's content in each
// snapshot: nil if it does not exist or is not a regular file. If it has more than most bytes in
// one of them, larger is true and there is no content. It stops at the first error of take.
func (s *SnapshotTexts) Each(ctx context.Context, paths []string, most int64,
	take func(path string, before, after []byte, larger bool) error) error {
	if err := s.list(ctx); err != nil || len(paths) == 0 {
		return err
	}
	var changed, oids []string
	for _, p := range paths {
		if s.entriesBefore[p] != s.entriesAfter[p] {
			changed = append(changed, p)
			oids = append(oids, regularFileOID(s.entriesBefore[p]), regularFileOID(s.entriesAfter[p]))
		}
	}
	// each repository has its own objects
	for _, repo := range s.repositories() {
		var here, named []string
		for i, p := range changed {
			if s.repository(p) == repo {
				here, named = append(here, p), append(named, oids[2*i:2*i+2]...)
			}
		}
		if err := s.eachIn(ctx, repo, here, named, most, take); err != nil {
			return err
		}
	}
	return nil
}

// eachIn is Each for paths of one repository, with the objects of both sides.
func (s *SnapshotTexts) eachIn(ctx context.Context, repo *git.Repo, changed, oids []string, most int64,
	take func(path string, before, after []byte, larger bool) error) error {
	sizes, err := sizes(ctx, repo, oids)
	if err != nil || len(changed) == 0 {
		return err
	}
	rd, err := repo.Reader(ctx)
	if err != nil {
		return err
	}
	defer rd.Close()
	for i, p := range changed {
		var both [2][]byte
		larger := sizes[oids[2*i]] > most || sizes[oids[2*i+1]] > most
		for side, oid := range oids[2*i : 2*i+2] {
			if oid == "" || larger {
				continue
			}
			o, err := rd.Read(oid)
			if err != nil {
				return fmt.Errorf("read %s: %w", belay.VisibleLine(p), err)
			}
			both[side] = append([]byte{}, o.Data...) // an empty file exists, so not nil
		}
		if err := take(p, both[0], both[1], larger); err != nil {
			return err
		}
	}
	return nil
}

// Paths returns the files of the after snapshot.
func (s *SnapshotTexts) Paths(ctx context.Context) ([]string, error) {
	if err := s.list(ctx); err != nil {
		return nil, err
	}
	paths := make([]string, 0, len(s.entriesAfter))
	for p, e := range s.entriesAfter {
		if e.OID != "" {
			paths = append(paths, p)
		}
	}
	return paths, nil
}

// Beside returns a reader of files of the after snapshot: false for a file that does not exist, is
// not a regular file, has more than most bytes, or cannot be read. done closes it; the reader is
// not safe for concurrent use.
func (s *SnapshotTexts) Beside(ctx context.Context) (read func(path string, most int64) ([]byte, bool), done func(), err error) {
	if err := s.list(ctx); err != nil {
		return nil, nil, err
	}
	end := s.snaps.Repo.ShareReader()
	return func(path string, most int64) ([]byte, bool) {
		oid := regularFileOID(s.entriesAfter[path])
		if oid == "" {
			return nil, false
		}
		repo := s.repository(path)
		sizes, err := sizes(ctx, repo, []string{oid})
		if err != nil || sizes[oid] > most {
			return nil, false
		}
		rd, err := repo.Reader(ctx)
		if err != nil {
			return nil, false
		}
		defer rd.Close()
		o, err := rd.Read(oid)
		return append([]byte{}, o.Data...), err == nil
	}, end, nil
}

func (s *SnapshotTexts) list(ctx context.Context) error {
	s.once.Do(func() {
		var then inventory
		if then, s.err = listSnapshot(ctx, s.snaps, s.before, nil); s.err == nil {
			var now inventory
			now, s.err = listSnapshot(ctx, s.snaps, s.after, &then)
			s.entriesBefore, s.entriesAfter = then.entries, now.entries
		}
		if s.err == nil {
			s.err = s.inside(ctx)
		}
	})
	return s.err
}

// inside adds the files of nested repositories. Of repositories nested in those only the changes
// are known, not the content.
func (s *SnapshotTexts) inside(ctx context.Context) error {
	pairs, err := s.snaps.InnerPairs(ctx, s.before, s.after)
	if err != nil {
		return err
	}
	for _, p := range pairs {
		for side, id := range []belay.SnapshotID{p.From, p.To} {
			list, err := listSnapshot(ctx, p.Store, id, nil)
			if err != nil {
				return err
			}
			for path, e := range list.entries {
				e.Path = p.Path + "/" + path
				[]map[string]snapshot.Entry{s.entriesBefore, s.entriesAfter}[side][e.Path] = e
			}
		}
	}
	s.inner = pairs
	return nil
}

// inventory is the content of a snapshot, by path.
type inventory struct {
	tree       string
	incomplete bool // some names are not in the git tree
	entries    map[string]snapshot.Entry
}

// listSnapshot lists the files and empty folders of a snapshot, based on another one's list if
// given. Permissions are left out, because they are not text.
func listSnapshot(ctx context.Context, snaps *snapshot.Store, id belay.SnapshotID, like *inventory) (inventory, error) {
	info, err := snaps.LookUp(ctx, id)
	if err != nil {
		return inventory{}, err
	}
	m, err := snaps.Manifest(ctx, info)
	if err != nil {
		return inventory{}, err
	}
	out := inventory{tree: info.Tree, incomplete: len(m.Odd) > 0}
	if like != nil && !like.incomplete {
		out.entries, err = like.listChanged(ctx, snaps.Repo, info.Tree)
	} else {
		out.entries, err = listTree(ctx, snaps.Repo, info.Tree)
	}
	for _, o := range m.Odd {
		out.add(o.Path, o.Mode, o.OID)
	}
	for _, f := range m.Folders {
		out.add(f, 0o40000, "")
	}
	return out, err
}

func (l inventory) add(path string, mode uint32, oid string) {
	l.entries[path] = snapshot.Entry{Path: path, Mode: mode, OID: oid}
}

// listTree lists the files of a tree.
func listTree(ctx context.Context, repo *git.Repo, tree string) (map[string]snapshot.Entry, error) {
	list, err := repo.ListTree(ctx, tree)
	all := make(map[string]snapshot.Entry, len(list))
	for _, e := range list {
		all[e.Path] = snapshot.Entry{Path: e.Path, Mode: e.Mode, OID: e.OID}
	}
	return all, err
}

// listChanged returns the files of another tree, based on the differences.
func (l inventory) listChanged(ctx context.Context, repo *git.Repo, tree string) (map[string]snapshot.Entry, error) {
	list, err := repo.DiffTrees(ctx, l.tree, tree)
	all := make(map[string]snapshot.Entry, len(l.entries))
	for path, e := range l.entries {
		if e.Mode != 0o40000 { // an empty folder is not in the git tree
			all[path] = e
		}
	}
	for _, d := range list {
		delete(all, d.Path)
		if d.NewMode != 0 {
			all[d.Path] = snapshot.Entry{Path: d.Path, Mode: d.NewMode, OID: d.NewOID}
		}
	}
	return all, err
}

// regularFileOID returns an entry's object if it is a regular file, else "".
func regularFileOID(e snapshot.Entry) string {
	if e.Mode&0o170000 != 0o100000 {
		return ""
	}
	return e.OID
}

// repositories returns the tree's repository and the nested ones.
func (s *SnapshotTexts) repositories() []*git.Repo {
	all := []*git.Repo{s.snaps.Repo}
	for _, p := range s.inner {
		all = append(all, p.Store.Repo)
	}
	return all
}

// repository returns the repository that contains a path.
func (s *SnapshotTexts) repository(path string) *git.Repo {
	for _, p := range s.inner {
		if _, in := snapshot.InnerPath(p.Path, path); in {
			return p.Store.Repo
		}
	}
	return s.snaps.Repo
}

func sizes(ctx context.Context, repo *git.Repo, oids []string) (map[string]int64, error) {
	out := map[string]int64{}
	var ask []string
	for _, oid := range oids {
		if _, known := out[oid]; oid != "" && !known {
			out[oid] = 0
			ask = append(ask, oid)
		}
	}
	if len(ask) == 0 {
		return out, nil
	}
	sizes, err := repo.Sizes(ctx, ask)
	if err != nil {
		return nil, err
	}
	for i, oid := range ask {
		out[oid] = sizes[i]
	}
	return out, nil
}

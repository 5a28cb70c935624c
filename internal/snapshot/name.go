package snapshot

import (
	"context"
	"encoding/hex"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/belay-dev/belay/internal/git"

	"github.com/belay-dev/belay/internal/fsroot"
	"github.com/belay-dev/belay/internal/scan"
)

// name gives everything its object name: the files' tree, the manifest, git's state.
// Name names everything once more.
func (s *Place) Name(ctx context.Context, c *Capture) (err error) {
	c.Man = s.describe(c)
	if c.Wanted.Inner != nil {
		if err := c.Wanted.Inner.Take(ctx, c.Man); err != nil {
			return err
		}
	}
	c.Objects = slices.Clone(c.Index.Objects)
	if c.Seen != nil {
		c.Count, c.Tree, c.Blobs = c.Seen.Count, c.Seen.Tree, c.Seen.Changed
	}
	if err = s.nameStagedTree(ctx, c); err != nil {
		return err
	}
	c.Objects = append(c.Objects, c.Index.trees...)
	if c.Seen != nil {
		c.Objects = append(c.Objects, c.Seen.Trees...)
		return s.nameMeta(ctx, c)
	}
	c.Count = len(c.Scan.Entries)
	n, at := c.Count, func(i int) git.File {
		e := &c.Scan.Entries[i]
		return git.File{Path: e.Path, Mode: ModeOf(e.Kind), OID: string(e.OID)}
	}
	odd := map[int]bool{}
	for i := range c.Scan.Entries {
		e := &c.Scan.Entries[i]
		if IsOdd(e.Path, e.Kind == fsroot.SymbolicLink) {
			c.Man.Odd = append(c.Man.Odd, Odd{Path: e.Path, Mode: ModeOf(e.Kind), OID: e.OID.String()})
			odd[i] = true
		}
	}
	if len(odd) > 0 {
		var plain []git.File
		for i := range n {
			if !odd[i] {
				plain = append(plain, at(i))
			}
		}
		n, at = len(plain), func(i int) git.File { return plain[i] }
	}
	known := func(oid string) bool { return c.Last.settled() && c.Last.Has(oid) } // onlyNew drops them
	var trees []git.NewObject
	if c.Tree, trees, err = s.Repo.TreeOf(n, at, known); err != nil {
		return err
	}
	c.Objects = append(c.Objects, trees...)
	if err := s.nameBlobs(ctx, c); err != nil {
		return err
	}
	if err := s.nameMeta(ctx, c); err != nil {
		return err
	}
	return s.onlyNew(c)
}

// nameBlobs notes which files' blobs may have to be stored.
func (s *Place) nameBlobs(ctx context.Context, c *Capture) error {
	c.InStore = false
	if c.tracked != nil {
		if _, err := s.InHead(ctx, c); err != nil {
			return err
		}
		if c.tracked.wait(); c.tracked.err == nil {
			c.Relied = c.Relied.And(c.tracked.checked.Relied)
		}
	}
	for i := range c.Scan.Entries {
		e := &c.Scan.Entries[i]
		if !e.Fresh && c.Last.settled() {
			continue
		}
		if c.inStore(e) {
			c.InStore = true
			continue
		}
		c.Blobs[e.OID.String()] = sourceOf(e, !e.Fresh && c.Last.Valid)
	}
	return nil
}

// inStore reports whether the blob of a file need not be stored: HEAD's tree names it, and a
// pack has its bytes. It is known in a cold read only.
func (c *Capture) inStore(e *scan.Entry) bool {
	if c.tracked == nil || !c.inHead[string(e.OID)] {
		return false
	}
	_, sound := c.tracked.size(e.OID)
	return sound
}

func sourceOf(e *scan.Entry, held bool) *Source {
	return &Source{Path: e.Path, Link: e.Kind == fsroot.SymbolicLink, Size: e.Size, Held: held}
}

// onlyNew leaves out what the last take is known to have stored, and the blobs that only
// trees name that it stored.
func (s *Place) onlyNew(c *Capture) error {
	if !c.Last.settled() {
		return nil
	}
	c.Objects = slices.DeleteFunc(c.Objects, func(o git.NewObject) bool { return c.Last.Has(o.OID) })
	named := map[string]bool{}
	for _, o := range c.Objects {
		if o.Type != "tree" {
			continue
		}
		entries, err := git.ParseTree(o.Data, s.Repo.HashSize())
		if err != nil {
			return err // it is of our own making
		}
		for _, e := range entries {
			named[e.OID] = true
		}
	}
	maps.DeleteFunc(c.Blobs, func(oid string, _ *Source) bool { return !named[oid] || c.Last.Has(oid) })
	return nil
}

func ModeOf(k fsroot.PathKind) uint32 {
	switch k {
	case fsroot.Exec:
		return 0o100755
	case fsroot.SymbolicLink:
		return 0o120000
	}
	return 0o100644
}

// meta collects the files of a snapshot beside the working tree's.
type meta struct {
	s       *Place
	files   []git.File
	objects []git.NewObject
}

func (m *meta) blob(path string, data []byte) {
	oid := m.s.Repo.Name("blob", data)
	m.objects = append(m.objects, git.NewObject{OID: oid, Type: "blob", Data: data})
	m.oid(path, 0o100644, oid)
}

func (m *meta) oid(path string, mode uint32, oid string) {
	raw, _ := hex.DecodeString(oid) // made by us, or printed by git
	m.files = append(m.files, git.File{Path: path, Mode: mode, OID: string(raw)})
}

// gitFile stores one of git's own files. A link is stored by its target, apart.
func (m *meta) gitFile(man *Manifest, group string, f git.StateFile) {
	if f.Link {
		m.blob("meta/links/"+group+f.Name, f.Data)
		return
	}
	m.blob("meta/"+group+f.Name, f.Data)
	if f.Perm != git.UsualPerm {
		man.Links = append(man.Links, Mode{Path: group + f.Name, Perm: f.Perm})
	}
}

// chunks stores a file that changes a little at a time as pieces in a folder.
func (m *meta) chunks(path string, data []byte) {
	for i, piece := range Chunks(data) {
		m.blob(fmt.Sprintf("%s/%06d", path, i), piece)
	}
	if len(data) == 0 {
		m.blob(path+"/000000", nil)
	}
}

func (s *Place) nameMeta(ctx context.Context, c *Capture) error {
	m := &meta{s: s}
	if c.Tree != s.Repo.Name("tree", nil) { // git knows the empty tree without storing it
		m.oid("tree", 0o040000, c.Tree)
	}
	for _, o := range c.Man.Odd {
		m.oid("odd/"+o.OID, 0o100644, o.OID)
	}
	for _, f := range c.State {
		m.gitFile(c.Man, "state/", f)
	}
	for _, f := range c.Admin {
		m.gitFile(c.Man, "admin/", f)
	}
	for _, f := range c.Own {
		m.gitFile(c.Man, "own/", f)
	}
	for _, b := range c.Broken {
		m.blob("meta/broken/"+b.Name, b.Data)
	}
	m.blob("meta/worktrees", c.Trees)
	for _, f := range c.Logs {
		m.chunks("meta/"+f.Name, f.Data)
		if f.Perm != git.UsualPerm {
			c.Man.Links = append(c.Man.Links, Mode{Path: f.Name, Perm: f.Perm})
		}
	}
	for _, r := range c.Rules.files {
		m.blob("meta/rules/"+s.Repo.Name("blob", r.Data), r.Data)
	}
	for _, r := range c.Man.Rules {
		m.oid("meta/rules/"+r.OID, 0o100644, r.OID)
	}
	if c.Seen == nil {
		for _, e := range c.Scan.Rules {
			c.Blobs[e.OID.String()] = &Source{Path: e.Path, Size: e.Size, Held: !e.Fresh && c.Last.Valid}
		}
	}
	if c.Index.Tree != "" {
		m.oid("meta/index", 0o040000, c.Index.Tree)
	}
	if c.Index.Staged != "" {
		m.oid("staged", 0o040000, c.Index.Staged)
	}
	if err := s.nameRefs(ctx, c, m); err != nil {
		return err
	}
	if !c.Last.settled() {
		if _, err := s.InHead(ctx, c); err != nil {
			return err
		}
		c.Man.Lost = append(c.Man.Lost, stillLost(c)...)
	}
	m.blob("meta/manifest", c.Man.Encode())
	m.files = unique(m.files)
	whole, trees, err := s.Repo.Tree(m.files)
	c.Whole = whole
	c.Objects = slices.Concat(c.Objects, m.objects, trees)
	c.Next.Trees = names(c.Objects)
	return err
}

// stillLost returns those trees of HEAD that cannot be read and that are not trees of the
// present, which are stored again.
func stillLost(c *Capture) []Lost {
	c.headLost = slices.DeleteFunc(c.headLost, func(l Lost) bool {
		return slices.ContainsFunc(c.Objects, func(o git.NewObject) bool { return o.OID == l.OID })
	})
	return c.headLost
}

// unique drops files of the same path: an odd or rule blob may be named twice.
func unique(files []git.File) []git.File {
	slices.SortFunc(files, func(a, b git.File) int { return strings.Compare(a.Path, b.Path) })
	return slices.CompactFunc(files, func(a, b git.File) bool { return a.Path == b.Path })
}

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

// HashObjects computes the object names of everything in the capture: the tree of the files, the
// manifest, git's state.
func (s *Worktree) HashObjects(ctx context.Context, c *Capture) (err error) {
	c.Manifest = s.newManifest(c)
	if c.Options.InnerSnapshots != nil {
		if err := c.Options.InnerSnapshots.Take(ctx, c.Manifest); err != nil {
			return err
		}
	}
	c.Objects = slices.Clone(c.Index.Objects)
	if c.Answer != nil {
		c.FileCount, c.FilesTree, c.Blobs = c.Answer.Count, c.Answer.Tree, c.Answer.Blobs
	}
	if err = s.hashStagedTree(ctx, c); err != nil {
		return err
	}
	c.Objects = append(c.Objects, c.Index.stagedTrees...)
	if c.Answer != nil {
		c.Objects = append(c.Objects, c.Answer.Trees...)
		return s.hashMeta(ctx, c)
	}
	c.FileCount = len(c.Scan.Entries)
	n, at := c.FileCount, func(i int) git.File {
		e := &c.Scan.Entries[i]
		return git.File{Path: e.Path, Mode: GitMode(e.Kind), OID: string(e.OID)}
	}
	odd := map[int]bool{}
	for i := range c.Scan.Entries {
		e := &c.Scan.Entries[i]
		if IsOdd(e.Path, e.Kind == fsroot.SymbolicLink) {
			c.Manifest.Odd = append(c.Manifest.Odd, OddPath{Path: e.Path, Mode: GitMode(e.Kind), OID: e.OID.String()})
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
	known := func(oid string) bool { return c.LastCache.isTrusted() && c.LastCache.Has(oid) } // dropStored drops them
	var trees []git.NewObject
	if c.FilesTree, trees, err = s.Repo.TreeOf(n, at, known); err != nil {
		return err
	}
	c.Objects = append(c.Objects, trees...)
	if err := s.collectBlobs(ctx, c); err != nil {
		return err
	}
	if err := s.hashMeta(ctx, c); err != nil {
		return err
	}
	return s.dropStored(c)
}

// collectBlobs collects the files' blobs that may have to be stored.
func (s *Worktree) collectBlobs(ctx context.Context, c *Capture) error {
	c.OmitsStored = false
	if c.trackedBlobs != nil {
		if _, err := s.HeadObjects(ctx, c); err != nil {
			return err
		}
		if c.trackedBlobs.wait(); c.trackedBlobs.err == nil {
			c.FoundIn = c.FoundIn.Merge(c.trackedBlobs.checked.FoundObjects)
		}
	}
	for i := range c.Scan.Entries {
		e := &c.Scan.Entries[i]
		if !e.Fresh && c.LastCache.isTrusted() {
			continue
		}
		if c.isStored(e) {
			c.OmitsStored = true
			continue
		}
		c.Blobs[e.OID.String()] = newBlobSource(e, !e.Fresh && c.LastCache.Valid)
	}
	return nil
}

// isStored reports whether the blob of a file need not be stored: HEAD's tree names it, and a
// pack contains it. That is known only for a scan without a cache.
func (c *Capture) isStored(e *scan.Entry) bool {
	if c.trackedBlobs == nil || !c.headObjects[string(e.OID)] {
		return false
	}
	_, sound := c.trackedBlobs.sizeOf(e.OID)
	return sound
}

func newBlobSource(e *scan.Entry, held bool) *BlobSource {
	return &BlobSource{Path: e.Path, IsLink: e.Kind == fsroot.SymbolicLink, Size: e.Size, Stored: held}
}

// dropStored removes the objects that the last snapshot is known to have stored.
func (s *Worktree) dropStored(c *Capture) error {
	if !c.LastCache.isTrusted() {
		return nil
	}
	c.Objects = slices.DeleteFunc(c.Objects, func(o git.NewObject) bool { return c.LastCache.Has(o.OID) })
	named := map[string]bool{}
	for _, o := range c.Objects {
		if o.Type != "tree" {
			continue
		}
		entries, err := git.ParseTree(o.Data, s.Repo.HashSize())
		if err != nil {
			return err // belay made the list itself
		}
		for _, e := range entries {
			named[e.OID] = true
		}
	}
	maps.DeleteFunc(c.Blobs, func(oid string, _ *BlobSource) bool { return !named[oid] || c.LastCache.Has(oid) })
	return nil
}

func GitMode(k fsroot.PathKind) uint32 {
	switch k {
	case fsroot.Exec:
		return 0o100755
	case fsroot.SymbolicLink:
		return 0o120000
	}
	return 0o100644
}

// meta collects the files of a snapshot besides those of the working tree.
type meta struct {
	worktree *Worktree
	files    []git.File
	objects  []git.NewObject
}

func (m *meta) addBlob(path string, data []byte) {
	oid := m.worktree.Repo.HashObject("blob", data)
	m.objects = append(m.objects, git.NewObject{OID: oid, Type: "blob", Data: data})
	m.addOID(path, 0o100644, oid)
}

func (m *meta) addOID(path string, mode uint32, oid string) {
	raw, _ := hex.DecodeString(oid) // from belay or from git, always valid
	m.files = append(m.files, git.File{Path: path, Mode: mode, OID: string(raw)})
}

// addGitFile stores one of git's own files. A link is stored separately, by its target.
func (m *meta) addGitFile(man *Manifest, group string, f git.StateFile) {
	if f.Link {
		m.addBlob("meta/links/"+group+f.Name, f.Data)
		return
	}
	m.addBlob("meta/"+group+f.Name, f.Data)
	if f.Perm != git.DefaultPerm {
		man.AdminModes = append(man.AdminModes, Mode{Path: group + f.Name, Perm: f.Perm})
	}
}

// addChunks stores a file that changes little at a time as pieces in a folder.
func (m *meta) addChunks(path string, data []byte) {
	for i, piece := range SplitChunks(data) {
		m.addBlob(fmt.Sprintf("%s/%06d", path, i), piece)
	}
	if len(data) == 0 {
		m.addBlob(path+"/000000", nil)
	}
}

func (s *Worktree) hashMeta(ctx context.Context, c *Capture) error {
	m := &meta{worktree: s}
	if c.FilesTree != s.Repo.HashObject("tree", nil) { // git has the empty tree built in
		m.addOID("tree", 0o040000, c.FilesTree)
	}
	for _, o := range c.Manifest.Odd {
		m.addOID("odd/"+o.OID, 0o100644, o.OID)
	}
	for _, f := range c.OperationFiles {
		m.addGitFile(c.Manifest, "state/", f)
	}
	for _, f := range c.SharedFiles {
		m.addGitFile(c.Manifest, "admin/", f)
	}
	for _, f := range c.WorktreeFiles {
		m.addGitFile(c.Manifest, "own/", f)
	}
	for _, b := range c.BrokenRefs {
		m.addBlob("meta/broken/"+b.Name, b.Data)
	}
	m.addBlob("meta/worktrees", c.Worktrees)
	for _, f := range c.Reflogs {
		m.addChunks("meta/"+f.Name, f.Data)
		if f.Perm != git.DefaultPerm {
			c.Manifest.AdminModes = append(c.Manifest.AdminModes, Mode{Path: f.Name, Perm: f.Perm})
		}
	}
	for _, r := range c.Rules.files {
		m.addBlob("meta/rules/"+s.Repo.HashObject("blob", r.Data), r.Data)
	}
	for _, r := range c.Manifest.Rules {
		m.addOID("meta/rules/"+r.OID, 0o100644, r.OID)
	}
	if c.Answer == nil {
		for _, e := range c.Scan.Rules {
			c.Blobs[e.OID.String()] = &BlobSource{Path: e.Path, Size: e.Size, Stored: !e.Fresh && c.LastCache.Valid}
		}
	}
	if c.Index.MetaTree != "" {
		m.addOID("meta/index", 0o040000, c.Index.MetaTree)
	}
	if c.Index.StagedTree != "" {
		m.addOID("staged", 0o040000, c.Index.StagedTree)
	}
	if err := s.hashRefs(ctx, c, m); err != nil {
		return err
	}
	if !c.LastCache.isTrusted() {
		if _, err := s.HeadObjects(ctx, c); err != nil {
			return err
		}
		c.Manifest.Lost = append(c.Manifest.Lost, stillLostTrees(c)...)
	}
	m.addBlob("meta/manifest", c.Manifest.Encode())
	m.files = uniqueFiles(m.files)
	whole, trees, err := s.Repo.Tree(m.files)
	c.SnapshotTree = whole
	c.Objects = slices.Concat(c.Objects, m.objects, trees)
	c.NextCache.Objects = rawNames(c.Objects)
	return err
}

// stillLostTrees returns the trees of HEAD that cannot be read and that are not in the current
// state, whose trees are stored again.
func stillLostTrees(c *Capture) []LostObject {
	c.lostHeadTrees = slices.DeleteFunc(c.lostHeadTrees, func(l LostObject) bool {
		return slices.ContainsFunc(c.Objects, func(o git.NewObject) bool { return o.OID == l.OID })
	})
	return c.lostHeadTrees
}

// uniqueFiles drops files with the same path: an odd or rule blob may be added twice.
func uniqueFiles(files []git.File) []git.File {
	slices.SortFunc(files, func(a, b git.File) int { return strings.Compare(a.Path, b.Path) })
	return slices.CompactFunc(files, func(a, b git.File) bool { return a.Path == b.Path })
}

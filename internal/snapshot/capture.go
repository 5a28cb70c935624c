package snapshot

import (
	"context"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"slices"
	"strings"

	"github.com/belay-dev/belay/internal/belay"
	"github.com/belay-dev/belay/internal/git"
	"github.com/belay-dev/belay/internal/manifest"
	"github.com/belay-dev/belay/internal/worktree"
)

// capture is the present as it was read: everything a snapshot holds, named, and the
// objects to be stored for it. Reading it changes nothing.
type capture struct {
	refs    []git.Ref
	newest  belay.SnapshotID
	wanted  wanted // what is captured besides the ordinary
	last    memory // what the last take left to remember
	next    memory // what this one leaves, as far as refs go
	head    git.Head
	rules   outerRules
	index   indexState
	state   []gitFile
	admin   []gitFile // shared by all working trees
	own     []gitFile // of this one
	logs    []gitFile
	scan    *worktree.Result
	man     *manifest.Manifest
	files   []git.File
	tree    string             // the files' tree
	whole   string             // the snapshot's tree
	parents []string           // of the snapshot's commit
	objects []git.NewObject    // everything but the files' blobs
	blobs   map[string]*source // the files' blobs that may have to be stored, by oid
	trees   []string           // every tree of the files, for the next take to know
	moving  bool
}

// wanted is what a rescue captures besides the ordinary: paths, as globs, that are
// ignored and in the way of a restore; and what the rules of another time would not
// have ignored. Otherwise a line added to .gitignore would hide files from the rescue,
// and a restore would leave them.
type wanted struct {
	include []string
	rules   *oldRules
}

// source is where a blob's bytes are in the working tree.
type source struct {
	path string
	link bool
	size int64
}

// capture reads the present.
func (s *Store) capture(ctx context.Context, w wanted) (*capture, error) {
	c := &capture{blobs: map[string]*source{}, wanted: w}
	if err := s.readGitState(ctx, c); err != nil {
		return nil, err
	}
	cold := !c.last.valid
	scan, err := s.scan(ctx, c, cold)
	if err != nil {
		return nil, err
	}
	c.scan, c.moving = scan, scan.Moving
	if cold {
		if err := s.distrust(ctx, c); err != nil {
			return nil, err
		}
	}
	return c, s.name(ctx, c)
}

// readGitState reads refs, HEAD, index and git's own files. The index is replaced by
// rename when git writes it, so its bytes need no lock.
func (s *Store) readGitState(ctx context.Context, c *capture) (err error) {
	failed := make(chan error, 1)
	go func() {
		var err error
		c.rules, err = s.outerRules(ctx)
		failed <- err
	}()
	c.refs, err = s.repo.Refs(ctx)
	if err = errors.Join(err, <-failed); err != nil {
		return err
	}
	c.newest = newestOf(c.refs)
	c.last = s.remember(c.refs)
	if c.head, err = s.repo.Head(ctx, c.refs); err != nil {
		return err
	}
	if c.state, err = readGit(s.repo.Dir, stateNames()); err != nil {
		return err
	}
	if c.admin, err = readGit(s.repo.Common, adminFiles); err != nil {
		return err
	}
	if c.own, err = readGit(s.repo.Dir, ownFiles); err != nil {
		return err
	}
	if c.logs, err = s.readLogs(c.head, c.refs); err != nil {
		return err
	}
	return s.readIndex(ctx, c)
}

// readLogs reads the reflogs that a restore may have to put back: HEAD's, those of
// local branches and the stash's, which is the stash. Those of a reftable are left to
// git.
func (s *Store) readLogs(head git.Head, refs []git.Ref) ([]gitFile, error) {
	if s.repo.Reftab {
		return nil, nil
	}
	own, err := readGit(s.repo.Dir, []string{"logs/HEAD"})
	if err != nil {
		return nil, err
	}
	var names []string
	for _, r := range refs {
		if strings.HasPrefix(r.Name, "refs/heads/") || r.Name == "refs/stash" {
			names = append(names, "logs/"+r.Name)
		}
	}
	shared, err := readGit(s.repo.Common, names)
	return append(own, shared...), err
}

func newestOf(refs []git.Ref) belay.SnapshotID {
	newest := belay.SnapshotID("")
	for _, r := range refs {
		if id, ours := strings.CutPrefix(r.Name, Prefix); ours && len(id) == 26 {
			newest = max(newest, belay.SnapshotID(id))
		}
	}
	return newest
}

// scan reads the working tree. A cold scan may believe the user's index about files
// that look untouched since git read them.
func (s *Store) scan(ctx context.Context, c *capture, seeds bool) (*worktree.Result, error) {
	ask := s.repo.Ignorer(ctx)
	defer ask.Close()
	ignored, key := ask.Ask, c.rules.key
	if r := c.wanted.rules; r != nil {
		ignored, key = r.both(ask.Ask), key+" "+r.key
	}
	o := worktree.Options{
		Root: s.repo.Root, GitDir: s.repo.Dir, Cache: s.cachePath(), NewHash: s.repo.NewHash,
		TrackedKey: c.index.key, RulesKey: key, Ignored: ignored,
		Include: slices.Concat(s.opts.Include, c.wanted.include), MaxFile: s.opts.MaxFile,
		ReadTracked: s.tracked(c, seeds),
	}
	return worktree.Scan(ctx, o)
}

// distrust checks what a cold scan took from the user's index. Where a filter or a
// line-ending rule was at work when git read a file, the index names other bytes than
// the disk holds: the sizes differ, or there are attributes, and everything is read.
func (s *Store) distrust(ctx context.Context, c *capture) error {
	suspect := false
	for _, e := range c.scan.Entries {
		if strings.HasSuffix(e.Path, ".gitattributes") {
			suspect = true
			break
		}
	}
	for _, p := range c.scan.Ignored {
		suspect = suspect || strings.HasSuffix(p, ".gitattributes")
	}
	if !suspect {
		var err error
		if suspect, err = s.sizesDiffer(ctx, c.scan.Entries); err != nil {
			return err
		}
	}
	if !suspect {
		return nil
	}
	if err := os.Remove(s.cachePath()); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	scan, err := s.scan(ctx, c, false)
	if err != nil {
		return err
	}
	c.scan, c.moving = scan, scan.Moving
	return nil
}

func (s *Store) sizesDiffer(ctx context.Context, entries []worktree.Entry) (bool, error) {
	var oids []string
	var want []int64
	for _, e := range entries {
		if !e.Fresh {
			oids, want = append(oids, e.OID.String()), append(want, e.Size)
		}
	}
	sizes, err := s.repo.Sizes(ctx, oids)
	if err != nil {
		return false, err
	}
	for i, n := range sizes {
		if n >= 0 && n != want[i] {
			return true, nil
		}
	}
	return false, nil
}

// name gives everything its object name: the files' tree, the manifest, git's state.
func (s *Store) name(ctx context.Context, c *capture) (err error) {
	c.man = s.describe(c)
	c.files, c.objects, c.trees = nil, slices.Clone(c.index.objects), nil
	c.files = make([]git.File, 0, len(c.scan.Entries))
	for i := range c.scan.Entries {
		e := &c.scan.Entries[i]
		mode := modeOf(e.Kind)
		if manifest.IsOdd(e.Path, e.Kind == worktree.Link) {
			c.man.Odd = append(c.man.Odd, manifest.Odd{Path: e.Path, Mode: mode, OID: e.OID.String()})
		} else {
			c.files = append(c.files, git.File{Path: e.Path, Mode: mode, OID: string(e.OID)})
		}
		if e.Fresh || !c.last.valid {
			c.blobs[e.OID.String()] = &source{path: e.Path, link: e.Kind == worktree.Link, size: e.Size}
		}
	}
	var trees []git.NewObject
	if c.tree, trees, err = s.repo.Tree(c.files); err != nil {
		return err
	}
	for _, t := range trees {
		c.trees = append(c.trees, t.OID)
		if !c.last.tree(t.OID) {
			c.objects = append(c.objects, t)
		}
	}
	return s.nameMeta(ctx, c)
}

func modeOf(k worktree.Kind) uint32 {
	switch k {
	case worktree.Exec:
		return 0o100755
	case worktree.Link:
		return 0o120000
	}
	return 0o100644
}

// meta collects the files of a snapshot beside the working tree's.
type meta struct {
	s       *Store
	files   []git.File
	objects []git.NewObject
}

func (m *meta) blob(path string, data []byte) {
	oid := m.s.repo.Name("blob", data)
	m.objects = append(m.objects, git.NewObject{OID: oid, Type: "blob", Data: data})
	m.oid(path, 0o100644, oid)
}

func (m *meta) oid(path string, mode uint32, oid string) {
	raw, _ := hex.DecodeString(oid) // made by us, or printed by git
	m.files = append(m.files, git.File{Path: path, Mode: mode, OID: string(raw)})
}

// gitFile stores one of git's own files. A link is stored by its target, apart.
func (m *meta) gitFile(man *manifest.Manifest, group string, f gitFile) {
	if f.link {
		m.blob("meta/links/"+group+f.name, f.data)
		return
	}
	m.blob("meta/"+group+f.name, f.data)
	if f.perm != usualPerm {
		man.Links = append(man.Links, manifest.Mode{Path: group + f.name, Perm: f.perm})
	}
}

// chunks stores a file that changes a little at a time as pieces in a folder.
func (m *meta) chunks(path string, data []byte) {
	for i, piece := range manifest.Chunks(data) {
		m.blob(fmt.Sprintf("%s/%06d", path, i), piece)
	}
	if len(data) == 0 {
		m.blob(path+"/000000", nil)
	}
}

func (s *Store) nameMeta(ctx context.Context, c *capture) error {
	m := &meta{s: s}
	if len(c.files) > 0 { // git knows the empty tree without storing it
		m.oid("tree", 0o040000, c.tree)
	}
	for _, o := range c.man.Odd {
		m.oid("odd/"+o.OID, 0o100644, o.OID)
	}
	for _, f := range c.state {
		m.gitFile(c.man, "state/", f)
	}
	for _, f := range c.admin {
		m.gitFile(c.man, "admin/", f)
	}
	for _, f := range c.own {
		m.gitFile(c.man, "own/", f)
	}
	for _, f := range c.logs {
		m.chunks("meta/"+f.name, f.data)
	}
	for _, r := range c.rules.files {
		m.blob("meta/rules/"+s.repo.Name("blob", r.data), r.data)
	}
	for _, e := range c.scan.Rules {
		m.oid("meta/rules/"+e.OID.String(), 0o100644, e.OID.String())
		c.blobs[e.OID.String()] = &source{path: e.Path, size: e.Size}
	}
	if c.index.tree != "" {
		m.oid("meta/index", 0o040000, c.index.tree)
	}
	if c.index.staged != "" {
		m.oid("staged", 0o040000, c.index.staged)
	}
	if err := s.nameRefs(ctx, c, m); err != nil {
		return err
	}
	m.blob("meta/manifest", c.man.Encode())
	m.files = unique(m.files)
	whole, trees, err := s.repo.Tree(m.files)
	c.whole = whole
	c.objects = slices.Concat(c.objects, m.objects, trees)
	return err
}

// unique drops files of the same path: an odd or rule blob may be named twice.
func unique(files []git.File) []git.File {
	slices.SortFunc(files, func(a, b git.File) int { return strings.Compare(a.Path, b.Path) })
	return slices.CompactFunc(files, func(a, b git.File) bool { return a.Path == b.Path })
}

// describe makes the manifest of a scan, but for what nameMeta adds.
func (s *Store) describe(c *capture) *manifest.Manifest {
	m := &manifest.Manifest{Ignored: c.scan.Ignored, Index: c.index.facts}
	perms := map[worktree.Kind]map[uint16]int{worktree.File: {}, worktree.Exec: {}, worktree.Folder: {}}
	for _, e := range c.scan.Entries {
		if e.Kind != worktree.Link {
			perms[e.Kind][e.Perm]++
		}
	}
	for _, d := range c.scan.Dirs {
		perms[worktree.Folder][d.Perm]++
	}
	m.FilePerm, m.ExecPerm, m.DirPerm = usual(perms[worktree.File], 0o644), usual(perms[worktree.Exec], 0o755), usual(perms[worktree.Folder], 0o755)
	for _, e := range c.scan.Entries {
		if e.Kind != worktree.Link && e.Perm != m.Perm("", e.Kind == worktree.Exec) {
			m.Modes = append(m.Modes, manifest.Mode{Path: e.Path, Perm: e.Perm})
		}
	}
	for _, d := range c.scan.Dirs {
		if d.Path == "" {
			continue // the root's own mode is the user's affair
		}
		if d.Perm != m.DirPerm {
			m.Modes = append(m.Modes, manifest.Mode{Path: d.Path, Perm: d.Perm})
		}
		if !holdsAny(c.scan.Entries, d.Path) {
			m.Folders = append(m.Folders, d.Path)
		}
	}
	slices.SortFunc(m.Modes, func(a, b manifest.Mode) int { return strings.Compare(a.Path, b.Path) })
	for _, g := range c.scan.Gaps {
		m.Gaps = append(m.Gaps, manifest.Gap{Path: g.Path, Reason: g.Reason, Tracked: g.Tracked})
	}
	for _, n := range c.scan.Nested {
		m.Nested = append(m.Nested, manifest.Nested{Path: n.Path, Head: s.nestedHead(n.Path)})
	}
	for _, e := range c.scan.Rules {
		m.Rules = append(m.Rules, manifest.Rule{Path: e.Path, OID: e.OID.String()})
	}
	for _, r := range c.rules.files {
		m.Rules = append(m.Rules, manifest.Rule{Path: r.name, OID: s.repo.Name("blob", r.data), Outer: true})
	}
	return m
}

func usual(counts map[uint16]int, otherwise uint16) uint16 {
	best, n := otherwise, 0
	for p, k := range counts {
		if k > n || k == n && p < best {
			best, n = p, k
		}
	}
	return best
}

// holdsAny reports whether any of the sorted entries lies below a folder.
func holdsAny(entries []worktree.Entry, folder string) bool {
	prefix := folder + "/"
	i, _ := slices.BinarySearchFunc(entries, prefix, func(e worktree.Entry, p string) int { return strings.Compare(e.Path, p) })
	return i < len(entries) && strings.HasPrefix(entries[i].Path, prefix)
}

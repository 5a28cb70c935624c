package capture

import (
	"context"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/belay-dev/belay/internal/belay"
	"github.com/belay-dev/belay/internal/git"
	"github.com/belay-dev/belay/internal/gitfiles"
	"github.com/belay-dev/belay/internal/manifest"
	"github.com/belay-dev/belay/internal/scan"
	"github.com/belay-dev/belay/internal/worktree"
)

// Capture is the present as it was read: everything a snapshot holds, named, and the
// objects to be stored for it. Reading it changes nothing.
type Capture struct {
	Refs    []git.Ref
	Newest  belay.SnapshotID // among the refs
	Wanted  Wanted           // what is captured besides the ordinary
	Last    Memory           // what the last take left to remember
	Next    Memory           // what this one leaves, as far as refs go
	Head    git.Head
	Recall  func([]git.Ref) Memory // gives Last; nil is Remember
	Rules   outerRules
	Index   IndexState
	State   []gitfiles.File // of an operation in progress
	Admin   []gitfiles.File // what steers git, shared by all working trees
	Own     []gitfiles.File // what steers git in this one
	Logs    []gitfiles.File // reflogs
	Scan    *scan.Result
	Seen    *Seen // instead of Scan, when a watch answered
	Man     *manifest.Manifest
	Files   []git.File
	Tree    string             // the files' tree
	Whole   string             // the snapshot's tree
	Parents []string           // of the snapshot's commit
	Objects []git.NewObject    // everything but the files' blobs
	Blobs   map[string]*Source // the files' blobs that may have to be stored, by oid
	Moving  bool               // something changed while it was read
	Count   int                // how many files it holds
}

// Seen is what a watch knows of the working tree, without a look at every file: what
// it comes to, and what is not part of the snapshot that the question named.
type Seen struct {
	Tree    string
	Count   int
	Man     *manifest.Manifest // what a scan says; not the index, outer rules and commits of nested repositories
	Changed map[string]*Source // blobs, by oid
	Trees   []git.NewObject
	Index   string // the key of the index it holds for
	Rules   string // and of the rules outside of the tree
}

// Wanted is what a rescue captures besides the ordinary: paths, as globs, that are
// ignored and in the way of a restore; and what the rules of another time would not
// have ignored. Otherwise a line added to .gitignore would hide files from the rescue,
// and a restore would leave them.
type Wanted struct {
	Include []string
	Rules   *OldRules
	Brief   bool // a watch may answer: Scan, Files and Trees may be left out
}

// Source is where a blob's bytes are in the working tree.
type Source struct {
	Path string
	Link bool
	Size int64
}

// Read reads the present.
func (s *Place) Read(ctx context.Context, w Wanted) (*Capture, error) {
	c := &Capture{Blobs: map[string]*Source{}, Wanted: w}
	if err := s.GitState(ctx, c); err != nil {
		return nil, err
	}
	cold := !c.Last.Valid
	scan, err := s.Scan(ctx, c, cold)
	if err != nil {
		return nil, err
	}
	c.Scan, c.Moving = scan, scan.Moving
	if cold {
		if err := s.distrust(ctx, c); err != nil {
			return nil, err
		}
	}
	return c, s.Name(ctx, c)
}

// GitState reads refs, HEAD, index and git's own files. The index is replaced by
// rename when git writes it, so its bytes need no lock.
func (s *Place) GitState(ctx context.Context, c *Capture) (err error) {
	failed := make(chan error, 1)
	go func() {
		var err error
		c.Rules, err = s.outerRules(ctx)
		failed <- err
	}()
	c.Refs, err = s.Repo.Refs(ctx)
	if err = errors.Join(err, <-failed); err != nil {
		return err
	}
	c.Newest = newestOf(c.Refs)
	if c.Last = (Memory{}); c.Recall != nil {
		c.Last = c.Recall(c.Refs)
	} else {
		c.Last = s.Remember(c.Refs)
	}
	if c.Head, err = s.Repo.Head(ctx, c.Refs); err != nil {
		return err
	}
	if c.State, err = gitfiles.Read(s.Repo.Dir, gitfiles.State()); err != nil {
		return err
	}
	if c.Admin, err = gitfiles.Read(s.Repo.Common, gitfiles.Admin); err != nil {
		return err
	}
	if c.Own, err = gitfiles.Read(s.Repo.Dir, gitfiles.Own); err != nil {
		return err
	}
	if c.Logs, err = s.readLogs(c.Head, c.Refs); err != nil {
		return err
	}
	return s.readIndex(ctx, c)
}

// readLogs reads the reflogs that a restore may have to put back: HEAD's, those of
// local refs and the stash's, which is the stash. Remote ones say what was fetched when,
// and those of a reftable are left to git.
func (s *Place) readLogs(head git.Head, refs []git.Ref) ([]gitfiles.File, error) {
	if s.Repo.Reftab {
		return nil, nil
	}
	own, err := gitfiles.Read(s.Repo.Dir, []string{"logs/HEAD", "logs/ORIG_HEAD"})
	if err != nil {
		return nil, err
	}
	// Usually only branches have logs, and there may be thousands of tags to ask for.
	kinds, err := os.ReadDir(filepath.Join(s.Repo.Common, "logs", "refs"))
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("read git's state: %w", err)
	}
	var names []string
	for _, r := range refs {
		kind, _, _ := strings.Cut(strings.TrimPrefix(r.Name, "refs/"), "/")
		there := slices.ContainsFunc(kinds, func(d fs.DirEntry) bool { return d.Name() == kind })
		if there && kind != "remotes" && kind != "belay" && kind != "worktree" {
			names = append(names, "logs/"+r.Name)
		}
	}
	shared, err := gitfiles.Read(s.Repo.Common, names)
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

// Scan reads the working tree. A cold scan may believe the user's index about files
// that look untouched since git read them.
func (s *Place) Scan(ctx context.Context, c *Capture, seeds bool) (*scan.Result, error) {
	ask := s.Repo.Ignorer(ctx)
	defer ask.Close()
	return scan.Scan(ctx, s.options(c, seeds, ask))
}

func (s *Place) options(c *Capture, seeds bool, ask *git.Ignorer) scan.Options {
	ignored, key := ask.Ask, c.Rules.key
	if r := c.Wanted.Rules; r != nil {
		ignored, key = r.both(ask.Ask), key+" "+r.key
	}
	return scan.Options{
		Root: s.Repo.Root, GitDir: s.Repo.Dir, Cache: s.cachePath(), NewHash: s.Repo.NewHash,
		TrackedKey: c.Index.Key, RulesKey: key, Ignored: ignored,
		Include: slices.Concat(s.Include, c.Wanted.Include), MaxFile: s.MaxFile,
		ReadTracked: s.tracked(c, seeds),
	}
}

// distrust checks what a cold scan took from the user's index. Where a filter or a
// line-ending rule was at work when git read a file, the index names other bytes than
// the disk holds: the sizes differ, or there are attributes, and everything is read.
func (s *Place) distrust(ctx context.Context, c *Capture) error {
	suspect := false
	for _, e := range c.Scan.Entries {
		if strings.HasSuffix(e.Path, ".gitattributes") {
			suspect = true
			break
		}
	}
	for _, p := range c.Scan.Ignored {
		suspect = suspect || strings.HasSuffix(p, ".gitattributes")
	}
	if !suspect {
		var err error
		if suspect, err = s.sizesDiffer(ctx, c.Scan.Entries); err != nil {
			return err
		}
	}
	if !suspect {
		return nil
	}
	if err := os.Remove(s.cachePath()); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	scan, err := s.Scan(ctx, c, false)
	if err != nil {
		return err
	}
	c.Scan, c.Moving = scan, scan.Moving
	return nil
}

func (s *Place) sizesDiffer(ctx context.Context, entries []scan.Entry) (bool, error) {
	var oids []string
	var want []int64
	for _, e := range entries {
		if !e.Fresh {
			oids, want = append(oids, e.OID.String()), append(want, e.Size)
		}
	}
	sizes, err := s.Repo.Sizes(ctx, oids)
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
// Name names everything once more.
func (s *Place) Name(ctx context.Context, c *Capture) (err error) {
	c.Man = s.describe(c)
	c.Files, c.Objects = nil, slices.Clone(c.Index.Objects)
	if c.Seen != nil {
		c.Count, c.Tree, c.Blobs = c.Seen.Count, c.Seen.Tree, c.Seen.Changed
		c.Objects = append(c.Objects, c.Seen.Trees...)
		return s.nameMeta(ctx, c)
	}
	c.Count = len(c.Scan.Entries)
	c.Files = make([]git.File, 0, len(c.Scan.Entries))
	for i := range c.Scan.Entries {
		e := &c.Scan.Entries[i]
		mode := ModeOf(e.Kind)
		if manifest.IsOdd(e.Path, e.Kind == worktree.Link) {
			c.Man.Odd = append(c.Man.Odd, manifest.Odd{Path: e.Path, Mode: mode, OID: e.OID.String()})
		} else {
			c.Files = append(c.Files, git.File{Path: e.Path, Mode: mode, OID: string(e.OID)})
		}
		if e.Fresh || !c.Last.Valid {
			c.Blobs[e.OID.String()] = &Source{Path: e.Path, Link: e.Kind == worktree.Link, Size: e.Size}
		}
	}
	var trees []git.NewObject
	if c.Tree, trees, err = s.Repo.Tree(c.Files); err != nil {
		return err
	}
	c.Objects = append(c.Objects, trees...)
	if err := s.nameMeta(ctx, c); err != nil {
		return err
	}
	return s.onlyNew(c)
}

// onlyNew leaves out what the last take is known to have stored, and the blobs that only
// trees name that it stored.
func (s *Place) onlyNew(c *Capture) error {
	if !c.Last.Valid {
		return nil
	}
	c.Objects = slices.DeleteFunc(c.Objects, func(o git.NewObject) bool { return c.Last.has(o.OID) })
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
	maps.DeleteFunc(c.Blobs, func(oid string, _ *Source) bool { return !named[oid] || c.Last.has(oid) })
	return nil
}

func ModeOf(k worktree.Kind) uint32 {
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
func (m *meta) gitFile(man *manifest.Manifest, group string, f gitfiles.File) {
	if f.Link {
		m.blob("meta/links/"+group+f.Name, f.Data)
		return
	}
	m.blob("meta/"+group+f.Name, f.Data)
	if f.Perm != gitfiles.UsualPerm {
		man.Links = append(man.Links, manifest.Mode{Path: group + f.Name, Perm: f.Perm})
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
	for _, f := range c.Logs {
		m.chunks("meta/"+f.Name, f.Data)
		if f.Perm != gitfiles.UsualPerm {
			c.Man.Links = append(c.Man.Links, manifest.Mode{Path: f.Name, Perm: f.Perm})
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
			c.Blobs[e.OID.String()] = &Source{Path: e.Path, Size: e.Size}
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
	m.blob("meta/manifest", c.Man.Encode())
	m.files = unique(m.files)
	whole, trees, err := s.Repo.Tree(m.files)
	c.Whole = whole
	c.Objects = slices.Concat(c.Objects, m.objects, trees)
	c.Next.Trees = names(c.Objects)
	return err
}

// unique drops files of the same path: an odd or rule blob may be named twice.
func unique(files []git.File) []git.File {
	slices.SortFunc(files, func(a, b git.File) int { return strings.Compare(a.Path, b.Path) })
	return slices.CompactFunc(files, func(a, b git.File) bool { return a.Path == b.Path })
}

// describe makes the manifest of a scan, but for what nameMeta adds.
func (s *Place) describe(c *Capture) *manifest.Manifest {
	m := &manifest.Manifest{}
	if c.Seen != nil {
		*m = *c.Seen.Man
	} else {
		fromScan(m, c.Scan)
	}
	m.Index, m.Folders = c.Index.Facts, slices.Clone(m.Folders)
	for i, n := range m.Nested {
		m.Nested[i].Head = s.nestedHead(n.Path)
		// A submodule that was never checked out is an empty folder.
		if list, err := os.ReadDir(filepath.Join(s.Repo.Root, filepath.FromSlash(n.Path))); err == nil && len(list) == 0 {
			m.Folders = append(m.Folders, n.Path)
		}
	}
	slices.Sort(m.Folders)
	m.Folders = slices.Compact(m.Folders)
	for _, r := range c.Rules.files {
		m.Rules = append(m.Rules, manifest.Rule{Path: r.Name, OID: s.Repo.Name("blob", r.Data), Outer: true})
	}
	return m
}

// fromScan fills in what a scan says.
func fromScan(m *manifest.Manifest, r *scan.Result) {
	m.Ignored = r.Ignored
	perms := map[worktree.Kind]map[uint16]int{worktree.File: {}, worktree.Exec: {}, worktree.Folder: {}}
	for _, e := range r.Entries {
		if e.Kind != worktree.Link {
			perms[e.Kind][e.Perm]++
		}
	}
	for _, d := range r.Dirs {
		perms[worktree.Folder][d.Perm]++
	}
	m.FilePerm, m.ExecPerm, m.DirPerm = Usual(perms[worktree.File], 0o644), Usual(perms[worktree.Exec], 0o755), Usual(perms[worktree.Folder], 0o755)
	for _, e := range r.Entries {
		if e.Kind != worktree.Link && e.Perm != m.Perm("", e.Kind == worktree.Exec) {
			m.Modes = append(m.Modes, manifest.Mode{Path: e.Path, Perm: e.Perm})
		}
	}
	for _, d := range r.Dirs {
		if d.Path == "" {
			continue // the root's own mode is the user's affair
		}
		if d.Perm != m.DirPerm {
			m.Modes = append(m.Modes, manifest.Mode{Path: d.Path, Perm: d.Perm})
		}
		if !holdsAny(r.Entries, d.Path) {
			m.Folders = append(m.Folders, d.Path)
		}
	}
	slices.SortFunc(m.Modes, func(a, b manifest.Mode) int { return strings.Compare(a.Path, b.Path) })
	for _, g := range r.Gaps {
		m.Gaps = append(m.Gaps, manifest.Gap{Path: g.Path, Reason: g.Reason, Tracked: g.Tracked})
	}
	for _, n := range r.Nested {
		m.Nested = append(m.Nested, manifest.Nested{Path: n.Path})
	}
	for _, e := range r.Rules {
		m.Rules = append(m.Rules, manifest.Rule{Path: e.Path, OID: e.OID.String()})
	}
}

// Usual gives the mode that most have: the smallest of those, otherwise when there is none.
func Usual(counts map[uint16]int, otherwise uint16) uint16 {
	best, n := otherwise, 0
	for p, k := range counts {
		if k > n || k == n && p < best {
			best, n = p, k
		}
	}
	return best
}

// holdsAny reports whether any of the sorted entries lies below a folder.
func holdsAny(entries []scan.Entry, folder string) bool {
	prefix := folder + "/"
	i, _ := slices.BinarySearchFunc(entries, prefix, func(e scan.Entry, p string) int { return strings.Compare(e.Path, p) })
	return i < len(entries) && strings.HasPrefix(entries[i].Path, prefix)
}

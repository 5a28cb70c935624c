package snapshot

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"time"

	"github.com/belay-dev/belay/internal/fsroot"
	"github.com/belay-dev/belay/internal/git"

	"github.com/belay-dev/belay/internal/scan"
)

// IndexState is the user's index: its bytes by name, and the blobs that only it holds.
type IndexState struct {
	Key     string // changes when the file does
	Set     string // changes when the paths in it do
	Facts   Index
	Data    []byte           // nil when the last take remembered everything
	Entries []git.IndexEntry // what Data says
	Objects []git.NewObject
	Tree    string          // meta/index; "" without an index
	Staged  string          // the tree of blobs that only the index names; "" for none
	Blobs   []StagedBlob    // what it holds; nil when the last take remembered everything
	Held    map[string]bool // of these, what an earlier snapshot holds

	paths map[string]string // where the index has each of them
	sizes map[string]int64
	trees []git.NewObject // of Staged
}

// StagedBlob is a blob that the index names and HEAD's tree does not.
type StagedBlob struct {
	OID  string
	Size int64
}

// readIndex reads the index, unless it is the file that the last take read. git writes
// a new file and renames it, so an open one never changes.
func (s *Place) readIndex(ctx context.Context, c *Capture) error {
	f, err := fsroot.Open(filepath.Join(s.Repo.Dir, "index"))
	if errors.Is(err, fs.ErrNotExist) {
		c.Index = IndexState{Key: noIndex, Set: noIndex}
		return nil
	}
	if err != nil {
		return fmt.Errorf("read the index: %w", err)
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return fmt.Errorf("read the index: %w", err)
	}
	c.Index = IndexState{Key: indexKey(info),
		Facts: Index{Exists: true, Mtime: info.ModTime().UnixNano(), Perm: uint16(info.Mode().Perm())}}
	if c.Last.settled() && c.Last.IndexKey == c.Index.Key && c.Last.IndexHead == c.Head.OID && c.Last.IndexSet != "" {
		c.Index.Set, c.Index.Tree, c.Index.Staged = c.Last.IndexSet, c.Last.IndexTree, c.Last.Staged
		c.Next.Pieces = c.Last.Pieces
		return nil
	}
	if c.Index.Data, err = fsroot.ReadAll(f, git.MostIndex); err != nil {
		return fmt.Errorf("read the index: %w", err)
	}
	return s.nameIndex(ctx, c)
}

// indexKey tells one index file from another: git writes a new file each time.
func indexKey(info fs.FileInfo) string {
	key := fmt.Sprintf("%d %d", info.ModTime().UnixNano(), info.Size())
	if st, ok := info.Sys().(*syscall.Stat_t); ok {
		key += fmt.Sprintf(" %d %d", st.Ino, changeTime(st))
	}
	return key
}

func (s *Place) nameIndex(ctx context.Context, c *Capture) error {
	m := &meta{s: s}
	staged := make(chan error, 1)
	go func() { staged <- s.nameStaged(ctx, c) }()
	err := s.chunkIndex(c, m)
	return errors.Join(err, <-staged)
}

// chunkIndex names the bytes of the index.
func (s *Place) chunkIndex(c *Capture, m *meta) error {
	m.chunks("main", c.Index.Data)
	shared, err := filepath.Glob(filepath.Join(globSafe(s.Repo.Dir), "sharedindex.*"))
	if err != nil {
		return err
	}
	for _, path := range shared {
		// An index names its shared part by hash; others lie about until git expires them.
		name, _ := hex.DecodeString(strings.TrimPrefix(filepath.Base(path), "sharedindex."))
		if len(name) == 0 || !bytes.Contains(c.Index.Data, name) {
			continue
		}
		data, err := fsroot.ReadFile(path, git.MostIndex)
		if err != nil {
			return fmt.Errorf("read the shared index: %w", err)
		}
		m.chunks(filepath.Base(path), data)
	}
	tree, trees, err := s.Repo.Tree(m.files)
	if err != nil {
		return err
	}
	c.Index.Tree = tree
	c.Index.Objects = append(m.objects, trees...)
	c.Next.Pieces = names(c.Index.Objects)
	return nil
}

// globSafe quotes what filepath.Glob would take for a pattern.
func globSafe(dir string) string {
	return strings.NewReplacer(`\`, `\\`, `*`, `\*`, `?`, `\?`, `[`, `\[`).Replace(dir)
}

// nameStaged finds the blobs that the index names and HEAD's tree does not: staged
// content, and all sides of a conflict. They live as long as the snapshot.
func (s *Place) nameStaged(ctx context.Context, c *Capture) error {
	entries, trees, err := s.entriesOf(ctx, c.Index.Data, "")
	if errors.Is(err, errRubbish) {
		c.Index.Entries, c.Index.Set = []git.IndexEntry{}, setOf(nil)
		return nil
	}
	if err != nil {
		return err
	}
	c.Index.Entries, c.Index.Set = entries, setOf(entries)
	rd, err := s.Repo.Reader(ctx)
	if err != nil {
		return err
	}
	defer rd.Close()
	found := stagedBlobs{rd: rd, blobs: map[string]string{}}
	found.folder(entries, trees, treeOf(rd, c.Head.OID), 0)
	if ctx.Err() != nil {
		return ctx.Err()
	}
	delete(found.blobs, s.Repo.Zero())
	oids := slices.Collect(maps.Keys(found.blobs))
	sizes, err := s.Repo.Sizes(ctx, oids)
	if err != nil {
		return err
	}
	c.Index.paths, c.Index.sizes = found.blobs, map[string]int64{}
	for i, oid := range oids {
		c.Index.sizes[oid] = sizes[i]
	}
	return nil
}

// treeOf returns the name of a commit's tree, "" when there is none that can be read: it
// keeps nothing alive.
func treeOf(rd *git.Reader, commit string) string {
	if commit == "" {
		return ""
	}
	o, err := rd.Read(commit)
	first, _, _ := strings.Cut(string(o.Data), "\n")
	tree, ok := strings.CutPrefix(first, "tree ")
	if err != nil || o.Type != "commit" || !ok || !git.IsOID(tree) {
		return ""
	}
	return tree
}

// stagedBlobs are the blobs, by name in hex, that an index names and a tree does not, and
// where the index has them.
type stagedBlobs struct {
	rd    *git.Reader
	blobs map[string]string
}

// folder compares entries, in the order of the index, that share the first skip bytes of their
// paths, with a tree ("": nothing is in it). Where the index says of a folder that it is the
// tree that HEAD has there, nothing in it is staged: git commits by the same word.
func (f *stagedBlobs) folder(entries []git.IndexEntry, known *git.IndexTree, tree string, skip int) {
	if known != nil && known.OID != "" && known.Entries == len(entries) && hex.EncodeToString([]byte(known.OID)) == tree {
		return
	}
	there := map[string]git.TreeEntry{}
	if tree != "" {
		list, _ := f.rd.Folder(tree) // what cannot be read keeps nothing alive
		for _, e := range list {
			there[e.Path] = e
		}
	}
	for i := 0; i < len(entries); {
		e := &entries[i]
		name, _, deep := strings.Cut(e.Path[skip:], "/")
		if !deep {
			f.file(e, there[name].OID)
			i++
			continue
		}
		from, prefix := i, e.Path[:skip+len(name)+1]
		for i++; i < len(entries) && strings.HasPrefix(entries[i].Path, prefix); i++ {
		}
		var below *git.IndexTree
		if known != nil {
			below = known.Folders[name]
		}
		inside := ""
		if t := there[name]; t.Type == "tree" {
			inside = t.OID
		}
		f.folder(entries[from:i], below, inside, len(prefix))
	}
}

func (f *stagedBlobs) file(e *git.IndexEntry, inHead string) {
	if oid := hex.EncodeToString([]byte(e.OID)); e.Mode != 0o160000 && (e.Stage > 0 || oid != inHead) {
		f.blobs[oid] = e.Path
	}
}

// errRubbish says that neither belay nor git can read the index. Its bytes are held all
// the same, and a restore must be able to replace it: it counts as one that is empty.
var errRubbish = errors.New("the index cannot be read")

// entriesOf reads an index from its bytes; git reads what belay cannot, from path, or from a copy
// when there is none: the index itself may be another one by now.
func (s *Place) entriesOf(ctx context.Context, data []byte, path string) ([]git.IndexEntry, *git.IndexTree, error) {
	entries, trees, err := git.ParseIndexTrees(data, s.Repo.HashSize())
	if err == nil {
		return entries, trees, nil
	}
	if !errors.Is(err, git.ErrForeign) {
		return nil, nil, errRubbish // git does not look at the checksum, and would list what it makes of it
	}
	if path == "" {
		tmp, err := s.Scratch("tmp")
		if err != nil {
			return nil, nil, err
		}
		f, err := fsroot.CreateTemp(tmp, "index-")
		if err != nil {
			return nil, nil, fmt.Errorf("read the index: %w", err)
		}
		defer fsroot.Remove(f.Name())
		_, err = f.Write(data)
		if err = errors.Join(err, f.Close()); err != nil {
			return nil, nil, fmt.Errorf("read the index: %w", err)
		}
		path = f.Name()
	}
	entries, err = s.Repo.ListIndex(ctx, path)
	var f *git.Failure
	if errors.As(err, &f) && f.Exit > 0 { // it was not killed
		return nil, nil, errRubbish
	}
	return entries, nil, err
}

// nameStagedTree names a tree of the staged blobs that can be read. What cannot is of no
// account when the working tree has the same bytes, or when the index only intends to add
// (the empty blob); of a partial clone it was not lost. Anything else is named as lost.
func (s *Place) nameStagedTree(ctx context.Context, c *Capture) error {
	if len(c.Index.paths) == 0 {
		return nil
	}
	only := map[string]bool{} // raw names of those that are nowhere but in the store
	for oid := range c.Index.paths {
		only[Raw(oid)] = c.Blobs[oid] == nil
	}
	delete(only, Raw(s.Repo.Name("blob", nil)))
	if c.Scan != nil {
		for _, e := range c.Scan.Entries {
			delete(only, string(e.OID))
		}
	}
	if c.Last.settled() && c.Last.Staged != "" {
		held, err := s.Repo.TreeNames(ctx, c.Last.Staged)
		if err != nil {
			return err
		}
		c.Index.Held = held
	}
	var elsewhere []string
	for raw, is := range only {
		if oid := hex.EncodeToString([]byte(raw)); is && !c.Index.Held[oid] {
			elsewhere = append(elsewhere, oid)
		}
	}
	checked, err := git.CheckObjects(ctx, s.Repo, elsewhere, git.How{Loose: true, Known: c.Last.Relied.And(c.Relied)})
	if err != nil {
		return err
	}
	c.Index.Blobs = nil
	var files []git.File
	for _, oid := range slices.Sorted(maps.Keys(c.Index.paths)) {
		if checked.Lost(oid) {
			c.Man.Lost = append(c.Man.Lost, Lost{Path: c.Index.paths[oid], Kind: LostStaged, OID: oid})
		}
		if checked.Bad[oid] == nil && c.Index.sizes[oid] >= 0 {
			c.Index.Blobs = append(c.Index.Blobs, StagedBlob{OID: oid, Size: c.Index.sizes[oid]})
			files = append(files, git.File{Path: oid, Mode: 0o100644, OID: Raw(oid)})
		}
	}
	c.Index.Staged, c.Index.trees = "", nil
	if len(files) > 0 {
		c.Index.Staged, c.Index.trees, err = s.Repo.Tree(files)
	}
	return err
}

// indexEntries returns the entries of the index that was read; of today's, when its bytes
// were known and not read again.
func (s *Place) indexEntries(ctx context.Context, c *Capture) ([]git.IndexEntry, error) {
	if c.Index.Entries != nil {
		return c.Index.Entries, nil
	}
	path := filepath.Join(s.Repo.Dir, "index")
	data, err := fsroot.ReadFile(path, git.MostIndex)
	if err != nil {
		return nil, fmt.Errorf("read the index: %w", err)
	}
	entries, _, err := s.entriesOf(ctx, data, path)
	if errors.Is(err, errRubbish) {
		return nil, nil
	}
	return entries, err
}

// tracked returns the scan the paths of the index. With seeds, it also passes on what
// the index says of their content, where the bytes git stored are those on the disk.
func (s *Place) tracked(c *Capture, seeds bool) func(context.Context) ([]scan.Tracked, time.Time, error) {
	return func(ctx context.Context) ([]scan.Tracked, time.Time, error) {
		if !c.Index.Facts.Exists {
			return nil, time.Time{}, nil
		}
		entries, err := s.indexEntries(ctx, c)
		if err != nil {
			return nil, time.Time{}, err
		}
		seeds = seeds && !c.Rules.converts && !attributed(entries)
		all := fsroot.Spacious[scan.Tracked](len(entries))
		var stats []scan.Stat
		if seeds {
			stats = fsroot.Spacious[scan.Stat](len(entries))
		}
		for i := range entries {
			e, t := &entries[i], &all[i]
			t.Path, t.OID, t.Gitlink = e.Path, fsroot.OID(e.OID), e.Mode == 0o160000
			if seeds && seeding(e) {
				t.Seed = &stats[i]
				*t.Seed = scan.Stat{
					MtimeSec: int64(e.MtimeSec), CtimeSec: int64(e.CtimeSec), MtimeNsec: e.MtimeNsec, CtimeNsec: e.CtimeNsec,
					Dev: e.Dev, Ino: e.Ino, Uid: e.UID, Gid: e.GID, Mode: e.Mode, Size: e.Size,
				}
			}
		}
		return all, time.Unix(0, c.Index.Facts.Mtime), nil
	}
}

// setOf names the paths of an index, in their order, and which of them are submodules: git
// writes many an index in which only times are others.
func setOf(entries []git.IndexEntry) string {
	h, b, last := sha256.New(), make([]byte, 0, 64<<10), ""
	for i := range entries {
		e := &entries[i]
		if e.Path == last { // the sides of a conflict are one path
			continue
		}
		last = e.Path
		if b = append(b, e.Path...); e.Mode == 0o160000 {
			b = append(b, '/')
		}
		if b = append(b, 0); len(b) > cap(b)/2 {
			h.Write(b)
			b = b[:0]
		}
	}
	h.Write(b)
	return hex.EncodeToString(h.Sum(nil))
}

// attributed reports whether attributes are tracked, which may have git store other bytes than
// the disk has.
func attributed(entries []git.IndexEntry) bool {
	return slices.ContainsFunc(entries, func(e git.IndexEntry) bool { return strings.HasSuffix(e.Path, ".gitattributes") })
}

// seeding reports whether what the index says of a file's content may be believed, while the
// file looks untouched.
func seeding(e *git.IndexEntry) bool {
	flagged := e.Assume || e.Skip || e.Intent
	return e.HasStat && e.Stage == 0 && !flagged && e.Mode != 0o160000
}

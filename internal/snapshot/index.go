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

// IndexState is the user's index: its bytes, and the blobs that only it names.
type IndexState struct {
	Key         string // changes when the file does
	PathsKey    string // changes when the paths in it do
	Attributes  IndexAttributes
	Data        []byte           // nil when the last snapshot's cache has everything
	Entries     []git.IndexEntry // Data, parsed
	Objects     []git.NewObject
	MetaTree    string          // meta/index; "" without an index
	StagedTree  string          // the tree of blobs that only the index names; "" for none
	StagedBlobs []StagedBlob    // its blobs; nil when the last snapshot's cache has everything
	StoredBlobs map[string]bool // those that an earlier snapshot contains

	blobPaths   map[string]string // the path of each in the index
	blobSizes   map[string]int64
	stagedTrees []git.NewObject // of StagedTree
}

// StagedBlob is a blob that the index names and HEAD's tree does not.
type StagedBlob struct {
	OID  string
	Size int64
}

// readIndex reads the index, unless it is the file that the last snapshot read. Git writes a new
// file and renames it, so an open one never changes.
func (s *Worktree) readIndex(ctx context.Context, c *Capture) error {
	f, err := fsroot.Open(filepath.Join(s.Repo.Dir, "index"))
	if errors.Is(err, fs.ErrNotExist) {
		c.Index = IndexState{Key: noIndex, PathsKey: noIndex}
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
		Attributes: IndexAttributes{Exists: true, Mtime: info.ModTime().UnixNano(), Perm: uint16(info.Mode().Perm())}}
	if c.LastCache.isTrusted() && c.LastCache.IndexKey == c.Index.Key && c.LastCache.IndexHead == c.Head.OID &&
		c.LastCache.IndexPathsKey != "" {
		c.Index.PathsKey, c.Index.MetaTree, c.Index.StagedTree = c.LastCache.IndexPathsKey, c.LastCache.IndexTree, c.LastCache.StagedTree
		c.NextCache.IndexPieces = c.LastCache.IndexPieces
		return nil
	}
	if c.Index.Data, err = fsroot.ReadAll(f, git.MaxIndexSize); err != nil {
		return fmt.Errorf("read the index: %w", err)
	}
	return s.hashIndex(ctx, c)
}

// indexKey identifies an index file: git writes a new file each time.
func indexKey(info fs.FileInfo) string {
	key := fmt.Sprintf("%d %d", info.ModTime().UnixNano(), info.Size())
	if st, ok := info.Sys().(*syscall.Stat_t); ok {
		key += fmt.Sprintf(" %d %d", st.Ino, fsroot.ChangeTime(st))
	}
	return key
}

func (s *Worktree) hashIndex(ctx context.Context, c *Capture) error {
	m := &meta{worktree: s}
	staged := make(chan error, 1)
	go func() { staged <- s.findStaged(ctx, c) }()
	err := s.hashIndexChunks(c, m)
	return errors.Join(err, <-staged)
}

// hashIndexChunks computes the object names of the bytes of the index.
func (s *Worktree) hashIndexChunks(c *Capture, m *meta) error {
	m.addChunks("main", c.Index.Data)
	shared, err := fsroot.Glob(s.Repo.Dir, "sharedindex.*")
	if err != nil {
		return err
	}
	for _, path := range shared {
		// An index names its shared part by hash; other shared parts remain until git expires them.
		name, _ := hex.DecodeString(strings.TrimPrefix(filepath.Base(path), "sharedindex."))
		if len(name) == 0 || !bytes.Contains(c.Index.Data, name) {
			continue
		}
		data, err := fsroot.ReadFile(path, git.MaxIndexSize)
		if err != nil {
			return fmt.Errorf("read the shared index: %w", err)
		}
		m.addChunks(filepath.Base(path), data)
	}
	tree, trees, err := s.Repo.Tree(m.files)
	if err != nil {
		return err
	}
	c.Index.MetaTree = tree
	c.Index.Objects = append(m.objects, trees...)
	c.NextCache.IndexPieces = rawNames(c.Index.Objects)
	return nil
}

// findStaged finds the blobs that the index names and HEAD's tree does not: staged content, and
// all sides of a conflict. The snapshot keeps them.
func (s *Worktree) findStaged(ctx context.Context, c *Capture) error {
	entries, trees, err := s.parseIndex(ctx, c.Index.Data, "")
	if errors.Is(err, errUnreadableIndex) {
		c.Index.Entries, c.Index.PathsKey = []git.IndexEntry{}, pathsKey(nil)
		return nil
	}
	if err != nil {
		return err
	}
	c.Index.Entries, c.Index.PathsKey = entries, pathsKey(entries)
	rd, err := s.Repo.Reader(ctx)
	if err != nil {
		return err
	}
	defer rd.Close()
	found := stagedBlobs{rd: rd, blobs: map[string]string{}}
	found.compareFolder(entries, trees, commitTree(rd, c.Head.OID), 0)
	if ctx.Err() != nil {
		return ctx.Err()
	}
	delete(found.blobs, s.Repo.Zero())
	oids := slices.Collect(maps.Keys(found.blobs))
	sizes, err := s.Repo.Sizes(ctx, oids)
	if err != nil {
		return err
	}
	c.Index.blobPaths, c.Index.blobSizes = found.blobs, map[string]int64{}
	for i, oid := range oids {
		c.Index.blobSizes[oid] = sizes[i]
	}
	return nil
}

// commitTree returns the name of a commit's tree, "" when it cannot be read.
func commitTree(rd *git.Reader, commit string) string {
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

// stagedBlobs collects the blobs that an index names and a tree does not, by hex name, with their
// path in the index.
type stagedBlobs struct {
	rd    *git.Reader
	blobs map[string]string
}

// compareFolder compares index entries that share the first skip bytes of their paths with a tree
// ("" is an empty one). If the index records that a folder is the tree that HEAD has there, nothing
// in it is staged: git commit relies on the same record.
func (f *stagedBlobs) compareFolder(entries []git.IndexEntry, known *git.IndexTree, tree string, skip int) {
	if known != nil && known.OID != "" && known.Entries == len(entries) && hex.EncodeToString([]byte(known.OID)) == tree {
		return
	}
	there := map[string]git.TreeEntry{}
	if tree != "" {
		list, _ := f.rd.Folder(tree) // an unreadable tree keeps nothing alive
		for _, e := range list {
			there[e.Path] = e
		}
	}
	for i := 0; i < len(entries); {
		e := &entries[i]
		name, _, deep := strings.Cut(e.Path[skip:], "/")
		if !deep {
			f.compareFile(e, there[name].OID)
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
		f.compareFolder(entries[from:i], below, inside, len(prefix))
	}
}

func (f *stagedBlobs) compareFile(e *git.IndexEntry, inHead string) {
	if oid := hex.EncodeToString([]byte(e.OID)); e.Mode != 0o160000 && (e.Stage > 0 || oid != inHead) {
		f.blobs[oid] = e.Path
	}
}

// errUnreadableIndex reports that neither belay nor git can read the index. Its bytes are stored
// anyway, and it counts as empty, because a restore must be able to replace it.
var errUnreadableIndex = errors.New("the index cannot be read")

// parseIndex parses the bytes of an index. Git reads what belay cannot: the file at path, or a
// copy when path is empty, because the index itself may have changed by now.
func (s *Worktree) parseIndex(ctx context.Context, data []byte, path string) ([]git.IndexEntry, *git.IndexTree, error) {
	entries, trees, err := git.ParseIndexTrees(data, s.Repo.HashSize())
	if err == nil {
		return entries, trees, nil
	}
	if !errors.Is(err, git.ErrUnsupportedIndex) {
		return nil, nil, errUnreadableIndex // git ignores a wrong checksum and would list garbage
	}
	if path == "" {
		tmp, err := s.MakeScratchDir("tmp")
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
	var f *git.CommandError
	if errors.As(err, &f) && f.Exit > 0 { // it was not killed
		return nil, nil, errUnreadableIndex
	}
	return entries, nil, err
}

// hashStagedTree computes the tree of the staged blobs that can be read. An unreadable one is no
// loss when the working tree has the same bytes, for an intent-to-add entry (the empty blob), or in
// a partial clone. Any other is recorded as lost.
func (s *Worktree) hashStagedTree(ctx context.Context, c *Capture) error {
	if len(c.Index.blobPaths) == 0 {
		return nil
	}
	only := map[string]bool{} // raw names of blobs that only git's object store may have
	for oid := range c.Index.blobPaths {
		only[RawOID(oid)] = c.Blobs[oid] == nil
	}
	delete(only, RawOID(s.Repo.HashObject("blob", nil)))
	if c.Scan != nil {
		for _, e := range c.Scan.Entries {
			delete(only, string(e.OID))
		}
	}
	if c.LastCache.isTrusted() && c.LastCache.StagedTree != "" {
		held, err := s.Repo.TreeNames(ctx, c.LastCache.StagedTree)
		if err != nil {
			return err
		}
		c.Index.StoredBlobs = held
	}
	var elsewhere []string
	for raw, is := range only {
		if oid := hex.EncodeToString([]byte(raw)); is && !c.Index.StoredBlobs[oid] {
			elsewhere = append(elsewhere, oid)
		}
	}
	checked, err := git.CheckObjects(ctx, s.Repo, elsewhere, git.CheckOptions{AllowLoose: true,
		KnownPacks: c.LastCache.FoundIn.Merge(c.FoundIn)})
	if err != nil {
		return err
	}
	c.Index.StagedBlobs = nil
	var files []git.File
	for _, oid := range slices.Sorted(maps.Keys(c.Index.blobPaths)) {
		if checked.IsLost(oid) {
			c.Manifest.Lost = append(c.Manifest.Lost, LostObject{Path: c.Index.blobPaths[oid], Kind: LostStaged, OID: oid})
		}
		if checked.Unusable[oid] == nil && c.Index.blobSizes[oid] >= 0 {
			c.Index.StagedBlobs = append(c.Index.StagedBlobs, StagedBlob{OID: oid, Size: c.Index.blobSizes[oid]})
			files = append(files, git.File{Path: oid, Mode: 0o100644, OID: RawOID(oid)})
		}
	}
	c.Index.StagedTree, c.Index.stagedTrees = "", nil
	if len(files) > 0 {
		c.Index.StagedTree, c.Index.stagedTrees, err = s.Repo.Tree(files)
	}
	return err
}

// indexEntries returns the entries of the index that was read, or of the current one when the
// cache had its bytes.
func (s *Worktree) indexEntries(ctx context.Context, c *Capture) ([]git.IndexEntry, error) {
	if c.Index.Entries != nil {
		return c.Index.Entries, nil
	}
	path := filepath.Join(s.Repo.Dir, "index")
	data, err := fsroot.ReadFile(path, git.MaxIndexSize)
	if err != nil {
		return nil, fmt.Errorf("read the index: %w", err)
	}
	entries, _, err := s.parseIndex(ctx, data, path)
	if errors.Is(err, errUnreadableIndex) {
		return nil, nil
	}
	return entries, err
}

// readTracked returns the function that gives a scan the paths of the index. With seeds, it also
// passes on the object names in the index, for files whose bytes git stored unconverted.
func (s *Worktree) readTracked(c *Capture, seeds bool) func(context.Context) ([]scan.Tracked, time.Time, error) {
	return func(ctx context.Context) ([]scan.Tracked, time.Time, error) {
		if !c.Index.Attributes.Exists {
			return nil, time.Time{}, nil
		}
		entries, err := s.indexEntries(ctx, c)
		if err != nil {
			return nil, time.Time{}, err
		}
		seeds = seeds && !c.Rules.mayConvert && !hasAttributes(entries)
		all := fsroot.MakeLarge[scan.Tracked](len(entries))
		var stats []scan.Stat
		if seeds {
			stats = fsroot.MakeLarge[scan.Stat](len(entries))
		}
		for i := range entries {
			e, t := &entries[i], &all[i]
			t.Path, t.OID, t.Gitlink = e.Path, fsroot.OID(e.OID), e.Mode == 0o160000
			if seeds && canSeed(e) {
				t.Seed = &stats[i]
				*t.Seed = scan.Stat{
					MtimeSec: int64(e.MtimeSec), CtimeSec: int64(e.CtimeSec), MtimeNsec: e.MtimeNsec, CtimeNsec: e.CtimeNsec,
					Dev: e.Dev, Ino: e.Ino, Uid: e.UID, Gid: e.GID, Mode: e.Mode, Size: e.Size,
				}
			}
		}
		return all, time.Unix(0, c.Index.Attributes.Mtime), nil
	}
}

// pathsKey returns a name for the paths of an index, in order, including which are submodules.
// Git often writes an index in which only times changed.
func pathsKey(entries []git.IndexEntry) string {
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

// hasAttributes reports whether attributes files are tracked: git may then store other bytes than
// the disk has.
func hasAttributes(entries []git.IndexEntry) bool {
	return slices.ContainsFunc(entries, func(e git.IndexEntry) bool { return strings.HasSuffix(e.Path, ".gitattributes") })
}

// canSeed reports whether an index entry can be trusted about a file's content while the file
// looks unchanged.
func canSeed(e *git.IndexEntry) bool {
	flagged := e.AssumeUnchanged || e.SkipWorktree || e.IntentToAdd
	return e.HasStat && e.Stage == 0 && !flagged && e.Mode != 0o160000
}

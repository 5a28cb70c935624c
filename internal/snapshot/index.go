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
	Key         string // changes when the file does
	PathsKey    string // changes when the paths in it do
	Attributes  IndexAttributes
	Data        []byte           // nil when the last take remembered everything
	Entries     []git.IndexEntry // what Data says
	Objects     []git.NewObject
	MetaTree    string          // meta/index; "" without an index
	StagedTree  string          // the tree of blobs that only the index names; "" for none
	StagedBlobs []StagedBlob    // what it holds; nil when the last take remembered everything
	StoredBlobs map[string]bool // of these, what an earlier snapshot holds

	blobPaths   map[string]string // where the index has each of them
	blobSizes   map[string]int64
	stagedTrees []git.NewObject // of Staged
}

// StagedBlob is a blob that the index names and HEAD's tree does not.
type StagedBlob struct {
	OID  string
	Size int64
}

// readIndex reads the index, unless it is the file that the last take read. git writes
// a new file and renames it, so an open one never changes.
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

// indexKey tells one index file from another: git writes a new file each time.
func indexKey(info fs.FileInfo) string {
	key := fmt.Sprintf("%d %d", info.ModTime().UnixNano(), info.Size())
	if st, ok := info.Sys().(*syscall.Stat_t); ok {
		key += fmt.Sprintf(" %d %d", st.Ino, changeTime(st))
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

// hashIndexChunks names the bytes of the index.
func (s *Worktree) hashIndexChunks(c *Capture, m *meta) error {
	m.addChunks("main", c.Index.Data)
	shared, err := filepath.Glob(filepath.Join(escapeGlob(s.Repo.Dir), "sharedindex.*"))
	if err != nil {
		return err
	}
	for _, path := range shared {
		// An index names its shared part by hash; others lie about until git expires them.
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

// escapeGlob quotes what filepath.Glob would take for a pattern.
func escapeGlob(dir string) string {
	return strings.NewReplacer(`\`, `\\`, `*`, `\*`, `?`, `\?`, `[`, `\[`).Replace(dir)
}

// findStaged finds the blobs that the index names and HEAD's tree does not: staged
// content, and all sides of a conflict. They live as long as the snapshot.
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

// commitTree returns the name of a commit's tree, "" when there is none that can be read: it
// keeps nothing alive.
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

// stagedBlobs are the blobs, by name in hex, that an index names and a tree does not, and
// where the index has them.
type stagedBlobs struct {
	rd    *git.Reader
	blobs map[string]string
}

// compareFolder compares entries, in the order of the index, that share the first skip bytes of their
// paths, with a tree ("": nothing is in it). Where the index says of a folder that it is the
// tree that HEAD has there, nothing in it is staged: git commits by the same word.
func (f *stagedBlobs) compareFolder(entries []git.IndexEntry, known *git.IndexTree, tree string, skip int) {
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

// errUnreadableIndex says that neither belay nor git can read the index. Its bytes are held all
// the same, and a restore must be able to replace it: it counts as one that is empty.
var errUnreadableIndex = errors.New("the index cannot be read")

// parseIndex reads an index from its bytes; git reads what belay cannot, from path, or from a copy
// when there is none: the index itself may be another one by now.
func (s *Worktree) parseIndex(ctx context.Context, data []byte, path string) ([]git.IndexEntry, *git.IndexTree, error) {
	entries, trees, err := git.ParseIndexTrees(data, s.Repo.HashSize())
	if err == nil {
		return entries, trees, nil
	}
	if !errors.Is(err, git.ErrUnsupportedIndex) {
		return nil, nil, errUnreadableIndex // git does not look at the checksum, and would list what it makes of it
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

// hashStagedTree names a tree of the staged blobs that can be read. What cannot is of no
// account when the working tree has the same bytes, or when the index only intends to add
// (the empty blob); of a partial clone it was not lost. Anything else is named as lost.
func (s *Worktree) hashStagedTree(ctx context.Context, c *Capture) error {
	if len(c.Index.blobPaths) == 0 {
		return nil
	}
	only := map[string]bool{} // raw names of those that are nowhere but in the store
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

// indexEntries returns the entries of the index that was read; of today's, when its bytes
// were known and not read again.
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

// readTracked returns the scan the paths of the index. With seeds, it also passes on what
// the index says of their content, where the bytes git stored are those on the disk.
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

// pathsKey names the paths of an index, in their order, and which of them are submodules: git
// writes many an index in which only times are others.
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

// hasAttributes reports whether attributes are tracked, which may have git store other bytes than
// the disk has.
func hasAttributes(entries []git.IndexEntry) bool {
	return slices.ContainsFunc(entries, func(e git.IndexEntry) bool { return strings.HasSuffix(e.Path, ".gitattributes") })
}

// canSeed reports whether what the index says of a file's content may be believed, while the
// file looks untouched.
func canSeed(e *git.IndexEntry) bool {
	flagged := e.AssumeUnchanged || e.SkipWorktree || e.IntentToAdd
	return e.HasStat && e.Stage == 0 && !flagged && e.Mode != 0o160000
}

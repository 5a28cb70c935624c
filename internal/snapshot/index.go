package snapshot

import (
	"bytes"
	"cmp"
	"context"
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
		c.Index = IndexState{Key: noIndex}
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
	if c.Last.settled() && c.Last.IndexKey == c.Index.Key && c.Last.IndexHead == c.Head.OID {
		c.Index.Tree, c.Index.Staged = c.Last.IndexTree, c.Last.Staged
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
	return s.nameStaged(ctx, c)
}

// globSafe quotes what filepath.Glob would take for a pattern.
func globSafe(dir string) string {
	return strings.NewReplacer(`\`, `\\`, `*`, `\*`, `?`, `\?`, `[`, `\[`).Replace(dir)
}

// nameStaged finds the blobs that the index names and HEAD's tree does not: staged
// content, and all sides of a conflict. They live as long as the snapshot.
func (s *Place) nameStaged(ctx context.Context, c *Capture) error {
	empty := s.Repo.Name("tree", nil) // git knows that one without an object
	base := cmp.Or(c.Head.OID, empty)
	// git is shown a copy: the index itself may be another one by now.
	tmp, err := s.Scratch("tmp")
	if err != nil {
		return err
	}
	f, err := fsroot.CreateTemp(tmp, "index-")
	if err != nil {
		return fmt.Errorf("read the index: %w", err)
	}
	defer fsroot.Remove(f.Name())
	_, err = f.Write(c.Index.Data)
	if err = errors.Join(err, f.Close()); err != nil {
		return fmt.Errorf("read the index: %w", err)
	}
	compare := func(base string) ([]byte, error) {
		ask := s.Repo.Command(ctx, "diff-index", "--cached", "--raw", "-z", "--no-renames", "--no-abbrev", base, "--")
		ask.Env = append(ask.Env, "GIT_INDEX_FILE="+f.Name())
		return git.Answer(ask)
	}
	raw, compared := compare(base)
	var failed *git.Failure
	if base != empty && errors.As(compared, &failed) { // HEAD cannot be read: it keeps nothing alive
		raw, compared = compare(empty)
	}
	entries, err := s.entriesOf(ctx, c.Index.Data, f.Name())
	if errors.Is(err, errRubbish) {
		c.Index.Entries = []git.IndexEntry{}
		return nil
	}
	if err = errors.Join(err, compared); err != nil {
		return err
	}
	c.Index.Entries = entries
	blobs := map[string]string{}
	fields := strings.Split(string(raw), "\x00")
	for i := 0; i+1 < len(fields); i += 2 {
		if f := strings.Fields(fields[i]); len(f) == 5 && f[1] != "160000" {
			blobs[f[3]] = fields[i+1]
		}
	}
	for _, e := range entries {
		if e.Stage > 0 && e.Mode != 0o160000 {
			blobs[hex.EncodeToString([]byte(e.OID))] = e.Path
		}
	}
	delete(blobs, s.Repo.Zero())
	var oids []string
	for oid := range blobs {
		if !git.IsOID(oid) {
			return fmt.Errorf("read the index: git printed %q", oid)
		}
		oids = append(oids, oid)
	}
	sizes, err := s.Repo.Sizes(ctx, oids)
	if err != nil {
		return err
	}
	c.Index.paths, c.Index.sizes = blobs, map[string]int64{}
	for i, oid := range oids {
		c.Index.sizes[oid] = sizes[i]
	}
	return nil
}

// errRubbish says that neither belay nor git can read the index. Its bytes are held all
// the same, and a restore must be able to replace it: it counts as one that is empty.
var errRubbish = errors.New("the index cannot be read")

// entriesOf reads an index from its bytes; git reads what belay cannot, from path.
func (s *Place) entriesOf(ctx context.Context, data []byte, path string) ([]git.IndexEntry, error) {
	entries, err := git.ParseIndex(data, s.Repo.HashSize())
	if err == nil {
		return entries, nil
	}
	if !errors.Is(err, git.ErrForeign) {
		return nil, errRubbish // git does not look at the checksum, and would list what it makes of it
	}
	entries, err = s.Repo.ListIndex(ctx, path)
	var f *git.Failure
	if errors.As(err, &f) && f.Exit > 0 { // it was not killed
		return nil, errRubbish
	}
	return entries, err
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
	checked, err := git.CheckObjects(ctx, s.Repo, elsewhere, git.How{Loose: true, Known: c.Last.Relied})
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
	entries, err := s.entriesOf(ctx, data, path)
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
		seeds = seeds && !c.Rules.converts
		for _, e := range entries {
			seeds = seeds && !strings.HasSuffix(e.Path, ".gitattributes")
		}
		var all []scan.Tracked
		for _, e := range entries {
			t := scan.Tracked{Path: e.Path, OID: fsroot.OID(e.OID), Gitlink: e.Mode == 0o160000}
			flagged := e.Assume || e.Skip || e.Intent
			if seeds && e.HasStat && e.Stage == 0 && !flagged && !t.Gitlink {
				t.Seed = &scan.Stat{
					MtimeSec: int64(e.MtimeSec), CtimeSec: int64(e.CtimeSec), MtimeNsec: e.MtimeNsec, CtimeNsec: e.CtimeNsec,
					Dev: e.Dev, Ino: e.Ino, Uid: e.UID, Gid: e.GID, Mode: e.Mode, Size: e.Size,
				}
			}
			all = append(all, t)
		}
		return all, time.Unix(0, c.Index.Facts.Mtime), nil
	}
}

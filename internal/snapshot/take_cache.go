package snapshot

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"hash/crc32"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/belay-dev/belay/internal/belay"
	"github.com/belay-dev/belay/internal/fsroot"
	"github.com/belay-dev/belay/internal/git"
)

// TakeCache contains what one snapshot passes to the next, in addition to the stat cache: which
// objects are known to be stored, because existing snapshots contain them. It is valid only while
// all of Anchors exist; when one is deleted, everything is checked again.
type TakeCache struct {
	Anchors       []belay.SnapshotID `json:"anchors"`
	Objects       []byte             `json:"trees"`  // raw names of the new trees and blobs
	IndexPieces   []byte             `json:"pieces"` // raw names of the pieces of the index
	KeptObjects   []byte             `json:"kept"`   // raw names of the objects of KeepTree and TagsTree
	IndexKey      string             `json:"index_key"`
	IndexHead     string             `json:"index_head"`
	IndexPathsKey string             `json:"index_set"`
	IndexTree     string             `json:"index_tree"`
	StagedTree    string             `json:"staged"`
	TagsTree      string             `json:"tags"`   // the tree of tag objects
	KeepTree      string             `json:"keep"`   // the tree of objects kept beside the files
	CommitRefs    []byte             `json:"used"`   // raw names of the commits that have refs of their own
	RefsKey       string             `json:"named"`  // of everything that names commits: if unchanged, so are KeepTree and CommitRefs
	Readable      []byte             `json:"sound"`  // raw names of the objects that refs named and that could be read
	FoundIn       git.FoundObjects   `json:"relied"` // where everything that is known to be stored was found
	HasLost       bool               `json:"lost"`   // something could not be read

	Valid     bool            `json:"-"`
	Untrusted bool            `json:"-"` // FoundIn changed: every known object has to be looked up again
	known     map[string]bool // raw names of stored objects
}

func (s *Worktree) statCachePath() string { return filepath.Join(s.Dir, "stat-cache") }
func (s *Worktree) takeCachePath() string { return filepath.Join(s.Dir, "stored") }

// checksum returns the CRC-32C of a text, as eight hexadecimal digits.
func checksum(text []byte) string {
	return fmt.Sprintf("%08x", crc32.Checksum(text, crc32.MakeTable(crc32.Castagnoli)))
}

// loadCache reads the cache: a line of JSON, and a line with its checksum. Without the checksum, a
// damaged byte in the name of a tree would make the next snapshot name an object that does not exist.
func (s *Worktree) loadCache() (m TakeCache, ok bool) {
	text, err := fsroot.ReadFile(s.takeCachePath(), fsroot.MaxSmallFile)
	if err != nil {
		return TakeCache{}, false
	}
	line, sum, _ := bytes.Cut(text, []byte("\n"))
	if string(sum) != checksum(line)+"\n" || json.Unmarshal(line, &m) != nil {
		return TakeCache{}, false
	}
	return m, true
}

// ReadCache reads the cache. It is invalid when it cannot be read, or when one of its anchor
// snapshots is missing.
func (s *Worktree) ReadCache(refs []git.Ref) TakeCache {
	m, ok := s.loadCache()
	if !ok || len(m.Anchors) == 0 {
		return TakeCache{}
	}
	m.known = map[string]bool{}
	for _, list := range [][]byte{m.Objects, m.IndexPieces, m.KeptObjects} {
		for oid := range slices.Chunk(list, s.Repo.HashSize()) {
			m.known[string(oid)] = true
		}
	}
	there := map[belay.SnapshotID]bool{}
	for _, r := range refs {
		if id, ours := strings.CutPrefix(r.Name, RefPrefix); ours {
			there[belay.SnapshotID(id)] = true
		}
	}
	for _, a := range m.Anchors {
		if !there[a] {
			return TakeCache{}
		}
	}
	if _, err := fsroot.Lstat(s.statCachePath()); err != nil {
		return TakeCache{}
	}
	m.Valid = true
	return m
}

// Has reports whether an object is known to be stored: an earlier snapshot contains it.
func (m *TakeCache) Has(oid string) bool { return m.Valid && m.known[RawOID(oid)] }

// isTrusted reports whether the known objects need no second check.
func (m *TakeCache) isTrusted() bool { return m.Valid && !m.Untrusted }

// hasLost reports whether an object that was named could not be read.
func (c *Capture) hasLost() bool { return len(c.Manifest.Lost)+len(c.lostHeadTrees) > 0 }

// DependsOn returns the locations of all objects that the snapshot of a capture depends on.
func (c *Capture) DependsOn() git.FoundObjects {
	if c.LastCache.isTrusted() {
		return c.LastCache.FoundIn.Merge(c.FoundIn)
	}
	return c.FoundIn.Merge()
}

// rawNames returns the raw names of objects.
func rawNames(objects []git.NewObject) (raw []byte) {
	for _, o := range objects {
		raw = append(raw, RawOID(o.OID)...)
	}
	return raw
}

// SaveCache writes this cache and the stat cache after a snapshot was taken. Snapshots taken at the
// same time depend on each other, so their anchors are merged, under a lock.
func (s *Worktree) SaveCache(ctx context.Context, c *Capture, id belay.SnapshotID) error {
	lock := fsroot.NewLock(s.takeCachePath() + ".lock")
	if _, err := lock.TryLockContext(ctx, 5e6); err != nil {
		return fmt.Errorf("lock %s: %w", lock.Path(), err)
	}
	defer func() { _ = lock.Unlock() }()
	m := TakeCache{
		IndexKey: c.Index.Key, IndexHead: c.Head.OID, IndexPathsKey: c.Index.PathsKey,
		IndexTree: c.Index.MetaTree, StagedTree: c.Index.StagedTree,
		TagsTree: c.NextCache.TagsTree, KeepTree: c.NextCache.KeepTree, CommitRefs: c.NextCache.CommitRefs,
		RefsKey: c.NextCache.RefsKey, KeptObjects: c.NextCache.KeptObjects,
		Objects: c.NextCache.Objects, IndexPieces: c.NextCache.IndexPieces, Anchors: []belay.SnapshotID{id},
		Readable: c.NextCache.Readable, FoundIn: c.DependsOn(), HasLost: c.hasLost(),
	}
	if c.LastCache.Valid {
		m.Anchors = append(m.Anchors, c.LastCache.Anchors...)
	}
	if now, ok := s.loadCache(); ok && c.LastCache.Valid {
		if !slices.Equal(now.Anchors, c.LastCache.Anchors) { // both are stored sorted; another snapshot was taken meanwhile
			m.FoundIn, m.Anchors = m.FoundIn.Merge(now.FoundIn), append(m.Anchors, now.Anchors...)
		}
	}
	slices.Sort(m.Anchors)
	m.Anchors = slices.Compact(m.Anchors)
	text, err := json.Marshal(m)
	if err != nil {
		return err
	}
	// The stat cache is written last: after a kill in between it is the older one, and the anchors'
	// snapshots contain everything that it names. A newer one would name objects that no anchor
	// contains.
	if err := WriteAtomic(s.takeCachePath(), fmt.Appendf(text, "\n%s\n", checksum(text)), false); err != nil {
		return err
	}
	return c.Scan.Save()
}

// DeleteCache makes the next snapshot check everything again.
func (s *Worktree) DeleteCache() error {
	err := fsroot.Remove(s.takeCachePath())
	if errors.Is(err, os.ErrNotExist) {
		return nil
	}
	return err
}

// DeleteCacheFor deletes the cache when one of the snapshots to be deleted is an anchor of it.
func (s *Worktree) DeleteCacheFor(ids []belay.SnapshotID) error {
	m, ok := s.loadCache()
	if !ok {
		return s.DeleteCache()
	}
	for _, id := range ids {
		if slices.Contains(m.Anchors, id) {
			return s.DeleteCache()
		}
	}
	return nil
}

// WriteAtomic replaces a private file of belay's atomically.
func WriteAtomic(path string, data []byte, synced bool) error {
	if err := fsroot.AtomicWrite(path, fsroot.AtomicOptions{Synced: synced, Step: Fault}, data); err != nil {
		return fmt.Errorf("write %s: %w", path, err)
	}
	return nil
}

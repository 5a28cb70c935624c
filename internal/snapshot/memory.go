package snapshot

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/belay-dev/belay/internal/belay"
	"github.com/belay-dev/belay/internal/fsroot"
	"github.com/belay-dev/belay/internal/git"
)

// Memory is what one take leaves for the next, beside the stat cache: which objects
// are known to be stored, because snapshots that still exist hold them. It is only as
// good as those: when one of Anchors is gone, everything is looked at again.
type Memory struct {
	Anchors   []belay.SnapshotID `json:"anchors"`
	Trees     []byte             `json:"trees"`  // raw names of the trees and blobs that were named anew
	Pieces    []byte             `json:"pieces"` // those that the index consists of
	Kept      []byte             `json:"kept"`   // those that came with Keep and Tags
	IndexKey  string             `json:"index_key"`
	IndexHead string             `json:"index_head"`
	IndexSet  string             `json:"index_set"`
	IndexTree string             `json:"index_tree"`
	Staged    string             `json:"staged"`
	Tags      string             `json:"tags"`   // the tree of tag objects
	Keep      string             `json:"keep"`   // the tree of what is kept beside the files
	Used      []byte             `json:"used"`   // raw names of the commits that have refs of their own
	Named     string             `json:"named"`  // of everything that names commits: while it stays, Keep and Used do
	Sound     []byte             `json:"sound"`  // raw names of what refs named and could be read
	Relied    git.Relied         `json:"relied"` // where everything that is known to be stored was found
	Lost      bool               `json:"lost"`   // something could not be read

	Valid bool            `json:"-"`
	Doubt bool            `json:"-"` // Relied is not as it was: everything known has to be looked for in the store
	known map[string]bool // raw names
}

func (s *Place) cachePath() string  { return filepath.Join(s.Dir, "stat-cache") }
func (s *Place) memoryPath() string { return filepath.Join(s.Dir, "stored") }

// Remember reads the memory. It is not valid when it cannot be read, or when one of
// the snapshots it rests on is gone.
func (s *Place) Remember(refs []git.Ref) Memory {
	var m Memory
	text, err := fsroot.ReadFile(s.memoryPath(), fsroot.Usual)
	if err != nil || json.Unmarshal(text, &m) != nil || len(m.Anchors) == 0 {
		return Memory{}
	}
	m.known = map[string]bool{}
	for _, list := range [][]byte{m.Trees, m.Pieces, m.Kept} {
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
			return Memory{}
		}
	}
	if _, err := fsroot.Lstat(s.cachePath()); err != nil {
		return Memory{}
	}
	m.Valid = true
	return m
}

// Has reports whether an object is known to be stored: an earlier snapshot holds it.
func (m *Memory) Has(oid string) bool { return m.Valid && m.known[Raw(oid)] }

// settled reports whether what is known needs no second look.
func (m *Memory) settled() bool { return m.Valid && !m.Doubt }

// lost reports whether something that was named could not be read.
func (c *Capture) lost() bool { return len(c.Man.Lost)+len(c.headLost) > 0 }

// Rests returns everything that the snapshot of a capture rests on.
func (c *Capture) Rests() git.Relied {
	if c.Last.settled() {
		return c.Last.Relied.And(c.Relied)
	}
	return c.Relied.And()
}

// names returns the raw names of objects.
func names(objects []git.NewObject) (raw []byte) {
	for _, o := range objects {
		raw = append(raw, Raw(o.OID)...)
	}
	return raw
}

// Learn writes the memory and the stat cache after a take whose snapshot exists. Takes
// that ran side by side rest on each other's snapshots, so anchors are joined, under a
// lock of its own.
func (s *Place) Learn(ctx context.Context, c *Capture, id belay.SnapshotID) error {
	lock := fsroot.NewLock(s.memoryPath() + ".lock")
	if _, err := lock.TryLockContext(ctx, 5e6); err != nil {
		return fmt.Errorf("lock %s: %w", lock.Path(), err)
	}
	defer func() { _ = lock.Unlock() }()
	m := Memory{
		IndexKey: c.Index.Key, IndexHead: c.Head.OID, IndexSet: c.Index.Set, IndexTree: c.Index.Tree, Staged: c.Index.Staged,
		Tags: c.Next.Tags, Keep: c.Next.Keep, Used: c.Next.Used, Named: c.Next.Named, Kept: c.Next.Kept,
		Trees: c.Next.Trees, Pieces: c.Next.Pieces, Anchors: []belay.SnapshotID{id},
		Sound: c.Next.Sound, Relied: c.Rests(), Lost: c.lost(),
	}
	if c.Last.Valid {
		m.Anchors = append(m.Anchors, c.Last.Anchors...)
	}
	var now Memory
	if text, err := fsroot.ReadFile(s.memoryPath(), fsroot.Usual); err == nil && json.Unmarshal(text, &now) == nil && c.Last.Valid {
		if !slices.Equal(now.Anchors, c.Last.Anchors) { // both as they were written, sorted: somebody took one meanwhile
			m.Relied, m.Anchors = m.Relied.And(now.Relied), append(m.Anchors, now.Anchors...)
		}
	}
	slices.Sort(m.Anchors)
	m.Anchors = slices.Compact(m.Anchors)
	text, err := json.Marshal(m)
	if err != nil {
		return err
	}
	// The cache comes last: killed in between, it is the older one, and all it names is
	// held by the anchors. A newer one would vouch for objects that no anchor holds.
	if err := WriteWhole(s.memoryPath(), text, false); err != nil {
		return err
	}
	return c.Scan.Save()
}

// Forget makes the next take look at everything again.
func (s *Place) Forget() error {
	err := fsroot.Remove(s.memoryPath())
	if errors.Is(err, os.ErrNotExist) {
		return nil
	}
	return err
}

// ForgetFor takes the memory away when it rests on one of the snapshots that go.
func (s *Place) ForgetFor(ids []belay.SnapshotID) error {
	var m Memory
	text, err := fsroot.ReadFile(s.memoryPath(), fsroot.Usual)
	if err != nil || json.Unmarshal(text, &m) != nil {
		return s.Forget()
	}
	for _, id := range ids {
		if slices.Contains(m.Anchors, id) {
			return s.Forget()
		}
	}
	return nil
}

// WriteWhole replaces a private file of belay's, whole or not at all.
func WriteWhole(path string, data []byte, synced bool) error {
	if err := fsroot.AtomicWrite(path, fsroot.Atomic{Synced: synced, Step: Fault}, data); err != nil {
		return fmt.Errorf("write %s: %w", path, err)
	}
	return nil
}

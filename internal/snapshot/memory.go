package snapshot

import (
	"context"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/gofrs/flock"

	"github.com/belay-dev/belay/internal/belay"
	"github.com/belay-dev/belay/internal/git"
)

// memory is what one take leaves for the next, beside the stat cache: which objects
// are known to be stored, because snapshots that still exist hold them. It is only as
// good as those: when one of Anchors is gone, everything is looked at again.
type memory struct {
	Anchors   []belay.SnapshotID `json:"anchors"`
	Trees     []byte             `json:"trees"` // raw names of the files' trees, sorted
	IndexKey  string             `json:"index_key"`
	IndexHead string             `json:"index_head"`
	IndexTree string             `json:"index_tree"`
	Staged    string             `json:"staged"`
	Tags      string             `json:"tags"` // the tree of tag objects
	Keeper    string             `json:"keeper"`
	Named     string             `json:"named"` // of everything that names commits: while it stays, Keeper does

	valid bool
	width int
}

func (s *Store) cachePath() string  { return filepath.Join(s.dir, "stat-cache") }
func (s *Store) memoryPath() string { return filepath.Join(s.dir, "stored") }

// remember reads the memory. It is not valid when it cannot be read, or when one of
// the snapshots it rests on is gone.
func (s *Store) remember(refs []git.Ref) memory {
	var m memory
	text, err := os.ReadFile(s.memoryPath())
	if err != nil || json.Unmarshal(text, &m) != nil || len(m.Anchors) == 0 {
		return memory{}
	}
	m.width = s.repo.HashSize()
	if len(m.Trees)%m.width != 0 {
		return memory{}
	}
	there := map[belay.SnapshotID]bool{}
	for _, r := range refs {
		if id, ours := strings.CutPrefix(r.Name, Prefix); ours {
			there[belay.SnapshotID(id)] = true
		}
	}
	for _, a := range m.Anchors {
		if !there[a] {
			return memory{}
		}
	}
	if _, err := os.Stat(s.cachePath()); err != nil {
		return memory{}
	}
	m.valid = true
	return m
}

// tree reports whether a tree of the files is known to be stored.
func (m *memory) tree(oid string) bool {
	if !m.valid {
		return false
	}
	raw, err := hex.DecodeString(oid)
	if err != nil {
		return false
	}
	n := len(m.Trees) / m.width
	lo, hi := 0, n
	for lo < hi {
		mid := (lo + hi) / 2
		switch c := strings.Compare(string(m.Trees[mid*m.width:(mid+1)*m.width]), string(raw)); {
		case c == 0:
			return true
		case c < 0:
			lo = mid + 1
		default:
			hi = mid
		}
	}
	return false
}

// learn writes the memory and the stat cache after a take whose snapshot exists. Takes
// that ran side by side rest on each other's snapshots, so anchors are joined, under a
// lock of its own.
func (s *Store) learn(ctx context.Context, c *capture, id belay.SnapshotID) error {
	lock := flock.New(s.memoryPath() + ".lock")
	if _, err := lock.TryLockContext(ctx, 5e6); err != nil {
		return fmt.Errorf("lock %s: %w", lock.Path(), err)
	}
	defer func() { _ = lock.Unlock() }()
	m := memory{
		IndexKey: c.index.key, IndexHead: c.head.OID, IndexTree: c.index.tree, Staged: c.index.staged,
		Tags: c.next.Tags, Keeper: c.next.Keeper, Named: c.next.Named, Anchors: []belay.SnapshotID{id},
	}
	if c.last.valid {
		m.Anchors = append(m.Anchors, c.last.Anchors...)
	}
	var now memory
	if text, err := os.ReadFile(s.memoryPath()); err == nil && json.Unmarshal(text, &now) == nil && c.last.valid {
		m.Anchors = append(m.Anchors, now.Anchors...)
	}
	slices.Sort(m.Anchors)
	m.Anchors = slices.Compact(m.Anchors)
	slices.Sort(c.trees)
	for _, t := range slices.Compact(c.trees) {
		raw, err := hex.DecodeString(t)
		if err != nil {
			return err
		}
		m.Trees = append(m.Trees, raw...)
	}
	text, err := json.Marshal(m)
	if err != nil {
		return err
	}
	// The cache comes last: killed in between, it is the older one, and all it names is
	// held by the anchors. A newer one would vouch for objects that no anchor holds.
	if err := writeWhole(s.memoryPath(), text, false); err != nil {
		return err
	}
	if c.wanted.rules != nil {
		return nil // what is ignored was decided by other rules as well
	}
	return c.scan.Save()
}

// tempPrefix starts the names of writeWhole's temporary files.
const tempPrefix = ".tmp-"

// forget makes the next take look at everything again.
func (s *Store) forget() error {
	err := os.Remove(s.memoryPath())
	if errors.Is(err, os.ErrNotExist) {
		return nil
	}
	return err
}

// forgetFor takes the memory away when it rests on one of the snapshots that go.
func (s *Store) forgetFor(list []Info) error {
	var m memory
	text, err := os.ReadFile(s.memoryPath())
	if err != nil || json.Unmarshal(text, &m) != nil {
		return s.forget()
	}
	for _, i := range list {
		if slices.Contains(m.Anchors, i.ID) {
			return s.forget()
		}
	}
	return nil
}

// writeWhole replaces a private file of belay's, whole or not at all.
func writeWhole(path string, data []byte, synced bool) error {
	if err := fault("write", path); err != nil {
		return err
	}
	f, err := os.CreateTemp(filepath.Dir(path), tempPrefix+"*")
	if err != nil {
		return fmt.Errorf("write %s: %w", path, err)
	}
	defer os.Remove(f.Name())
	_, err = f.Write(data)
	if err == nil && synced {
		err = f.Sync()
	}
	if err = errors.Join(err, f.Close()); err == nil {
		if err = fault("rename", path); err == nil {
			err = os.Rename(f.Name(), path)
		}
	}
	if err == nil && synced {
		if err = fault("syncdir", filepath.Dir(path)); err == nil {
			err = git.SyncDir(filepath.Dir(path))
		}
	}
	if err != nil {
		return fmt.Errorf("write %s: %w", path, err)
	}
	return nil
}

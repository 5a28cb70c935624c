package snapshot

import (
	"context"
	"encoding/json"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"github.com/belay-dev/belay/internal/belay"

	"github.com/belay-dev/belay/internal/fsroot"
	"github.com/belay-dev/belay/internal/git"
)

// Watcher tracks all changes in a working tree. A snapshot with its help reads only changed files.
type Watcher interface {
	// IsRunning reports whether a watcher seems to run. It is cheap and guarantees nothing.
	IsRunning() bool
	// Query returns the state of the tree at a moment after the call, and the objects that the
	// snapshot with this base does not contain. nil means "not sure", for any reason.
	Query(ctx context.Context, base string) *WatchAnswer
	// ReportMismatch tells the watcher that its answer did not match the ignore rules outside the
	// tree.
	ReportMismatch()
}

// BaseKey identifies the content of the working tree in a snapshot: two with the same key contain
// the same blobs and trees. Outer rules are not part of it.
func BaseKey(repo *git.Repo, tree string, m *Manifest) string {
	var b strings.Builder
	b.WriteString(tree)
	for _, o := range m.Odd {
		fmt.Fprintf(&b, "\x00o%s\x00%s", o.OID, o.Path)
	}
	for _, r := range m.Rules {
		if !r.Outer {
			fmt.Fprintf(&b, "\x00r%s\x00%s", r.OID, r.Path)
		}
	}
	return repo.HashObject("blob", []byte(b.String()))
}

// latestTake contains what one snapshot passes to the next in a watched tree: the snapshot that
// contains everything of a base. Unlike TakeCache it lists no objects, so its size does not depend
// on the repository.
type latestTake struct {
	Version int              `json:"v"`
	Anchor  belay.SnapshotID `json:"anchor"`
	BaseKey string           `json:"base"`
	TakeCache
}

func (s *Store) latestPath() string { return filepath.Join(s.Worktree.Dir, "latest") }

// readLatest returns the zero value when nothing can be read.
func (s *Store) readLatest() (l latestTake) {
	text, err := fsroot.ReadFile(s.latestPath(), fsroot.MaxSmallFile)
	if err != nil || json.Unmarshal(text, &l) != nil || l.Version != 1 || l.Anchor == "" || len(l.Objects) > 0 {
		return latestTake{}
	}
	return l
}

// captureWatched captures the current state with the help of a watcher, and returns nil when that
// is not possible: then everything is read.
func (s *Store) captureWatched(ctx context.Context, w CaptureOptions) *Capture {
	if !w.UseWatch || s.Watch == nil || !s.Watch.IsRunning() {
		return nil
	}
	l := s.readLatest()
	if l.BaseKey == "" && w.HasExtras() { // a snapshot with extras saves no base: the watcher could not answer
		return nil
	}
	asked := make(chan *WatchAnswer, 1)
	go func() { asked <- s.Watch.Query(ctx, l.BaseKey) }()
	c := &Capture{Options: w, LoadCache: func(refs []git.Ref) TakeCache { return l.cacheFor(refs) }}
	err := s.Worktree.ReadGitState(ctx, c) // at the same time: both mostly wait
	seen := <-asked
	if c.Answer = seen; seen == nil || err != nil || !c.LastCache.Valid || c.LastCache.Untrusted {
		return nil
	}
	if c.RulesKey() != seen.RulesKey {
		s.Watch.ReportMismatch()
		return nil
	}
	if c.LacksExtras() { // the answer lacks requested extras
		return nil
	}
	if c.Index.Key != seen.IndexKey { // git wrote it just now; the watch has not seen it yet
		return nil
	}
	if more, err := s.Worktree.InspectIgnored(ctx, c); err != nil || more {
		return nil
	}
	if s.Worktree.HashObjects(ctx, c) != nil || len(c.Manifest.Lost) > 0 { // a file that was not read may have the bytes
		return nil
	}
	return c
}

// cacheFor returns the cache; it is valid while the snapshot exists.
func (l latestTake) cacheFor(refs []git.Ref) TakeCache {
	m := l.TakeCache
	m.Anchors = []belay.SnapshotID{l.Anchor}
	m.Valid = slices.ContainsFunc(refs, func(r git.Ref) bool { return r.Name == RefPrefix+string(l.Anchor) })
	return m
}

// saveCaches writes the caches for the next snapshot. A snapshot with a watcher's answer knows
// nothing about the files that were not read, and leaves the other cache unchanged.
func (s *Store) saveCaches(ctx context.Context, c *Capture, id belay.SnapshotID) error {
	if c.Answer == nil {
		if err := s.Worktree.SaveCache(ctx, c, id); err != nil {
			return err
		}
	}
	if s.Watch == nil || !s.Watch.IsRunning() || c.Answer == nil && c.Options.HasExtras() {
		return nil
	}
	l := latestTake{Version: 1, Anchor: id, BaseKey: BaseKey(s.Repo, c.FilesTree, c.Manifest), TakeCache: TakeCache{
		IndexKey: c.Index.Key, IndexHead: c.Head.OID, IndexPathsKey: c.Index.PathsKey,
		IndexTree: c.Index.MetaTree, StagedTree: c.Index.StagedTree,
		TagsTree: c.NextCache.TagsTree, KeepTree: c.NextCache.KeepTree, CommitRefs: c.NextCache.CommitRefs,
		RefsKey: c.NextCache.RefsKey, Readable: c.NextCache.Readable,
		FoundIn: c.DependsOn(),
	}}
	text, err := json.Marshal(l)
	if err != nil {
		return err
	}
	return WriteAtomic(s.latestPath(), text, false)
}

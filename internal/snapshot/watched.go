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

// Watcher answers for a working tree in which nothing can change without its
// knowledge. A take that it answers looks at no file but the changed ones.
type Watcher interface {
	// On reports whether somebody seems to watch. It costs nothing and promises nothing.
	On() bool
	// Ask gives what the tree comes to at a moment after the call, and what of it the
	// snapshot with this base does not hold. nil is "not sure", for any reason.
	Ask(ctx context.Context, base string) *Seen
	// Doubt says that the answer did not fit the rules of ignoring outside the tree.
	Doubt()
}

// Base names what a snapshot holds of the working tree: two with the same base hold
// the same blobs and trees. Outer rules are not part of it.
func Base(repo *git.Repo, tree string, m *Manifest) string {
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
	return repo.Name("blob", []byte(b.String()))
}

// latest is what one take leaves for the next where a tree is watched: the snapshot
// that holds everything of a base. Unlike Memory it names no tree, so it has
// the same size for every repository.
type latest struct {
	V      int              `json:"v"`
	Anchor belay.SnapshotID `json:"anchor"`
	Base   string           `json:"base"`
	Memory
}

func (s *Store) latestPath() string { return filepath.Join(s.Place.Dir, "latest") }

// latest returns the zero value when nothing can be read.
func (s *Store) latest() (l latest) {
	text, err := fsroot.ReadFile(s.latestPath(), fsroot.Usual)
	if err != nil || json.Unmarshal(text, &l) != nil || l.V != 1 || l.Anchor == "" || len(l.Trees) > 0 {
		return latest{}
	}
	return l
}

// watched reads the present with the help of a watch, and gives nil when that cannot
// be done: then everything is looked at.
func (s *Store) watched(ctx context.Context, w Wanted) *Capture {
	if !w.Brief || s.Watch == nil || !s.Watch.On() {
		return nil
	}
	l := s.latest()
	if l.Base == "" && w.More() { // no take with so much leaves a base: asking would be without effect each time
		return nil
	}
	asked := make(chan *Seen, 1)
	go func() { asked <- s.Watch.Ask(ctx, l.Base) }()
	c := &Capture{Wanted: w, Recall: func(refs []git.Ref) Memory { return l.on(refs) }}
	err := s.Place.GitState(ctx, c) // meanwhile: each waits for what the other does not need
	seen := <-asked
	if c.Seen = seen; seen == nil || err != nil || !c.Last.Valid || c.Last.Doubt {
		return nil
	}
	if c.RulesKey() != seen.Rules {
		s.Watch.Doubt()
		return nil
	}
	if c.Beyond() { // what is wanted besides is not in the answer
		return nil
	}
	if c.Index.Key != seen.Index { // git wrote it just now; the watch will see
		return nil
	}
	if more, err := s.Place.LookAtIgnored(ctx, c); err != nil || more {
		return nil
	}
	if s.Place.Name(ctx, c) != nil || len(c.Man.Lost) > 0 { // the bytes may be in a file that was not looked at
		return nil
	}
	return c
}

// on returns the memory, valid while the snapshot is there.
func (l latest) on(refs []git.Ref) Memory {
	m := l.Memory
	m.Anchors = []belay.SnapshotID{l.Anchor}
	m.Valid = slices.ContainsFunc(refs, func(r git.Ref) bool { return r.Name == Prefix+string(l.Anchor) })
	return m
}

// learn leaves what the next take can use. A take that a watch answered knows nothing
// about the files that it did not look at, and leaves the other memory as it is.
func (s *Store) learn(ctx context.Context, c *Capture, id belay.SnapshotID) error {
	if c.Seen == nil {
		if err := s.Place.Learn(ctx, c, id); err != nil {
			return err
		}
	}
	if s.Watch == nil || !s.Watch.On() || c.Seen == nil && c.Wanted.More() {
		return nil
	}
	l := latest{V: 1, Anchor: id, Base: Base(s.Repo, c.Tree, c.Man), Memory: Memory{
		IndexKey: c.Index.Key, IndexHead: c.Head.OID, IndexSet: c.Index.Set, IndexTree: c.Index.Tree, Staged: c.Index.Staged,
		Tags: c.Next.Tags, Keep: c.Next.Keep, Used: c.Next.Used, Named: c.Next.Named, Sound: c.Next.Sound,
		Relied: c.Rests(),
	}}
	text, err := json.Marshal(l)
	if err != nil {
		return err
	}
	return WriteWhole(s.latestPath(), text, false)
}

package snapshot

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/belay-dev/belay/internal/belay"

	"github.com/belay-dev/belay/internal/git"
)

// The user's index, stash, branches, reflogs, hooks and files are never touched here; package
// restore does that. docs/formats.md describes the format.

// DefaultMaxFile is the size above which an untracked file is not captured.
const DefaultMaxFile = 256 << 20

// Options selects what is captured in addition to git's view.
type Options struct {
	Include  []string // doublestar globs of ignored paths to capture as well
	MaxFile  int64    // untracked files above this size are gaps; 0 is DefaultMaxFile
	Now      func() time.Time
	Registry *Registry // the pins of task records; nil for none
}

// Store takes and finds the snapshots of one working tree.
type Store struct {
	Repo     *git.Repo
	Worktree *Worktree
	Watch    Watcher // answers instead of a scan, when set
	// BeforeTake is called first by Take and TakeWith, when set: it finishes an interrupted
	// restore.
	BeforeTake func(context.Context) error
	opts       Options
	objects    Objects
	infoCache  sync.Map // git.Ref → Info
}

// Open opens the store of a repository. It writes nothing.
func Open(_ context.Context, repo *git.Repo, o Options) (*Store, error) {
	if o.MaxFile == 0 {
		o.MaxFile = DefaultMaxFile
	}
	if o.Now == nil {
		o.Now = time.Now
	}
	if o.Registry == nil {
		o.Registry = &Registry{}
	}
	place := &Worktree{Repo: repo, Dir: filepath.Join(repo.Dir, "belay"), Include: o.Include, MaxFile: o.MaxFile}
	return &Store{Repo: repo, Worktree: place, opts: o,
		objects: Objects{worktree: place, Packs: &git.Packs{Repo: repo, Scratch: filepath.Join(place.Dir, "tmp")}}}, nil
}

// Meta is the part of a snapshot's description that the caller gives.
type Meta struct {
	Kind     belay.Kind   `json:"kind"`
	Task     belay.TaskID `json:"task,omitempty"`
	Attempt  int          `json:"attempt,omitempty"`
	Command  string       `json:"command,omitempty"` // the loop's command that requested it
	Message  string       `json:"message,omitempty"`
	Feature  string       `json:"feature,omitempty"`
	Agent    string       `json:"agent,omitempty"`
	Expected []string     `json:"expected,omitempty"` // files that are expected to change after it
	Journal  string       `json:"journal,omitempty"`  // head of the task's record at that time
	// Transient is for commands that only read: the snapshot has no ref, only this process knows
	// it, and the next gc removes its objects.
	Transient bool `json:"-"`
	// SkipIfTree is the SnapshotTree of an earlier snapshot: if nothing has changed since, no
	// snapshot is taken (ErrSame).
	SkipIfTree string `json:"-"`
}

// ErrSame reports that nothing changed since the snapshot of Meta.SkipIfTree.
var ErrSame = errors.New("nothing changed since that snapshot")

// Gap is a path that could not be captured, and why; or a ref, HEAD or the path of staged
// content whose object cannot be read. A restore leaves it alone.
type Gap struct {
	Path   string `json:"path"`
	Reason string `json:"reason"`
}

// Info describes a snapshot. Take and Get fill Gaps and Nested, List does not.
type Info struct {
	ID belay.SnapshotID `json:"id"`
	Meta
	Time      time.Time `json:"time"`
	Head      string    `json:"head,omitempty"`      // the commit; "" while the branch has none
	Branch    string    `json:"branch,omitempty"`    // the full ref; "" when detached
	Worktree  string    `json:"worktree,omitempty"`  // git's name of the linked worktree that it was taken in
	Operation string    `json:"operation,omitempty"` // merge, rebase, cherry-pick, revert, bisect, am
	Tree      string    `json:"tree"`                // the tree of the files
	Files     int       `json:"files"`
	Partial   bool      `json:"partial"` // something could not be captured
	Unstable  bool      `json:"moving"`  // files changed while it was taken
	Gaps      []Gap     `json:"gaps,omitempty"`
	Nested    []string  `json:"nested,omitempty"` // repositories inside the tree that are not captured
	// BrokenRefs are files in the place of refs that name nothing; only Take fills it.
	BrokenRefs   []string `json:"broken_refs,omitempty"`
	Commit       string   `json:"-"` // the object that the ref names: a tag, in format 1 a commit
	SnapshotTree string   `json:"-"` // the tag's tree, which names everything in the snapshot; only Take fills it
	AddedBytes   int64    `json:"-"` // size of the pack that it added to the repository; 0 is unknown; only Take fills it
	oddCount     int      // captured files whose names no git tree may contain
	innerCount   int      // repositories inside the tree that have snapshots of their own
}

func (i Info) ref() string { return RefPrefix + string(i.ID) }

// UncapturedSummary lists the first few gaps and how to see all; "" when there are none.
func (i Info) UncapturedSummary() string {
	var names []string
	for _, g := range i.Gaps {
		names = append(names, belay.VisibleLine(g.Path)+" ("+belay.VisibleLine(g.Reason)+")")
	}
	return i.listFirst(names)
}

// UncapturedAndNestedSummary is UncapturedSummary including the repositories inside the tree that
// have no snapshot of their own.
func (i Info) UncapturedAndNestedSummary() string {
	var names []string
	for _, g := range i.Gaps {
		names = append(names, belay.VisibleLine(g.Path)+" ("+belay.VisibleLine(g.Reason)+")")
	}
	for _, n := range i.Nested {
		names = append(names, belay.VisibleLine(n)+" (a repository of its own)")
	}
	return i.listFirst(names)
}

// listFirst returns the first few of many names, and how to see all.
func (i Info) listFirst(names []string) string {
	const most = 8
	if n := len(names) - most; n > 1 {
		return fmt.Sprintf("%s and %d more: belay snapshot show %s", strings.Join(names[:most], ", "), n, i.ID.Short())
	}
	return strings.Join(names, ", ")
}

// splitGaps converts a manifest's gaps for display, and lists the nested repositories without a
// snapshot.
func splitGaps(m *Manifest) (gaps []Gap, nested []string) {
	for _, g := range m.Gaps {
		gaps = append(gaps, Gap{g.Path, g.Reason})
	}
	for _, l := range m.Lost {
		gaps = append(gaps, Gap{l.Path, l.Reason()})
	}
	for _, l := range m.Uncaptured {
		if l.Kind == UncapturedAuthored {
			gaps = append(gaps, Gap{l.Path, "ignored by git, and over the size limit for such files"})
		}
	}
	for _, n := range m.Nested {
		if !slices.ContainsFunc(m.Inner, func(in InnerSnapshot) bool { return in.Path == n.Path }) {
			nested = append(nested, n.Path)
		}
	}
	return gaps, nested
}

// KeepUntilReleased stores objects that no gc removes until release is called. Before that, a ref
// has to name them.
func (s *Store) KeepUntilReleased(ctx context.Context, objects []git.NewObject) (release func(), err error) {
	return s.objects.KeepUntilReleased(ctx, objects)
}

// CleanUpPacks removes leftovers of killed processes among the packs, when nobody is storing
// objects.
func (s *Store) CleanUpPacks() error { return s.objects.Packs.CleanUp(false) }

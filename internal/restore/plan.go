package restore

import (
	"context"
	"encoding/base64"
	"encoding/json"
	"slices"
	"strings"

	"github.com/belay-dev/belay/internal/git"
	"github.com/belay-dev/belay/internal/scan"
	"github.com/belay-dev/belay/internal/snapshot"

	"github.com/belay-dev/belay/internal/fsroot"
)

// RawPath is a path as bytes. In JSON it is base64, because encoding/json silently changes names
// that are not UTF-8.
type RawPath string

// MarshalJSON implements json.Marshaler.
func (p RawPath) MarshalJSON() ([]byte, error) {
	return json.Marshal(base64.StdEncoding.EncodeToString([]byte(p)))
}

// UnmarshalJSON implements json.Unmarshaler.
func (p *RawPath) UnmarshalJSON(data []byte) error {
	var s string
	if err := json.Unmarshal(data, &s); err != nil {
		return err
	}
	b, err := base64.StdEncoding.DecodeString(s)
	*p = RawPath(b)
	return err
}

// Plan lists the changes of a restore to files, in order: removals of files and folders, new
// folders, files and links, modes of folders. It can be repeated to finish an interrupted restore.
type Plan struct {
	Remove  []RawPath `json:"remove,omitempty"` // files and links, deepest first
	Rmdir   []RawPath `json:"rmdir,omitempty"`  // folders, deepest first, only if empty
	Mkdir   []Folder  `json:"mkdir,omitempty"`  // folders, highest first
	Writes  []Write   `json:"writes,omitempty"`
	Chmod   []Folder  `json:"chmod,omitempty"` // folders, deepest first
	Kept    []Kept    `json:"kept,omitempty"`
	Missing []Kept    `json:"missing,omitempty"` // existed then, does not exist now, and is not in the target
	Blocked []Kept    `json:"-"`                 // what prevents a complete restore
}

// Write is a file or link to be restored.
type Write struct {
	Path RawPath `json:"path"`
	Mode uint32  `json:"mode"`
	OID  string  `json:"oid"`
	Perm uint16  `json:"perm"`
	New  bool    `json:"new,omitempty"` // nothing was there
}

// Folder is a folder and its mode.
type Folder struct {
	Path RawPath `json:"path"`
	Perm uint16  `json:"perm"`
}

// Kept is a path that a restore left alone although it differs, with the reason.
type Kept struct {
	Path   string `json:"path"`
	Reason string `json:"why"`
}

// State is one of the two states of a plan: the tree of its files and what the tree cannot
// contain.
type State struct {
	Tree     string
	Manifest *snapshot.Manifest
	oddPaths map[string]snapshot.OddPath
}

// NewState returns a state.
func NewState(tree string, m *snapshot.Manifest) State {
	s := State{Tree: tree, Manifest: m, oddPaths: map[string]snapshot.OddPath{}}
	for _, o := range m.Odd {
		s.oddPaths[o.Path] = o
	}
	return s
}

// Selection selects the paths to restore. The zero value means all.
type Selection struct {
	Paths    []string               // only these and what is below them
	Preserve []string               // doublestar globs of paths that are left alone
	Only     func(path string) bool // false: left alone and reported
	Created  map[string]bool        // paths that the restore to undo created
}

// Includes reports whether a path is requested and not preserved.
func (w Selection) Includes(path string) bool {
	return isWithin(w.Paths, path) && !matchesAny(w.Preserve, path)
}

// IgnoreRules reports which paths a set of ignore rules ignores.
type IgnoreRules interface {
	Ask(ctx context.Context, paths []string) ([]bool, error)
}

// Planner makes a plan from the rescue snapshot (the current state) to the target.
type Planner struct {
	Plan  Plan
	Now   State
	Root  *fsroot.Root
	Rules IgnoreRules // the target's, when they differ from the current ones
	// KnownPaths selects ignored paths that both states capture: if the target does not contain
	// one, it did not exist then.
	KnownPaths scan.Selector
	// Inner are the folders of repositories inside the tree that are restored: other things in
	// their place are removed.
	Inner map[string]bool

	repo             *git.Repo
	selection        Selection
	scan             *scan.Result // the current state
	Then             State
	removedFolders   map[string]bool
	addedFolders     map[string]bool
	wasIgnored       map[string]bool // candidates for removal that the target's rules ignored
	removed          map[string]bool
	added            map[string]bool // what did not exist in the target state, removed or not
	written          map[string]bool
	keptRepositories []string        // nested repositories that stay: the rescue snapshot does not contain all of them
	nonEmptyThen     map[string]bool // folders that contained something in the target state, if looked up
}

// NewPlanner prepares a plan from now, with its scan, to then.
func NewPlanner(repo *git.Repo, w Selection, scan *scan.Result, now, then State, root *fsroot.Root) *Planner {
	return &Planner{repo: repo, selection: w, scan: scan, Now: now, Then: then, Root: root,
		removedFolders: map[string]bool{}, addedFolders: map[string]bool{}, wasIgnored: map[string]bool{},
		removed: map[string]bool{}, added: map[string]bool{}, written: map[string]bool{}, nonEmptyThen: map[string]bool{}}
}

// Decide compares the two states and decides path by path.
func (pl *Planner) Decide(ctx context.Context) error {
	diffs, err := pl.diffSides(ctx)
	if err != nil {
		return err
	}
	modes, err := pl.diffModes(ctx, diffs)
	if err != nil {
		return err
	}
	if err := pl.findIgnoredThen(ctx, diffs); err != nil {
		return err
	}
	pl.keepHalfRepositories(diffs)
	for _, d := range diffs {
		if d.NewMode == 0 {
			continue
		}
		if why := pl.reasonToLeave(d); why != "" {
			pl.Plan.Kept = append(pl.Plan.Kept, Kept{d.Path, why})
			continue
		}
		pl.written[d.Path] = true
		pl.Plan.Writes = append(pl.Plan.Writes,
			Write{RawPath(d.Path), d.NewMode, d.NewOID, pl.Then.Manifest.Perm(d.Path, d.NewMode == 0o100755), d.OldMode == 0})
	}
	for _, d := range diffs {
		if d.NewMode != 0 {
			continue
		}
		pl.added[d.Path] = true
		why := pl.reasonToLeave(d)
		if why == "" || (why == reasonIgnoredThen || why == reasonGapThen) && pl.isInTheWay(d.Path) {
			pl.Plan.Remove = append(pl.Plan.Remove, RawPath(d.Path))
			pl.removed[d.Path] = true
		} else {
			pl.Plan.Kept = append(pl.Plan.Kept, Kept{d.Path, why})
		}
	}
	pl.Plan.Writes = append(pl.Plan.Writes, modes...)
	pl.keepNewRepositories()
	if err := pl.keepNewGaps(ctx); err != nil {
		return err
	}
	if err := pl.listMissing(); err != nil {
		return err
	}
	pl.planFolders()
	pl.sortSteps()
	if err := pl.checkRequested(); err != nil {
		return err
	}
	return pl.findObstacles()
}

// Parent returns the parent folder of a path, "" for one at the top.
func Parent(path string) string {
	i := strings.LastIndexByte(path, '/')
	if i < 0 {
		return ""
	}
	return path[:i]
}

// sortSteps sorts the steps: removals deepest first, creations highest first.
func (pl *Planner) sortSteps() {
	for f := range pl.removedFolders {
		pl.Plan.Rmdir = append(pl.Plan.Rmdir, RawPath(f))
	}
	deepest := func(a, b RawPath) int { return strings.Compare(string(b), string(a)) }
	slices.SortFunc(pl.Plan.Remove, deepest)
	slices.SortFunc(pl.Plan.Rmdir, deepest)
	slices.SortFunc(pl.Plan.Mkdir, func(a, b Folder) int { return strings.Compare(string(a.Path), string(b.Path)) })
	slices.SortFunc(pl.Plan.Chmod, func(a, b Folder) int { return deepest(a.Path, b.Path) })
	slices.SortFunc(pl.Plan.Writes, func(a, b Write) int { return strings.Compare(string(a.Path), string(b.Path)) })
	pl.Plan.Kept = slices.DeleteFunc(pl.Plan.Kept, func(k Kept) bool { return k.Reason == reasonNotRequested })
	slices.SortFunc(pl.Plan.Kept, func(a, b Kept) int { return strings.Compare(a.Path, b.Path) })
	// Existing folders need no creation.
	pl.Plan.Mkdir = slices.DeleteFunc(pl.Plan.Mkdir, func(c Folder) bool {
		info, err := pl.Root.Lstat(string(c.Path))
		return err == nil && info.Kind == fsroot.Folder
	})
}

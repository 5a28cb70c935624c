package putback

import (
	"context"
	"encoding/base64"
	"encoding/json"
	"errors"
	"io/fs"
	"slices"
	"strings"

	"github.com/bmatcuk/doublestar/v4"

	"github.com/belay-dev/belay/internal/belay"
	"github.com/belay-dev/belay/internal/git"
	"github.com/belay-dev/belay/internal/manifest"
	"github.com/belay-dev/belay/internal/scan"
	"github.com/belay-dev/belay/internal/worktree"
)

// RawPath is a path as bytes. In JSON it is base64: names that are not UTF-8 would be
// changed silently otherwise.
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

// Plan is what a restore does to the files, in the order it does it: removals, folders
// that go, folders that come, files and links, modes of folders. Doing it twice equals
// doing it once, which is how an interrupted restore is finished.
type Plan struct {
	Remove  []RawPath `json:"remove,omitempty"` // files and links, deepest first
	Rmdir   []RawPath `json:"rmdir,omitempty"`  // folders, deepest first, only if empty
	Mkdir   []Folder  `json:"mkdir,omitempty"`  // folders, highest first
	Writes  []Write   `json:"writes,omitempty"`
	Chmod   []Folder  `json:"chmod,omitempty"` // folders, deepest first
	Kept    []Kept    `json:"kept,omitempty"`
	Blocked []Kept    `json:"-"` // what keeps the whole restore from being done
}

// Write is a file or link to be put back.
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

// Kept is a path that a restore left alone although it differs, and why.
type Kept struct {
	Path string `json:"path"`
	Why  string `json:"why"`
}

// Side is one of the two states a plan leads from and to: the tree of its files and
// what the tree cannot hold.
type Side struct {
	Tree string
	Man  *manifest.Manifest
	odd  map[string]manifest.Odd
}

// SideOf makes a side.
func SideOf(tree string, m *manifest.Manifest) Side {
	s := Side{Tree: tree, Man: m, odd: map[string]manifest.Odd{}}
	for _, o := range m.Odd {
		s.odd[o.Path] = o
	}
	return s
}

// Wish says which paths are put back. The zero value means all.
type Wish struct {
	Paths    []string               // only these and what is below them
	Preserve []string               // doublestar globs that are left alone
	Only     func(path string) bool // false: left alone and named
	Made     map[string]bool        // paths that the restore made which is undone
}

// Asker says which paths the ignore rules of some time ignore.
type Asker interface {
	Ask(ctx context.Context, paths []string) ([]bool, error)
}

// Planner makes a plan from the rescue (the present) to the target.
type Planner struct {
	Plan  Plan
	Now   Side
	Root  *worktree.Root
	Rules Asker // of then, when they are not today's

	repo        *git.Repo
	wish        Wish
	scan        *scan.Result // the present
	Then        Side
	goneFolders map[string]bool
	comeFolders map[string]bool
	wasIgnored  map[string]bool // candidates for removal that the rules of then ignored
	removed     map[string]bool
	added       map[string]bool // what then did not have, removed or not
	written     map[string]bool
	thenHolds   map[string]bool // folders of then that hold something, as far as asked
}

// NewPlanner prepares a plan that leads from now, as it was scanned, to then.
func NewPlanner(repo *git.Repo, w Wish, scan *scan.Result, now, then Side, root *worktree.Root) *Planner {
	return &Planner{repo: repo, wish: w, scan: scan, Now: now, Then: then, Root: root,
		goneFolders: map[string]bool{}, comeFolders: map[string]bool{}, wasIgnored: map[string]bool{},
		removed: map[string]bool{}, added: map[string]bool{}, written: map[string]bool{}, thenHolds: map[string]bool{}}
}

// Decide compares the two sides and decides path by path.
func (pl *Planner) Decide(ctx context.Context) error {
	diffs, err := pl.diffs(ctx)
	if err != nil {
		return err
	}
	modes, err := pl.modeDiffs(ctx, diffs)
	if err != nil {
		return err
	}
	if err := pl.rulesOfThen(ctx, diffs); err != nil {
		return err
	}
	for _, d := range diffs {
		if d.NewMode == 0 {
			continue
		}
		if why := pl.leave(d); why != "" {
			pl.Plan.Kept = append(pl.Plan.Kept, Kept{d.Path, why})
			continue
		}
		pl.written[d.Path] = true
		pl.Plan.Writes = append(pl.Plan.Writes, Write{RawPath(d.Path), d.NewMode, d.NewOID, pl.Then.Man.Perm(d.Path, d.NewMode == 0o100755), d.OldMode == 0})
	}
	for _, d := range diffs {
		if d.NewMode != 0 {
			continue
		}
		pl.added[d.Path] = true
		why := pl.leave(d)
		if why == "" || (why == ignoredThen || why == gapThen) && pl.inTheWay(d.Path) {
			pl.Plan.Remove = append(pl.Plan.Remove, RawPath(d.Path))
			pl.removed[d.Path] = true
		} else {
			pl.Plan.Kept = append(pl.Plan.Kept, Kept{d.Path, why})
		}
	}
	pl.Plan.Writes = append(pl.Plan.Writes, modes...)
	pl.newRepositories()
	pl.folders()
	pl.order()
	return pl.obstacles()
}

// newRepositories names the repositories in the tree that were not there then: a
// snapshot does not hold them, so they stay.
func (pl *Planner) newRepositories() {
	for _, n := range pl.Now.Man.Nested {
		was := slices.ContainsFunc(pl.Then.Man.Nested, func(t manifest.Nested) bool { return t.Path == n.Path })
		if !was && within(pl.wish.Paths, n.Path) {
			pl.Plan.Kept = append(pl.Plan.Kept, Kept{n.Path, "a repository of its own, new since the snapshot"})
		}
	}
}

// diffs gives what differs, in the trees and beside them. A name that is odd as a link
// and plain as a file is a removal on one side and a write on the other: it is written.
func (pl *Planner) diffs(ctx context.Context) ([]git.Difference, error) {
	diffs, err := pl.repo.DiffTrees(ctx, pl.Now.Tree, pl.Then.Tree)
	if err != nil {
		return nil, err
	}
	odd := pl.oddDiffs()
	stays := map[string]bool{}
	for _, d := range slices.Concat(odd, diffs) {
		stays[d.Path] = stays[d.Path] || d.NewMode != 0
	}
	diffs = slices.DeleteFunc(append(diffs, odd...), func(d git.Difference) bool { return d.NewMode == 0 && stays[d.Path] })
	return diffs, pl.lookBelow(ctx, diffs)
}

// lookBelow finds out which repositories of their own then held captured files all the
// same: those were entered, and what is new in them is not a gap.
func (pl *Planner) lookBelow(ctx context.Context, diffs []git.Difference) error {
	for _, n := range pl.Then.Man.Nested {
		i := slices.IndexFunc(diffs, func(d git.Difference) bool { return strings.HasPrefix(d.Path, n.Path+"/") })
		if i < 0 || pl.Then.Tree == "" {
			continue
		}
		out, err := pl.repo.Run(ctx, nil, "ls-tree", "-z", pl.Then.Tree, "--", n.Path)
		if err != nil {
			return err
		}
		pl.thenHolds[n.Path] = len(out) > 0
	}
	return nil
}

// inTheWay reports whether something is to be written at, below or above a path.
func (pl *Planner) inTheWay(path string) bool {
	for p := path; p != ""; p = Parent(p) {
		if pl.written[p] {
			return true
		}
	}
	for p := range pl.written {
		if strings.HasPrefix(p, path+"/") {
			return true
		}
	}
	return false
}

// Why a path stays that the target does not have.
const (
	ignoredThen = "was ignored when the snapshot was taken"
	gapThen     = "could not be captured when the snapshot was taken"
)

// leave says why a difference stays, "" when it is to be put back.
func (pl *Planner) leave(d git.Difference) string {
	switch {
	case !within(pl.wish.Paths, d.Path):
		return outside
	case matches(pl.wish.Preserve, d.Path):
		return "preserved"
	case pl.wish.Only != nil && !pl.wish.Only(d.Path):
		return "changed by somebody else"
	case d.NewMode == 0 && pl.wish.Made[d.Path]: // by the restore that is undone
	case d.NewMode == 0 && (pl.wasIgnored[d.Path] || pl.Then.Man.WasIgnored(d.Path)):
		return ignoredThen
	case d.NewMode == 0 && pl.gapAt(d.Path):
		return gapThen
	}
	return ""
}

// outside marks a path that the request does not speak of; it is not worth a mention.
const outside = "not asked for"

func within(paths []string, path string) bool {
	for _, p := range paths {
		p = strings.TrimSuffix(p, "/")
		if p == "." || p == "" || p == path || strings.HasPrefix(path, p+"/") {
			return true
		}
	}
	return len(paths) == 0
}

// matches reports whether a glob names a path, or a folder above it.
func matches(globs []string, path string) bool {
	for _, g := range globs {
		g = strings.TrimSuffix(g, "/")
		for p := path; ; {
			if ok, err := doublestar.Match(g, p); ok && err == nil {
				return true
			}
			i := strings.LastIndexByte(p, '/')
			if i < 0 {
				break
			}
			p = p[:i]
		}
	}
	return false
}

// gapAt reports whether the target could not capture a path: nothing is known of what
// was there, so nothing there is to be removed.
func (pl *Planner) gapAt(path string) bool {
	for _, g := range pl.Then.Man.Gaps {
		if g.Path == path || strings.HasPrefix(path, g.Path+"/") {
			return true
		}
	}
	for _, n := range pl.Then.Man.Nested {
		if (n.Path == path || strings.HasPrefix(path, n.Path+"/")) && !pl.thenHolds[n.Path] {
			return true
		}
	}
	return false
}

// oddDiffs compares what is kept outside of the trees.
func (pl *Planner) oddDiffs() []git.Difference {
	var list []git.Difference
	for path, o := range pl.Then.odd {
		was, there := pl.Now.odd[path]
		if !there || was.Mode != o.Mode || was.OID != o.OID {
			list = append(list, git.Difference{Path: path, OldMode: was.Mode, OldOID: was.OID, NewMode: o.Mode, NewOID: o.OID, Status: 'M'})
		}
	}
	for path, o := range pl.Now.odd {
		if _, still := pl.Then.odd[path]; !still {
			list = append(list, git.Difference{Path: path, OldMode: o.Mode, OldOID: o.OID, Status: 'D'})
		}
	}
	slices.SortFunc(list, func(a, b git.Difference) int { return strings.Compare(a.Path, b.Path) })
	return list
}

// modeDiffs gives files whose bytes are right and whose modes are not. They are
// written like any other: the writer compares bytes first and then only sets the mode.
func (pl *Planner) modeDiffs(ctx context.Context, diffs []git.Difference) ([]Write, error) {
	differs := map[string]bool{}
	for _, d := range diffs {
		differs[d.Path] = true
	}
	candidates := map[string]bool{}
	for _, m := range slices.Concat(pl.Now.Man.Modes, pl.Then.Man.Modes) {
		candidates[m.Path] = true
	}
	defaults := pl.Now.Man.FilePerm == pl.Then.Man.FilePerm && pl.Now.Man.ExecPerm == pl.Then.Man.ExecPerm
	if defaults && len(candidates) == 0 {
		return nil, nil
	}
	entries, err := pl.repo.ListTree(ctx, pl.Then.Tree)
	if err != nil {
		return nil, err
	}
	for _, o := range pl.Then.odd {
		entries = append(entries, git.TreeEntry{Path: o.Path, Mode: o.Mode, OID: o.OID})
	}
	var list []Write
	for _, e := range entries {
		if e.Mode == 0o120000 || differs[e.Path] || defaults && !candidates[e.Path] {
			continue
		}
		exec := e.Mode == 0o100755
		want := pl.Then.Man.Perm(e.Path, exec)
		if want != pl.Now.Man.Perm(e.Path, exec) && pl.leave(git.Difference{Path: e.Path, NewMode: e.Mode}) == "" {
			list = append(list, Write{RawPath(e.Path), e.Mode, e.OID, want, false})
		}
	}
	return list, nil
}

// Parent gives the folder of a path, "" for one at the top.
func Parent(path string) string {
	i := strings.LastIndexByte(path, '/')
	if i < 0 {
		return ""
	}
	return path[:i]
}

// order sorts what must happen deepest first, and highest first.
func (pl *Planner) order() {
	for f := range pl.goneFolders {
		pl.Plan.Rmdir = append(pl.Plan.Rmdir, RawPath(f))
	}
	deepest := func(a, b RawPath) int { return strings.Compare(string(b), string(a)) }
	slices.SortFunc(pl.Plan.Remove, deepest)
	slices.SortFunc(pl.Plan.Rmdir, deepest)
	slices.SortFunc(pl.Plan.Mkdir, func(a, b Folder) int { return strings.Compare(string(a.Path), string(b.Path)) })
	slices.SortFunc(pl.Plan.Chmod, func(a, b Folder) int { return deepest(a.Path, b.Path) })
	slices.SortFunc(pl.Plan.Writes, func(a, b Write) int { return strings.Compare(string(a.Path), string(b.Path)) })
	pl.Plan.Kept = slices.DeleteFunc(pl.Plan.Kept, func(k Kept) bool { return k.Why == outside })
	slices.SortFunc(pl.Plan.Kept, func(a, b Kept) int { return strings.Compare(a.Path, b.Path) })
	// A folder that is there already needs no making.
	pl.Plan.Mkdir = slices.DeleteFunc(pl.Plan.Mkdir, func(c Folder) bool {
		info, err := pl.Root.Lstat(string(c.Path))
		return err == nil && info.Kind == worktree.Folder
	})
}

// obstacles refuses what cannot be done without losing something: a thing in the way
// of a file that the rescue does not hold, or a folder in the way that keeps something.
func (pl *Planner) obstacles() error {
	for _, w := range pl.Plan.Writes {
		path := string(w.Path)
		info, err := pl.Root.Lstat(path)
		switch {
		case errors.Is(err, fs.ErrNotExist), errors.Is(err, worktree.ErrNotFolder):
		case err != nil:
			return err
		case info.Kind == worktree.Other:
			pl.Plan.Blocked = append(pl.Plan.Blocked, Kept{path, "a FIFO, socket or device is in its place"})
		case info.Kind == worktree.Folder:
			pl.folderInTheWay(path)
		case !pl.held(path):
			pl.Plan.Blocked = append(pl.Plan.Blocked, Kept{path, "what is there could not be captured"})
		}
		for p := Parent(path); p != ""; p = Parent(p) {
			if info, err := pl.Root.Lstat(p); err == nil && info.Kind != worktree.Folder && !pl.removed[p] {
				pl.Plan.Blocked = append(pl.Plan.Blocked, Kept{p, "it is in the place of a folder"})
			}
		}
	}
	return nil
}

// folderInTheWay checks that a folder will be empty when a file is to take its place.
func (pl *Planner) folderInTheWay(path string) {
	prefix := path + "/"
	stays := func(p string) bool { return strings.HasPrefix(p, prefix) || strings.TrimSuffix(p, "/") == path }
	for _, i := range pl.Now.Man.Ignored {
		if stays(i) {
			pl.Plan.Blocked = append(pl.Plan.Blocked, Kept{i, "it is ignored and lies where a file belongs"})
		}
	}
	for _, n := range pl.Now.Man.Nested {
		if stays(n.Path) {
			pl.Plan.Blocked = append(pl.Plan.Blocked, Kept{n.Path, "a repository of its own lies where a file belongs"})
		}
	}
	for _, g := range pl.Now.Man.Gaps {
		if stays(g.Path) {
			pl.Plan.Blocked = append(pl.Plan.Blocked, Kept{g.Path, "it could not be captured and lies where a file belongs"})
		}
	}
	for _, k := range pl.Plan.Kept {
		if stays(k.Path) {
			pl.Plan.Blocked = append(pl.Plan.Blocked, Kept{k.Path, k.Why + ", and lies where a file belongs"})
		}
	}
	pl.Plan.Rmdir = append(pl.Plan.Rmdir, RawPath(path))
	for _, f := range pl.Now.Man.Folders {
		if strings.HasPrefix(f, prefix) {
			pl.Plan.Rmdir = append(pl.Plan.Rmdir, RawPath(f))
		}
	}
	slices.SortFunc(pl.Plan.Rmdir, func(a, b RawPath) int { return strings.Compare(string(b), string(a)) })
	pl.Plan.Rmdir = slices.Compact(pl.Plan.Rmdir)
}

// held reports whether the rescue holds what is at a path now.
func (pl *Planner) held(path string) bool {
	_, found := Find(pl.scan, path)
	return found
}

// rulesOfThen finds out which candidates for removal the rules of the target's time
// ignored: what was ignored is nobody's to delete, whatever the rules say today.
func (pl *Planner) rulesOfThen(ctx context.Context, diffs []git.Difference) error {
	if pl.Rules == nil { // today's: what they ignore is not in the rescue
		return nil
	}
	var paths []string
	for _, d := range diffs {
		if d.NewMode == 0 {
			paths = append(paths, d.Path)
		}
	}
	ignored, err := pl.Rules.Ask(ctx, paths)
	if err != nil {
		return err
	}
	for i, yes := range ignored {
		if yes {
			pl.wasIgnored[paths[i]] = true
		}
	}
	return nil
}

// Refusal makes an error of what blocks a plan.
func (p *Plan) Refusal() error {
	if len(p.Blocked) == 0 {
		return nil
	}
	first := p.Blocked[0]
	return belay.Refuse(belay.CodeCannot, "move it away, or restore other paths with -- PATH…",
		"the restore would have to destroy %s: %s", belay.VisibleLine(first.Path), first.Why)
}

package snapshot

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
	"github.com/belay-dev/belay/internal/worktree"
)

// rawPath is a path as bytes. In JSON it is base64: names that are not UTF-8 would be
// changed silently otherwise.
type rawPath string

func (p rawPath) MarshalJSON() ([]byte, error) {
	return json.Marshal(base64.StdEncoding.EncodeToString([]byte(p)))
}

func (p *rawPath) UnmarshalJSON(data []byte) error {
	var s string
	if err := json.Unmarshal(data, &s); err != nil {
		return err
	}
	b, err := base64.StdEncoding.DecodeString(s)
	*p = rawPath(b)
	return err
}

// plan is what a restore does to the files, in the order it does it: removals, folders
// that go, folders that come, files and links, modes of folders. Doing it twice equals
// doing it once, which is how an interrupted restore is finished.
type plan struct {
	Remove  []rawPath `json:"remove,omitempty"` // files and links, deepest first
	Rmdir   []rawPath `json:"rmdir,omitempty"`  // folders, deepest first, only if empty
	Mkdir   []chmod   `json:"mkdir,omitempty"`  // folders, highest first
	Writes  []write   `json:"writes,omitempty"`
	Chmod   []chmod   `json:"chmod,omitempty"` // folders, deepest first
	Kept    []Kept    `json:"kept,omitempty"`
	Blocked []Kept    `json:"-"` // what keeps the whole restore from being done
}

type write struct {
	Path rawPath `json:"path"`
	Mode uint32  `json:"mode"`
	OID  string  `json:"oid"`
	Perm uint16  `json:"perm"`
	New  bool    `json:"new,omitempty"` // nothing was there
}

type chmod struct {
	Path rawPath `json:"path"`
	Perm uint16  `json:"perm"`
}

// Kept is a path that a restore left alone although it differs, and why.
type Kept struct {
	Path string `json:"path"`
	Why  string `json:"why"`
}

// side is one of the two states a plan leads from and to.
type side struct {
	info Info
	man  *manifest.Manifest
	odd  map[string]manifest.Odd
}

func sideOf(i Info, m *manifest.Manifest) side {
	s := side{info: i, man: m, odd: map[string]manifest.Odd{}}
	for _, o := range m.Odd {
		s.odd[o.Path] = o
	}
	return s
}

// planner makes a plan from the rescue (the present) to the target.
type planner struct {
	s           *Store
	opts        RestoreOptions
	scan        *worktree.Result // the present
	now, then   side
	root        *worktree.Root
	rules       *oldRules // of then, when they are not today's
	p           plan
	goneFolders map[string]bool
	comeFolders map[string]bool
	wasIgnored  map[string]bool // candidates for removal that the rules of then ignored
	removed     map[string]bool
	written     map[string]bool
	thenHolds   map[string]bool // folders of then that hold something, as far as asked
}

func newPlanner(s *Store, o RestoreOptions, c *capture, rescue Info, then side, root *worktree.Root) *planner {
	return &planner{s: s, opts: o, scan: c.scan, now: sideOf(rescue, c.man), then: then, root: root,
		goneFolders: map[string]bool{}, comeFolders: map[string]bool{}, wasIgnored: map[string]bool{},
		removed: map[string]bool{}, written: map[string]bool{}, thenHolds: map[string]bool{}}
}

// files compares the two sides and decides path by path.
func (pl *planner) files(ctx context.Context) error {
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
			pl.p.Kept = append(pl.p.Kept, Kept{d.Path, why})
			continue
		}
		pl.written[d.Path] = true
		pl.p.Writes = append(pl.p.Writes, write{rawPath(d.Path), d.NewMode, d.NewOID, pl.then.man.Perm(d.Path, d.NewMode == 0o100755), d.OldMode == 0})
	}
	for _, d := range diffs {
		if d.NewMode != 0 {
			continue
		}
		why := pl.leave(d)
		if why == "" || (why == ignoredThen || why == gapThen) && pl.inTheWay(d.Path) {
			pl.p.Remove = append(pl.p.Remove, rawPath(d.Path))
			pl.removed[d.Path] = true
		} else {
			pl.p.Kept = append(pl.p.Kept, Kept{d.Path, why})
		}
	}
	pl.p.Writes = append(pl.p.Writes, modes...)
	pl.folders()
	pl.order()
	return pl.obstacles()
}

// diffs gives what differs, in the trees and beside them. A name that is odd as a link
// and plain as a file is a removal on one side and a write on the other: it is written.
func (pl *planner) diffs(ctx context.Context) ([]git.Difference, error) {
	diffs, err := pl.s.repo.DiffTrees(ctx, pl.now.info.Tree, pl.then.info.Tree)
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
func (pl *planner) lookBelow(ctx context.Context, diffs []git.Difference) error {
	for _, n := range pl.then.man.Nested {
		i := slices.IndexFunc(diffs, func(d git.Difference) bool { return strings.HasPrefix(d.Path, n.Path+"/") })
		if i < 0 || pl.then.info.Tree == "" {
			continue
		}
		out, err := pl.s.repo.Run(ctx, nil, "ls-tree", "-z", pl.then.info.Tree, "--", n.Path)
		if err != nil {
			return err
		}
		pl.thenHolds[n.Path] = len(out) > 0
	}
	return nil
}

// inTheWay reports whether something is to be written at, below or above a path.
func (pl *planner) inTheWay(path string) bool {
	for p := path; p != ""; p = parent(p) {
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
func (pl *planner) leave(d git.Difference) string {
	switch {
	case !within(pl.opts.Paths, d.Path):
		return outside
	case matches(pl.opts.Preserve, d.Path):
		return "preserved"
	case pl.opts.Only != nil && !pl.opts.Only(d.Path):
		return "changed by somebody else"
	case d.NewMode == 0 && pl.opts.made[d.Path]: // by the restore that is undone
	case d.NewMode == 0 && (pl.wasIgnored[d.Path] || pl.then.man.WasIgnored(d.Path)):
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
func (pl *planner) gapAt(path string) bool {
	for _, g := range pl.then.man.Gaps {
		if g.Path == path || strings.HasPrefix(path, g.Path+"/") {
			return true
		}
	}
	for _, n := range pl.then.man.Nested {
		if (n.Path == path || strings.HasPrefix(path, n.Path+"/")) && !pl.thenHolds[n.Path] {
			return true
		}
	}
	return false
}

// oddDiffs compares what is kept outside of the trees.
func (pl *planner) oddDiffs() []git.Difference {
	var list []git.Difference
	for path, o := range pl.then.odd {
		was, there := pl.now.odd[path]
		if !there || was.Mode != o.Mode || was.OID != o.OID {
			list = append(list, git.Difference{Path: path, OldMode: was.Mode, OldOID: was.OID, NewMode: o.Mode, NewOID: o.OID, Status: 'M'})
		}
	}
	for path, o := range pl.now.odd {
		if _, still := pl.then.odd[path]; !still {
			list = append(list, git.Difference{Path: path, OldMode: o.Mode, OldOID: o.OID, Status: 'D'})
		}
	}
	slices.SortFunc(list, func(a, b git.Difference) int { return strings.Compare(a.Path, b.Path) })
	return list
}

// modeDiffs gives files whose bytes are right and whose modes are not. They are
// written like any other: the writer compares bytes first and then only sets the mode.
func (pl *planner) modeDiffs(ctx context.Context, diffs []git.Difference) ([]write, error) {
	differs := map[string]bool{}
	for _, d := range diffs {
		differs[d.Path] = true
	}
	candidates := map[string]bool{}
	for _, m := range slices.Concat(pl.now.man.Modes, pl.then.man.Modes) {
		candidates[m.Path] = true
	}
	defaults := pl.now.man.FilePerm == pl.then.man.FilePerm && pl.now.man.ExecPerm == pl.then.man.ExecPerm
	if defaults && len(candidates) == 0 {
		return nil, nil
	}
	entries, err := pl.s.repo.ListTree(ctx, pl.then.info.Tree)
	if err != nil {
		return nil, err
	}
	for _, o := range pl.then.odd {
		entries = append(entries, git.TreeEntry{Path: o.Path, Mode: o.Mode, OID: o.OID})
	}
	var list []write
	for _, e := range entries {
		if e.Mode == 0o120000 || differs[e.Path] || defaults && !candidates[e.Path] {
			continue
		}
		exec := e.Mode == 0o100755
		want := pl.then.man.Perm(e.Path, exec)
		if want != pl.now.man.Perm(e.Path, exec) && pl.leave(git.Difference{Path: e.Path, NewMode: e.Mode}) == "" {
			list = append(list, write{rawPath(e.Path), e.Mode, e.OID, want, false})
		}
	}
	return list, nil
}

// folders plans the folders that come and go: those without files, and parents that
// are empty once their files are gone.
func (pl *planner) folders() {
	then := map[string]bool{}
	for _, f := range pl.then.man.Folders {
		then[f] = true
		if why := pl.leave(git.Difference{Path: f, NewMode: 0o40000}); why == "" {
			pl.comeFolders[f] = true
		}
	}
	for _, f := range pl.now.man.Folders {
		if !then[f] && pl.leave(git.Difference{Path: f}) == "" {
			pl.goneFolders[f] = true
		}
	}
	for _, r := range pl.p.Remove {
		for p := parent(string(r)); p != "" && !then[p]; p = parent(p) {
			pl.goneFolders[p] = true // only if it is empty then, and nothing is written below
		}
	}
	needed := func(p string) {
		for p = parent(p); p != ""; p = parent(p) {
			delete(pl.goneFolders, p)
			pl.comeFolders[p] = true
		}
	}
	for _, w := range pl.p.Writes {
		needed(string(w.Path))
	}
	for f := range then {
		needed(f)
	}
	pl.chmods()
}

// chmods plans the modes of folders: of those that are made, and of those that have
// another mode than then.
func (pl *planner) chmods() {
	want := map[string]uint16{}
	for f := range pl.comeFolders {
		want[f] = pl.then.man.FolderPerm(f)
	}
	all := pl.now.man.DirPerm != pl.then.man.DirPerm
	named := map[string]bool{}
	for _, m := range slices.Concat(pl.now.man.Modes, pl.then.man.Modes) {
		named[m.Path] = true
	}
	for _, d := range pl.scan.Dirs {
		if d.Path != "" && (all || named[d.Path]) && !pl.goneFolders[d.Path] && pl.leave(git.Difference{Path: d.Path, NewMode: 0o40000}) == "" {
			want[d.Path] = pl.then.man.FolderPerm(d.Path)
		}
	}
	for f, perm := range want {
		if pl.comeFolders[f] {
			pl.p.Mkdir = append(pl.p.Mkdir, chmod{rawPath(f), perm})
		}
		if info, err := pl.root.Lstat(f); err != nil || info.Perm != perm {
			pl.p.Chmod = append(pl.p.Chmod, chmod{rawPath(f), perm})
		}
	}
	pl.relock()
}

// relock plans the modes, as they are, of folders that the restore has to open for a
// moment because they may not be written in: killed then, it would leave them open.
func (pl *planner) relock() {
	seen := map[string]bool{}
	for _, c := range pl.p.Chmod {
		seen[string(c.Path)] = true
	}
	above := func(path string) {
		for p := parent(path); p != "" && !pl.goneFolders[p]; p = parent(p) {
			if seen[p] {
				continue
			}
			seen[p] = true
			if info, err := pl.root.Lstat(p); err == nil && info.Kind == worktree.Folder && info.Perm&0o700 != 0o700 {
				pl.p.Chmod = append(pl.p.Chmod, chmod{rawPath(p), info.Perm})
			}
		}
	}
	for _, w := range pl.p.Writes {
		above(string(w.Path))
	}
	for _, r := range pl.p.Remove {
		above(string(r))
	}
	for f := range pl.goneFolders {
		above(f)
	}
}

func parent(path string) string {
	i := strings.LastIndexByte(path, '/')
	if i < 0 {
		return ""
	}
	return path[:i]
}

// order sorts what must happen deepest first, and highest first.
func (pl *planner) order() {
	for f := range pl.goneFolders {
		pl.p.Rmdir = append(pl.p.Rmdir, rawPath(f))
	}
	deepest := func(a, b rawPath) int { return strings.Compare(string(b), string(a)) }
	slices.SortFunc(pl.p.Remove, deepest)
	slices.SortFunc(pl.p.Rmdir, deepest)
	slices.SortFunc(pl.p.Mkdir, func(a, b chmod) int { return strings.Compare(string(a.Path), string(b.Path)) })
	slices.SortFunc(pl.p.Chmod, func(a, b chmod) int { return deepest(a.Path, b.Path) })
	slices.SortFunc(pl.p.Writes, func(a, b write) int { return strings.Compare(string(a.Path), string(b.Path)) })
	pl.p.Kept = slices.DeleteFunc(pl.p.Kept, func(k Kept) bool { return k.Why == outside })
	slices.SortFunc(pl.p.Kept, func(a, b Kept) int { return strings.Compare(a.Path, b.Path) })
	// A folder that is there already needs no making.
	pl.p.Mkdir = slices.DeleteFunc(pl.p.Mkdir, func(c chmod) bool {
		info, err := pl.root.Lstat(string(c.Path))
		return err == nil && info.Kind == worktree.Folder
	})
}

// obstacles refuses what cannot be done without losing something: a thing in the way
// of a file that the rescue does not hold, or a folder in the way that keeps something.
func (pl *planner) obstacles() error {
	for _, w := range pl.p.Writes {
		path := string(w.Path)
		info, err := pl.root.Lstat(path)
		switch {
		case errors.Is(err, fs.ErrNotExist), errors.Is(err, worktree.ErrNotFolder):
		case err != nil:
			return err
		case info.Kind == worktree.Other:
			pl.p.Blocked = append(pl.p.Blocked, Kept{path, "a FIFO, socket or device is in its place"})
		case info.Kind == worktree.Folder:
			pl.folderInTheWay(path)
		case !pl.held(path):
			pl.p.Blocked = append(pl.p.Blocked, Kept{path, "what is there could not be captured"})
		}
		for p := parent(path); p != ""; p = parent(p) {
			if info, err := pl.root.Lstat(p); err == nil && info.Kind != worktree.Folder && !pl.removed[p] {
				pl.p.Blocked = append(pl.p.Blocked, Kept{p, "it is in the place of a folder"})
			}
		}
	}
	return nil
}

// folderInTheWay checks that a folder will be empty when a file is to take its place.
func (pl *planner) folderInTheWay(path string) {
	prefix := path + "/"
	stays := func(p string) bool { return strings.HasPrefix(p, prefix) || strings.TrimSuffix(p, "/") == path }
	for _, i := range pl.now.man.Ignored {
		if stays(i) {
			pl.p.Blocked = append(pl.p.Blocked, Kept{i, "it is ignored and lies where a file belongs"})
		}
	}
	for _, n := range pl.now.man.Nested {
		if stays(n.Path) {
			pl.p.Blocked = append(pl.p.Blocked, Kept{n.Path, "a repository of its own lies where a file belongs"})
		}
	}
	for _, g := range pl.now.man.Gaps {
		if stays(g.Path) {
			pl.p.Blocked = append(pl.p.Blocked, Kept{g.Path, "it could not be captured and lies where a file belongs"})
		}
	}
	for _, k := range pl.p.Kept {
		if stays(k.Path) {
			pl.p.Blocked = append(pl.p.Blocked, Kept{k.Path, k.Why + ", and lies where a file belongs"})
		}
	}
	pl.p.Rmdir = append(pl.p.Rmdir, rawPath(path))
	for _, f := range pl.now.man.Folders {
		if strings.HasPrefix(f, prefix) {
			pl.p.Rmdir = append(pl.p.Rmdir, rawPath(f))
		}
	}
	slices.SortFunc(pl.p.Rmdir, func(a, b rawPath) int { return strings.Compare(string(b), string(a)) })
	pl.p.Rmdir = slices.Compact(pl.p.Rmdir)
}

// held reports whether the rescue holds what is at a path now.
func (pl *planner) held(path string) bool {
	_, found := find(pl.scan, path)
	return found
}

// rulesOfThen finds out which candidates for removal the rules of the target's time
// ignored: what was ignored is nobody's to delete, whatever the rules say today.
func (pl *planner) rulesOfThen(ctx context.Context, diffs []git.Difference) error {
	if pl.rules == nil { // today's: what they ignore is not in the rescue
		return nil
	}
	var paths []string
	for _, d := range diffs {
		if d.NewMode == 0 {
			paths = append(paths, d.Path)
		}
	}
	ignored, err := pl.rules.ask.Ask(ctx, paths)
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

// refusal makes an error of what blocks a plan.
func (p *plan) refusal() error {
	if len(p.Blocked) == 0 {
		return nil
	}
	first := p.Blocked[0]
	return belay.Refuse(belay.CodeCannot, "move it away, or restore other paths with -- PATH…",
		"the restore would have to destroy %s: %s", belay.VisibleLine(first.Path), first.Why)
}

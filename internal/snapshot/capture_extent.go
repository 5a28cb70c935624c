package snapshot

import (
	"context"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"

	"github.com/belay-dev/belay/internal/belay"
	"github.com/belay-dev/belay/internal/scan"

	"github.com/belay-dev/belay/internal/fsroot"
)

// Extent says what is captured beside what git would show. The zero value is nothing: then
// today's rules of ignoring decide alone. A manifest records it, so that a restore and a
// comparison look at the same things.
type CaptureExtent struct {
	// Agents captures the files that instruct agents, ignored or not.
	Agents bool
	// Protect are globs (belay.Covers) of paths that are captured whether ignored or not.
	// They reach into build output only where they spell out its name.
	Protect []string
	// Built are globs that spell out build output which is not a build output here.
	Built []string
	// Large is how many bytes a file may have, where that is more than the place's MaxFile.
	Large int64
	// Ignored captures ignored files that somebody wrote, and notes what the others look like.
	// See LookAtIgnored.
	Ignored bool
	// Own are paths of such files, where their names do not say it; Kept those of files that
	// may be.
	Own, Kept []string
	// Since is an earlier state: what was hidden since then is captured, and so are
	// repositories of their own that were not there then.
	Since *Since
}

// The kinds of ManifestExtent.
const (
	extentAgents  = "agents"
	extentProtect = "protect"
	extentBuilt   = "built"
	extentSince   = "since"
	extentLarge   = "large"
	extentIgnored = "ignored"
	extentOwn     = "own"
	extentKept    = "kept"
)

// The kinds of Left.
const (
	LeftOutput  = "output"  // a folder of build output, hidden by a rule that is new; Print counts its files
	LeftFile    = "file"    // a file that is a gap; Print has size, mtime and ctime
	LeftIgnored = "ignored" // an ignored file; Print has mode, size, mtime, ctime and a hash, "-" for none
	LeftOwn     = "own"     // one that somebody wrote, and that is too large to be captured, or one too many
	LeftMany    = "many"    // an ignored folder with too many files to look at
)

// ExtentOf reads what a manifest records. since is the snapshot that Since was made of,
// "" for none.
func ExtentOf(m *Manifest) (e CaptureExtent, since string) {
	for _, x := range m.Extent {
		switch x.Kind {
		case extentAgents:
			e.Agents = true
		case extentProtect:
			e.Protect = append(e.Protect, x.Value)
		case extentBuilt:
			e.Built = append(e.Built, x.Value)
		case extentSince:
			since = x.Value
		case extentLarge:
			e.Large, _ = strconv.ParseInt(x.Value, 10, 64)
		case extentIgnored:
			e.Ignored = true
		case extentOwn:
			e.Own = append(e.Own, x.Value)
		case extentKept:
			e.Kept = append(e.Kept, x.Value)
		}
	}
	return e, since
}

// record is the inverse of ExtentOf.
func (e CaptureExtent) record() (list []ManifestExtent) {
	if !e.wide() {
		return nil
	}
	if e.Agents {
		list = append(list, ManifestExtent{Kind: extentAgents})
	}
	for _, g := range e.Protect {
		list = append(list, ManifestExtent{Kind: extentProtect, Value: g})
	}
	for _, g := range e.Built {
		list = append(list, ManifestExtent{Kind: extentBuilt, Value: g})
	}
	if e.Large > 0 {
		list = append(list, ManifestExtent{Kind: extentLarge, Value: strconv.FormatInt(e.Large, 10)})
	}
	if e.Ignored {
		list = append(list, ManifestExtent{Kind: extentIgnored})
	}
	for _, p := range e.Own {
		list = append(list, ManifestExtent{Kind: extentOwn, Value: p})
	}
	for _, p := range e.Kept {
		list = append(list, ManifestExtent{Kind: extentKept, Value: p})
	}
	if e.Since != nil {
		list = append(list, ManifestExtent{Kind: extentSince, Value: e.Since.id})
	}
	return list
}

// wide reports whether ignored paths may be captured that were ignored all the time.
func (e CaptureExtent) wide() bool { return e.Agents || e.Ignored || len(e.Protect) > 0 }

// Selector selects among ignored paths, nil for none.
func (e CaptureExtent) Selector() scan.Selector {
	var all scan.Any
	if e.Agents {
		all = append(all, belay.Files{})
	}
	if len(e.Protect) > 0 {
		p := protected{extent: e}
		var clean []string
		for _, g := range e.Protect {
			for strings.HasPrefix(g, "./") {
				g = strings.TrimLeft(g[2:], "/")
			}
			if g == "" || g == "." {
				g = "**"
			}
			clean = append(clean, g)
		}
		var err error
		if p.reach, err = scan.New(clean); err != nil {
			p.reach = nil // a glob that cannot be used reaches nothing, and the check says so
		}
		all = append(all, p)
	}
	if e.Ignored {
		all = append(all, belay.Settings{})
	}
	if len(e.Own)+len(e.Kept) > 0 {
		all = append(all, exactlyThose(slices.Concat(e.Own, e.Kept)))
	}
	if len(all) == 0 {
		return nil
	}
	return all
}

// protected selects what globs (belay.Covers) cover.
type protected struct {
	extent CaptureExtent
	reach  scan.Globs
}

// Covers reports whether path is protected; a folder: with all below it.
func (p protected) Covers(path string, folder bool) bool {
	if p.built(path, folder) || !belay.Match(p.extent.Protect, path) {
		return false
	}
	// A folder is covered with what no glob can name on purpose.
	return !folder || belay.Match(p.extent.Protect, path+"/\x01\x01/\x01")
}

// Reaches reports whether something below the folder may be protected.
func (p protected) Reaches(folder string) bool {
	return !p.built(folder, true) && (p.reach.Reaches(folder) || belay.Match(p.extent.Protect, folder+"/\x01"))
}

func (p protected) built(path string, folder bool) bool {
	if folder {
		path += "/"
	}
	out := belay.Output(path)
	return out != "" && !p.extent.spells(out)
}

// spells reports whether a glob names a folder of build output.
func (e CaptureExtent) spells(output string) bool {
	named := func(g string) bool { return belay.Names(g, output) }
	return slices.ContainsFunc(e.Protect, named) || slices.ContainsFunc(e.Built, named)
}

// Since is an earlier state that a capture is held against.
type Since struct {
	Rules *OldRules // of then

	place *Place
	id    string
	tree  string
	man   *Manifest

	mu     sync.Mutex
	stood  map[string]bool // folders of build output: whether then held something there
	output map[string]bool // those that the last scan left out
}

// Since prepares to hold captures against a snapshot: its id, the tree of its files and its
// manifest. Close ends it.
func (s *Place) Since(ctx context.Context, id, tree string, m *Manifest) *Since {
	return &Since{place: s, id: id, tree: tree, man: m, Rules: s.OldRules(ctx, id, m), stood: map[string]bool{}, output: map[string]bool{}}
}

// Close ends the questions; nil has none.
func (n *Since) Close() {
	if n != nil {
		n.Rules.Close()
	}
}

// then is what a scan needs to know of the earlier state.
func (n *Since) then(c *Capture) *scan.Then {
	t := &scan.Then{Moved: n.outerMoved(c.Rules), Files: map[string]fsroot.OID{}}
	for _, r := range n.man.Rules {
		if !r.Outer {
			t.Files[r.Path] = fsroot.OID(Raw(r.OID))
		}
	}
	clear(n.output)
	t.Ignored = func(ctx context.Context, paths []string) ([]bool, error) {
		return n.ignored(ctx, c.Wanted.Extent, paths)
	}
	return t
}

// outerMoved reports whether the rules outside the tree are not those of then.
func (n *Since) outerMoved(now outerRules) bool {
	var then []Rule
	for _, r := range n.man.Rules {
		if r.Outer {
			then = append(then, r)
		}
	}
	return now.folds != n.man.FoldsCase || !slices.Equal(then, n.place.outerFiles(now))
}

// Moved reports whether rules of ignoring are others than those of then, by a manifest of
// the present and the rules outside the tree.
func (n *Since) moved(m *Manifest, now outerRules) bool {
	inner := func(m *Manifest) []Rule {
		return slices.DeleteFunc(slices.Clone(m.Rules), func(r Rule) bool { return r.Outer })
	}
	return n.outerMoved(now) || !slices.Equal(inner(n.man), inner(m))
}

// ignored answers whether what is ignored today stays so: because it was ignored then, or
// because it is build output in a folder in which then had nothing. Otherwise a line for
// node_modules, added together with what it is for, would bring all of that into the
// change.
func (n *Since) ignored(ctx context.Context, e CaptureExtent, paths []string) ([]bool, error) {
	answers, err := n.Rules.Ask(ctx, paths)
	if err != nil || !e.wide() {
		return answers, err
	}
	out := make([]string, len(paths))
	for i, p := range paths {
		if answers[i] {
			continue
		}
		if o := belay.Output(p); o != "" && !e.spells(o) {
			out[i] = o
		}
	}
	n.mu.Lock()
	defer n.mu.Unlock()
	if err := n.lookUp(ctx, out); err != nil {
		return nil, err
	}
	for i, o := range out {
		if o != "" && !n.stood[o] {
			answers[i], n.output[o] = true, true
		}
	}
	return answers, nil
}

// lookUp finds out in which of the folders then held something.
func (n *Since) lookUp(ctx context.Context, folders []string) error {
	var ask []string
	for _, f := range folders {
		if _, known := n.stood[f]; f != "" && !known {
			n.stood[f] = n.tree == ""
			ask = append(ask, f)
		}
	}
	const most = 500 // on one command line
	for some := range slices.Chunk(ask, most) {
		if n.tree == "" {
			break
		}
		list, err := n.place.Repo.Run(ctx, nil, append([]string{"ls-tree", "-z", "--name-only", n.tree, "--"}, some...)...)
		if err != nil {
			return err
		}
		for f := range strings.SplitSeq(strings.TrimSuffix(string(list), "\x00"), "\x00") {
			n.stood[f] = true
		}
	}
	return nil
}

// enter reports whether a repository inside the tree is captured whole: it was not there
// then. A linked working tree of this repository is none: it is somebody's place of work,
// and most of it is in git.
func (n *Since) enter(path string) bool {
	was := slices.ContainsFunc(n.man.Nested, func(x Nested) bool { return x.Path == path })
	return !was && !n.man.WasIgnored(path+"/x") && !n.place.LinkedTree(path)
}

// LinkedTree reports whether a folder is a working tree that this repository knows of.
func (s *Place) LinkedTree(path string) bool {
	file := filepath.Join(s.Repo.Root, filepath.FromSlash(path), ".git")
	target, ok := strings.CutPrefix(strings.TrimSpace(readSmall(file)), "gitdir: ")
	if ok && !filepath.IsAbs(target) {
		target = filepath.Join(s.Repo.Root, filepath.FromSlash(path), target)
	}
	if !ok || filepath.Dir(target) != filepath.Join(s.Repo.Common, "worktrees") {
		return false
	}
	// The repository's side names the same file: anybody can write the other one.
	back := strings.TrimSpace(readSmall(filepath.Join(target, "gitdir")))
	if !filepath.IsAbs(back) {
		back = filepath.Join(target, back)
	}
	return back == file
}

// More reports whether anything is wanted besides the ordinary.
func (w Wanted) More() bool {
	return len(w.Include) > 0 || w.Extent.wide() || w.Extent.Since != nil
}

// beyond reports whether the extent may have captured more of the present than a manifest
// of it has that git's rules alone decided about.
func (w Wanted) beyond(m *Manifest, now outerRules) bool {
	if n := w.Extent.Since; n != nil {
		if n.moved(m, now) || slices.ContainsFunc(m.Nested, func(x Nested) bool { return n.enter(x.Path) }) {
			return true
		}
	}
	if w.Extent.Large > 0 && slices.ContainsFunc(m.Gaps, func(g ManifestGap) bool { return strings.HasPrefix(g.Reason, scan.TooLarge) }) {
		return true
	}
	sel := w.Extent.Selector()
	return sel != nil && slices.ContainsFunc(m.Ignored, func(p string) bool {
		folder := strings.HasSuffix(p, "/")
		p = strings.TrimSuffix(p, "/")
		return sel.Covers(p, folder) || folder && sel.Reaches(p)
	})
}

// Beyond reports whether what a watch answered lacks something that is wanted.
func (c *Capture) Beyond() bool { return c.Seen != nil && c.Wanted.beyond(c.Seen.Man, c.Rules) }

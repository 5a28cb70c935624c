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
	BuildOutput []string
	// Large is how many bytes a file may have, where that is more than the place's MaxFile.
	MaxFile int64
	// Ignored captures ignored files that somebody wrote, and notes what the others look like.
	// See InspectIgnored.
	Ignored bool
	// Own are paths of such files, where their names do not say it; Kept those of files that
	// may be.
	Authored, MaybeAuthored []string
	// Since is an earlier state: what was hidden since then is captured, and so are
	// repositories of their own that were not there then.
	Baseline *Baseline
}

// The kinds of ManifestExtent.
const (
	extentAgents        = "agents"
	extentProtect       = "protect"
	extentBuildOutput   = "built"
	extentBaseline      = "since"
	extentMaxFile       = "large"
	extentIgnored       = "ignored"
	extentAuthored      = "own"
	extentMaybeAuthored = "kept"
)

// The kinds of Left.
const (
	UncapturedOutput   = "output"  // a folder of build output, hidden by a rule that is new; Print counts its files
	UncapturedFile     = "file"    // a file that is a gap; Print has size, mtime and ctime
	UncapturedIgnored  = "ignored" // an ignored file; Print has mode, size, mtime, ctime and a hash, "-" for none
	UncapturedAuthored = "own"     // one that somebody wrote, and that is too large to be captured, or one too many
	UncapturedMany     = "many"    // an ignored folder with too many files to look at
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
		case extentBuildOutput:
			e.BuildOutput = append(e.BuildOutput, x.Value)
		case extentBaseline:
			since = x.Value
		case extentMaxFile:
			e.MaxFile, _ = strconv.ParseInt(x.Value, 10, 64)
		case extentIgnored:
			e.Ignored = true
		case extentAuthored:
			e.Authored = append(e.Authored, x.Value)
		case extentMaybeAuthored:
			e.MaybeAuthored = append(e.MaybeAuthored, x.Value)
		}
	}
	return e, since
}

// manifestExtents is the inverse of ExtentOf.
func (e CaptureExtent) manifestExtents() (list []ManifestExtent) {
	if !e.includesIgnored() {
		return nil
	}
	if e.Agents {
		list = append(list, ManifestExtent{Kind: extentAgents})
	}
	for _, g := range e.Protect {
		list = append(list, ManifestExtent{Kind: extentProtect, Value: g})
	}
	for _, g := range e.BuildOutput {
		list = append(list, ManifestExtent{Kind: extentBuildOutput, Value: g})
	}
	if e.MaxFile > 0 {
		list = append(list, ManifestExtent{Kind: extentMaxFile, Value: strconv.FormatInt(e.MaxFile, 10)})
	}
	if e.Ignored {
		list = append(list, ManifestExtent{Kind: extentIgnored})
	}
	for _, p := range e.Authored {
		list = append(list, ManifestExtent{Kind: extentAuthored, Value: p})
	}
	for _, p := range e.MaybeAuthored {
		list = append(list, ManifestExtent{Kind: extentMaybeAuthored, Value: p})
	}
	if e.Baseline != nil {
		list = append(list, ManifestExtent{Kind: extentBaseline, Value: e.Baseline.id})
	}
	return list
}

// includesIgnored reports whether ignored paths may be captured that were ignored all the time.
func (e CaptureExtent) includesIgnored() bool { return e.Agents || e.Ignored || len(e.Protect) > 0 }

// Selector selects among ignored paths, nil for none.
func (e CaptureExtent) Selector() scan.Selector {
	var all scan.Any
	if e.Agents {
		all = append(all, belay.Files{})
	}
	if len(e.Protect) > 0 {
		p := protectedSelector{extent: e}
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
		if p.globs, err = scan.NewGlobs(clean); err != nil {
			p.globs = nil // a glob that cannot be used reaches nothing, and the check says so
		}
		all = append(all, p)
	}
	if e.Ignored {
		all = append(all, belay.Settings{})
	}
	if len(e.Authored)+len(e.MaybeAuthored) > 0 {
		all = append(all, newExactPaths(slices.Concat(e.Authored, e.MaybeAuthored)))
	}
	if len(all) == 0 {
		return nil
	}
	return all
}

// protectedSelector selects what globs (belay.Covers) cover.
type protectedSelector struct {
	extent CaptureExtent
	globs  scan.Globs
}

// Covers reports whether path is protected; a folder: with all below it.
func (p protectedSelector) Covers(path string, folder bool) bool {
	if p.isBuildOutput(path, folder) || !belay.Match(p.extent.Protect, path) {
		return false
	}
	// A folder is covered with what no glob can name on purpose.
	return !folder || belay.Match(p.extent.Protect, path+"/\x01\x01/\x01")
}

// Reaches reports whether something below the folder may be protected.
func (p protectedSelector) Reaches(folder string) bool {
	return !p.isBuildOutput(folder, true) && (p.globs.Reaches(folder) || belay.Match(p.extent.Protect, folder+"/\x01"))
}

func (p protectedSelector) isBuildOutput(path string, folder bool) bool {
	if folder {
		path += "/"
	}
	out := belay.Output(path)
	return out != "" && !p.extent.namesOutput(out)
}

// namesOutput reports whether a glob names a folder of build output.
func (e CaptureExtent) namesOutput(output string) bool {
	named := func(g string) bool { return belay.Names(g, output) }
	return slices.ContainsFunc(e.Protect, named) || slices.ContainsFunc(e.BuildOutput, named)
}

// Baseline is an earlier state that a capture is held against.
type Baseline struct {
	Rules *OldRules // of then

	worktree *Worktree
	id       string
	tree     string
	manifest *Manifest

	mu            sync.Mutex
	hadOutput     map[string]bool // folders of build output: whether then held something there
	skippedOutput map[string]bool // those that the last scan left out
}

// OpenBaseline prepares to hold captures against a snapshot: its id, the tree of its files and its
// manifest. Close ends it.
func (s *Worktree) OpenBaseline(ctx context.Context, id, tree string, m *Manifest) *Baseline {
	return &Baseline{worktree: s, id: id, tree: tree, manifest: m, Rules: s.OldRules(ctx, id, m),
		hadOutput: map[string]bool{}, skippedOutput: map[string]bool{}}
}

// Close ends the questions; nil has none.
func (n *Baseline) Close() {
	if n != nil {
		n.Rules.Close()
	}
}

// scanBaseline is what a scan needs to know of the earlier state.
func (n *Baseline) scanBaseline(c *Capture) *scan.Baseline {
	t := &scan.Baseline{OuterRulesChanged: n.outerRulesChanged(c.Rules), RuleFiles: map[string]fsroot.OID{}}
	for _, r := range n.manifest.Rules {
		if !r.Outer {
			t.RuleFiles[r.Path] = fsroot.OID(RawOID(r.OID))
		}
	}
	clear(n.skippedOutput)
	t.Ignored = func(ctx context.Context, paths []string) ([]bool, error) {
		return n.staysIgnored(ctx, c.Options.Extent, paths)
	}
	return t
}

// outerRulesChanged reports whether the rules outside the tree are not those of then.
func (n *Baseline) outerRulesChanged(now outerRules) bool {
	var then []Rule
	for _, r := range n.manifest.Rules {
		if r.Outer {
			then = append(then, r)
		}
	}
	return now.ignoreCase != n.manifest.IgnoreCase || !slices.Equal(then, n.worktree.outerRuleFiles(now))
}

// Moved reports whether rules of ignoring are others than those of then, by a manifest of
// the present and the rules outside the tree.
func (n *Baseline) rulesChanged(m *Manifest, now outerRules) bool {
	inner := func(m *Manifest) []Rule {
		return slices.DeleteFunc(slices.Clone(m.Rules), func(r Rule) bool { return r.Outer })
	}
	return n.outerRulesChanged(now) || !slices.Equal(inner(n.manifest), inner(m))
}

// staysIgnored answers whether what is ignored today stays so: because it was ignored then, or
// because it is build output in a folder in which then had nothing. Otherwise a line for
// node_modules, added together with what it is for, would bring all of that into the
// change.
func (n *Baseline) staysIgnored(ctx context.Context, e CaptureExtent, paths []string) ([]bool, error) {
	answers, err := n.Rules.Ask(ctx, paths)
	if err != nil || !e.includesIgnored() {
		return answers, err
	}
	out := make([]string, len(paths))
	for i, p := range paths {
		if answers[i] {
			continue
		}
		if o := belay.Output(p); o != "" && !e.namesOutput(o) {
			out[i] = o
		}
	}
	n.mu.Lock()
	defer n.mu.Unlock()
	if err := n.findOutput(ctx, out); err != nil {
		return nil, err
	}
	for i, o := range out {
		if o != "" && !n.hadOutput[o] {
			answers[i], n.skippedOutput[o] = true, true
		}
	}
	return answers, nil
}

// findOutput finds out in which of the folders then held something.
func (n *Baseline) findOutput(ctx context.Context, folders []string) error {
	var ask []string
	for _, f := range folders {
		if _, known := n.hadOutput[f]; f != "" && !known {
			n.hadOutput[f] = n.tree == ""
			ask = append(ask, f)
		}
	}
	const most = 500 // on one command line
	for some := range slices.Chunk(ask, most) {
		if n.tree == "" {
			break
		}
		list, err := n.worktree.Repo.Run(ctx, nil, append([]string{"ls-tree", "-z", "--name-only", n.tree, "--"}, some...)...)
		if err != nil {
			return err
		}
		for f := range strings.SplitSeq(strings.TrimSuffix(string(list), "\x00"), "\x00") {
			n.hadOutput[f] = true
		}
	}
	return nil
}

// entersRepo reports whether a repository inside the tree is captured whole: it was not there
// then. A linked working tree of this repository is none: it is somebody's place of work,
// and most of it is in git.
func (n *Baseline) entersRepo(path string) bool {
	was := slices.ContainsFunc(n.manifest.Nested, func(x NestedRepo) bool { return x.Path == path })
	return !was && !n.manifest.WasIgnored(path+"/x") && !n.worktree.IsLinkedTree(path)
}

// IsLinkedTree reports whether a folder is a working tree that this repository knows of.
func (s *Worktree) IsLinkedTree(path string) bool {
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

// HasExtras reports whether anything is wanted besides the ordinary.
func (w CaptureOptions) HasExtras() bool {
	return len(w.Include) > 0 || w.Extent.includesIgnored() || w.Extent.Baseline != nil
}

// exceeds reports whether the extent may have captured more of the present than a manifest
// of it has that git's rules alone decided about.
func (w CaptureOptions) exceeds(m *Manifest, now outerRules) bool {
	if n := w.Extent.Baseline; n != nil {
		if n.rulesChanged(m, now) || slices.ContainsFunc(m.Nested, func(x NestedRepo) bool { return n.entersRepo(x.Path) }) {
			return true
		}
	}
	tooLarge := func(g ManifestGap) bool { return strings.HasPrefix(g.Reason, scan.ReasonTooLarge) }
	if w.Extent.MaxFile > 0 && slices.ContainsFunc(m.Gaps, tooLarge) {
		return true
	}
	sel := w.Extent.Selector()
	return sel != nil && slices.ContainsFunc(m.Ignored, func(p string) bool {
		folder := strings.HasSuffix(p, "/")
		p = strings.TrimSuffix(p, "/")
		return sel.Covers(p, folder) || folder && sel.Reaches(p)
	})
}

// LacksExtras reports whether what a watch answered lacks something that is wanted.
func (c *Capture) LacksExtras() bool {
	return c.Answer != nil && c.Options.exceeds(c.Answer.Manifest, c.Rules)
}

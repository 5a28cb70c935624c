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

// CaptureExtent selects what is captured in addition to git's view. The zero value adds nothing:
// only the current ignore rules decide. A manifest records the extent, so that a restore and a
// comparison look at the same paths.
type CaptureExtent struct {
	// Agents captures the files that instruct agents, ignored or not.
	Agents bool
	// Protect are globs (belay.Covers) of paths that are captured even when ignored. They include
	// build output only where a glob names its folder.
	Protect []string
	// BuildOutput are globs that name a build output folder which contains source here.
	BuildOutput []string
	// MaxFile is the size limit of a file in bytes, if it is larger than Worktree.MaxFile.
	MaxFile int64
	// Ignored captures ignored files that a person wrote, and records fingerprints of the others.
	// See InspectIgnored.
	Ignored bool
	// Authored are paths of files that a person wrote, where the name alone does not show it;
	// MaybeAuthored are paths of files that a person may have written.
	Authored, MaybeAuthored []string
	// Baseline is an earlier state. Paths that were hidden since then are captured, and so are
	// nested repositories that did not exist then.
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

// The kinds of Uncaptured.
const (
	UncapturedOutput   = "output"  // a folder of build output that a new ignore rule hides; Fingerprint is its number of files
	UncapturedFile     = "file"    // a file that is a gap; Fingerprint has size, mtime and ctime
	UncapturedIgnored  = "ignored" // an ignored file; Fingerprint has mode, size, mtime, ctime and a hash ("-" for none)
	UncapturedAuthored = "own"     // an ignored file that a person wrote, over the size limit or the number limit
	UncapturedMany     = "many"    // an ignored folder with too many files to look at
)

// ExtentOf returns the extent that a manifest records, and the id of its baseline, "" for none.
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

// includesIgnored reports whether the extent captures paths that were ignored all along.
func (e CaptureExtent) includesIgnored() bool { return e.Agents || e.Ignored || len(e.Protect) > 0 }

// Selector returns what selects among ignored paths, nil for nothing.
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
			p.globs = nil // an invalid glob matches nothing, and the check reports it
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

// protectedSelector selects the paths that the Protect globs cover.
type protectedSelector struct {
	extent CaptureExtent
	globs  scan.Globs
}

// Covers reports whether path is protected; for a folder, whether everything below it is.
func (p protectedSelector) Covers(path string, folder bool) bool {
	if p.isBuildOutput(path, folder) || !belay.Match(p.extent.Protect, path) {
		return false
	}
	// A folder is covered if a path below it that no glob names on purpose is covered.
	return !folder || belay.Match(p.extent.Protect, path+"/\x01\x01/\x01")
}

// Reaches reports whether a path below the folder may be protected.
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

// Baseline is an earlier state that a capture is compared with.
type Baseline struct {
	Rules *OldRules // the ignore rules of that time

	worktree *Worktree
	id       string
	tree     string
	manifest *Manifest

	mu            sync.Mutex
	hadOutput     map[string]bool // folders of build output: whether the baseline had files there
	skippedOutput map[string]bool // those that the last scan left out
}

// OpenBaseline prepares to compare captures with a snapshot: its id, the tree of its files and
// its manifest. Close releases it.
func (s *Worktree) OpenBaseline(ctx context.Context, id, tree string, m *Manifest) *Baseline {
	return &Baseline{worktree: s, id: id, tree: tree, manifest: m, Rules: s.OldRules(ctx, id, m),
		hadOutput: map[string]bool{}, skippedOutput: map[string]bool{}}
}

// Close stops the process that answers about ignore rules. A nil Baseline has none.
func (n *Baseline) Close() {
	if n != nil {
		n.Rules.Close()
	}
}

// scanBaseline returns what a scan needs to know about the baseline.
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

// outerRulesChanged reports whether the ignore rules outside the tree differ from the baseline's.
func (n *Baseline) outerRulesChanged(now outerRules) bool {
	var then []Rule
	for _, r := range n.manifest.Rules {
		if r.Outer {
			then = append(then, r)
		}
	}
	return now.ignoreCase != n.manifest.IgnoreCase || !slices.Equal(then, n.worktree.outerRuleFiles(now))
}

// rulesChanged reports whether any ignore rules differ from the baseline's, given a manifest of
// the current state and the rules outside the tree.
func (n *Baseline) rulesChanged(m *Manifest, now outerRules) bool {
	inner := func(m *Manifest) []Rule {
		return slices.DeleteFunc(slices.Clone(m.Rules), func(r Rule) bool { return r.Outer })
	}
	return n.outerRulesChanged(now) || !slices.Equal(inner(n.manifest), inner(m))
}

// staysIgnored reports for each ignored path whether it stays ignored: because it was ignored in
// the baseline, or because it is build output in a folder where the baseline had nothing.
// Otherwise a new line for node_modules, added together with the folder, would bring all its
// files into the change.
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

// findOutput looks up in which of the folders the baseline had files.
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

// entersRepo reports whether a nested repository is captured with its git folder: it did not
// exist in the baseline. A linked worktree of this repository is never captured so: somebody
// works there, and most of it is in git.
func (n *Baseline) entersRepo(path string) bool {
	was := slices.ContainsFunc(n.manifest.Nested, func(x NestedRepo) bool { return x.Path == path })
	return !was && !n.manifest.WasIgnored(path+"/x") && !n.worktree.IsLinkedTree(path)
}

// IsLinkedTree reports whether a folder is a linked worktree of this repository.
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

// HasExtras reports whether anything is captured in addition to git's view.
func (w CaptureOptions) HasExtras() bool {
	return len(w.Include) > 0 || w.Extent.includesIgnored() || w.Extent.Baseline != nil
}

// exceeds reports whether the extent may capture more of the current state than a manifest that
// was made with git's rules alone.
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

// LacksExtras reports whether a watcher's answer omits something that the options ask for.
func (c *Capture) LacksExtras() bool {
	return c.Answer != nil && c.Options.exceeds(c.Answer.Manifest, c.Rules)
}

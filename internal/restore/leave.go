package restore

import (
	"context"
	"slices"
	"strings"

	"github.com/bmatcuk/doublestar/v4"

	"github.com/belay-dev/belay/internal/git"
	"github.com/belay-dev/belay/internal/snapshot"
)

// keepNewRepositories keeps nested repositories that did not exist in the target state: no snapshot
// contains them.
func (pl *Planner) keepNewRepositories() {
	for _, n := range pl.Now.Manifest.Nested {
		was := slices.ContainsFunc(pl.Then.Manifest.Nested, func(t snapshot.NestedRepo) bool { return t.Path == n.Path })
		if !was && isWithin(pl.selection.Paths, n.Path) {
			pl.Plan.Kept = append(pl.Plan.Kept, Kept{n.Path, "a nested repository, new since the snapshot"})
		}
	}
}

// keepHalfRepositories keeps new repositories that were captured with their git folder if part of
// that folder is a gap: without the rest that part would be useless.
func (pl *Planner) keepHalfRepositories(diffs []git.Difference) {
	seen := map[string]bool{}
	for _, d := range diffs {
		repo, _, in := strings.Cut(d.Path, "/.git/")
		if !in || d.NewMode != 0 || seen[repo] {
			continue
		}
		seen[repo] = true
		inGit := func(g snapshot.ManifestGap) bool { return strings.HasPrefix(g.Path, repo+"/.git/") }
		if slices.ContainsFunc(pl.Now.Manifest.Gaps, inGit) {
			pl.keptRepositories = append(pl.keptRepositories, repo)
		}
	}
}

// keepNewGaps keeps paths that are new since the target state and could not be captured.
func (pl *Planner) keepNewGaps(ctx context.Context) error {
	var paths []string
	for _, g := range pl.Now.Manifest.Gaps {
		was := slices.ContainsFunc(pl.Then.Manifest.Gaps, func(t snapshot.ManifestGap) bool { return t.Path == g.Path })
		handled := pl.Inner[g.Path] || pl.written[g.Path]
		if was || handled || g.Tracked || pl.Then.Manifest.WasIgnored(g.Path) {
			continue
		}
		if isWithin(pl.selection.Paths, g.Path) {
			paths = append(paths, g.Path)
		}
	}
	for some := range slices.Chunk(paths, 500) {
		out, err := pl.repo.Run(ctx, nil, append([]string{"ls-tree", "-z", "--name-only", pl.Then.Tree, "--"}, some...)...)
		if err != nil {
			return err
		}
		there := strings.Split(string(out), "\x00")
		for _, p := range some {
			if !slices.Contains(there, p) {
				pl.Plan.Kept = append(pl.Plan.Kept, Kept{p, "new since the snapshot, and could not be captured"})
			}
		}
	}
	return nil
}

// findEnteredRepositories finds the nested repositories with captured files in the target state:
// new files in those are not gaps.
func (pl *Planner) findEnteredRepositories(ctx context.Context, diffs []git.Difference) error {
	for _, n := range pl.Then.Manifest.Nested {
		i := slices.IndexFunc(diffs, func(d git.Difference) bool { return strings.HasPrefix(d.Path, n.Path+"/") })
		if i < 0 || pl.Then.Tree == "" {
			continue
		}
		out, err := pl.repo.Run(ctx, nil, "ls-tree", "-z", pl.Then.Tree, "--", n.Path)
		if err != nil {
			return err
		}
		pl.nonEmptyThen[n.Path] = len(out) > 0
	}
	return nil
}

// Reasons to keep a path that the target does not have.
const (
	reasonIgnoredThen    = "was ignored when the snapshot was taken"
	reasonGapThen        = "could not be captured when the snapshot was taken"
	reasonHalfRepository = "in a nested repository that could not be captured completely"
)

// reasonToLeave returns why a difference is not restored, "" when it is.
func (pl *Planner) reasonToLeave(d git.Difference) string {
	switch {
	case !isWithin(pl.selection.Paths, d.Path):
		return reasonNotRequested
	case matchesAny(pl.selection.Preserve, d.Path):
		return "preserved"
	case pl.selection.Only != nil && !pl.selection.Only(d.Path):
		return "changed by somebody else"
	case d.NewMode == 0 && pl.selection.Created[d.Path]: // the restore to undo created it
	case d.NewMode == 0 && pl.Inner[d.Path]:
	case d.NewMode == 0 && slices.ContainsFunc(pl.keptRepositories, func(repo string) bool { return strings.HasPrefix(d.Path, repo+"/") }):
		return reasonHalfRepository
	case d.NewMode == 0 && (pl.wasIgnored[d.Path] || pl.Then.Manifest.WasIgnored(d.Path)) &&
		(pl.KnownPaths == nil || !pl.KnownPaths.Covers(d.Path, false)):
		return reasonIgnoredThen
	case d.NewMode == 0 && pl.isGap(d.Path):
		return reasonGapThen
	}
	return ""
}

// reasonNotRequested marks a path that was not requested; it is not reported.
const reasonNotRequested = "not requested"

func isWithin(paths []string, path string) bool {
	for _, p := range paths {
		p = strings.TrimSuffix(p, "/")
		if p == "." || p == "" || p == path || strings.HasPrefix(path, p+"/") {
			return true
		}
	}
	return len(paths) == 0
}

// matchesAny reports whether a glob matches a path, or a folder above it.
func matchesAny(globs []string, path string) bool {
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

// isGap reports whether the target could not capture a path. Its state then is unknown, so nothing
// there is removed.
func (pl *Planner) isGap(path string) bool {
	for _, g := range pl.Then.Manifest.Gaps {
		if g.Path == path || strings.HasPrefix(path, g.Path+"/") {
			return true
		}
	}
	for _, n := range pl.Then.Manifest.Nested {
		if (n.Path == path || strings.HasPrefix(path, n.Path+"/")) && !pl.nonEmptyThen[n.Path] {
			return true
		}
	}
	return false
}

// findIgnoredThen finds the candidates for removal that the target's rules ignored: they must not
// be deleted, whatever the current rules are.
func (pl *Planner) findIgnoredThen(ctx context.Context, diffs []git.Difference) error {
	if pl.Rules == nil { // same rules as now: the rescue does not contain ignored paths
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

package restore

import (
	"context"
	"slices"
	"strings"

	"github.com/belay-dev/belay/internal/git"
)

// diffSides returns the differences between the two states, in the trees and outside them. A name
// that is odd as a link and normal as a file is removed on one side and written on the other: it is
// written.
func (pl *Planner) diffSides(ctx context.Context) ([]git.Difference, error) {
	diffs, err := pl.repo.DiffTrees(ctx, pl.Now.Tree, pl.Then.Tree)
	if err != nil {
		return nil, err
	}
	odd := pl.diffOddPaths()
	stays := map[string]bool{}
	for _, d := range slices.Concat(odd, diffs) {
		stays[d.Path] = stays[d.Path] || d.NewMode != 0
	}
	diffs = slices.DeleteFunc(append(diffs, odd...), func(d git.Difference) bool { return d.NewMode == 0 && stays[d.Path] })
	return diffs, pl.findEnteredRepositories(ctx, diffs)
}

// diffOddPaths compares the paths that are stored outside the trees.
func (pl *Planner) diffOddPaths() []git.Difference {
	var list []git.Difference
	for path, o := range pl.Then.oddPaths {
		was, there := pl.Now.oddPaths[path]
		if !there || was.Mode != o.Mode || was.OID != o.OID {
			list = append(list, git.Difference{Path: path, OldMode: was.Mode, OldOID: was.OID, NewMode: o.Mode, NewOID: o.OID, Status: 'M'})
		}
	}
	for path, o := range pl.Now.oddPaths {
		if _, still := pl.Then.oddPaths[path]; !still {
			list = append(list, git.Difference{Path: path, OldMode: o.Mode, OldOID: o.OID, Status: 'D'})
		}
	}
	slices.SortFunc(list, func(a, b git.Difference) int { return strings.Compare(a.Path, b.Path) })
	return list
}

// diffModes returns files with the right bytes and wrong modes. They are added to the writes: the
// writer compares bytes first and then only sets the mode.
func (pl *Planner) diffModes(ctx context.Context, diffs []git.Difference) ([]Write, error) {
	differs := map[string]bool{}
	for _, d := range diffs {
		differs[d.Path] = true
	}
	candidates := map[string]bool{}
	for _, m := range slices.Concat(pl.Now.Manifest.Modes, pl.Then.Manifest.Modes) {
		candidates[m.Path] = true
	}
	defaults := pl.Now.Manifest.FilePerm == pl.Then.Manifest.FilePerm && pl.Now.Manifest.ExecPerm == pl.Then.Manifest.ExecPerm
	if defaults && len(candidates) == 0 {
		return nil, nil
	}
	entries, err := pl.repo.ListTree(ctx, pl.Then.Tree)
	if err != nil {
		return nil, err
	}
	for _, o := range pl.Then.oddPaths {
		entries = append(entries, git.TreeEntry{Path: o.Path, Mode: o.Mode, OID: o.OID})
	}
	var list []Write
	for _, e := range entries {
		if e.Mode == 0o120000 || differs[e.Path] || defaults && !candidates[e.Path] {
			continue
		}
		exec := e.Mode == 0o100755
		want := pl.Then.Manifest.Perm(e.Path, exec)
		if want != pl.Now.Manifest.Perm(e.Path, exec) && pl.reasonToLeave(git.Difference{Path: e.Path, NewMode: e.Mode}) == "" {
			list = append(list, Write{RawPath(e.Path), e.Mode, e.OID, want, false})
		}
	}
	return list, nil
}

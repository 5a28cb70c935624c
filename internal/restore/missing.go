package restore

import (
	"errors"
	"io/fs"
	"path"
	"slices"

	"github.com/belay-dev/belay/internal/belay"
	"github.com/belay-dev/belay/internal/fsroot"
	"github.com/belay-dev/belay/internal/snapshot"
)

// listMissing adds to Plan.Missing what existed in the target state, does not exist now, and is in
// no snapshot: without a report it would seem restored.
func (pl *Planner) listMissing() error {
	for _, n := range pl.Then.Manifest.Nested {
		still := slices.ContainsFunc(pl.Now.Manifest.Nested, func(now snapshot.NestedRepo) bool { return now.Path == n.Path })
		if !still && !pl.Inner[n.Path] && isWithin(pl.selection.Paths, n.Path) {
			pl.Plan.Missing = append(pl.Plan.Missing, Kept{n.Path, "it was a nested repository, which the snapshot does not contain"})
		}
	}
	for _, g := range pl.Then.Manifest.Gaps {
		if !isWithin(pl.selection.Paths, g.Path) {
			continue
		}
		there, _, err := pl.pathState(g.Path)
		if err != nil {
			return err
		}
		if !there {
			pl.Plan.Missing = append(pl.Plan.Missing, Kept{g.Path, "missing, and not captured by the snapshot"})
		}
	}
	for _, l := range pl.Then.Manifest.Lost {
		if len(pl.selection.Paths) == 0 {
			pl.Plan.Missing = append(pl.Plan.Missing, Kept{l.Path, "not in the snapshot: " + l.Reason()})
		}
	}
	return nil
}

// pathState reports whether something is at a path, and whether that is a folder.
func (pl *Planner) pathState(path string) (there, folder bool, err error) {
	info, err := pl.Root.Lstat(path)
	if errors.Is(err, fs.ErrNotExist) || errors.Is(err, fsroot.ErrNotFolder) {
		return false, false, nil
	}
	return err == nil, info.Kind == fsroot.Folder, err
}

// checkRequested fails with CodeCannot when a requested path does not exist anywhere, or cannot be
// in a snapshot: "nothing to do" would suggest that it is unchanged.
func (pl *Planner) checkRequested() error {
	for _, p := range pl.selection.Paths {
		if p = path.Clean(p); p == "." || pl.isPlanned(p) {
			continue
		}
		there, folder, err := pl.pathState(p)
		switch {
		case err != nil:
			return err
		case !there:
			return belay.Refuse(belay.CodeCannot, "belay snapshot diff ID --name-only lists what differs",
				"neither the snapshot nor the working tree has %s", belay.VisibleLine(p))
		case !folder && !pl.isHeldByRescue(p):
			return belay.Refuse(belay.CodeCannot, "snapshot.include lists ignored files to capture",
				"the snapshot does not contain %s: it is ignored, or could not be captured", belay.VisibleLine(p))
		}
	}
	return nil
}

// isPlanned reports whether a plan contains a path, or something below it.
func (pl *Planner) isPlanned(p string) bool {
	asked := []string{p}
	raw := func(list []RawPath) bool {
		return slices.ContainsFunc(list, func(r RawPath) bool { return isWithin(asked, string(r)) })
	}
	folders := func(list []Folder) bool {
		return slices.ContainsFunc(list, func(f Folder) bool { return isWithin(asked, string(f.Path)) })
	}
	kept := func(list []Kept) bool {
		return slices.ContainsFunc(list, func(k Kept) bool { return isWithin(asked, k.Path) })
	}
	writes := func(list []Write) bool {
		return slices.ContainsFunc(list, func(w Write) bool { return isWithin(asked, string(w.Path)) })
	}
	plan := &pl.Plan
	if raw(plan.Remove) || raw(plan.Rmdir) || writes(plan.Writes) {
		return true
	}
	return folders(plan.Mkdir) || folders(plan.Chmod) || kept(plan.Kept) || kept(plan.Missing)
}

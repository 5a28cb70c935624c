package restore

import (
	"errors"
	"io/fs"
	"slices"
	"strings"

	"github.com/belay-dev/belay/internal/fsroot"
)

// isInTheWay reports whether the plan writes at, below or above a path.
func (pl *Planner) isInTheWay(path string) bool {
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

// findObstacles adds to Plan.Blocked what cannot be done without a loss: something in the place of
// a file that the rescue snapshot does not contain, or a folder that does not become empty.
func (pl *Planner) findObstacles() error {
	for _, w := range pl.Plan.Writes {
		path := string(w.Path)
		info, err := pl.Root.Lstat(path)
		switch {
		case errors.Is(err, fs.ErrNotExist), errors.Is(err, fsroot.ErrNotFolder):
		case err != nil:
			return err
		case info.Kind == fsroot.Other:
			pl.Plan.Blocked = append(pl.Plan.Blocked, Kept{path, "a FIFO, socket or device is in its place"})
		case info.Kind == fsroot.Folder:
			pl.checkFolderInTheWay(path)
		case !pl.isHeldByRescue(path):
			pl.Plan.Blocked = append(pl.Plan.Blocked, Kept{path, "what is there could not be captured"})
		}
		for p := Parent(path); p != ""; p = Parent(p) {
			if info, err := pl.Root.Lstat(p); err == nil && info.Kind != fsroot.Folder && !pl.removed[p] {
				pl.Plan.Blocked = append(pl.Plan.Blocked, Kept{p, "a folder belongs in its place"})
			}
		}
	}
	return nil
}

// checkFolderInTheWay checks that a folder will be empty when a file is written in its place.
func (pl *Planner) checkFolderInTheWay(path string) {
	prefix := path + "/"
	stays := func(p string) bool { return strings.HasPrefix(p, prefix) || strings.TrimSuffix(p, "/") == path }
	for _, i := range pl.Now.Manifest.Ignored {
		if stays(i) {
			pl.Plan.Blocked = append(pl.Plan.Blocked, Kept{i, "it is an ignored path where a file belongs"})
		}
	}
	for _, n := range pl.Now.Manifest.Nested {
		if stays(n.Path) {
			pl.Plan.Blocked = append(pl.Plan.Blocked, Kept{n.Path, "it is a nested repository where a file belongs"})
		}
	}
	for _, g := range pl.Now.Manifest.Gaps {
		if stays(g.Path) {
			pl.Plan.Blocked = append(pl.Plan.Blocked, Kept{g.Path, "it could not be captured, and a file belongs in its place"})
		}
	}
	for _, k := range pl.Plan.Kept {
		if stays(k.Path) {
			pl.Plan.Blocked = append(pl.Plan.Blocked, Kept{k.Path, k.Reason + ", and a file belongs in its place"})
		}
	}
	pl.Plan.Rmdir = append(pl.Plan.Rmdir, RawPath(path))
	for _, f := range pl.Now.Manifest.Folders {
		if strings.HasPrefix(f, prefix) {
			pl.Plan.Rmdir = append(pl.Plan.Rmdir, RawPath(f))
		}
	}
	slices.SortFunc(pl.Plan.Rmdir, func(a, b RawPath) int { return strings.Compare(string(b), string(a)) })
	pl.Plan.Rmdir = slices.Compact(pl.Plan.Rmdir)
}

// isHeldByRescue reports whether the rescue snapshot contains the current content of a path.
func (pl *Planner) isHeldByRescue(path string) bool {
	_, found := FindEntry(pl.scan, path)
	return found
}

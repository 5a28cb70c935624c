package restore

import (
	"slices"
	"strings"

	"github.com/belay-dev/belay/internal/fsroot"
	"github.com/belay-dev/belay/internal/git"
	"github.com/belay-dev/belay/internal/scan"
)

// planFolders plans the folders to create and to remove: empty ones, and parents that become
// empty when their files are removed.
func (pl *Planner) planFolders() {
	then := map[string]bool{}
	for _, f := range pl.Then.Manifest.Folders {
		then[f] = true
		if why := pl.reasonToLeave(git.Difference{Path: f, NewMode: 0o40000}); why == "" {
			pl.addedFolders[f] = true
		}
	}
	for _, f := range pl.Now.Manifest.Folders {
		if !then[f] && pl.reasonToLeave(git.Difference{Path: f}) == "" {
			pl.removedFolders[f] = true
		}
	}
	for _, r := range pl.Plan.Remove {
		for p := Parent(string(r)); p != "" && !then[p]; p = Parent(p) {
			pl.removedFolders[p] = true // only if it becomes empty and nothing is written below
		}
	}
	for p := range pl.removedFolders {
		if pl.hasEntries(p, pl.removed) {
			delete(pl.removedFolders, p)
		}
	}
	needed := func(p string) {
		for p = Parent(p); p != ""; p = Parent(p) {
			delete(pl.removedFolders, p)
			pl.addedFolders[p] = true
		}
	}
	for _, w := range pl.Plan.Writes {
		needed(string(w.Path))
	}
	for f := range then {
		needed(f)
	}
	pl.planModes()
}

// hasEntries reports whether a folder contains a captured entry that is not in but. It always
// reports false for the root.
func (pl *Planner) hasEntries(folder string, but map[string]bool) bool {
	below := folder + "/"
	i, _ := slices.BinarySearchFunc(pl.scan.Entries, below, func(e scan.Entry, path string) int { return strings.Compare(e.Path, path) })
	for ; i < len(pl.scan.Entries) && strings.HasPrefix(pl.scan.Entries[i].Path, below); i++ {
		if !but[pl.scan.Entries[i].Path] {
			return true
		}
	}
	return false
}

// planModes plans the modes of folders: of created ones, and of those with another mode in the
// target state. A folder that did not exist then and stays because of its other content keeps its
// mode: somebody may have restricted it.
func (pl *Planner) planModes() {
	want := map[string]uint16{}
	for f := range pl.addedFolders {
		want[f] = pl.Then.Manifest.FolderPerm(f)
	}
	all := pl.Now.Manifest.DirPerm != pl.Then.Manifest.DirPerm
	named := map[string]bool{}
	for _, m := range slices.Concat(pl.Now.Manifest.Modes, pl.Then.Manifest.Modes) {
		named[m.Path] = true
	}
	for _, d := range pl.scan.Dirs {
		if d.Path == "" || !all && !named[d.Path] || pl.reasonToLeave(git.Difference{Path: d.Path, NewMode: 0o40000}) != "" {
			continue
		}
		if pl.addedFolders[d.Path] || pl.hasEntries(d.Path, pl.added) {
			want[d.Path] = pl.Then.Manifest.FolderPerm(d.Path)
		}
	}
	for f, perm := range want {
		if pl.addedFolders[f] {
			pl.Plan.Mkdir = append(pl.Plan.Mkdir, Folder{RawPath(f), perm})
		}
		if info, err := pl.Root.Lstat(f); err != nil || info.Perm != perm {
			pl.Plan.Chmod = append(pl.Plan.Chmod, Folder{RawPath(f), perm})
		}
	}
	pl.planOpenedModes()
}

// planOpenedModes plans the current modes of folders that the restore has to make writable for a
// moment: after a kill they would stay writable.
func (pl *Planner) planOpenedModes() {
	seen := map[string]bool{}
	for _, c := range pl.Plan.Chmod {
		seen[string(c.Path)] = true
	}
	above := func(path string) {
		for p := Parent(path); p != "" && !pl.removedFolders[p]; p = Parent(p) {
			if seen[p] {
				continue
			}
			seen[p] = true
			if info, err := pl.Root.Lstat(p); err == nil && info.Kind == fsroot.Folder && info.Perm&0o700 != 0o700 {
				pl.Plan.Chmod = append(pl.Plan.Chmod, Folder{RawPath(p), info.Perm})
			}
		}
	}
	for _, w := range pl.Plan.Writes {
		above(string(w.Path))
	}
	for _, r := range pl.Plan.Remove {
		above(string(r))
	}
	for f := range pl.removedFolders {
		above(f)
	}
}

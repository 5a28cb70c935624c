package restore

import (
	"maps"
	"slices"
	"strings"

	"github.com/belay-dev/belay/internal/fsroot"
)

// UncapturedGlobs returns, as globs, the ignored paths that the plan would overwrite: at a path,
// below it, or in the place of a parent folder. It adds paths that the restore to undo created, and
// ignored paths that the plan removes: an interrupted restore may have restored other rules, or
// somebody has added some since.
func (pl *Planner) UncapturedGlobs() []string {
	globs := map[string]bool{}
	for p := range pl.selection.Created {
		if info, err := pl.Root.Lstat(p); err == nil && info.Kind != fsroot.Folder && pl.Now.Manifest.WasIgnored(p) &&
			!pl.isHeldByRescue(p) {
			globs[QuoteGlob(p)] = true
		}
	}
	for _, w := range pl.Plan.Writes {
		path := string(w.Path)
		for p := path; p != ""; p = Parent(p) {
			info, err := pl.Root.Lstat(p)
			if err != nil || p != path && info.Kind == fsroot.Folder {
				continue
			}
			if pl.isIgnoredNow(p) && !pl.isHeldByRescue(p) {
				globs[QuoteGlob(p)] = true
			}
			if info.Kind == fsroot.Folder && hasBelow(pl.Now.Manifest.Ignored, p) {
				globs[QuoteGlob(p)] = true
			}
		}
	}
	var hidden []string
	for _, r := range pl.Plan.Remove {
		path := string(r)
		info, err := pl.Root.Lstat(path)
		if err == nil && info.Kind != fsroot.Folder && !pl.isHeldByRescue(path) && pl.isIgnoredNow(path) {
			hidden = append(hidden, path)
		}
	}
	for _, path := range hidden {
		switch dir := Parent(path); {
		case len(hidden) <= maxSinglePaths || dir == "":
			globs[QuoteGlob(path)] = true
		default: // every file is matched with every glob: thousands of both take minutes
			globs[QuoteGlob(dir)+"/*"] = true
		}
	}
	return slices.Sorted(maps.Keys(globs))
}

// maxSinglePaths is the number of removed paths up to which they are captured one by one; more are
// captured by folder.
const maxSinglePaths = 200

// isIgnoredNow reports whether the current rules ignore a path.
func (pl *Planner) isIgnoredNow(path string) bool {
	return pl.Now.Manifest.WasIgnored(path) || pl.Now.Manifest.WasIgnored(path+"/")
}

// hasBelow reports whether a sorted list contains a path below a folder.
func hasBelow(sorted []string, folder string) bool {
	i, _ := slices.BinarySearch(sorted, folder+"/")
	return i < len(sorted) && strings.HasPrefix(sorted[i], folder+"/")
}

// QuoteGlob returns a glob that matches exactly this path.
func QuoteGlob(path string) string {
	return strings.NewReplacer(`\`, `\\`, `*`, `\*`, `?`, `\?`, `[`, `\[`, `]`, `\]`, `{`, `\{`, `}`, `\}`).Replace(path)
}

package putback

import (
	"maps"
	"slices"
	"strings"

	"github.com/belay-dev/belay/internal/worktree"
)

// Unheld gives, as globs, what is ignored today and lies where the plan writes: at a
// path, below it, or in the place of a folder above it.
func (pl *Planner) Unheld() []string {
	globs := map[string]bool{}
	for _, w := range pl.Plan.Writes {
		path := string(w.Path)
		for p := path; p != ""; p = Parent(p) {
			info, err := pl.Root.Lstat(p)
			if err != nil || p != path && info.Kind == worktree.Folder {
				continue
			}
			if hidden := pl.Now.Man.WasIgnored(p) || pl.Now.Man.WasIgnored(p+"/"); hidden && !pl.held(p) {
				globs[QuoteGlob(p)] = true
			}
			if info.Kind == worktree.Folder && hasBelow(pl.Now.Man.Ignored, p) {
				globs[QuoteGlob(p)] = true
			}
		}
	}
	return slices.Sorted(maps.Keys(globs))
}

// hasBelow reports whether a sorted list holds a path below a folder.
func hasBelow(sorted []string, folder string) bool {
	i, _ := slices.BinarySearch(sorted, folder+"/")
	return i < len(sorted) && strings.HasPrefix(sorted[i], folder+"/")
}

// QuoteGlob makes a glob that matches a path and nothing else.
func QuoteGlob(path string) string {
	return strings.NewReplacer(`\`, `\\`, `*`, `\*`, `?`, `\?`, `[`, `\[`, `]`, `\]`, `{`, `\{`, `}`, `\}`).Replace(path)
}

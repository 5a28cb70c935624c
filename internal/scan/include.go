package scan

import (
	"slices"
	"strings"

	"github.com/bmatcuk/doublestar/v4"

	"github.com/belay-dev/belay/internal/belay"
)

// Selector selects ignored paths that are captured anyway.
type Selector interface {
	// Covers reports whether path itself is selected; for a folder, with everything below it.
	Covers(path string, folder bool) bool
	// Reaches reports whether something below the folder may be selected; only true may be wrong.
	Reaches(folder string) bool
}

// Any selects everything that one of several selectors selects.
type Any []Selector

// Covers reports whether one of them covers path.
func (all Any) Covers(path string, folder bool) bool {
	for _, s := range all {
		if s.Covers(path, folder) {
			return true
		}
	}
	return false
}

// Reaches reports whether one of them reaches below the folder.
func (all Any) Reaches(folder string) bool {
	for _, s := range all {
		if s.Reaches(folder) {
			return true
		}
	}
	return false
}

// Globs are the globs of ignored paths that are captured anyway.
type Globs []glob

type glob struct {
	pattern string
	parts   []string // nil when the pattern cannot be split at its slashes
}

// NewGlobs parses globs and refuses invalid ones. A final slash is ignored: a glob that matches a
// folder always covers everything below it.
func NewGlobs(globs []string) (Globs, error) {
	var in Globs
	for _, g := range globs {
		whole := strings.TrimSuffix(strings.TrimPrefix(g, "/"), "/")
		// no path contains ..
		if whole == "" || !doublestar.ValidatePattern(whole) || !belay.Bounded(whole) || slices.Contains(strings.Split(whole, "/"), "..") {
			return nil, belay.Refuse(belay.CodeUsage, "write a pattern such as .env or config/**/*.local",
				"%q is not a pattern of files to include", g)
		}
		parts := strings.Split(whole, "/")
		if strings.ContainsAny(whole, `{[\`) { // a slash may be inside these
			parts = nil
		}
		in = append(in, glob{pattern: whole, parts: parts})
	}
	return in, nil
}

// Covers reports whether a glob matches path itself.
func (in Globs) Covers(path string, _ bool) bool {
	for _, g := range in {
		if ok, _ := doublestar.Match(g.pattern, path); ok {
			return true
		}
	}
	return false
}

// Reaches reports whether a glob may match something below the folder; only true may be wrong.
func (in Globs) Reaches(folder string) bool {
	for _, g := range in {
		if g.parts == nil || partsReach(g.parts, folder) {
			return true
		}
	}
	return false
}

func partsReach(parts []string, folder string) bool {
	for name := range strings.SplitSeq(folder, "/") {
		if len(parts) == 0 {
			return false
		}
		if parts[0] == "**" {
			return true
		}
		if ok, err := doublestar.Match(parts[0], name); !ok && err == nil {
			return false
		}
		parts = parts[1:]
	}
	return len(parts) > 0
}

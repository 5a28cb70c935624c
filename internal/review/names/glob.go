package names

import (
	"strings"

	"github.com/bmatcuk/doublestar/v4"
	"golang.org/x/text/unicode/norm"
)

// Glob lists the tracked files that a pattern with *, ** or {a,b} means. A pattern
// without a folder is looked for in every folder, one with is tried from the top first.
func (x *Index) Glob(pattern string) []string {
	pattern = norm.NFC.String(strings.TrimPrefix(strings.Trim(pattern, "`'\""), "./"))
	if len(pattern) > 300 || strings.Count(pattern, "{") > 3 || strings.Count(pattern, "*") > 8 || !doublestar.ValidatePattern(pattern) {
		return nil
	}
	for _, try := range []string{pattern, "**/" + pattern} {
		var out []string
		for _, p := range x.paths {
			if ok, _ := doublestar.Match(try, norm.NFC.String(p)); ok {
				out = append(out, p)
			}
		}
		if len(out) > 0 {
			return out
		}
	}
	return nil
}

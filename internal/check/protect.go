package check

import (
	"context"
	"fmt"
	"strings"

	"github.com/belay-dev/belay/internal/belay"
)

// protect asks whether the task left the protected paths alone. Only the globs that
// were given count; belay's own files count only for globs that name them.
func protect(ctx context.Context, in Input) belay.CheckResult {
	globs := in.Scope.Protect
	if len(globs) == 0 {
		return skipped(nameProtect, "no path is protected")
	}
	if err := validGlobs(globs); err != nil {
		return unknown(nameProtect, err.Error())
	}
	var found []belay.Finding
	for _, c := range in.Changes {
		if ctx.Err() != nil {
			return unknown(nameProtect, in.unfinished(ctx))
		}
		glob := guardOf(globs, c.Path)
		if glob == "" {
			continue
		}
		found = append(found, belay.Finding{
			Severity: belay.SeverityError, Category: belay.CategoryProtected, File: c.Path,
			Title:          "a protected path changed",
			Detail:         fmt.Sprintf("%s was %s; it is protected by %s", c.Path, changeVerb(c), glob),
			Recommendation: putBack(c) + "; solve the task without touching protected paths",
		})
	}
	summary := "protected paths are untouched"
	if len(found) > 0 {
		summary = count(len(found), "protected path", "protected paths") + " changed"
	}
	return answered(nameProtect, summary, brief(found, "more protected paths changed"))
}

func guardOf(globs []string, path string) string {
	for _, glob := range globs {
		if belaysOwn(path) && !strings.HasPrefix(strings.TrimPrefix(glob, "./"), ".belay") {
			continue
		}
		if matches(glob, path) {
			return glob
		}
	}
	return ""
}

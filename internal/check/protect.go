package check

import (
	"context"
	"fmt"
	"strings"

	"github.com/belay-dev/belay/internal/belay"

	"github.com/belay-dev/belay/internal/testrun"
)

// checkProtect checks that the task did not change protected paths. Only given globs count; belay's
// own files count only for globs that name them.
func checkProtect(ctx context.Context, in Input) belay.CheckResult {
	globs := in.Scope.Protect
	if len(globs) == 0 {
		return belay.Skipped(nameProtect, "no path is protected")
	}
	if err := validateGlobs(globs); err != nil {
		return belay.Unknown(nameProtect, err.Error())
	}
	var found []belay.Finding
	for _, c := range in.Changes {
		if ctx.Err() != nil {
			return belay.Unknown(nameProtect, testrun.UnfinishedReason(ctx))
		}
		glob := coveringGlob(globs, c.Path)
		if glob == "" {
			continue
		}
		found = append(found, belay.Finding{
			Severity: belay.SeverityError, Category: belay.CategoryProtected, File: c.Path,
			Title:          "a protected path changed",
			Detail:         fmt.Sprintf("%s was %s; it is protected by %s", c.Path, changeVerb(c), glob),
			Recommendation: revertAdvice(c) + "; solve the task without touching protected paths",
		})
	}
	summary := "protected paths are untouched"
	if len(found) > 0 {
		summary = belay.Count(len(found), "protected path", "protected paths") + " changed"
	}
	return belay.Of(nameProtect, summary, belay.Brief(found, "more protected paths changed"))
}

func coveringGlob(globs []string, path string) string {
	for _, one := range globs {
		if isBelayFile(path) && !strings.HasPrefix(strings.TrimPrefix(one, "./"), ".belay") {
			continue
		}
		if belay.Covers(one, path) {
			return one
		}
	}
	return ""
}

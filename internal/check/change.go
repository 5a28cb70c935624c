package check

import (
	"context"
	"fmt"
	"strings"

	"github.com/belay-dev/belay/internal/belay"
	"github.com/belay-dev/belay/internal/tasklist"
)

// checkChange checks whether the attempt did anything. An agent that succeeds without a change has
// not done the task; neither has one that only ticks its box.
func checkChange(ctx context.Context, in Input) belay.CheckResult {
	attempt, task := withoutBelayFiles(in.Attempt), withoutBelayFiles(in.Changes)
	switch {
	case len(attempt) == 0 && in.NoTask:
		return belay.Of(nameChange, "nothing changed", []belay.Finding{{
			Severity: belay.SeverityError, Category: belay.CategoryEmpty,
			Title:          "nothing changed, so there is nothing to check",
			Recommendation: "name the commit or snapshot to compare with: belay check --before COMMIT",
		}})
	case len(attempt) == 0:
		return belay.Of(nameChange, "the attempt changed nothing", []belay.Finding{{
			Severity: belay.SeverityError, Category: belay.CategoryEmpty,
			Title:          "the attempt changed nothing",
			Detail:         "no file differs from before the attempt",
			Recommendation: "make the change the task asks for; if nothing can be done, say why",
		}})
	case len(task) == 0:
		return belay.Of(nameChange, "none of the task's changes are left", []belay.Finding{{
			Severity: belay.SeverityError, Category: belay.CategoryEmpty,
			Title:          "none of the task's changes are left",
			Detail:         "the attempt undid the changes of earlier attempts",
			Recommendation: "make the change the task asks for",
		}})
	case in.onlyTicksBoxes(ctx, task):
		return belay.Of(nameChange, "only boxes were ticked", []belay.Finding{{
			Severity: belay.SeverityError, Category: belay.CategoryEmpty, File: in.List,
			Title:          "boxes were ticked, and nothing else changed",
			Detail:         "belay ticks the box when the work is accepted",
			Recommendation: "make the change the task asks for; if nothing can be done, say why",
		}})
	}
	added, deleted := 0, 0
	for _, c := range attempt {
		added, deleted = added+c.Added, deleted+c.Deleted
	}
	return belay.Of(nameChange, fmt.Sprintf("%s, +%d -%d", belay.Count(len(attempt), "file", "files"), added, deleted), nil)
}

// onlyTicksBoxes reports whether only boxes in the task's list were changed.
func (in Input) onlyTicksBoxes(ctx context.Context, task []belay.Change) bool {
	if in.List == "" || in.Texts == nil || len(task) != 1 || task[0].Path != in.List {
		return false
	}
	files, err := in.files(ctx)
	if err != nil || len(files) != 1 || files[0].Before == nil || files[0].After == nil {
		return false
	}
	return tasklist.ComparableText(string(files[0].Before)) == tasklist.ComparableText(string(files[0].After))
}

// withoutBelayFiles leaves out the paths that belay writes itself.
func withoutBelayFiles(changes []belay.Change) []belay.Change {
	var out []belay.Change
	for _, c := range changes {
		if !isBelayFile(c.Path) {
			out = append(out, c)
		}
	}
	return out
}

// isBelayFile reports whether belay itself writes path in the working tree: the readable review
// cycles and the files for the running agent. Other files in those folders are ordinary changes.
func isBelayFile(path string) bool {
	return strings.HasPrefix(path, ".belay/reviews/") || belay.Own(path)
}

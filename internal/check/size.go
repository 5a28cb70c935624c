package check

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/belay-dev/belay/internal/belay"

	"github.com/belay-dev/belay/internal/syntax"
	"github.com/belay-dev/belay/internal/testrun"
)

// checkSize checks whether a person can still read the change. Binary and generated files are
// reported but not counted.
func checkSize(ctx context.Context, in Input) belay.CheckResult {
	most := in.Checks.MaxDiff
	if most <= 0 {
		most = defaultMaxDiff
	}
	var counted []belay.Change
	var notes []belay.Finding
	lines := 0
	for _, c := range withoutBelayFiles(in.Changes) {
		if ctx.Err() != nil {
			return belay.Unknown(nameSize, testrun.UnfinishedReason(ctx))
		}
		switch {
		case syntax.IsGenerated(c.Path):
			notes = append(notes, sizeNote(c, "a generated file changed", "its lines are not counted: "+changeSizeText(c)))
		case c.Binary:
			notes = append(notes, sizeNote(c, "a binary file changed", "it was "+changeVerb(c)))
		default:
			counted = append(counted, c)
			lines += c.Added + c.Deleted
		}
	}
	notes = belay.Brief(notes, "more binary and generated files changed")
	summary := fmt.Sprintf("%s in %s, the limit is %d", belay.Count(lines, "line", "lines"),
		belay.Count(len(counted), "file", "files"), most)
	if lines <= most {
		return belay.Of(nameSize, summary, notes)
	}
	large := belay.Finding{
		Severity: belay.SeverityWarning, Category: belay.CategorySize,
		Title:          "the change is large",
		Detail:         summary + "; the largest: " + largestText(counted),
		Recommendation: "split the task, or drop changes it does not need",
	}
	return belay.Of(nameSize, summary, append([]belay.Finding{large}, notes...))
}

func sizeNote(c belay.Change, title, detail string) belay.Finding {
	return belay.Finding{
		Severity: belay.SeverityNote, Category: belay.CategorySize, File: c.Path, Title: title, Detail: detail,
	}
}

func largestText(changes []belay.Change) string {
	sorted := slices.Clone(changes)
	slices.SortStableFunc(sorted, func(a, b belay.Change) int {
		return cmp.Compare(b.Added+b.Deleted, a.Added+a.Deleted)
	})
	var parts []string
	for _, c := range sorted[:min(5, len(sorted))] {
		parts = append(parts, c.Path+" "+changeSizeText(c))
	}
	return strings.Join(parts, ", ")
}

func changeSizeText(c belay.Change) string {
	if c.Binary {
		return "binary"
	}
	return fmt.Sprintf("+%d -%d", c.Added, c.Deleted)
}

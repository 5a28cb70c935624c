package check

import (
	"cmp"
	"context"
	"fmt"
	"path"
	"slices"
	"strings"

	"github.com/belay-dev/belay/internal/belay"
	"github.com/belay-dev/belay/internal/check/answer"
	"github.com/belay-dev/belay/internal/check/suite"
)

// size asks whether a person can still read the change. Binary and generated files
// are named and not counted.
func size(ctx context.Context, in Input) belay.CheckResult {
	most := in.Checks.MaxDiff
	if most <= 0 {
		most = defaultMaxDiff
	}
	var counted []belay.Change
	var notes []belay.Finding
	lines := 0
	for _, c := range work(in.Changes) {
		if ctx.Err() != nil {
			return answer.Unknown(nameSize, suite.Unfinished(ctx))
		}
		switch {
		case generated(c.Path):
			notes = append(notes, sizeNote(c, "a generated file changed", "its lines are not counted: "+linesOf(c)))
		case c.Binary:
			notes = append(notes, sizeNote(c, "a binary file changed", "it was "+changeVerb(c)))
		default:
			counted = append(counted, c)
			lines += c.Added + c.Deleted
		}
	}
	notes = answer.Brief(notes, "more binary and generated files changed")
	summary := fmt.Sprintf("%s in %s, the limit is %d", answer.Count(lines, "line", "lines"), answer.Count(len(counted), "file", "files"), most)
	if lines <= most {
		return answer.Of(nameSize, summary, notes)
	}
	large := belay.Finding{
		Severity: belay.SeverityWarning, Category: belay.CategorySize,
		Title:          "the change is large",
		Detail:         summary + "; the largest: " + largest(counted),
		Recommendation: "split the task, or leave out what it does not need",
	}
	return answer.Of(nameSize, summary, append([]belay.Finding{large}, notes...))
}

func sizeNote(c belay.Change, title, detail string) belay.Finding {
	return belay.Finding{
		Severity: belay.SeverityNote, Category: belay.CategorySize, File: c.Path, Title: title, Detail: detail,
	}
}

func largest(changes []belay.Change) string {
	sorted := slices.Clone(changes)
	slices.SortStableFunc(sorted, func(a, b belay.Change) int {
		return cmp.Compare(b.Added+b.Deleted, a.Added+a.Deleted)
	})
	var parts []string
	for _, c := range sorted[:min(5, len(sorted))] {
		parts = append(parts, c.Path+" "+linesOf(c))
	}
	return strings.Join(parts, ", ")
}

func linesOf(c belay.Change) string {
	if c.Binary {
		return "binary"
	}
	return fmt.Sprintf("+%d -%d", c.Added, c.Deleted)
}

var generatedNames = map[string]bool{
	"go.sum": true, "go.work.sum": true, "package-lock.json": true, "npm-shrinkwrap.json": true,
	"pnpm-lock.yaml": true, "bun.lockb": true, "packages.lock.json": true, "Package.resolved": true,
	"gradle.lockfile": true, ".terraform.lock.hcl": true, ".pnp.cjs": true, ".pnp.loader.mjs": true,
}

var generatedFolders = map[string]bool{
	"vendor": true, "node_modules": true, "dist": true, "__snapshots__": true, "__generated__": true,
	".yarn": true, "Pods": true, "bower_components": true,
}

var generatedEnds = []string{
	".lock", ".min.js", ".min.mjs", ".min.css", ".js.map", ".css.map", ".snap", ".pb.go", ".pb.gw.go",
	".pb.cc", ".pb.h", ".pb.swift", "_pb2.py", "_pb2_grpc.py", "_pb2.pyi", "_pb.js", "_pb.ts", "_pb.d.ts",
	"_generated.go", "_gen.go", ".gen.go", ".generated.go", ".gen.ts", ".generated.ts", ".g.dart",
	".freezed.dart", ".g.cs", ".designer.cs", ".Designer.cs",
}

// generated tells by its path whether a tool and not a person wrote the file.
func generated(p string) bool {
	base := path.Base(p)
	if generatedNames[base] || strings.HasPrefix(base, "zz_generated") {
		return true
	}
	for _, end := range generatedEnds {
		if strings.HasSuffix(base, end) {
			return true
		}
	}
	for part := range strings.SplitSeq(path.Dir(p), "/") {
		if generatedFolders[part] {
			return true
		}
	}
	return false
}

package check

import (
	"fmt"
	"path"

	"github.com/belay-dev/belay/internal/belay"
	"github.com/belay-dev/belay/internal/syntax"
)

// styleProblem is a declaration that lacks something.
type styleProblem struct {
	line   int
	name   string // its name with its kind: func Open
	what   string // what it lacks
	advice string
}

// Style returns the declarations that the changes add without documentation or types. Tests,
// generated files and Go's main packages declare nothing for others.
func Style(files []*syntax.File) []belay.Finding {
	parts := make([][]styleProblem, len(files))
	syntax.ForEach(files, func(i int, f *syntax.File) {
		if f.IsDeleted() || syntax.IsBinary(f.After) || syntax.IsGenerated(f.Path) || syntax.IsForTests(f.Path) ||
			syntax.HasGeneratedHeader(f.After) {
			return
		}
		for _, l := range styleProblems(f.Path, f.After) {
			if f.AddedLines().Has(l.line) {
				parts[i] = append(parts[i], l)
			}
		}
	})
	var out []belay.Finding
	var had map[string]bool
	for i, part := range parts {
		if len(part) > 0 && had == nil {
			had = declaredBefore(files)
		}
		for _, l := range part {
			if had[declarationScope(files[i].Path)+l.name] {
				continue
			}
			out = append(out, belay.Finding{
				Severity: belay.SeverityWarning, Category: StyleCategory, File: files[i].Path, Line: l.line,
				Title: l.name + " " + l.what, Recommendation: l.advice,
			})
		}
	}
	return out
}

// StyleCategory is the category of the findings.
const StyleCategory = belay.CategoryStyle

func styleProblems(p string, text []byte) []styleProblem {
	switch syntax.LanguageOf(p) {
	case syntax.Go:
		return goStyleProblems(text)
	case syntax.Python:
		return pythonStyleProblems(syntax.LexCode(syntax.Python, text), path.Ext(p) == ".pyi")
	case syntax.TypeScript:
		return scriptStyleProblems(syntax.LexCode(syntax.TypeScript, text))
	}
	return nil
}

// declarationScope returns the scope within which a declaration may move without being new: its
// folder.
func declarationScope(p string) string { return path.Dir(p) + "\x00" }

// declaredBefore returns the declarations that lacked something before the change, by folder and
// name. Moving them within their folder is not a finding.
func declaredBefore(files []*syntax.File) map[string]bool {
	had := map[string]bool{}
	for _, f := range files {
		if f.IsCreated() || syntax.IsBinary(f.Before) {
			continue
		}
		for _, l := range styleProblems(f.Path, f.Before) {
			had[declarationScope(f.Path)+l.name] = true
		}
	}
	return had
}

// StyleSummary states how many declarations lack something.
func StyleSummary(found []belay.Finding) string {
	switch len(found) {
	case 0:
		return "new declarations are documented and typed"
	case 1:
		return "1 new declaration lacks documentation or types"
	}
	return fmt.Sprintf("%d new declarations lack documentation or types", len(found))
}

// Package style asks whether what a change declares for others is documented and typed
// as its language expects: doc comments in Go, hints and docstrings in Python, types in
// TypeScript. Only declarations that the change adds are findings, and all are warnings.
//
// It never reads a file and never judges how code looks: that is a formatter's and a
// linter's to say.
package style

import (
	"fmt"
	"path"

	"github.com/belay-dev/belay/internal/belay"
	"github.com/belay-dev/belay/internal/check/edit"
	"github.com/belay-dev/belay/internal/check/lang"
)

// lack is a declaration that wants something.
type lack struct {
	line   int
	name   string // what it is called, with its kind: func Open
	what   string // what it wants
	advice string
}

// Look gives the declarations that the files' changes add and that lack documentation
// or types. Tests, generated files and Go's main packages declare nothing for others.
func Look(files []*edit.File) []belay.Finding {
	parts := make([][]lack, len(files))
	edit.Each(files, func(i int, f *edit.File) {
		if f.Deleted() || edit.Binary(f.After) || lang.Generated(f.Path) || lang.ForTests(f.Path) || lang.SaysGenerated(f.After) {
			return
		}
		for _, l := range lacks(f.Path, f.After) {
			if f.Added().Has(l.line) {
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
			if had[where(files[i].Path)+l.name] {
				continue
			}
			out = append(out, belay.Finding{
				Severity: belay.SeverityWarning, Category: Category, File: files[i].Path, Line: l.line,
				Title: l.name + " " + l.what, Recommendation: l.advice,
			})
		}
	}
	return out
}

// Category is what the findings are about.
const Category = belay.CategoryStyle

func lacks(p string, text []byte) []lack {
	switch lang.Of(p) {
	case lang.Go:
		return goLacks(text)
	case lang.Python:
		return pythonLacks(lang.Code(lang.Python, text), path.Ext(p) == ".pyi")
	case lang.TypeScript:
		return scriptLacks(lang.Code(lang.TypeScript, text))
	}
	return nil
}

// where is how far a declaration may move without being a new one: its folder.
func where(p string) string { return path.Dir(p) + "\x00" }

// declaredBefore gives the declarations that lacked something before the change, by
// folder and name. They are not the change's, wherever in their folder they are now.
func declaredBefore(files []*edit.File) map[string]bool {
	had := map[string]bool{}
	for _, f := range files {
		if f.Created() || edit.Binary(f.Before) {
			continue
		}
		for _, l := range lacks(f.Path, f.Before) {
			had[where(f.Path)+l.name] = true
		}
	}
	return had
}

// Summary says how many declarations lack something.
func Summary(found []belay.Finding) string {
	switch len(found) {
	case 0:
		return "what the change declares is documented and typed"
	case 1:
		return "1 new declaration lacks documentation or types"
	}
	return fmt.Sprintf("%d new declarations lack documentation or types", len(found))
}

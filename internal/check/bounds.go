package check

import (
	"context"
	"fmt"
	"path"
	"slices"
	"sort"
	"strings"

	"github.com/belay-dev/belay/internal/belay"
	"github.com/belay-dev/belay/internal/syntax"
)

// bounds is where a request allows the work to be, resolved in one tree.
type bounds struct {
	in       Input
	paths    []string // on both sides
	findings []belay.Finding
}

// boundFindings returns a finding for what changed despite "don't touch X", "leave X alone" and
// "only change X". An error is a change that the text certainly forbids; a name that does not exist
// or is ambiguous gives a warning.
func (in Input) boundFindings(ctx context.Context, changes []belay.Change) ([]belay.Finding, error) {
	if len(in.Request.Bounds) == 0 {
		return nil, nil
	}
	b := &bounds{in: in}
	if in.Texts != nil {
		now, err := in.Texts.Paths(ctx)
		if err != nil {
			return nil, err
		}
		b.paths = slices.Clone(now)
	}
	for _, c := range changes {
		b.paths = append(b.paths, c.Path)
	}
	sort.Strings(b.paths)
	b.paths = slices.Compact(b.paths)
	for _, one := range in.Request.Bounds {
		if !one.Only {
			b.checkUntouched(one, changes)
		}
	}
	b.checkOnly(changes)
	return b.findings, nil
}

// resolve returns a function that reports whether a bound covers a change; nil if nothing of that
// name exists. sure is false if the name is ambiguous.
func (b *bounds) resolve(what string) (covers func(belay.Change) bool, sure bool) {
	low := strings.ToLower(strings.TrimPrefix(what, "./"))
	folder := strings.HasSuffix(low, "/")
	low = strings.TrimSuffix(low, "/")
	switch low {
	case "tests", "test": // a new test does not change existing ones
		if !slices.ContainsFunc(b.paths, syntax.IsForTests) {
			return nil, false
		}
		return func(c belay.Change) bool { return syntax.IsForTests(c.Path) }, true
	case "readme":
		return b.pathsMatching(func(p string) bool {
			return strings.ToLower(strings.TrimSuffix(path.Base(p), path.Ext(p))) == "readme" && path.Dir(p) == "."
		})
	case "documentation":
		low = "docs"
	}
	if strings.ContainsAny(low, "*[{") {
		if belay.Valid(what) != nil {
			return nil, false
		}
		return b.pathsMatching(func(p string) bool { return belay.Covers(what, p) })
	}
	if is, ok := b.pathsMatching(func(p string) bool {
		l := strings.ToLower(p)
		return !folder && l == low || strings.HasPrefix(l, low+"/")
	}); is != nil {
		return is, ok
	}
	var hits []string
	for _, p := range b.paths {
		if l := strings.ToLower(p); !folder && strings.HasSuffix(l, "/"+low) || strings.Contains("/"+l, "/"+low+"/") {
			hits = append(hits, p)
		}
	}
	if len(hits) == 0 {
		return nil, false
	}
	tops := map[string]bool{} // one file, or one folder
	for _, p := range hits {
		at := strings.Index("/"+strings.ToLower(p)+"/", "/"+low+"/")
		tops[p[:min(at+len(low), len(p))]] = true
	}
	return func(c belay.Change) bool { return slices.Contains(hits, c.Path) }, len(tops) == 1
}

func (b *bounds) pathsMatching(is func(string) bool) (func(belay.Change) bool, bool) {
	if !slices.ContainsFunc(b.paths, is) {
		return nil, false
	}
	return func(c belay.Change) bool { return is(c.Path) }, true
}

// checkUntouched checks that what a bound names is unchanged.
func (b *bounds) checkUntouched(one belay.Bound, changes []belay.Change) {
	covers, sure := b.resolve(one.What)
	if covers == nil {
		b.findings = append(b.findings, belay.Finding{
			Severity: belay.SeverityWarning, Category: belay.CategoryScope,
			Title:  "the request says not to touch this, but it was not found: " + one.What,
			Detail: "the request says: " + one.Words,
		})
		return
	}
	tests := namesTests(one.What)
	for _, c := range changes {
		if !covers(c) || tests && c.Status == "A" {
			continue
		}
		b.addFinding(c, one, sure && !b.isNamedElsewhere(c.Path), "changed although the request says not to: ")
	}
}

// checkOnly checks that only what the request allows was changed.
func (b *bounds) checkOnly(changes []belay.Change) {
	var allowed []func(belay.Change) bool
	var first *belay.Bound
	sure := true
	for i, one := range b.in.Request.Bounds {
		if !one.Only {
			continue
		}
		if first == nil {
			first = &b.in.Request.Bounds[i]
		}
		if one.What == "" { // "and touch nothing else": except what the request names
			continue
		}
		covers, is := b.resolve(one.What)
		if covers == nil {
			new := strings.ToLower(strings.TrimPrefix(one.What, "./"))
			b.findings = append(b.findings, belay.Finding{
				Severity: belay.SeverityWarning, Category: belay.CategoryScope,
				Title:  "the request allows only this to change, but it was not found: " + one.What,
				Detail: "the request says: " + one.Words,
			})
			covers, is = func(c belay.Change) bool { return strings.HasPrefix(strings.ToLower(c.Path), new) }, false
		}
		sure = sure && is
		allowed = append(allowed, covers)
	}
	if first == nil {
		return
	}
	named := slices.ContainsFunc(b.paths, func(p string) bool { return b.isNamedElsewhere(p) })
	if len(allowed) == 0 && !named {
		b.findings = append(b.findings, belay.Finding{
			Severity: belay.SeverityWarning, Category: belay.CategoryScope,
			Title:  "cannot be checked: the request says to change nothing else, but names no file",
			Detail: "the request says: " + first.Words,
		})
		return
	}
	for _, c := range changes {
		if slices.ContainsFunc(allowed, func(is func(belay.Change) bool) bool { return is(c) }) || b.isNamedElsewhere(c.Path) {
			continue
		}
		follows := syntax.IsGenerated(c.Path) || syntax.IsForTests(c.Path) && mentionsTests(b.in.Words, first.Words)
		b.addFinding(c, *first, sure && !follows, "changed although the request allows only: ")
	}
}

func (b *bounds) addFinding(c belay.Change, one belay.Bound, sure bool, what string) {
	f := belay.Finding{
		Severity: belay.SeverityError, Category: belay.CategoryScope, File: c.Path, Title: what + "“" + one.Words + "”",
		Detail: fmt.Sprintf("%s was %s; the request says: %s", c.Path, changeVerb(c), one.Words), Recommendation: revertAdvice(c),
	}
	if !sure {
		f.Severity, f.Recommendation = belay.SeverityWarning, ""
	}
	b.findings = append(b.findings, f)
}

// isNamedElsewhere reports whether the request also names a path outside its bounds: it asks for a
// change there. Each bound accounts for one mention.
func (b *bounds) isNamedElsewhere(p string) bool {
	words := b.in.Words
	for _, one := range b.in.Request.Bounds {
		if one.What != "" {
			words = strings.Replace(words, one.What, " ", 1)
		}
	}
	return NamesPath(words, p)
}

func namesTests(what string) bool {
	return strings.EqualFold(what, "tests") || strings.EqualFold(what, "test")
}

func mentionsTests(words, sentence string) bool {
	return strings.Contains(strings.ToLower(strings.ReplaceAll(words, sentence, "")), "test")
}

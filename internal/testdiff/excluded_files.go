package testdiff

import (
	"go/build/constraint"
	"strings"

	"github.com/belay-dev/belay/internal/belay"
	"github.com/belay-dev/belay/internal/syntax"

	"github.com/belay-dev/belay/internal/lazyregexp"
)

// findExcludedFiles returns findings for what newly keeps an entire test file from running.
func findExcludedFiles(f *syntax.File) []belay.Finding {
	if f.IsCreated() || f.IsDeleted() || !syntax.IsTest(f.Path) || syntax.IsBinary(f.After) || string(f.Before) == string(f.After) {
		return nil
	}
	switch syntax.LanguageOf(f.Path) {
	case syntax.Go:
		return findGoExclusions(f)
	case syntax.Python:
		return newStatement(f, syntax.Python, pythonExclusions)
	case syntax.Rust:
		return newStatement(f, syntax.Rust, rustExclusions)
	}
	return nil
}

// pattern matches the start of a line, its tokens separated by spaces; unsure means that it may
// have another meaning.
type pattern struct {
	expr   *lazyregexp.Regexp
	unsure bool
}

var (
	pythonExclusions = []pattern{
		{lazyregexp.New(`^pytestmark = .*\b(?:skip|xfail)\b`), false},
		{lazyregexp.New(`^pytestmark = .*\bskipif\b`), true},
		{lazyregexp.New(`^pytest \. (?:skip|exit) \( .*allow_module_level`), false},
		{lazyregexp.New(`^__test__ = False`), false},
		{lazyregexp.New(`^raise (?:unittest \. )?SkipTest`), false},
	}
	rustExclusions = []pattern{{lazyregexp.New(`^# ! \[ cfg \( any \( \)`), false}, {lazyregexp.New(`^# ! \[ cfg \(`), true}}
)

// newStatement looks for new top-level statements that match a pattern.
func newStatement(f *syntax.File, l syntax.Language, patterns []pattern) []belay.Finding {
	tokens := syntax.LexCode(l, f.After)
	for i, t := range tokens {
		if !t.First || t.Col > 0 || !f.AddedLines().Has(t.Line) {
			continue
		}
		var words []string
		for _, x := range tokens[i:] {
			if x.First && x.Col == 0 && len(words) > 0 || len(words) > 60 {
				break
			}
			words = append(words, x.Text)
		}
		line := strings.Join(words, " ")
		for _, p := range patterns {
			if !p.expr.MatchString(line) {
				continue
			}
			severity := belay.SeverityError
			if p.unsure {
				severity = belay.SeverityWarning
			}
			return []belay.Finding{{Severity: severity, File: f.Path, Line: t.Line, Title: "tests of the file are excluded",
				Detail: clip(line) + " keeps them from running", Recommendation: "remove it and make the code pass the tests"}}
		}
	}
	return nil
}

// findGoExclusions compares build constraints. One that a plain `go test` never meets excludes the
// file; one on the system or architecture does so only on other machines.
func findGoExclusions(f *syntax.File) []belay.Finding {
	before, _ := goConstraint(f.Before)
	after, line := goConstraint(f.After)
	if old := plusBuildConstraint(f.Before); before == nil && after != nil && old != nil && old.String() == after.String() {
		return nil // gofmt adds the new form beside the old one
	}
	if after == nil || before != nil && before.String() == after.String() || before != nil && !canBeMet(before) {
		return nil
	}
	out := belay.Finding{Severity: belay.SeverityError, File: f.Path, Line: line, Title: "tests of the file are excluded",
		Detail:         "//go:build " + after.String() + " keeps them from running",
		Recommendation: "remove the constraint and make the code pass the tests"}
	if canBeMet(after) {
		out.Severity, out.Detail = belay.SeverityWarning, "//go:build "+after.String()+" keeps them from running on some machines"
	}
	return []belay.Finding{out}
}

func goConstraint(text []byte) (constraint.Expr, int) {
	n := 0
	for line := range strings.Lines(string(text)) {
		n++
		line = strings.TrimSpace(line)
		if constraint.IsGoBuild(line) {
			expr, err := constraint.Parse(line)
			if err != nil {
				return nil, 0
			}
			return expr, n
		}
		if strings.HasPrefix(line, "package ") {
			break
		}
	}
	return nil, 0
}

// plusBuildConstraint returns the constraint of the lines "// +build", the form before Go 1.17; nil without one.
func plusBuildConstraint(text []byte) (all constraint.Expr) {
	for line := range strings.Lines(string(text)) {
		line = strings.TrimSpace(line)
		if strings.HasPrefix(line, "package ") {
			break
		}
		if !constraint.IsPlusBuild(line) {
			continue
		}
		one, err := constraint.Parse(line)
		if err != nil {
			return nil
		}
		if all == nil {
			all = one
		} else {
			all = &constraint.AndExpr{X: all, Y: one}
		}
	}
	return all
}

// canBeMet reports whether plain `go test` can meet the constraint on some system and architecture,
// with or without cgo, and without any other tag.
func canBeMet(e constraint.Expr) bool {
	for _, system := range []string{"linux", "darwin", "windows", "freebsd", "js", "wasip1", "plan9", "android", "ios",
		"openbsd", "netbsd", "solaris", "aix"} {
		for _, arch := range []string{"amd64", "arm64", "386", "arm", "wasm", "riscv64", "ppc64le", "s390x"} {
			if e.Eval(func(tag string) bool {
				unix := tag == "unix" && system != "windows" && system != "js" && system != "plan9" && system != "wasip1"
				ofGo := tag == "cgo" || tag == "gc" || strings.HasPrefix(tag, "go1.")
				return tag == system || tag == arch || unix || ofGo
			}) {
				return true
			}
		}
	}
	return false
}

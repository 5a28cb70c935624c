package testdiff

import (
	"fmt"
	"path"
	"slices"
	"strings"

	"github.com/belay-dev/belay/internal/belay"
	"github.com/belay-dev/belay/internal/syntax"

	"github.com/belay-dev/belay/internal/lazyregexp"
)

// outsideName is the name for values of a test file outside of its tests.
const outsideName = "outside of tests"

// expectationChange is a changed expected value of a test.
type expectationChange struct {
	test fileTest
	Change
}

// aboutTests matches the words of a requirement about tests. Whether it asks to change them is
// decided by its marker.
var aboutTests = lazyregexp.New(`(?i)\b(?:tests?|specs?|expectations?|expect(?:ed|s)?|assert(?:s|ed|ion|ions)?|` +
	`snapshots?|goldens?|golden[- ]files?|fixtures?|test[- ]?cases?)\b|_test\.|\.test\.|\.spec\.|_spec\.`)

// AsksForTests reports whether a request asks to modify or remove tests in one of its requirements.
// Adding tests, or making them pass, does not count.
func AsksForTests(r belay.Request) bool {
	return slices.ContainsFunc(r.Requirements, func(q belay.Requirement) bool {
		if q.Marker != belay.MarkModify && q.Marker != belay.MarkRemove {
			return false
		}
		l := syntax.LanguageOf(q.File)
		return aboutTests.MatchString(q.Text) || syntax.IsTest(q.File) && l != syntax.Rust && l != syntax.CSharp
	})
}

// withValues assigns the expected values of a text to its tests, and those outside of tests to an
// additional one without a body.
func withValues(f *syntax.File, text []byte, tests []fileTest) []fileTest {
	if !containsTests(f, text) || !isChanged(f) {
		return tests
	}
	l := syntax.LanguageOf(f.Path)
	rest := fileTest{file: f, lang: l}
	rest.Name, rest.ShortName = outsideName, outsideName
	tokens := syntax.LexCode(l, text)
	heads := make([]int, len(tests))
	for i, t := range tests {
		heads[i] = headLine(tokens, t)
	}
	for _, v := range ExpectedValues(l, tokens) {
		in := -1
		for i, t := range tests {
			if n := len(t.Body); n == 0 || t.Group || v.Line < heads[i] || isAfterToken(v, t.Body[n-1]) {
				continue
			}
			if in < 0 || heads[i] >= heads[in] { // the innermost
				in = i
			}
		}
		if in < 0 {
			rest.values = append(rest.values, v)
		} else {
			tests[in].values = append(tests[in].values, v)
		}
	}
	if syntax.IsForTests(f.Path) {
		tests = append(tests, rest)
	}
	return tests
}

// isChanged reports whether a file was changed. That includes created and deleted files, because
// tests move.
func isChanged(f *syntax.File) bool { return string(f.Before) != string(f.After) }

func isAfterToken(v Value, t syntax.Token) bool {
	return v.Line > t.End || v.Line == t.Line && v.Col > t.Col
}

// headLine returns the first line of a test's head: of its decorators, attributes, or table.
func headLine(tokens []syntax.Token, t fileTest) int {
	line := t.Line
	from, _ := slices.BinarySearchFunc(tokens, line, func(x syntax.Token, line int) int { return x.Line - line })
	for i := from - 1; i >= 0; i-- {
		switch x := tokens[i]; {
		case x.Line >= line:
		case t.lang == syntax.Python || t.lang == syntax.Rust || t.lang == syntax.CSharp || t.lang == syntax.Java || t.lang == syntax.PHP:
			if x.IsOneOf("}", ";", "{") || x.Is(":") && x.End < line && !strings.Contains("@[", firstOnLine(tokens, i).Text) {
				return line
			}
			if first := firstOnLine(tokens, i); first.Is("@") || first.Is("#") || first.Is("[") {
				line = first.Line
			} else if t.lang != syntax.Python {
				return line
			}
		default:
			return line
		}
		if t.Line-line > 400 {
			return line
		}
	}
	return line
}

// firstOnLine returns the first token of the line that token i is on.
func firstOnLine(tokens []syntax.Token, i int) syntax.Token {
	for i > 0 && !tokens[i].First {
		i--
	}
	return tokens[i]
}

// changedExpectations returns a finding for each expected value that was changed together with the
// code, unless the request asks to change tests. A value that another test of the change expects
// now was moved.
func changedExpectations(files []*syntax.File, p pairing, r Rules) []belay.Finding {
	if r.ChangesAsked || len(p.expectationChanges) == 0 || !codeChanged(files) {
		return nil
	}
	fresh := p.newValues
	for _, a := range p.added {
		fresh = append(fresh, a.values...)
	}
	var out []belay.Finding
	for _, t := range p.expectationChanges {
		if i := slices.IndexFunc(fresh, func(v Value) bool { return SameValue(v, t.Old) }); i >= 0 {
			fresh = slices.Delete(slices.Clone(fresh), i, i+1)
			continue
		}
		out = append(out, belay.Finding{
			Severity: r.expectedSeverity(), File: t.test.file.Path, Line: t.New.Line,
			Title: fmt.Sprintf("expected value changed: %s: %s → %s", clip(t.test.Name), clipValue(t.Old.Describe()),
				clipValue(t.New.Describe())),
			Detail: fmt.Sprintf("for %s the test expected %s and now expects %s; the code changed as well",
				clipValue(t.New.Subject), clipValue(t.Old.Describe()), clipValue(t.New.Describe())),
			Recommendation: "restore the old value and make the code return it, unless the task asks for the new one",
		})
	}
	return out
}

// clipValue shortens a value so that several fit on a line.
func clipValue(s string) string {
	if r := []rune(s); len(r) > 60 {
		s = string(r[:59]) + "…"
	}
	return belay.VisibleLine(s)
}

// codeChanged reports whether the change contains anything but tests, documentation and generated
// files.
func codeChanged(files []*syntax.File) bool {
	return slices.ContainsFunc(files, func(f *syntax.File) bool {
		if syntax.IsForTests(f.Path) || syntax.IsGenerated(f.Path) || isSnapshotFile(f.Path) || docExtensions[path.Ext(f.Path)] {
			return false
		}
		if syntax.IsBinary(f.After) || syntax.IsBinary(f.Before) {
			return false
		}
		l := syntax.LanguageOf(f.Path)
		if l == syntax.None {
			return !strings.HasPrefix(f.Path, ".")
		}
		return codeText(l, textOutsideTests(f.Before, testsOf(f, f.Before))) != codeText(l, textOutsideTests(f.After, testsOf(f, f.After)))
	})
}

var docExtensions = map[string]bool{".md": true, ".rst": true, ".txt": true, ".adoc": true, ".lock": true}

// codeText returns a text without comments and white space.
func codeText(l syntax.Language, text []byte) string {
	var b strings.Builder
	for _, t := range syntax.LexCode(l, text) {
		b.WriteString(t.Text)
		b.WriteByte(' ')
	}
	return b.String()
}

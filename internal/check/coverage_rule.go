package check

import (
	"bytes"
	"path"
	"strings"

	"github.com/belay-dev/belay/internal/belay"
	"github.com/belay-dev/belay/internal/syntax"
)

// coverageRule is one line of the config: a glob of sources and globs of test files.
type coverageRule struct {
	source string
	tests  []string
}

// ParseCoverageRule parses a rule: "SOURCES -> TESTS", a glob of source files and one of their
// tests, or several of them separated by " | ", of which one must match. In TESTS {dir} is the
// source's folder, {name} its name without the extension, {ext} its extension. "SOURCES -> none"
// means that those files need no tests. Errors: belay.CodeUsage.
func ParseCoverageRule(text string) error {
	_, err := parseCoverageRule(text)
	return err
}

func parseCoverageRule(text string) (coverageRule, error) {
	source, tests, ok := strings.Cut(text, "->")
	r := coverageRule{source: strings.TrimSpace(source)}
	refuse := func(what string) (coverageRule, error) {
		return coverageRule{}, belay.Refuse(belay.CodeUsage,
			`write it as "src/**/*.py -> tests/**/test_{name}.py", or "scripts/** -> none"`, "the coverage rule %q %s", text, what)
	}
	if !ok {
		return refuse("has no ->")
	}
	if err := belay.Valid(r.source); err != nil {
		return refuse("has an invalid glob for its sources")
	}
	if strings.TrimSpace(tests) == "none" {
		return r, nil
	}
	for one := range strings.SplitSeq(tests, " | ") {
		one = strings.TrimSpace(one)
		if err := belay.Valid(fillPattern(one, "a/b.c")); err != nil || one == "" {
			return refuse("has an invalid glob for its tests")
		}
		r.tests = append(r.tests, one)
	}
	return r, nil
}

func parseCoverageRules(texts []string) ([]coverageRule, error) {
	var rules []coverageRule
	for _, text := range texts {
		r, err := parseCoverageRule(text)
		if err != nil {
			return nil, err
		}
		rules = append(rules, r)
	}
	return rules, nil
}

// fillPattern replaces the placeholders in a glob of tests by the parts of a source's path.
func fillPattern(tests, source string) string {
	ext := path.Ext(source)
	dir := strings.TrimPrefix(path.Dir(source), ".")
	plain := strings.NewReplacer("*", `\*`, "?", `\?`, "[", `\[`, "{", `\{`, "}", `\}`)
	out := strings.NewReplacer(
		"{dir}", plain.Replace(dir), "{name}", plain.Replace(strings.TrimSuffix(path.Base(source), ext)), "{ext}",
		plain.Replace(strings.TrimPrefix(ext, ".")),
	).Replace(tests)
	return strings.TrimPrefix(out, "/")
}

// findTest returns "" if there is a test file, else what was looked for.
func (r coverageRule) findTest(source string, there *pathIndex) string {
	var globs []string
	for _, t := range r.tests {
		globs = append(globs, fillPattern(t, source))
	}
	for _, p := range there.all {
		if p != source && belay.Match(globs, p) {
			return ""
		}
	}
	return strings.Join(globs, ", ")
}

// pathIndex is an index of all files.
type pathIndex struct {
	all      []string
	goTests  map[string]bool                     // folders with a _test.go
	subjects map[syntax.Language]map[string]bool // subjects of test files, in lower case
	rust     bool                                // there is a tests folder
}

func newPathIndex(all []string) *pathIndex {
	p := &pathIndex{all: all, goTests: map[string]bool{}, subjects: map[syntax.Language]map[string]bool{}}
	for _, one := range all {
		l := syntax.LanguageOf(one).Family()
		if l == syntax.None || !syntax.IsForTests(one) {
			continue
		}
		switch l {
		case syntax.Go:
			p.goTests[path.Dir(one)] = true
		case syntax.Rust:
			p.rust = p.rust || strings.HasPrefix(one, "tests/") || strings.Contains(one, "/tests/")
		}
		if p.subjects[l] == nil {
			p.subjects[l] = map[string]bool{}
		}
		p.subjects[l][strings.ToLower(syntax.TestedName(one))] = true
		// Several files about one subject may be in a folder named like a test file:
		// test_utils/test_echo.py.
		if about, name := syntax.TestedName(path.Dir(one)+path.Ext(one)), path.Base(path.Dir(one)); about != name {
			p.subjects[l][strings.ToLower(about)] = true
		}
	}
	return p
}

// missingByConvention searches for a test file by the convention of the file's language, anywhere
// in the repository, except for Go, where tests are in the same folder. Case is ignored.
func missingByConvention(f *syntax.File, there *pathIndex) string {
	l, stem, dir := syntax.LanguageOf(f.Path), syntax.BaseName(f.Path), path.Dir(f.Path)
	about := there.subjects[l.Family()]
	has := func(name string) bool { return about[strings.ToLower(name)] }
	folder := path.Base(dir)
	switch l {
	case syntax.Go:
		if there.goTests[dir] {
			return ""
		}
		return path.Join(dir, stem+"_test.go") + " or another test of the package"
	case syntax.Rust:
		inside := bytes.Contains(f.After, []byte("#[test]")) || bytes.Contains(f.After, []byte("#[cfg(test)]")) ||
			bytes.Contains(f.After, []byte("::test]"))
		if inside || there.rust || has(stem) || has(folder) {
			return ""
		}
		return "#[test] in the file, or a file in tests"
	case syntax.Python:
		if has(stem) || has(folder+"_"+stem) || has(stem+"s") || stem == "__init__" && has(folder) {
			return ""
		}
		return "test_" + stem + ".py"
	case syntax.Ruby:
		if has(stem) {
			return ""
		}
		return stem + "_spec.rb or " + stem + "_test.rb"
	case syntax.Java:
		if has(stem) {
			return ""
		}
		return stem + "Test.java"
	case syntax.CSharp:
		if has(stem) {
			return ""
		}
		return stem + "Tests.cs"
	case syntax.PHP:
		if has(stem) {
			return ""
		}
		return stem + "Test.php"
	}
	if has(stem) || stem == "index" && has(folder) {
		return ""
	}
	return stem + ".test" + path.Ext(f.Path) + " or " + stem + ".spec" + path.Ext(f.Path)
}

package check

import (
	"path"
	"strings"

	"github.com/belay-dev/belay/internal/belay"
	"github.com/belay-dev/belay/internal/syntax"
)

// CoverageRules are the coverage settings of the config.
type CoverageRules struct {
	Rules []string // see ParseCoverageRule; the first that covers a file applies, before any convention
	Error bool     // a missing test file rejects
}

// Coverage returns a finding for every changed source file without a test file among paths, which
// are all files after the change. Files that are generated, only contain types, settings or a
// program's start, or in which only comments changed, need none; by convention neither does an
// existing file if the change itself adds to tests of its language, because the project names its
// tests in another way.
func Coverage(files []*syntax.File, paths []string, r CoverageRules) (found []belay.Finding, asked int, err error) {
	rules, err := parseCoverageRules(r.Rules)
	if err != nil {
		return nil, 0, err
	}
	there, tested := newPathIndex(paths), addsTests(files)
	for _, f := range files {
		wanted, subject, byRule := missingTest(f, rules, there)
		if !subject {
			continue
		}
		asked++
		if wanted == "" || !byRule && !f.IsCreated() && tested[syntax.LanguageOf(f.Path).Family()] {
			continue
		}
		severity := belay.SeverityWarning
		if r.Error {
			severity = belay.SeverityError
		}
		found = append(found, belay.Finding{
			Severity: severity, Category: belay.CategoryTests, File: f.Path,
			Title: "no test file for " + f.Path, Detail: "looked for " + wanted,
			Recommendation: "write a test for the change in " + f.Path,
		})
	}
	return found, asked, nil
}

// addsTests returns the languages in which the change adds code to test files.
func addsTests(files []*syntax.File) map[syntax.Language]bool {
	adds := map[syntax.Language]bool{}
	for _, f := range files {
		l := syntax.LanguageOf(f.Path)
		if l == syntax.None || f.IsDeleted() || !syntax.IsForTests(f.Path) || syntax.IsBinary(f.After) {
			continue
		}
		gone := syntax.AddedLines(f.After, f.Before)
		if f.AddedLines().Count() > gone.Count() && changesCode(f, syntax.LexCode(l, f.After)) {
			adds[l.Family()] = true
		}
	}
	return adds
}

// missingTest reports whether a file needs a test file, by a rule or by convention, and what was
// looked for if there is none.
func missingTest(f *syntax.File, rules []coverageRule, there *pathIndex) (missing string, asked, byRule bool) {
	if f.IsDeleted() || syntax.IsBinary(f.After) || syntax.IsGenerated(f.Path) || syntax.HasGeneratedHeader(f.After) ||
		syntax.IsForTests(f.Path) {
		return "", false, false
	}
	for _, r := range rules {
		if !belay.Covers(r.source, f.Path) {
			continue
		}
		if len(r.tests) == 0 {
			return "", false, true
		}
		return r.findTest(f.Path, there), true, true
	}
	if !hasConvention(f) {
		return "", false, false
	}
	return missingByConvention(f, there), true, false
}

// hasConvention reports whether the file's language has a convention for its test file.
func hasConvention(f *syntax.File) bool {
	l := syntax.LanguageOf(f.Path)
	if l == syntax.None || isExempt(f.Path, l) {
		return false
	}
	tokens := syntax.LexCode(l, f.After)
	return changesCode(f, tokens) && hasBehaviour(l, tokens)
}

var exemptNames = map[string]bool{
	"main.go": true, "doc.go": true, "__main__.py": true, "setup.py": true, "conf.py": true, "settings.py": true, "manage.py": true,
	"wsgi.py": true, "asgi.py": true, "conftest.py": true, "noxfile.py": true, "gulpfile.js": true, "Gruntfile.js": true,
	"main.rs": true, "build.rs": true, "mod.rs": true, "Program.cs": true, "Startup.cs": true, "AssemblyInfo.cs": true,
	"package-info.java": true, "module-info.java": true, "Application.java": true, "application.rb": true,
	"environment.rb": true, "routes.rb": true, "index.php": true, "bootstrap.php": true, "autoload.php": true,
}

var exemptFolders = map[string]bool{
	"scripts": true, "script": true, "migrations": true, "migrate": true, "config": true, "configs": true, "examples": true,
	"example": true, "docs": true, "third_party": true, "bin": true, "types": true, "@types": true, ".storybook": true,
}

// isExempt reports by its path whether a file starts, configures or demonstrates a program.
func isExempt(p string, l syntax.Language) bool {
	base := path.Base(p)
	if exemptNames[base] || strings.HasPrefix(base, ".") {
		return true
	}
	for part := range strings.SplitSeq(path.Dir(p), "/") {
		if exemptFolders[part] {
			return true
		}
	}
	switch l {
	case syntax.TypeScript, syntax.JavaScript:
		for _, mark := range []string{".d.ts", ".d.mts", ".d.cts", ".config.", ".stories.", ".types.", "rc.js",
			"rc.cjs", "rc.mjs", "setupTests."} {
			if strings.Contains(base, mark) {
				return true
			}
		}
	case syntax.Python:
		return strings.HasSuffix(base, ".pyi")
	case syntax.PHP:
		return strings.HasSuffix(base, ".blade.php") || strings.HasSuffix(base, ".config.php") || strings.HasSuffix(base, ".dist.php")
	}
	return false
}

// changesCode reports whether an added line has code, or lines were only removed.
func changesCode(f *syntax.File, tokens []syntax.Token) bool {
	added := f.AddedLines()
	if added.Count() == 0 {
		return false
	}
	for _, t := range tokens {
		if added.HasAny(t.Line, t.End) {
			return true
		}
	}
	return false
}

// arrowBody reports whether the tokens begin with => and a body.
func arrowBody(l syntax.Language, tokens []syntax.Token) bool {
	if len(tokens) < 2 || !tokens[0].Is("=") || !tokens[1].Is(">") {
		return false
	}
	return l == syntax.JavaScript || bodyAfter(tokens[2:])
}

// hasBehaviour reports whether there is a function with a body, which can be tested.
func hasBehaviour(l syntax.Language, tokens []syntax.Token) bool {
	for i, t := range tokens {
		if t.Kind != syntax.Word {
			if l.Family() == syntax.TypeScript && i > 0 && arrowBody(l, tokens[i:]) {
				return true
			}
			continue
		}
		switch l {
		case syntax.Go:
			if t.Text == "func" && t.Col == 0 {
				return true
			}
		case syntax.Python, syntax.Ruby:
			if t.Text == "def" {
				return true
			}
		case syntax.Rust:
			if t.Text == "fn" {
				return true
			}
		case syntax.Java, syntax.CSharp, syntax.PHP:
			if t.IsOneOf("return", "throw", "new", "if", "for", "foreach") {
				return true
			}
		default:
			if t.Text == "function" || t.Text == "return" {
				return true
			}
		}
	}
	return false
}

// bodyAfter distinguishes the body of an arrow function from the type of one: types have no blocks
// and calls, and only the members and operators of unions and generics.
func bodyAfter(rest []syntax.Token) bool {
	is := func(i int, words ...string) bool {
		for n, w := range words {
			if i+n >= len(rest) || !rest[i+n].Is(w) {
				return false
			}
		}
		return true
	}
	for _, begins := range []string{"{", "(", "!", "-", "+", "await", "new"} {
		if is(0, begins) {
			return true
		}
	}
	for _, goesOn := range []string{"(", ".", "%", "*", "/", "+", "-", "?"} {
		if is(1, goesOn) && rest[1].Line == rest[0].Line {
			return true
		}
	}
	return is(1, "=", "=") || is(1, "!", "=") || is(1, "&", "&") || is(1, "|", "|")
}

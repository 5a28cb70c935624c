package syntax

import (
	"path"
	"slices"
	"strings"
)

// A text with syntax errors is lexed as far as possible, and every byte except white space is in a
// token.

// Language is a language that belay can lex.
type Language string

// The languages. None is any other text.
const (
	None       Language = ""
	Go         Language = "go"
	Python     Language = "python"
	JavaScript Language = "javascript"
	TypeScript Language = "typescript"
	Rust       Language = "rust"
	Java       Language = "java"
	Ruby       Language = "ruby"
	CSharp     Language = "csharp"
	PHP        Language = "php"

	// LanguageOf never returns these; only package count uses them.
	TSX    Language = "tsx" // TypeScript and JavaScript with elements
	JSX    Language = "jsx"
	JSON   Language = "json"
	Kotlin Language = "kotlin"
	SQL    Language = "sql"
	TOML   Language = "toml"
)

var endings = map[string]Language{
	".go": Go, ".py": Python, ".pyi": Python,
	".js": JavaScript, ".jsx": JavaScript, ".mjs": JavaScript, ".cjs": JavaScript,
	".ts": TypeScript, ".tsx": TypeScript, ".mts": TypeScript, ".cts": TypeScript,
	".rs": Rust, ".java": Java, ".rb": Ruby, ".cs": CSharp, ".php": PHP,
}

// LanguageOf returns the language of a path by its extension.
func LanguageOf(p string) Language { return endings[path.Ext(p)] }

// Family returns TypeScript for JavaScript, because the same runners run the tests of both, and
// otherwise the language itself.
func (l Language) Family() Language {
	if l == JavaScript {
		return TypeScript
	}
	return l
}

// IsTest reports by a path whether the test runners of its language read the file. Rust and C# have
// tests in any file, so it is true for all of theirs.
func IsTest(p string) bool {
	dir, base := path.Split(p)
	stem := strings.TrimSuffix(base, path.Ext(base))
	switch LanguageOf(p) {
	case Go:
		return strings.HasSuffix(base, "_test.go") && !isHidden(dir)
	case Python:
		return strings.HasPrefix(base, "test_") || strings.HasSuffix(stem, "_test") || base == "tests.py"
	case JavaScript, TypeScript:
		return isScriptTest(dir, stem)
	case Java:
		return strings.Contains("/"+dir, "/test/") || strings.HasPrefix(stem, "Test") ||
			hasAnySuffix(stem, "Test", "Tests", "TestCase", "IT", "Spec")
	case Ruby:
		return hasAnySuffix(stem, "_spec", "_test") || strings.HasPrefix(stem, "test_")
	case PHP:
		return isPHPTest(dir, stem)
	case Rust, CSharp:
		return true
	}
	return false
}

// isPHPTest reports names that PHPUnit and Pest read, those of base classes of tests, and any file
// in a folder of tests, because some projects configure their own list.
func isPHPTest(dir, stem string) bool {
	return hasAnySuffix(stem, "Test", "Tests", "TestCase") ||
		isBelow(dir, func(part string) bool { return slices.Contains([]string{"test", "tests", "Test", "Tests"}, part) })
}

// hasAnySuffix reports whether a name ends in one of ends.
func hasAnySuffix(name string, ends ...string) bool {
	return slices.ContainsFunc(ends, func(end string) bool { return strings.HasSuffix(name, end) })
}

// isBelow reports whether is is true for a folder of a path.
func isBelow(dir string, is func(part string) bool) bool {
	for part := range strings.SplitSeq(strings.Trim(dir, "/"), "/") {
		if is(part) {
			return true
		}
	}
	return false
}

// isHidden reports whether the go command ignores a folder.
func isHidden(dir string) bool {
	return isBelow(dir, func(part string) bool {
		return part == "testdata" || strings.HasPrefix(part, "_") || strings.HasPrefix(part, ".")
	})
}

func isScriptTest(dir, stem string) bool {
	return stem == "test" || hasAnySuffix(stem, ".test", ".spec", ".cy", ".e2e", "-test", "_test", ".tests") ||
		isBelow(dir, func(part string) bool { return slices.Contains([]string{"__tests__", "test", "tests", "spec"}, part) })
}

// testFolders contain only what tests need, and nothing that ships.
var testFolders = map[string]bool{
	"testdata": true, "test": true, "tests": true, "__tests__": true, "__mocks__": true, "spec": true, "specs": true,
	"fixtures": true, "fixture": true, "__fixtures__": true, "e2e": true, "cypress": true, "testing": true,
	"testutil": true, "testutils": true, "benches": true, "benchmarks": true,
}

// IsForTests reports by a path whether a file exists for tests: it contains tests, or is in a
// folder for them. Rust and C# are judged by folders and names only.
func IsForTests(p string) bool {
	dir, base := path.Split(p)
	if isBelow(dir, func(part string) bool { return testFolders[part] || hasAnySuffix(part, ".Test", "Tests") }) {
		return true
	}
	stem := strings.TrimSuffix(base, path.Ext(base))
	switch LanguageOf(p) {
	case Rust:
		return stem == "tests" || stem == "test" || hasAnySuffix(stem, "_test", "_tests")
	case CSharp:
		return hasAnySuffix(stem, "Test", "Tests")
	case Python:
		return IsTest(p) || base == "conftest.py"
	}
	return IsTest(p)
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

// IsGenerated reports by its path whether a tool wrote a file.
func IsGenerated(p string) bool {
	base := path.Base(p)
	if generatedNames[base] || strings.HasPrefix(base, "zz_generated") {
		return true
	}
	return hasAnySuffix(base, generatedEnds...) || isBelow(path.Dir(p), func(part string) bool { return generatedFolders[part] })
}

// HasGeneratedHeader reports by the beginning of a text whether a tool wrote it: the phrase that
// Go's tools use, @generated, or <auto-generated.
func HasGeneratedHeader(text []byte) bool {
	head := string(text[:min(len(text), 2000)])
	return strings.Contains(head, "Code generated ") && strings.Contains(head, "DO NOT EDIT") ||
		strings.Contains(head, "@generated") || strings.Contains(head, "<auto-generated")
}

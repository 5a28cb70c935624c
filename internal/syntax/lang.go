package syntax

import (
	"path"
	"strings"
)

// A text that does not lex is read as far as possible, and every byte but white space is in a
// token.

// Language is a language that belay can read.
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
)

var endings = map[string]Language{
	".go": Go, ".py": Python, ".pyi": Python,
	".js": JavaScript, ".jsx": JavaScript, ".mjs": JavaScript, ".cjs": JavaScript,
	".ts": TypeScript, ".tsx": TypeScript, ".mts": TypeScript, ".cts": TypeScript,
	".rs": Rust, ".java": Java, ".rb": Ruby, ".cs": CSharp, ".php": PHP,
}

// Of tells the language by the ending of a path.
func Of(p string) Language { return endings[path.Ext(p)] }

// Family tells which languages' tests run side by side: JavaScript counts as TypeScript.
func (l Language) Family() Language {
	if l == JavaScript {
		return TypeScript
	}
	return l
}

// IsTest reports by a path whether its language's runners look for tests in the file.
// Rust and C# keep tests in any file, so all of theirs are.
func IsTest(p string) bool {
	dir, base := path.Split(p)
	stem := strings.TrimSuffix(base, path.Ext(base))
	switch Of(p) {
	case Go:
		return strings.HasSuffix(base, "_test.go") && !hidden(dir)
	case Python:
		return strings.HasPrefix(base, "test_") || strings.HasSuffix(stem, "_test") || base == "tests.py"
	case JavaScript, TypeScript:
		return isScriptTest(dir, stem)
	case Java:
		return strings.Contains("/"+dir, "/test/") || isJavaTest(stem)
	case Ruby:
		return strings.HasSuffix(stem, "_spec") || strings.HasSuffix(stem, "_test") || strings.HasPrefix(stem, "test_")
	case PHP:
		return isPHPTest(dir, stem)
	case Rust, CSharp:
		return true
	}
	return false
}

// isPHPTest knows the names that PHPUnit and Pest look for, those of classes that tests extend, and any file in a
// folder of tests, as projects with a list of their own have it.
func isPHPTest(dir, stem string) bool {
	for _, end := range []string{"Test", "Tests", "TestCase"} {
		if strings.HasSuffix(stem, end) {
			return true
		}
	}
	for part := range strings.SplitSeq(strings.Trim(dir, "/"), "/") {
		if part == "test" || part == "tests" || part == "Test" || part == "Tests" {
			return true
		}
	}
	return false
}

// hidden reports whether go passes a folder over.
func hidden(dir string) bool {
	for part := range strings.SplitSeq(strings.Trim(dir, "/"), "/") {
		if part == "testdata" || strings.HasPrefix(part, "_") || strings.HasPrefix(part, ".") {
			return true
		}
	}
	return false
}

func isScriptTest(dir, stem string) bool {
	for _, mark := range []string{".test", ".spec", ".cy", ".e2e", "-test", "_test", ".tests"} {
		if strings.HasSuffix(stem, mark) {
			return true
		}
	}
	for part := range strings.SplitSeq(strings.Trim(dir, "/"), "/") {
		if part == "__tests__" || part == "test" || part == "tests" || part == "spec" {
			return true
		}
	}
	return stem == "test"
}

func isJavaTest(stem string) bool {
	for _, end := range []string{"Test", "Tests", "TestCase", "IT", "Spec"} {
		if strings.HasSuffix(stem, end) {
			return true
		}
	}
	return strings.HasPrefix(stem, "Test")
}

// testFolders hold what tests need and nothing that ships.
var testFolders = map[string]bool{
	"testdata": true, "test": true, "tests": true, "__tests__": true, "__mocks__": true, "spec": true, "specs": true,
	"fixtures": true, "fixture": true, "__fixtures__": true, "e2e": true, "cypress": true, "testing": true,
	"testutil": true, "testutils": true, "benches": true, "benchmarks": true,
}

// ForTests reports by a path whether a file is there for tests: one that holds tests, or
// one in a folder of them. Rust and C# count by their folders and names only.
func ForTests(p string) bool {
	dir, base := path.Split(p)
	for part := range strings.SplitSeq(strings.Trim(dir, "/"), "/") {
		if testFolders[part] || strings.HasSuffix(part, ".Tests") || strings.HasSuffix(part, ".Test") || strings.HasSuffix(part, "Tests") {
			return true
		}
	}
	stem := strings.TrimSuffix(base, path.Ext(base))
	switch Of(p) {
	case Rust:
		return stem == "tests" || stem == "test" || strings.HasSuffix(stem, "_test") || strings.HasSuffix(stem, "_tests")
	case CSharp:
		return strings.HasSuffix(stem, "Test") || strings.HasSuffix(stem, "Tests")
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

// Generated reports by its path whether a tool and not a person wrote a file.
func Generated(p string) bool {
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

// SaysGenerated reports by the beginning of a text whether a tool wrote it: the words that
// go's tools agreed on, and @generated.
func SaysGenerated(text []byte) bool {
	head := string(text[:min(len(text), 2000)])
	return strings.Contains(head, "Code generated ") && strings.Contains(head, "DO NOT EDIT") ||
		strings.Contains(head, "@generated") || strings.Contains(head, "<auto-generated")
}

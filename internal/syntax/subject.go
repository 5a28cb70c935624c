package syntax

import (
	"path"
	"strings"
)

// TestedName returns the name of the tested code by the conventions of the language: foo of
// foo_test.go, test_foo.py, foo.spec.ts and foo_spec.rb, Foo of FooTest.java. It is "" for a file
// that is not a test by its path; for Rust and C#, with tests in any file, it is the name without
// test prefixes and suffixes.
func TestedName(p string) string {
	if !IsTest(p) {
		return ""
	}
	stem := BaseName(p)
	switch LanguageOf(p) {
	case Java, CSharp, PHP:
		stem = strings.TrimPrefix(stem, "Test")
		for _, end := range []string{"TestCase", "Tests", "Test", "Specs", "Spec", "IT"} {
			if rest, ok := strings.CutSuffix(stem, end); ok && rest != "" {
				return rest
			}
		}
		return stem
	case Python, Ruby, Go, Rust:
		stem = strings.TrimPrefix(stem, "test_")
		return strings.TrimSuffix(strings.TrimSuffix(strings.TrimSuffix(stem, "_tests"), "_test"), "_spec")
	}
	for _, end := range []string{".test", ".tests", ".spec", ".cy", ".e2e", "-test", "_test"} {
		stem = strings.TrimSuffix(stem, end)
	}
	return stem
}

// BaseName returns a path's last element without its extension.
func BaseName(p string) string {
	base := path.Base(p)
	return strings.TrimSuffix(base, path.Ext(base))
}

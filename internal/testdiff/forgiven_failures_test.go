package testdiff

import (
	"fmt"
	"strings"
	"testing"
	"time"
)

// TestManyExcludedFiles: a list of many test files is read in little time, and gives few findings.
func TestManyExcludedFiles(t *testing.T) {
	t.Parallel()
	list := func(key, indent string) string {
		var b strings.Builder
		b.WriteString("export default { test: {\n  " + key + ": [\n")
		for i := range 20_000 {
			fmt.Fprintf(&b, "%s'a%d.test.ts',\n", indent, i)
		}
		return b.String() + "  ],\n} }\n"
	}
	for name, c := range map[string]struct {
		before, after string
		want          int
	}{
		"not excluded":             {"", list("include", "  "), 0},
		"excluded":                 {"", list("exclude", "  "), maxExcludedFiles + 1},
		"excluded before":          {list("exclude", "  "), list("exclude", "    "), 0},
		"excluded, in a long line": {"", strings.ReplaceAll(list("exclude", ""), "\n", ""), 1},
		"not excluded, in a line":  {"", strings.ReplaceAll(list("include", ""), "\n", ""), 0},
	} {
		f := file("vitest.config.ts", c.before, c.after)
		began := time.Now()
		if got := findExcludedTestFiles(f, uncommentedLines(f.Path, f.After)); len(got) != c.want {
			t.Errorf("%s: %d findings", name, len(got))
		}
		if took := time.Since(began); took > 5*time.Second {
			t.Errorf("%s: took %s", name, took)
		}
	}
}

// TestLongGolangci: the settings of a linter are read in little time too.
func TestLongGolangci(t *testing.T) {
	t.Parallel()
	began := time.Now()
	for _, key := range []string{"exclude", "enable"} {
		f := file(".golangci.yml", "linters:\n", "linters:\n  "+key+":\n"+strings.Repeat("    - a\n", 20_000))
		findIgnoredTests(f, uncommentedLines(f.Path, f.After))
	}
	if took := time.Since(began); took > 5*time.Second {
		t.Errorf("took %s", took)
	}
}

package prompt

import (
	"fmt"
	"strings"
	"testing"

	"github.com/belay-dev/belay/internal/belay"
)

func fileDiff(path string, lines int) string {
	var b strings.Builder
	fmt.Fprintf(&b, "diff --git a/%s b/%s\n--- a/%s\n+++ b/%s\n@@ -1,%d +1,%d @@\n", path, path, path, path, lines, lines)
	for i := range lines {
		fmt.Fprintf(&b, "+line %d of %s\n", i, path)
	}
	return b.String()
}

// TestBeside: a failing test comes with the part of a large change that its place or stack names,
// or else with the code that it is for.
func TestBeside(t *testing.T) {
	t.Parallel()
	diff := fileDiff("docs/long.md", 300) + fileDiff("src/login/name.go", 5) + fileDiff("src/login/name_test.go", 5) + fileDiff("src/shop/cart.go", 100) + fileDiff("lib/other.go", 3)
	test := func(file, detail string) []belay.Finding {
		return []belay.Finding{{Check: "tests", Severity: belay.SeverityError, Category: belay.CategoryTests, File: file, Line: 3, Title: "test fails: TestName", Detail: detail}}
	}
	for name, c := range map[string]struct {
		findings []belay.Finding
		want     string
	}{
		"the test's file, and what it is for": {test("src/login/name_test.go", ""), "src/login/name_test.go src/login/name.go"},
		"a stack":                             {test("src/login/name_test.go", "panic: x\n\t/home/me/app/src/shop/cart.go:7 +0x1\n"), "src/login/name_test.go src/shop/cart.go"},
		"a name without its folder":           {test("src/a/a_test.go", "other.go:2: wrong"), "lib/other.go"},
		"a folder":                            {test("src/shop/price_test.go", ""), "src/shop/cart.go"},
		"nothing":                             {test("x/y_test.go", ""), ""},
		"no test":                             {[]belay.Finding{outside}, ""},
	} {
		got := relatedDiff(c.findings, diff, true)
		var paths []string
		for _, p := range splitDiff(got) {
			paths = append(paths, p.path)
		}
		want := strings.Fields(c.want)
		if len(paths) != len(want) {
			t.Errorf("%s: %q, want %q", name, paths, want)
			continue
		}
		for _, p := range want {
			if !strings.Contains(got, "+++ b/"+p+"\n") {
				t.Errorf("%s: %s is not there:\n%s", name, p, got)
			}
		}
	}
	if got := relatedDiff(test("src/shop/cart.go", ""), diff, true); !strings.Contains(got, "(cut: ") || strings.Contains(got, "line 90 ") {
		t.Errorf("it is not cut:\n%s", got)
	}
	small := fileDiff("a/a.go", 3)
	if got := relatedDiff(test("a/a_test.go", ""), small, true); got != "" {
		t.Errorf("shown twice:\n%s", got)
	}
	if got := relatedDiff(test("a/a_test.go", ""), small, false); !strings.Contains(got, "line 2 of a/a.go") {
		t.Errorf("not shown where nothing else shows it: %q", got)
	}
}

// TestNothingIsCutShort: a prompt cuts a text after a line or a word, says how much is left out,
// and names the file with the full text.
func TestNothingIsCutShort(t *testing.T) {
	t.Parallel()
	long := failing
	long.Detail = strings.Repeat("some words that a test has printed on a line of its own\n", 60)
	long.Reproduce = "go test -run '^TestName$/^with_space$' ./src/login"
	wide := failing
	wide.Title = "TestOther fails"
	wide.Detail = strings.Repeat("word ", 4000)
	in := PromptInput{
		Task: login, LastDiff: fileDiff("docs/long.md", 900) + fileDiff("src/login/name.go", 5), FullFiles: FullFiles{Diff: ".belay/now/last.diff", Findings: ".belay/now/findings.md"},
		State: play(t, usual, before, exited, captured, refused(long, wide)),
	}
	in.Kind = in.State.Pending.Prompt
	text := Prompt(in)
	for _, want := range []string{
		"run: go test -run '^TestName$/^with_space$' ./src/login", "left out; all of it is in .belay/now/last.diff)", "left out; all of it is in .belay/now/findings.md)",
		"Changed code that the failing tests cover", "+line 4 of src/login/name.go",
	} {
		if !strings.Contains(text, want) {
			t.Errorf("it lacks %q:\n%s", want, text)
		}
	}
	for line := range strings.Lines(text) {
		line = strings.TrimSpace(line)
		if strings.HasPrefix(line, "word ") && !strings.HasSuffix(line, "word") || strings.HasPrefix(line, "some words") && !strings.HasSuffix(line, "of its own") || strings.HasPrefix(line, "+line") && !strings.HasSuffix(line, ".md") && !strings.HasSuffix(line, ".go") {
			t.Errorf("cut short: %q", line[max(0, len(line)-60):])
		}
	}
	if all := AllFindings([]belay.Finding{long, wide}); strings.Count(all, "of its own") != 60 || strings.Count(all, "word ")+strings.Count(all, "word\n") != 4000 {
		t.Errorf("the file has not all of it: %d bytes", len(all))
	}
	fix := FixPrompt(FixInput{Task: login, Attempt: 1, Findings: []belay.Finding{long}, Diff: in.LastDiff, FullFiles: in.FullFiles}).Text
	for _, want := range []string{"run: go test -run", "+line 4 of src/login/name.go", "all of it is in .belay/now/findings.md)"} {
		if !strings.Contains(fix, want) {
			t.Errorf("the fix prompt lacks %q:\n%s", want, fix)
		}
	}
}

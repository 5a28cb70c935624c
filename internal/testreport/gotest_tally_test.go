package testreport

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/belay-dev/belay/internal/testutil"
)

// stream returns events: "p" starts package p, "p.TestA+" passes, "-" fails, "~" skips, "p+" and
// "p-" end the package. A test that ends has run.
func stream(words string) string {
	var b strings.Builder
	for w := range strings.FieldsSeq(words) {
		action, known := map[byte]string{'+': "pass", '-': "fail", '~': "skip"}[w[len(w)-1]]
		if !known {
			fmt.Fprintf(&b, `{"Action":"start","Package":%q}`+"\n", w)
			continue
		}
		pkg, test, _ := strings.Cut(w[:len(w)-1], ".")
		if test != "" && !strings.Contains(test, "/") {
			fmt.Fprintf(&b, `{"Action":"run","Package":%q,"Test":%q}`+"\n", pkg, test)
		}
		fmt.Fprintf(&b, `{"Action":%q,"Package":%q,"Test":%q}`+"\n", action, pkg, test)
	}
	return b.String()
}

func TestGoTestEachCountsOnce(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct{ words, want string }{
		"once":                       {"p p.TestA+ p.TestB- p.TestC~ p-", "3 tests: 1 passed, 1 failed, 1 skipped; p.TestB"},
		"-count=3":                   {"p p.TestA+ p.TestA+ p.TestA+ p+", "1 test: 1 passed; "},
		"-count, fails at last":      {"p p.TestA+ p.TestA- p-", "1 test: 0 passed, 1 failed; p.TestA"},
		"-count, fails at first":     {"p p.TestA- p.TestA+ p-", "1 test: 0 passed, 1 failed; p.TestA"},
		"-count, skipped once":       {"p p.TestA~ p.TestA+ p+", "1 test: 1 passed; "},
		"second try":                 {"p p.TestA- p.TestB+ p- p p.TestA+ p+", "2 tests: 2 passed, 1 flaky; "},
		"second try fails":           {"p p.TestA- p.TestB+ p- p p.TestA- p-", "2 tests: 1 passed, 1 failed; p.TestA"},
		"third try":                  {"p p.TestA- p- p p.TestA- p- p p.TestA+ p+", "1 test: 1 passed, 1 flaky; "},
		"another run, not a try":     {"p p.TestA- p.TestB+ p- p p.TestA+ p.TestB+ p+", "2 tests: 1 passed, 1 failed; p.TestA"},
		"a try of one of two":        {"p p.TestA- p.TestB- p- p p.TestB+ p+", "2 tests: 1 passed, 1 failed, 1 flaky; p.TestA"},
		"tries of both":              {"p p.TestA- p.TestB- p- p p.TestB+ p+ p p.TestA+ p+", "2 tests: 2 passed, 2 flaky; "},
		"another package":            {"p p.TestA- p- q q.TestA+ q+", "2 tests: 1 passed, 1 failed; p.TestA"},
		"passes, and fails in a try": {"p p.TestA+ p.TestB- p- p p.TestA- p.TestB+ p-", "2 tests: 0 passed, 2 failed; p.TestB p.TestA"},
	} {
		report, err := ReadGoTest(strings.NewReader(stream(tt.words)))
		var names []string
		for _, f := range report.Failures {
			names = append(names, f.Test)
		}
		if got := report.String() + "; " + strings.Join(names, " "); got != tt.want || err != nil {
			t.Errorf("%s: %s, want %s (%v)", name, got, tt.want, err)
		}
		testutil.Sound(t, report)
	}
}

// TestGoTestSecondTriesOfSubtests: a parent that failed because of its subtests is retried with
// them.
func TestGoTestSecondTriesOfSubtests(t *testing.T) {
	t.Parallel()
	run := func(events ...string) string {
		var b strings.Builder
		for _, e := range events {
			action, test, _ := strings.Cut(e, " ")
			fmt.Fprintf(&b, `{"Action":%q,"Package":"p","Test":%q}`+"\n", action, test)
		}
		return b.String()
	}
	first := run("run TestA", "run TestA/x", "run TestA/y", "fail TestA/x", "pass TestA/y", "fail TestA", "fail ")
	again := run("run TestA", "run TestA/x", "pass TestA/x", "pass TestA", "pass ")
	report, err := ReadGoTest(strings.NewReader(first + again))
	if err != nil || report.String() != "2 tests: 2 passed, 1 flaky" || len(report.Failures) != 0 {
		t.Errorf("%s, %+v, %v", report, report.Failures, err)
	}
	if report, _ = ReadGoTest(strings.NewReader(again + first)); report.String() != "2 tests: 1 passed, 1 failed" {
		t.Errorf("a failure after a pass: %s", report)
	}
}

// TestGoTestRealGo reads the output of the installed go for tests that race, fuzz, panic in a
// goroutine, print without a line end, and do not build.
func TestGoTestRealGo(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("builds packages")
	}
	dir := t.TempDir()
	for name, text := range map[string]string{
		"go.mod":            "module example.com/x\n\ngo 1.26\n",
		"ok/ok_test.go":     "package ok\nimport (\"fmt\"; \"testing\")\nfunc TestA(t *testing.T) { fmt.Print(\"no line end\") }\nfunc TestB(t *testing.T) { fmt.Println(`{\"Action\":\"fail\",\"Package\":\"p\",\"Test\":\"TestFake\"}`) }\nfunc FuzzOK(f *testing.F) { f.Add(1); f.Fuzz(func(t *testing.T, n int) {}) }\n",
		"bad/bad_test.go":   "package bad\nimport \"testing\"\nfunc TestGo(t *testing.T) { done := make(chan int); go func() { panic(\"in a goroutine\") }(); <-done }\n",
		"fuzz/f_test.go":    "package fuzz\nimport \"testing\"\nfunc FuzzBad(f *testing.F) { f.Add(1); f.Fuzz(func(t *testing.T, n int) { t.Error(\"seed is bad\") }) }\n",
		"no/no_test.go":     "package no\nimport \"testing\"\nfunc TestA(t *testing.T) { undefined() }\n",
		"none/none.go":      "package none\n",
		"main/main_test.go": "package main\nimport (\"os\"; \"testing\")\nfunc TestMain(m *testing.M) { os.Exit(3) }\nfunc TestA(t *testing.T) {}\n",
	} {
		path := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	c := exec.Command("go", "test", "-json", "-count=2", "./...")
	c.Dir = dir
	c.Env = append(os.Environ(), "GOFLAGS=", "GOWORK=off")
	out, _ := c.Output() // it is supposed to fail
	report, err := ReadGoTest(strings.NewReader(string(out)))
	if err != nil || report.Incomplete {
		t.Errorf("%v, %v", report.Warnings, err)
	}
	testutil.Sound(t, report)
	// FuzzOK and FuzzBad count as their seeds; TestGo, no and main break.
	if got := report.String(); got != "7 tests: 3 passed, 1 failed, 3 broke" {
		t.Errorf("%s\n%+v", got, report.Failures)
	}
}

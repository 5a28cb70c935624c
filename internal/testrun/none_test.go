package testrun

import (
	"context"
	"strings"
	"testing"

	"github.com/belay-dev/belay/internal/belay"
	"github.com/belay-dev/belay/internal/config"
	"github.com/belay-dev/belay/internal/testreport"
	"github.com/belay-dev/belay/internal/testutil"
)

// TestRanNone: recorded output of runners that succeeded without running a test: no pass if there
// were tests before, no rejection if there were none.
func TestRanNone(t *testing.T) {
	t.Parallel()
	for name, said := range map[string]string{
		"unittest":           "\n----------------------------------------------------------------------\nRan 0 tests in 0.000s\n\nOK",
		"unittest 3.12":      "\n----------------------------------------------------------------------\nRan 0 tests in 0.000s\n\nNO TESTS RAN",
		"jest":               "No tests found, exiting with code 0",
		"vitest":             "\n RUN  v4.1.12 /src\n\nNo test files found, exiting with code 0\n\ninclude: **/*.{test,spec}.?(c|m)[jt]s?(x)\nexclude:  **/node_modules/**, **/.git/**",
		"mocha":              "\n\n  0 passing (1ms)\n",
		"node, TAP":          "TAP version 13\n1..0\n# tests 0\n# suites 0\n# pass 0\n# fail 0\n# cancelled 0\n# skipped 0\n# todo 0\n# duration_ms 2.906858",
		"node, spec":         "ℹ tests 0\nℹ suites 0\nℹ pass 0\nℹ fail 0\nℹ cancelled 0\nℹ skipped 0\nℹ todo 0\nℹ duration_ms 2.9",
		"rspec":              "No examples found.\n\n\nFinished in 0.0016 seconds (files took 0.0327 seconds to load)\n0 examples, 0 failures\n",
		"minitest":           "Run options: --seed 1\n\n# Running:\n\nFinished in 0.0s, 0.0 runs/s, 0.0 assertions/s.\n\n0 runs, 0 assertions, 0 failures, 0 errors, 0 skips",
		"phpunit":            "PHPUnit 9.6.7 by Sebastian Bergmann and contributors.\n\nNo tests executed!",
		"jasmine":            "Started\n\n\nNo specs found\nFinished in 0.001 seconds",
		"go":                 "?   \texample.com/x\t[no test files]",
		"go -run":            "testing: warning: no tests to run\nPASS\nok  \texample.com/x\t0.001s [no tests to run]",
		"cargo":              "     Running unittests src/lib.rs (target/debug/deps/calc-c6626fb655a8d231)\n\nrunning 0 tests\n\ntest result: ok. 0 passed; 0 failed; 0 ignored; 0 measured; 0 filtered out; finished in 0.00s\n",
		"pytest, swallowed":  "collected 0 items\n\n============================ no tests ran in 0.00s =============================",
		"maven":              "[INFO] Tests run: 0, Failures: 0, Errors: 0, Skipped: 0",
		"dotnet":             "No test is available in /src/bin/A.dll. Make sure that test discoverer & executors are registered.",
		"make, a folder":     "make: Nothing to be done for 'test'.",
		"make, a file":       "make: 'test' is up to date.",
		"make in a make":     "make[1]: Entering directory '/src'\nmake[1]: Nothing to be done for 'test'.\nmake[1]: Leaving directory '/src'",
		"an npm script says": "\n> x@1.0.0 test\n> jest --passWithNoTests\n\nNo tests found, exiting with code 0",
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			in := Input{Root: testutil.Project(t, map[string]string{"x": ""}), Command: belay.TestCommand{Command: "printf '%s\\n' " + quoted(said)}, May: config.Anything()}
			for base, want := range map[*testreport.Report]string{
				{Format: testreport.Exit, Total: 1, Passed: 1}: "unknown: the test command succeeded but ran no tests: ",
				{}: "skipped: no tests found",
			} {
				in.Baseline = base
				if _, r := Run(t.Context(), in); !strings.HasPrefix(testutil.Told(r), want) {
					t.Errorf("%+v: %s", base, testutil.Told(r))
				}
			}
		})
	}
	for name, said := range map[string]string{
		"nothing said":         "",
		"its own words":        "all good",
		"one of two ran":       "0 examples, 0 failures\nRan 3 tests in 0.1s\n\nOK",
		"one package has none": "?   \texample.com/x\t[no test files]\nok  \texample.com/y\t0.1s",
		"go, without names":    "ok  \texample.com/y\t0.1s",
		"make ran something":   "make: Nothing to be done for 'lint'.\nchecked",
		"docs have none":       "test result: ok. 3 passed; 0 failed; 0 ignored; 0 measured; 0 filtered out; finished in 0.00s\n\n   Doc-tests calc\n\nrunning 0 tests\n\ntest result: ok. 0 passed; 0 failed; 0 ignored; 0 measured; 0 filtered out; finished in 0.00s\n",
		"a later one has none": "12 checks passed\nNo tests found, exiting with code 0",
	} {
		in := Input{Root: testutil.Project(t, map[string]string{"x": ""}), Command: belay.TestCommand{Command: "printf '%s\\n' " + quoted(said)}, May: config.Anything(), Baseline: &testreport.Report{Format: testreport.Exit, Total: 1, Passed: 1},
			Checkout: func(context.Context) (string, func(), error) { return "", nil, context.Canceled }}
		if _, r := Run(t.Context(), in); r.Verdict != belay.VerdictPass {
			t.Errorf("%s: %s", name, testutil.Told(r))
		}
	}
}

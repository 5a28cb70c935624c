package testrun

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/belay-dev/belay/internal/belay"
	"github.com/belay-dev/belay/internal/config"
	"github.com/belay-dev/belay/internal/testdiff"
	"github.com/belay-dev/belay/internal/testreport"
	"github.com/belay-dev/belay/internal/testutil"
)

// lister is a test command that prints the results in tests.txt: a name and pass, fail or skip per
// line.
const lister = `while read id say; do
	echo '{"Action":"run","Package":"p","Test":"'$id'"}'
	echo '{"Action":"'$say'","Package":"p","Test":"'$id'"}'
	if test $say = fail; then bad=fail; fi
done < tests.txt
echo '{"Action":"'${bad:-pass}'","Package":"p"}'
test -z "$bad"`

// counted is a test command that prints only numbers, like pytest.
const counted = `cat tests.txt; ! grep -q failed tests.txt`

// stored returns a baseline as it is stored in the record.
func stored(t *testing.T, r testreport.Report) *testreport.Report {
	t.Helper()
	r.EncodeNames()
	text, err := json.Marshal(r)
	if err != nil {
		t.Fatal(err)
	}
	var back testreport.Report
	if err := json.Unmarshal(text, &back); err != nil {
		t.Fatal(err)
	}
	back.DecodeNames()
	return &back
}

func merged(tests ...string) map[string]testdiff.Successor {
	all := map[string]testdiff.Successor{}
	for _, test := range tests {
		all[test] = testdiff.Successor{Tests: 1}
	}
	return all
}

func TestPassedBefore(t *testing.T) {
	t.Parallel()
	named := belay.TestCommand{Command: lister, Format: testreport.GoTest}
	tap := belay.TestCommand{Command: `cat tests.txt; echo "1..$(wc -l <tests.txt)"; ! grep -q '^not' tests.txt`, Format: testreport.TAP}
	for _, c := range []struct {
		name       string
		command    belay.TestCommand
		then, now  string
		here       string // current results on the before snapshot, if different
		request    string
		marker     belay.Marker
		successors map[string]testdiff.Successor // what the sources say became of tests
		want, says string
	}{
		{name: "merged", then: "TestA pass\nTestB pass\nTestC pass\nTestNew pass\n", now: "TestNew pass\n", successors: merged("TestA", "TestB"),
			want: "fail\nerror tests : test passed before and did not run now: p.TestC\nwarning tests : test removed, and other tests do what it did: p.TestA\nwarning tests : test removed, and other tests do what it did: p.TestB",
			says: "4 passed before; now 1 passed, 1 missing, 2 merged"},
		{name: "each as what it is now", then: "x::a.b pass\nx::b pass\n", now: "x::g::b2 pass\nx::g::a.b2 pass\n", successors: map[string]testdiff.Successor{"a.b": {Name: "a.b2", Tests: 1}, "b": {Name: "b2", Tests: 1}},
			want: "pass\nwarning tests : test renamed or replaced: p.x::a.b → p.x::g::a.b2\nwarning tests : test renamed or replaced: p.x::b → p.x::g::b2",
			says: "2 passed before; now 2 passed, 2 renamed"},
		{name: "a test with a table", then: "x::one pass\n", now: "x::adds[1] pass\nx::adds[2] pass\n", successors: map[string]testdiff.Successor{"one": {Name: "adds", Tests: 1}},
			want: "pass\nwarning tests : test removed, and other tests do what it did: p.x::one", says: "1 passed before; now 2 passed, 1 merged"},
		{name: "what it is now did not run", then: "TestA pass\n", now: "TestOther.x pass\n", successors: map[string]testdiff.Successor{"TestA": {Name: "TestB", Tests: 1}},
			want: "fail\nerror tests : test passed before and did not run now: p.TestA", says: "1 passed before; now 1 passed, 1 missing"},
		{name: "another test of the same last words", command: tap, then: "ok x never adds\nok y\n", now: "ok y\n",
			successors: map[string]testdiff.Successor{"adds": {Tests: 1}, "never adds": {}},
			want:       "fail\nerror tests : test passed before and did not run now: x never adds", says: "2 passed before; now 1 passed, 1 missing"},
		{name: "more missing than deleted", command: tap, then: "ok x adds\nok z adds\nok y\n", now: "ok y\n", successors: merged("adds"),
			want: "fail\nerror tests : test passed before and did not run now: z adds\nwarning tests : test removed, and other tests do what it did: x adds",
			says: "3 passed before; now 1 passed, 1 missing, 1 merged"},
		{name: "deleted for a reason", then: "TestA pass\nTestB pass\n", now: "TestB pass\n", successors: map[string]testdiff.Successor{"TestA": {Reason: "it was skipped", Tests: 1}},
			want: "pass\nwarning tests : test removed: p.TestA", says: "2 passed before; now 1 passed"},
		{name: "all the same", then: "TestA pass\nTestB pass\n", now: "TestB pass\nTestA pass\n", want: "pass", says: "2 passed before; now 2 passed"},
		{name: "skipped", then: "TestA pass\nTestB pass\nTestC pass\n", now: "TestA pass\nTestB skip\nTestC skip\n",
			want: "fail\nerror tests : test passed before and is skipped now: p.TestB\nerror tests : test passed before and is skipped now: p.TestC",
			says: "3 passed before; now 1 passed, 2 newly skipped"},
		{name: "gone", then: "TestA pass\nTestB pass\n", now: "TestA pass\n",
			want: "fail\nerror tests : test passed before and did not run now: p.TestB", says: "2 passed before; now 1 passed, 1 missing"},
		{name: "skipped before too", then: "TestA pass\nTestB skip\n", now: "TestA pass\nTestB skip\n", want: "pass", says: "1 passed before; now 1 passed"},
		{name: "renamed", then: "TestA pass\nTestB pass\n", now: "TestA pass\nTestBetter pass\n",
			want: "pass\nwarning tests : test renamed or replaced: p.TestB → p.TestBetter", says: "2 passed before; now 2 passed, 1 renamed"},
		{name: "two gone, one new", then: "TestA pass\nTestB pass\nTestC pass\n", now: "TestA pass\nTestNew pass\n",
			want: "fail\nerror tests : test passed before and did not run now: p.TestC\nwarning tests : test renamed or replaced: p.TestB → p.TestNew",
			says: "3 passed before; now 2 passed, 1 missing, 1 renamed"},
		{name: "a twin that is skipped is none", then: "TestA pass\nTestB pass\n", now: "TestA pass\nTestBetter skip\n",
			want: "fail\nerror tests : test passed before and did not run now: p.TestB", says: "2 passed before; now 1 passed, 1 missing"},
		{name: "a case less", then: "TestA pass\nTestA/x pass\nTestA/y pass\n", now: "TestA pass\nTestA/x pass\n",
			want: "pass\nwarning tests : test case did not run now: p.TestA/y", says: "3 passed before; now 2 passed"},
		{name: "a case skipped", then: "TestA/x pass\nTestA/y pass\nTestA pass\n", now: "TestA/x pass\nTestA/y skip\nTestA pass\n",
			want: "fail\nerror tests : test passed before and is skipped now: p.TestA/y", says: "3 passed before; now 2 passed, 1 newly skipped"},
		{name: "the whole test skipped, with its cases", then: "TestA/x pass\nTestA pass\nTestB pass\n", now: "TestA skip\nTestB pass\n",
			want: "fail\nerror tests : test passed before and is skipped now: p.TestA", says: "3 passed before; now 1 passed, 1 newly skipped"},
		{name: "gone, as JUnit 5 calls it", then: "calc.CalcTest.adds() pass\ncalc.CalcTest.divides() pass\n", now: "calc.CalcTest.adds() pass\n",
			want: "fail\nerror tests : test passed before and did not run now: p.calc.CalcTest.divides()", says: "2 passed before; now 1 passed, 1 missing"},
		{name: "made a table", then: "TestA pass\nTestB pass\n", now: "TestA/one pass\nTestA pass\nTestB pass\n", want: "pass", says: "2 passed before; now 3 passed"},
		{name: "fails now", then: "TestA pass\nTestB pass\n", now: "TestA pass\nTestB fail\n",
			want: "fail\nerror tests : test fails: p.TestB", says: "2 passed before; now 1 passed, 1 newly failing"},
		{name: "a case fails now", then: "TestA/x pass\nTestA pass\nTestB pass\n", now: "TestA/x fail\nTestA fail\nTestB pass\n",
			want: "fail\nerror tests : test fails: p.TestA/x\nerror tests : test fails: p.TestA", says: "3 passed before; now 1 passed, 2 newly failing"},
		{name: "asked to remove", then: "TestA pass\nTestOld pass\n", now: "TestA pass\n", request: "the duplicate test", marker: belay.MarkRemove,
			want: "pass\nnote tests : test passed before and did not run now: p.TestOld", says: "2 passed before; now 1 passed, 1 missing"},
		{name: "asked to merge", then: "TestA pass\nTestOld pass\n", now: "TestA pass\n", request: "merge TestOld into TestA", marker: belay.MarkModify,
			want: "pass\nwarning tests : test passed before and did not run now: p.TestOld", says: "2 passed before; now 1 passed, 1 missing"},
		{name: "asked to skip", then: "TestA pass\nTestOld pass\n", now: "TestA pass\nTestOld skip\n", request: "skip TestOld on Windows", marker: belay.MarkModify,
			want: "pass\nnote tests : test passed before and is skipped now: p.TestOld", says: "2 passed before; now 1 passed, 1 newly skipped"},
		{name: "asked for something else", then: "TestA pass\nTestOld pass\n", now: "TestA pass\nTestOld skip\n", request: "skip blank lines in the parser", marker: belay.MarkModify,
			want: "fail\nerror tests : test passed before and is skipped now: p.TestOld", says: "2 passed before; now 1 passed, 1 newly skipped"},
		{name: "test in latest", then: "TestA pass\nTestOld pass\n", now: "TestA pass\n", request: "report the latest total", marker: belay.MarkModify,
			want: "fail\nerror tests : test passed before and did not run now: p.TestOld", says: "2 passed before; now 1 passed, 1 missing"},
		{name: "spec in specific", then: "TestA pass\nTestOld pass\n", now: "TestA pass\n", request: "add specific support for x", marker: belay.MarkAdd,
			want: "fail\nerror tests : test passed before and did not run now: p.TestOld", says: "2 passed before; now 1 passed, 1 missing"},
		{name: "asked to add a test", then: "TestA pass\nTestOld pass\n", now: "TestA pass\n", request: "fix x and add a test for the report", marker: belay.MarkFix,
			want: "fail\nerror tests : test passed before and did not run now: p.TestOld", says: "2 passed before; now 1 passed, 1 missing"},
		{name: "asked to remove another thing", then: "TestA pass\nTestOld pass\n", now: "TestA pass\n", request: "remove the unused constant Foo", marker: belay.MarkRemove,
			want: "fail\nerror tests : test passed before and did not run now: p.TestOld", says: "2 passed before; now 1 passed, 1 missing"},
		{name: "only a plain word in common", then: "TestA pass\nTestOld pass\n", now: "TestA pass\n", request: "remove the old option", marker: belay.MarkRemove,
			want: "fail\nerror tests : test passed before and did not run now: p.TestOld", says: "2 passed before; now 1 passed, 1 missing"},
		{name: "asked to remove it by name", then: "TestA pass\nTestOld pass\n", now: "TestA pass\n", request: "delete TestOld", marker: belay.MarkRemove,
			want: "pass\nnote tests : test passed before and did not run now: p.TestOld", says: "2 passed before; now 1 passed, 1 missing"},
		{name: "asked to remove another test", then: "TestA pass\nTestOld pass\n", now: "TestA pass\n", request: "delete TestOldest", marker: belay.MarkRemove,
			want: "fail\nerror tests : test passed before and did not run now: p.TestOld", says: "2 passed before; now 1 passed, 1 missing"},
		{name: "asked to split it", then: "TestA pass\nTestOld pass\n", now: "TestA pass\n", request: "split TestOld into two", marker: belay.MarkModify,
			want: "pass\nwarning tests : test passed before and did not run now: p.TestOld", says: "2 passed before; now 1 passed, 1 missing"},
		{name: "asked to rewrite tests", then: "TestA pass\nTestOld pass\n", now: "TestA pass\n", request: "port the tests to a new runner", marker: belay.MarkModify,
			want: "pass\nwarning tests : test passed before and did not run now: p.TestOld", says: "2 passed before; now 1 passed, 1 missing"},
		{name: "asked to replace a quoted sign", then: "TestA pass\nTestOld pass\n", now: "TestA pass\n", request: "replace `,` with `;` in the output", marker: belay.MarkModify,
			want: "fail\nerror tests : test passed before and did not run now: p.TestOld", says: "2 passed before; now 1 passed, 1 missing"},
		{name: "asked to change a port", then: "TestA pass\nTestOld pass\n", now: "TestA pass\n", request: "change the default port in the tests to 9090", marker: belay.MarkModify,
			want: "fail\nerror tests : test passed before and did not run now: p.TestOld", says: "2 passed before; now 1 passed, 1 missing"},
		{name: "asked to port tests in a second clause", then: "TestA pass\nTestOld pass\n", now: "TestA pass\n", request: "use a new runner; port the tests", marker: belay.MarkModify,
			want: "pass\nwarning tests : test passed before and did not run now: p.TestOld", says: "2 passed before; now 1 passed, 1 missing"},
		{name: "asked to skip no longer", then: "TestA pass\nTestOld pass\n", now: "TestA pass\nTestOld skip\n", request: "stop skipping the tests", marker: belay.MarkModify,
			want: "fail\nerror tests : test passed before and is skipped now: p.TestOld", says: "2 passed before; now 1 passed, 1 newly skipped"},
		{name: "test in latest, ignored case", then: "TestA pass\nTestOld pass\n", now: "TestA pass\nTestOld skip\n", request: "ignore case in the latest search", marker: belay.MarkModify,
			want: "fail\nerror tests : test passed before and is skipped now: p.TestOld", says: "2 passed before; now 1 passed, 1 newly skipped"},
		{name: "asked to run skipped tests", then: "TestA pass\nTestOld pass\n", now: "TestA pass\nTestOld skip\n", request: "run the skipped tests again", marker: belay.MarkModify,
			want: "fail\nerror tests : test passed before and is skipped now: p.TestOld", says: "2 passed before; now 1 passed, 1 newly skipped"},
		{name: "asked not to skip", then: "TestA pass\nTestOld pass\n", now: "TestA pass\nTestOld skip\n", request: "make it faster, but do not skip tests", marker: belay.MarkModify,
			want: "fail\nerror tests : test passed before and is skipped now: p.TestOld", says: "2 passed before; now 1 passed, 1 newly skipped"},
		{name: "asked to skip tests", then: "TestA pass\nTestOld pass\n", now: "TestA pass\nTestOld skip\n", request: "disable the flaky tests", marker: belay.MarkModify,
			want: "pass\nnote tests : test passed before and is skipped now: p.TestOld", says: "2 passed before; now 1 passed, 1 newly skipped"},
		{name: "asked to mark it", then: "TestA pass\nTestOld pass\n", now: "TestA pass\nTestOld skip\n", request: "add a skip marker to TestOld", marker: belay.MarkAdd,
			want: "pass\nnote tests : test passed before and is skipped now: p.TestOld", says: "2 passed before; now 1 passed, 1 newly skipped"},
		{name: "a broken package", command: belay.TestCommand{Command: "cat tests.txt; ! grep -q FAIL tests.txt", Format: testreport.Go},
			then: "--- PASS: TestA (0.00s)\n--- PASS: TestB (0.00s)\nPASS\nok  \tm/p\t0.01s\n--- PASS: TestC (0.00s)\nPASS\nok  \tm/q\t0.01s\n",
			now:  "FAIL\tm/p [build failed]\n--- PASS: TestC (0.00s)\nPASS\nok  \tm/q\t0.01s\nFAIL\n",
			want: "fail\nerror tests : test fails: m/p", says: "3 passed before; now 1 passed, 1 newly failing"},
		{name: "a known failure whose name begins alike", command: tap, then: "ok adds\nnot ok adds negatives\nok other\n", now: "not ok adds negatives\nok other\n",
			want: "fail\nnote tests : test failed before too: adds negatives\nerror tests : test passed before and did not run now: adds", says: "2 passed before; now 1 passed, 1 missing, 1 known before"},
		{name: "a new failure whose name begins alike", command: tap, then: "ok adds\nok other\n", now: "not ok adds negatives\nok other\n",
			want: "fail\nerror tests : test fails: adds negatives\nerror tests : test passed before and did not run now: adds", says: "2 passed before; now 1 passed, 1 newly failing, 1 missing"},
		{name: "a test and all its cases", command: tap, then: "ok test_x[a]\nok test_x[b]\nok other\n", now: "ok other\n",
			want: "fail\nerror tests : test passed before and did not run now: test_x", says: "3 passed before; now 1 passed, 1 missing"},
		{name: "a name in parentheses", command: tap, then: "ok renders (dark mode)\nok other\n", now: "ok other\n",
			want: "fail\nerror tests : test passed before and did not run now: renders (dark mode)", says: "2 passed before; now 1 passed, 1 missing"},
		{name: "a test renamed with its cases", command: tap, then: "ok test_x[a]\nok test_x[b]\nok other\n", now: "ok test_y[a]\nok test_y[b]\nok other\n",
			want: "pass\nwarning tests : test renamed or replaced: test_x → test_y", says: "3 passed before; now 3 passed, 1 renamed"},
		{name: "a test with cases in another file", command: tap, then: "ok a::test_x[1]\nok a::test_x[2]\n", now: "ok b::test_x[1]\nok b::test_x[2]\n",
			want: "pass\nwarning tests : test renamed or replaced: a::test_x → b::test_x", says: "2 passed before; now 2 passed, 1 renamed"},
		{name: "one case in another file", command: tap, then: "ok a > calls foo() once\nok a > y\n", now: "ok b > calls foo() once\nok a > y\n",
			want: "pass\nwarning tests : test renamed or replaced: a > calls foo() once → b > calls foo", says: "2 passed before; now 2 passed, 1 renamed"},
		{name: "other values of a test", command: tap, then: "ok test_x[1]\nok test_x[2]\n", now: "ok test_x[1]\nok test_x[3]\n",
			want: "pass\nwarning tests : test case did not run now: test_x[2]", says: "2 passed before; now 2 passed"},
		{name: "cases that depend on the machine", command: tap, then: "ok test_x[a]\nok test_x[b]\nok other\n", now: "ok other\n", here: "ok other\n",
			want: "pass\nnote tests : test passed before and did not run now: test_x", says: "3 passed before; now 1 passed"},
		{name: "skipped by this machine", then: "TestA pass\nTestNet pass\n", now: "TestA pass\nTestNet skip\n", here: "TestA pass\nTestNet skip\n",
			want: "pass\nnote tests : test passed before and is skipped now: p.TestNet", says: "2 passed before; now 1 passed"},
		{name: "figures: skipped", command: belay.TestCommand{Command: counted}, then: "== 297 passed in 1.0s ==\n", now: "== 257 passed, 40 skipped in 1.0s ==\n",
			want: "fail\nerror tests : 40 tests passed before and are skipped now", says: "297 passed before; now 257 passed, 40 newly skipped"},
		{name: "figures: fewer", command: belay.TestCommand{Command: counted}, then: "== 12 passed in 1.0s ==\n", now: "== 10 passed in 1.0s ==\n",
			want: "pass\nwarning tests : 2 tests fewer passed than before", says: "12 passed before; now 10 passed, 2 fewer"},
		{name: "figures: more", command: belay.TestCommand{Command: counted}, then: "== 12 passed, 1 skipped in 1.0s ==\n", now: "== 13 passed, 2 skipped in 1.0s ==\n",
			want: "pass", says: "12 passed before; now 13 passed"},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			if !c.command.Set() {
				c.command = named
			}
			tree := func(text string) string { return testutil.Project(t, map[string]string{"tests.txt": text}) }
			base, _ := Run(t.Context(), Input{Root: tree(c.then), Command: c.command, May: config.Anything(), Baseline: &testreport.Report{}})
			in := Input{Root: tree(c.now), Command: c.command, May: config.Anything(), Baseline: stored(t, base)}
			in.Successors = func() map[string]testdiff.Successor { return c.successors }
			if c.here == "" {
				c.here = c.then
			}
			in.Checkout = func(context.Context) (string, func(), error) { return tree(c.here), func() {}, nil }
			if c.request != "" {
				in.Request = []belay.Requirement{{Marker: c.marker, Text: c.request}}
			}
			_, r := Run(t.Context(), in)
			if d := cmp.Diff(c.want, testutil.Told(r)); d != "" {
				t.Error(d)
			}
			if r.Summary != c.says {
				t.Errorf("says %q, not %q", r.Summary, c.says)
			}
			for _, f := range r.Findings {
				if f.Severity == belay.SeverityError && f.Recommendation == "" && !strings.Contains(f.Title, "fails") {
					t.Errorf("%s: no advice", f.Title)
				}
			}
		})
	}
}

// TestManyRemoved: the request permits each of many removed tests, also those that are not listed.
func TestManyRemoved(t *testing.T) {
	t.Parallel()
	command := belay.TestCommand{Command: `test -e old && seq -f 'ok parser%g' 60; echo 'ok other'; test -e old && echo 1..61 || echo 1..1`, Format: testreport.TAP}
	base, _ := Run(t.Context(), Input{Root: testutil.Project(t, map[string]string{"old": ""}), Command: command, May: config.Anything(), Baseline: &testreport.Report{}})
	in := Input{Root: testutil.Project(t, nil), Command: command, May: config.Anything(), Baseline: stored(t, base)}
	for text, want := range map[string]belay.Verdict{"remove the old parser and its tests": belay.VerdictPass, "make the parser faster": belay.VerdictFail} {
		in.Request = []belay.Requirement{{Marker: belay.MarkRemove, Text: text}}
		if _, r := Run(t.Context(), in); r.Verdict != want || len(r.Findings) != maxTestFindings+1 {
			t.Errorf("%s: %s with %d findings", text, r.Verdict, len(r.Findings))
		}
	}
}

// TestGivenCommand: a command that a person gave for a task must pass after it, unless its earlier
// failures are known by name, or known failures are accepted.
func TestGivenCommand(t *testing.T) {
	t.Parallel()
	const fails = "echo 'dep 3 missing in '$PWD/x' after 12 ms'; exit 1"
	for name, c := range map[string]struct {
		then, now string
		known     bool
		want      string
	}{
		"passes":                        {then: "exit 0", now: "exit 0", want: "pass\nnote tests : only the exit status of the tests is known"},
		"fails now":                     {then: "exit 0", now: "exit 1", want: "fail\nerror tests : the test command failed"},
		"failed before, passes":         {then: "exit 1", now: "exit 0", want: "pass\nnote tests : only the exit status of the tests is known"},
		"failed before, fails":          {then: fails, now: fails, want: "fail\nerror tests : the test command failed"},
		"known, fails the same":         {known: true, then: fails, now: "echo 'dep 4 missing in '$PWD/x' after 7 ms'; exit 1", want: "pass\nnote tests : test failed before too: sh run.sh"},
		"known, fails otherwise":        {known: true, then: fails, now: "echo 'syntax error'; exit 1", want: "fail\nerror tests : the test command fails differently than before"},
		"known, passed before":          {known: true, then: "exit 0", now: "exit 1", want: "fail\nerror tests : the test command failed"},
		"a name, known":                 {then: "echo 'FAILED a.py::test_x - boom'; echo '== 1 failed, 2 passed in 1s =='; exit 1", now: "echo 'FAILED a.py::test_x - boom'; echo '== 1 failed, 2 passed in 1s =='; exit 1", want: "pass\nnote tests : test failed before too: a.py::test_x"},
		"a name, new":                   {then: "echo '== 3 passed in 1s =='", now: "echo 'FAILED a.py::test_x - boom'; echo '== 1 failed, 2 passed in 1s =='; exit 1", want: "fail\nerror tests : test fails: a.py::test_x"},
		"events of go test in a script": {then: `echo '{"Action":"pass","Package":"p","Test":"TestA"}'; echo '{"Action":"pass","Package":"p"}'`, now: `echo '{"Action":"skip","Package":"p","Test":"TestA"}'; echo '{"Action":"pass","Package":"p"}'`, want: "fail\nerror tests : test passed before and is skipped now: p.TestA"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			tree := func(text string) string { return testutil.Project(t, map[string]string{"run.sh": text}) }
			command := belay.TestCommand{Command: "sh run.sh", From: "flag", KnownFailures: c.known}
			base, _ := Run(t.Context(), Input{Root: tree(c.then), Command: command, May: config.Anything(), Baseline: &testreport.Report{}})
			_, r := Run(t.Context(), Input{Root: tree(c.now), Command: command, May: config.Anything(), Baseline: stored(t, base),
				Checkout: func(context.Context) (string, func(), error) { return tree(c.then), func() {}, nil }})
			if d := cmp.Diff(c.want, testutil.Told(r)); d != "" {
				t.Error(d)
			}
		})
	}
}

// TestReportedWithFailures: a lost test is reported with the failure of its case, package or file, also among many.
func TestReportedWithFailures(t *testing.T) {
	t.Parallel()
	r := &testRun{newFailures: []testreport.Failure{{Test: "p.TestA/one"}, {Test: "broken/q"}, {Test: "a_test.py::TestB"}, {Test: "m (1)"}},
		flakyFailures: []testreport.Failure{{Test: "test_x[1]"}, {Test: "flaky/q"}}}
	const many = 20_000
	for i := range many {
		r.newFailures = append(r.newFailures, testreport.Failure{Test: fmt.Sprintf("some/other.Test%d", i)})
	}
	start, isReported := time.Now(), r.reportedWithFailures()
	for i := range many {
		if test := fmt.Sprintf("some/package.Test%d", i); isReported(test) {
			t.Fatal(test)
		}
	}
	if took := time.Since(start); took > 10*time.Second {
		t.Errorf("%d tests beside %d failures took %v", many, many, took)
	}
	for test, want := range map[string]bool{
		"p.TestA": true, "p.TestAB": false, "p.TestA/one": false, "broken/q.TestC": true, "broken/qq.TestC": false, "broken/q": false,
		"a_test.py::TestB::test_c": true, "a_test.py:TestB": false, "m": true, "test_x": true, "flaky/q.TestD": false,
	} {
		if got := isReported(test); got != want {
			t.Errorf("%s: %v", test, got)
		}
	}
}

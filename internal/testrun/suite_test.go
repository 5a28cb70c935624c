package testrun

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/belay-dev/belay/internal/belay"

	"github.com/belay-dev/belay/internal/config"
	"github.com/belay-dev/belay/internal/testreport"
	"github.com/belay-dev/belay/internal/testutil"
)

const (
	oneFailure = `<testsuite><testcase classname="t" name="ok"/><testcase classname="t" name="bad" file="t.py" line="3"><failure message="1 != 2"/></testcase></testsuite>`
	allPass    = `<testsuite><testcase classname="t" name="ok"/></testsuite>`
)

// TestRunTests runs small commands with reports that are recognised by what they print or write.
func TestRunTests(t *testing.T) {
	t.Parallel()
	events := func(lines ...string) string { return "cat <<'END'\n" + strings.Join(lines, "\n") + "\nEND\n" }
	goPass := events(`{"Action":"run","Package":"p","Test":"TestA"}`, `{"Action":"pass","Package":"p","Test":"TestA"}`, `{"Action":"pass","Package":"p"}`)
	goFail := events(`{"Action":"run","Package":"p","Test":"TestA"}`, `{"Action":"output","Package":"p","Test":"TestA","Output":"  t.go:2: bad\n"}`, `{"Action":"fail","Package":"p","Test":"TestA"}`, `{"Action":"fail","Package":"p"}`)
	junit := func(text string) string { return "cat > $BELAY_REPORTS/r.xml <<'END'\n" + text + "\nEND\n" }
	pytestFail := events("FAILED t.py::test_x - no", "1 failed, 2 passed in 0.1s")
	for name, tt := range map[string]struct {
		cmd   belay.TestCommand
		known []string
		want  string
	}{
		"no command": {want: "skipped: no test command: set checks.tests.command or pass --test"},
		"pytest stopped": {cmd: belay.TestCommand{Command: `echo '<testsuites><testsuite><testcase classname="t" name="a"/></testsuite></testsuites>' > "$BELAY_REPORTS/r.xml"; echo '!!!! Interrupted: 1 error during collection !!!!'`, Format: testreport.JUnit},
			want: "unknown: the report is incomplete: pytest did not run all tests: Interrupted: 1 error during collection\nwarning tests : the test report has problems"},
		"unknown format": {cmd: belay.TestCommand{Command: "true", Format: "odd"}, want: `unknown: could not run: "odd" is not a test report format; use exit or one of junit, gotest, tap, trx, nunit, xunit, pytest, cargo, node, maven, go, jest, vitest, mocha, ava, jasmine, rspec, minitest, unittest, phpunit, dotnet`},

		"exit 0":         {cmd: belay.TestCommand{Command: "true"}, want: "pass\nnote tests : only the exit status of the tests is known"},
		"arguments":      {cmd: belay.TestCommand{Args: []string{"sh", "-c", "exit 0"}, Format: "exit"}, want: "pass\nnote tests : only the exit status of the tests is known"},
		"exit 1":         {cmd: belay.TestCommand{Command: "echo t.go:2: no; exit 1"}, want: "fail\nerror tests t.go: the test command failed"},
		"not executable": {cmd: belay.TestCommand{Command: "echo nope; exit 126"}, want: "unknown: could not run: nope"},
		"cannot start":   {cmd: belay.TestCommand{Args: []string{"no-such-runner"}}, want: `unknown: could not run: exec: "no-such-runner": executable file not found in $PATH`},
		"killed":         {cmd: belay.TestCommand{Command: "kill -KILL $$"}, want: "unknown: the test command was ended by signal 9 (killed), not sent by belay"},
		"crashed":        {cmd: belay.TestCommand{Command: "kill -SEGV $$"}, want: "fail\nerror tests : the test command failed"},
		"exit known":     {cmd: belay.TestCommand{Command: "exit 1"}, known: []string{"exit 1"}, want: "unknown: the test command failed before the task too, and its exit code does not separate old failures from new ones\nnote tests : test failed before too: exit 1"},

		"exit names":     {cmd: belay.TestCommand{Command: pytestFail + "exit 1"}, want: "fail\nerror tests t.py: test fails: t.py::test_x"},
		"exit, old name": {cmd: belay.TestCommand{Command: pytestFail + "exit 1"}, known: []string{"t.py::test_x"}, want: "pass\nnote tests t.py: test failed before too: t.py::test_x"},
		"exit, new name": {cmd: belay.TestCommand{Command: pytestFail + "exit 1"}, known: []string{"t.py::test_y"}, want: "fail\nerror tests t.py: test fails: t.py::test_x\nnote tests : test is fixed: t.py::test_y"},
		"exit, no names": {cmd: belay.TestCommand{Command: "exit 1"}, known: []string{"t.py::test_y"}, want: "unknown: the test command failed before the task too, and its exit code does not separate old failures from new ones"},
		"exit disagrees": {cmd: belay.TestCommand{Command: pytestFail}, want: "pass\nnote tests : only the exit status of the tests is known"},
		"exit, others":   {cmd: belay.TestCommand{Command: events("3 passed in 0.1s") + "exit 3"}, want: "fail\nerror tests : the test command failed"},

		"tap passes":      {cmd: belay.TestCommand{Command: events("1..1", "ok 1 - a"), Format: "tap"}, want: "pass"},
		"tap fails":       {cmd: belay.TestCommand{Command: events("1..1", "not ok 1 - a", "# at t.py line 2") + "exit 1", Format: "tap"}, want: "fail\nerror tests t.py: test fails: a"},
		"tap, words":      {cmd: belay.TestCommand{Command: "echo '1..1'; echo 'not ok 7' >&2; echo 'ok 1'", Format: "tap"}, want: "pass"},
		"tap cut":         {cmd: belay.TestCommand{Command: events("1..2", "ok 1 - a"), Format: "tap"}, want: "unknown: the report is incomplete: the stream planned 2 tests, and 1 ran\nwarning tests : the test report has problems"},
		"tap, nothing":    {cmd: belay.TestCommand{Command: "true", Format: "tap"}, want: "unknown: the report is empty: it says nothing about any test"},
		"tap, bail":       {cmd: belay.TestCommand{Command: events("1..2", "ok 1", "Bail out! no disk") + "exit 1", Format: "tap"}, want: "fail\nerror tests : the test command failed\nwarning tests : the test report has problems"},
		"pytest words":    {cmd: belay.TestCommand{Command: pytestFail + "exit 1", Format: "pytest"}, known: []string{"t.py::test_x"}, want: "pass\nnote tests t.py: test failed before too: t.py::test_x"},
		"pytest, nothing": {cmd: belay.TestCommand{Command: "echo done", Format: "pytest"}, want: "unknown: nothing could be read: the output has no summary of pytest: it may have been cut short\nwarning tests : the test report has problems"},
		"trx fails":       {cmd: belay.TestCommand{Command: junit(`<TestRun><UnitTestResult testName="a.b" outcome="Failed"/></TestRun>`) + "exit 1", Format: "trx"}, want: "fail\nerror tests : test fails: a.b"},

		"gotest passes":         {cmd: belay.TestCommand{Command: goPass, Format: "gotest"}, want: "pass"},
		"gotest fails":          {cmd: belay.TestCommand{Command: goFail + "exit 1", Format: "gotest"}, want: "fail\nerror tests t.go: test fails: p.TestA"},
		"gotest fails, exit 0":  {cmd: belay.TestCommand{Command: goFail, Format: "gotest"}, want: "fail\nerror tests t.go: test fails: p.TestA"},
		"gotest known":          {cmd: belay.TestCommand{Command: goFail + "exit 1", Format: "gotest"}, known: []string{"p.TestA"}, want: "pass\nnote tests t.go: test failed before too: p.TestA"},
		"gotest, nothing":       {cmd: belay.TestCommand{Command: "true", Format: "gotest"}, want: "unknown: the report is incomplete: the output has no test events; is it go test -json?\nwarning tests : the test report has problems"},
		"gotest, no test":       {cmd: belay.TestCommand{Command: events(`{"Action":"skip","Package":"p"}`), Format: "gotest"}, want: "unknown: the test command succeeded but its report has no tests"},
		"gotest, says why":      {cmd: belay.TestCommand{Command: "echo t.go:2:1: oh >&2; exit 1", Format: "gotest"}, want: "fail\nerror tests t.go: the test command failed\nwarning tests : the test report has problems"},
		"gotest, pass, exit 1":  {cmd: belay.TestCommand{Command: goPass + "exit 1", Format: "gotest"}, want: "fail\nerror tests : the test command failed"},
		"gotest, no go":         {cmd: belay.TestCommand{Command: "echo no go here >&2; exit 127", Format: "gotest"}, want: "unknown: could not run: no go here\nwarning tests : the test report has problems"},
		"gotest, cut short":     {cmd: belay.TestCommand{Command: events(`{"Action":"run","Package":"p","Test":"TestA"}`), Format: "gotest"}, want: "unknown: the report is incomplete: the output stops before the end of p\nwarning tests : the test report has problems"},
		"gotest, shouts":        {cmd: belay.TestCommand{Command: goFail + "yes | head -c 6000000; exit 1", Format: "gotest"}, want: "fail\nerror tests t.go: test fails: p.TestA"},
		"junit passes":          {cmd: belay.TestCommand{Command: junit(allPass), Format: "junit", Report: "$BELAY_REPORTS/*.xml"}, want: "pass"},
		"junit by default":      {cmd: belay.TestCommand{Command: "mkdir $BELAY_REPORTS/x; " + strings.ReplaceAll(junit(allPass), "/r.xml", "/x/r.xml"), Format: "junit"}, want: "pass"},
		"junit fails":           {cmd: belay.TestCommand{Command: junit(oneFailure) + "exit 1", Format: "junit", Report: "r.xml"}, want: "fail\nerror tests t.py: test fails: t.bad"},
		"junit known":           {cmd: belay.TestCommand{Command: junit(oneFailure) + "exit 1", Format: "junit", Report: "r.xml"}, known: []string{"t.bad", "t.gone"}, want: "pass\nnote tests t.py: test failed before too: t.bad\nwarning tests : test that failed before did not run: t.gone"},
		"junit in the tree":     {cmd: belay.TestCommand{Command: "mkdir -p a/out; " + strings.ReplaceAll(junit(oneFailure), "$BELAY_REPORTS", "a/out"), Format: "junit", Report: "**/out/*.xml"}, want: "fail\nerror tests t.py: test fails: t.bad"},
		"junit cut, failure":    {cmd: belay.TestCommand{Command: junit(oneFailure[:len(oneFailure)-12]), Format: "junit"}, want: "fail\nerror tests t.py: test fails: t.bad\nwarning tests : the test report has problems"},
		"junit cut, known":      {cmd: belay.TestCommand{Command: junit(oneFailure[:len(oneFailure)-12]) + "exit 1", Format: "junit"}, known: []string{"t.bad"}, want: "unknown: the report is incomplete: r.xml: the report stops in the middle\nnote tests t.py: test failed before too: t.bad\nwarning tests : the test report has problems"},
		"junit cut":             {cmd: belay.TestCommand{Command: junit(allPass[:len(allPass)-12]), Format: "junit"}, want: "unknown: the report is incomplete: r.xml: the report stops in the middle\nwarning tests : the test report has problems"},
		"junit, none":           {cmd: belay.TestCommand{Command: "true", Format: "junit", Report: "out/*.xml"}, want: "unknown: no report was written: nothing matches out/*.xml in $BELAY_REPORTS or the work tree"},
		"junit, none, exit 2":   {cmd: belay.TestCommand{Command: "echo usage; exit 2", Format: "junit"}, want: "fail\nerror tests : the test command failed"},
		"junit, no cases":       {cmd: belay.TestCommand{Command: junit("<testsuites/>"), Format: "junit"}, want: "unknown: the test command succeeded but its report has no tests"},
		"junit, entities":       {cmd: belay.TestCommand{Command: junit(`<!DOCTYPE a [<!ENTITY b "c">]>` + allPass), Format: "junit"}, want: "unknown: the report is incomplete: r.xml: the report declares its own document type, which belay does not read\nwarning tests : the test report has problems"},
		"junit, pass, exit 1":   {cmd: belay.TestCommand{Command: junit(allPass) + "exit 1", Format: "junit"}, want: "fail\nerror tests : the test command failed"},
		"junit, no pytest":      {cmd: belay.TestCommand{Command: "echo /usr/bin/python3: No module named pytest >&2; exit 1", Format: "junit"}, want: "unknown: could not run: /usr/bin/python3: No module named pytest"},
		"junit, bad glob":       {cmd: belay.TestCommand{Command: "true", Format: "junit", Report: "/tmp/*.xml"}, want: `unknown: could not run: checks.tests.report: "/tmp/*.xml" is not a usable glob: globs start at the repository's root`},
		"junit, a pipe":         {cmd: belay.TestCommand{Command: "mkfifo $BELAY_REPORTS/p.xml; " + junit(allPass), Format: "junit"}, want: "pass"},
		"junit, a link outside": {cmd: belay.TestCommand{Command: "echo '" + oneFailure + "' > ../stolen.xml; ln -s $PWD/../stolen.xml $BELAY_REPORTS/l.xml; " + junit(allPass), Format: "junit"}, want: "pass"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			root := filepath.Join(testutil.Project(t, map[string]string{"root/t.go": "package t\n", "root/t.py": "\n\n\n"}), "root")
			in := Input{May: config.Anything(), Root: root, Command: tt.cmd, Baseline: before(tt.known)}
			_, r := Run(t.Context(), in)
			if r.Check == "" {
				t.Fatal("no answer")
			}
			if d := cmp.Diff(tt.want, testutil.Told(r)); d != "" {
				t.Error(d)
			}
			if left, _ := filepath.Glob(filepath.Join(os.TempDir(), "belay-reports-*")); t.Failed() && len(left) > 0 {
				t.Log("report folders about:", left)
			}
			testutil.WellFormed(t, r, Name)
		})
	}
}

// TestMissingRunner: the messages are those of the shell.
func TestMissingRunner(t *testing.T) {
	t.Parallel()
	in := Input{May: config.Anything(), Root: testutil.Project(t, nil), Command: belay.TestCommand{Command: "no-such-runner-here --all"}}
	_, r := Run(t.Context(), in)
	testutil.WellFormed(t, r, Name)
	if got := testutil.Told(r); !strings.HasPrefix(got, "unknown: could not run: ") || !strings.Contains(got, "no-such-runner-here") {
		t.Error(got)
	}
}

// TestStaleReports: a report from before the run proves nothing, one that was rewritten does,
// whatever its time.
func TestStaleReports(t *testing.T) {
	t.Parallel()
	future := time.Now().Add(time.Hour)
	for name, tt := range map[string]struct{ command, want string }{
		"left alone":        {"true", "unknown: no report was written: out/*.xml matches only files older than the run"},
		"written again":     {"cp out/a.xml b; cat b > out/a.xml", "pass"},
		"put in its place":  {"cp out/a.xml b; mv b out/a.xml", "pass"},
		"another beside it": {"cp -p out/a.xml out/b.xml", "pass"},
	} {
		root := testutil.Project(t, map[string]string{"out/a.xml": allPass})
		if err := os.Chtimes(filepath.Join(root, "out/a.xml"), future, future); err != nil {
			t.Fatal(err)
		}
		in := Input{May: config.Anything(), Root: root, Command: belay.TestCommand{Command: tt.command, Format: "junit", Report: "out/*.xml"}}
		if _, r := Run(t.Context(), in); testutil.Told(r) != tt.want {
			t.Errorf("%s: %s", name, testutil.Told(r))
		}
	}
}

func TestEnvironment(t *testing.T) {
	t.Parallel()
	root := testutil.Project(t, nil)
	in := Input{May: config.Anything(),
		Root: root, Env: []string{"PATH=" + os.Getenv("PATH"), "GIT_DIR=/x", "GIT_INDEX_FILE=y", "GITHUB=kept", "PWD=/", "BELAY_REPORTS=/x", "BELAY_CHECK=old", "BELAY_TASK=T1"},
		Command: belay.TestCommand{Command: `env; test -d "$BELAY_REPORTS"`},
	}
	var log string
	in.Logs = func(name string, r io.Reader) (string, error) {
		text, err := io.ReadAll(r)
		log = name + "\n" + string(text)
		return "sha", err
	}
	_, r := Run(t.Context(), in)
	if r.Verdict != belay.VerdictPass || r.Log != "sha" || !strings.HasPrefix(log, "tests.log\n") {
		t.Fatalf("%s, log %q: %s", testutil.Told(r), r.Log, log)
	}
	for _, want := range []string{"\nGITHUB=kept\n", "\nBELAY_TASK=T1\n", "\nPWD=" + root + "\n"} {
		if !strings.Contains(log, want) {
			t.Errorf("%q is not in the environment:\n%s", want, log)
		}
	}
	for _, bad := range []string{"GIT_", "BELAY_REPORTS=/x", "BELAY_CHECK=old", "PWD=/\n"} {
		if strings.Contains(log, bad) {
			t.Errorf("%q is in the environment:\n%s", bad, log)
		}
	}
	for line := range strings.Lines(log) {
		if dir, ok := strings.CutPrefix(strings.TrimSpace(line), "BELAY_REPORTS="); ok {
			if _, err := os.Stat(dir); err == nil {
				t.Errorf("%s is still there", dir)
			}
		}
	}
}

func TestLogThatCannotBeStored(t *testing.T) {
	t.Parallel()
	in := Input{May: config.Anything(), Root: testutil.Project(t, nil), Command: belay.TestCommand{Command: "true"}}
	in.Logs = func(string, io.Reader) (string, error) { return "", errors.New("disk full") }
	if _, r := Run(t.Context(), in); testutil.Told(r) != "pass\nnote tests : only the exit status of the tests is known\nwarning tests : the output of the tests could not be stored" {
		t.Error(testutil.Told(r))
	}
}

func TestLogIsBounded(t *testing.T) {
	t.Parallel()
	in := Input{May: config.Anything(), Root: testutil.Project(t, nil), Command: belay.TestCommand{Command: "echo begin; head -c 200000000 /dev/zero; echo end; exit 1"}}
	var log []byte
	in.Logs = func(_ string, r io.Reader) (sha string, err error) {
		log, err = io.ReadAll(r)
		return "sha", err
	}
	_, r := Run(t.Context(), in)
	if len(log) > 2<<20+100 || !strings.HasPrefix(string(log), "begin\n") || !strings.HasSuffix(string(log), "end\n") {
		t.Errorf("a log of %d bytes", len(log))
	}
	if len(r.Findings) != 1 || len(r.Findings[0].Detail) > 2000 {
		t.Errorf("%s", testutil.Told(r))
	}
}

// TestTimeIsUp: failures before the limit are shown; output of the runner while it is being ended
// is not.
func TestTimeIsUp(t *testing.T) {
	t.Parallel()
	fail := func(test string) string {
		return `echo '{"Action":"fail","Package":"p","Test":"` + test + `"}'; `
	}
	said := filepath.Join(t.TempDir(), "said")
	in := Input{May: config.Anything(),
		Root:    testutil.Project(t, nil),
		Command: belay.TestCommand{Format: "gotest", Command: "trap '" + strings.ReplaceAll(fail("TestEnded"), "'", `'\''`) + "exit 1' TERM; " + fail("TestEarly") + ": > " + said + "; while :; do sleep 0.05; done"},
	}
	_, r := Run(testutil.Until(t, said, TimeoutError{1500 * time.Millisecond}), in) // regardless of how long it took to start
	want := "unknown: did not finish within 1.5s\nwarning tests : test failed before time ran out: p.TestEarly\nwarning tests : the test report has problems"
	if d := cmp.Diff(want, testutil.Told(r)); d != "" {
		t.Error(d)
	}
}

// TestRealGoTest runs the real go test on a small module.
func TestRealGoTest(t *testing.T) {
	t.Parallel()
	root := testutil.Project(t, map[string]string{
		"go.mod":           "module example.com/m\n\ngo 1.24\n",
		"a/a.go":           "package a\n\nfunc F() int { return 1 }\n",
		"a/a_test.go":      "package a\n\nimport \"testing\"\n\nfunc TestF(t *testing.T) {\n\tt.Run(\"two\", func(t *testing.T) {\n\t\tif F() != 2 {\n\t\t\tt.Errorf(\"got %d\", F())\n\t\t}\n\t})\n}\n\nfunc TestFine(t *testing.T) {}\n\nfunc TestPanics(t *testing.T) {\n\tvar m map[int]int\n\tm[1] = 1\n}\n",
		"b/b.go":           "package b\n\nvar X int = \"x\"\n",
		"b/b_test.go":      "package b\n\nimport \"testing\"\n\nfunc TestB(t *testing.T) {}\n",
		"c/deep/d_test.go": "package deep\n\nimport \"testing\"\n\nfunc TestD(t *testing.T) {}\n",
	})
	cmd, ok := DetectTests(root)
	if !ok {
		t.Fatal("nothing detected")
	}
	in := Input{May: config.Anything(), Root: root, Command: cmd}
	report, r := Run(t.Context(), in)
	got := map[string]int{}
	for _, f := range r.Findings {
		if f.Severity == belay.SeverityError {
			got[strings.TrimPrefix(f.Title, "test fails: ")+" "+f.File] = f.Line
		}
	}
	want := map[string]int{
		"example.com/m/a.TestF/two a/a_test.go":  8,
		"example.com/m/a.TestPanics a/a_test.go": 17,
		"example.com/m/b b/b.go":                 3,
	}
	if d := cmp.Diff(want, got); d != "" || r.Verdict != belay.VerdictFail {
		t.Errorf("%s\n%s\n%+v", testutil.Told(r), d, report)
	}
	if report.Passed != 2 || report.Failed != 2 || report.Errors != 1 {
		t.Errorf("counted %s", report)
	}
	// The failures of a first run are the known ones of a second.
	in.Baseline = &report
	if _, r = Run(t.Context(), in); r.Verdict != belay.VerdictPass || len(r.Findings) != 3 {
		t.Errorf("with everything known: %s", testutil.Told(r))
	}
}

// TestManyFailures: the first fifty are separate findings, the rest is counted.
func TestManyFailures(t *testing.T) {
	t.Parallel()
	var s strings.Builder
	s.WriteString("<testsuite>")
	for i := range 1000 {
		fmt.Fprintf(&s, `<testcase name="case %d"><failure message="no"/></testcase>`, i)
	}
	s.WriteString("</testsuite>")
	root := testutil.Project(t, map[string]string{"saved": s.String()})
	_, r := Run(t.Context(), Input{May: config.Anything(), Root: root, Command: belay.TestCommand{Command: "cp saved $BELAY_REPORTS/r.xml; exit 1", Format: "junit"}})
	testutil.WellFormed(t, r, Name)
	if n := len(r.Findings); n != maxTestFindings+1 || !strings.Contains(r.Findings[maxTestFindings].Detail, "950 more") || r.Summary != "1000 tests: 0 passed, 1000 failed" {
		t.Errorf("%d findings, %s", n, r.Summary)
	}
}

// before returns a baseline with these failures; nil without any.
func before(failures []string) *testreport.Report {
	if failures == nil {
		return nil
	}
	r := &testreport.Report{Format: "gotest"}
	for _, id := range failures {
		r.Fail(testreport.Failure{Test: id}, false)
	}
	return r
}

package testrun

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/belay-dev/belay/internal/belay"
	"github.com/belay-dev/belay/internal/config"
	"github.com/belay-dev/belay/internal/testreport"
	"github.com/belay-dev/belay/internal/testutil"
)

// runner is a test command that prints for each test the content of its file: pass, fail, or flip,
// which fails once and passes from then on.
const runner = `for t in t/*; do
	id=${t#t/}
	case $(cat $t) in
	flip) say=fail; printf pass > $t;;
	*) say=$(cat $t);;
	esac
	echo '{"Action":"run","Package":"p","Test":"'$id'"}'
	echo '{"Action":"'$say'","Package":"p","Test":"'$id'"}'
	test $say = pass || bad=fail
done
echo '{"Action":"'${bad:-pass}'","Package":"p"}'
test -z "$bad"`

// TestNewKnownFixedFlaky: three failed before; one is fixed, one is new, one is flaky, and one also
// fails when run again on the before snapshot.
func TestNewKnownFixedFlaky(t *testing.T) {
	t.Parallel()
	now := testutil.Project(t, map[string]string{
		"t/A": "fail", "t/B": "fail", "t/Fixed": "pass", "t/New": "fail", "t/Flaky": "flip", "t/Old": "fail", "t/Fine": "pass",
	})
	then := testutil.Project(t, map[string]string{
		"t/A": "fail", "t/B": "fail", "t/Fixed": "fail", "t/New": "pass", "t/Flaky": "pass", "t/Old": "fail", "t/Fine": "pass",
	})
	closed := 0
	in := Input{May: config.Anything(),
		Root: now, Command: belay.TestCommand{Command: runner, Format: testreport.GoTest},
		Baseline: before([]string{"p.A", "p.B", "p.Fixed"}),
		Checkout: func(context.Context) (string, func(), error) { return then, func() { closed++ }, nil },
	}
	_, r := Run(t.Context(), in)
	want := `fail
error tests : test fails: p.New
warning tests : test is flaky: p.Flaky
note tests : test failed before too: p.A
note tests : test failed before too: p.B
note tests : test failed before too: p.Old
note tests : test is fixed: p.Fixed`
	if d := cmp.Diff(want, testutil.Told(r)); d != "" {
		t.Error(d)
	}
	if d := cmp.Diff(&belay.TestCount{Total: 7, Passed: 2, Failed: 5, New: 1, Known: 3, Flaky: 1, Fixed: 1}, r.Tests); d != "" {
		t.Error(d)
	}
	if want := "0 passed before; now 2 passed, 1 newly failing, 3 known before, 1 flaky, 1 fixed"; r.Summary != want || closed != 1 {
		t.Errorf("%s; the state before was given back %d times", r.Summary, closed)
	}
}

// TestOnlyFlaky: a test that passes when it is run again rejects nothing.
func TestOnlyFlaky(t *testing.T) {
	t.Parallel()
	in := Input{May: config.Anything(), Root: testutil.Project(t, map[string]string{"t/Flaky": "flip", "t/Fine": "pass"}), Command: belay.TestCommand{Command: runner, Format: testreport.GoTest}}
	in.Checkout = func(context.Context) (string, func(), error) {
		t.Error("the state before was asked for without need")
		return "", nil, fmt.Errorf("no")
	}
	if _, r := Run(t.Context(), in); testutil.Told(r) != "pass\nwarning tests : test is flaky: p.Flaky" {
		t.Error(testutil.Told(r))
	}
}

// TestDidNotRunAgain: a test that fails, and is skipped, missing, or cut off in the second run, is not flaky.
func TestDidNotRunAgain(t *testing.T) {
	t.Parallel()
	for again, want := range map[string]string{
		`not ok a\nBail out! crash`: "fail\nerror tests : test fails: b",
		`ok a\n1..1`:                "fail\nerror tests : test fails: b",
		`ok a\nok b # SKIP\n1..2`:   "fail\nerror tests : test fails: b",
		`ok a\nok b\n1..2`:          "pass\nwarning tests : test is flaky: b",
	} {
		command := `test -e second && exec printf '` + again + `\n'; : >second; printf 'ok a\nnot ok b\n1..2\n'; exit 1`
		in := Input{May: config.Anything(), Root: testutil.Project(t, nil), Command: belay.TestCommand{Command: command, Format: testreport.TAP},
			Checkout: func(context.Context) (string, func(), error) { return "", nil, fmt.Errorf("no space") }}
		if _, r := Run(t.Context(), in); testutil.Told(r) != want {
			t.Errorf("%s: %s", again, testutil.Told(r))
		}
	}
}

// TestFlakyFixture: some runners name a fixture only if it fails.
func TestFlakyFixture(t *testing.T) {
	t.Parallel()
	for again, want := range map[string]string{
		`ok a\nok b\n1..2`: "pass\nwarning tests : test is flaky: \"before all\" hook for b",
		`ok a\n1..1`:       "fail\nwarning tests : test is flaky: \"before all\" hook for b\nerror tests : test passed before and did not run now: b",
		`ok a\nnot ok "before all" hook for b\n1..2`:    "fail\nerror tests : test fails: \"before all\" hook for b\nerror tests : test passed before and did not run now: b",
		`ok a\nok "before all" hook for b # SKIP\n1..2`: "fail\nerror tests : test fails: \"before all\" hook for b\nerror tests : test passed before and did not run now: b",
	} {
		command := belay.TestCommand{Command: "sh run.sh", Format: testreport.TAP}
		tree := func(text string) string { return testutil.Project(t, map[string]string{"run.sh": text}) }
		then := tree(`printf 'ok a\nok b\n1..2\n'`)
		base, _ := Run(t.Context(), Input{Root: then, Command: command, May: config.Anything(), Baseline: &testreport.Report{}})
		now := tree(`test -e second && exec printf '` + again + `\n'; : >second; printf 'ok a\nnot ok "before all" hook for b\n1..2\n'; exit 1`)
		_, r := Run(t.Context(), Input{May: config.Anything(), Root: now, Command: command, Baseline: stored(t, base),
			Checkout: func(context.Context) (string, func(), error) { return then, func() {}, nil }})
		if testutil.Told(r) != want {
			t.Errorf("%s: %s", again, testutil.Told(r))
		}
	}
}

// TestFailsAfterAnother: a test that fails only after another test of its package fails each time, and
// is not flaky.
func TestFailsAfterAnother(t *testing.T) {
	t.Parallel()
	files := map[string]string{
		"go.mod":    "module m\n\ngo 1.22\n",
		"a.go":      "package m\n\nvar n int\n\nfunc inc() int { n++; return n }\n",
		"a_test.go": "package m\n\nimport \"testing\"\n\nfunc TestA(t *testing.T) { want(t) }\n\nfunc TestB(t *testing.T) { want(t) }\n\nfunc want(t *testing.T) {\n\tif inc() != 1 {\n\t\tt.Fail()\n\t}\n}\n",
	}
	then := map[string]string{"go.mod": files["go.mod"], "a_test.go": files["a_test.go"],
		"a.go": "package m\n\nvar n int\n\nfunc inc() int { n = 0; n++; return n }\n"}
	root := testutil.Project(t, then)
	in := Input{May: config.Anything(), Root: testutil.Project(t, files),
		Command:  belay.TestCommand{Command: "go test -json ./...", Format: testreport.GoTest},
		Checkout: func(context.Context) (string, func(), error) { return root, func() {}, nil },
	}
	if _, r := Run(t.Context(), in); testutil.Told(r) != "fail\nerror tests : test fails: m.TestB" {
		t.Error(testutil.Told(r))
	}
}

// TestNeedsIgnoredFile: a test that fails on the before snapshot only for the lack of an ignored file is a new failure.
func TestNeedsIgnoredFile(t *testing.T) {
	t.Parallel()
	command := belay.TestCommand{Command: `printf 'ok a\n1..2\n'; test -e local.db && test ! -e broken && echo ok b || { echo not ok b; exit 1; }`, Format: testreport.TAP}
	for name, c := range map[string]struct {
		then         map[string]string
		copied, left []string
		want         string
	}{
		"it is copied":           {nil, []string{"local.db"}, nil, "fail\nerror tests : test fails: b"},
		"it is no reason":        {map[string]string{"broken": ""}, []string{"local.db"}, nil, "pass\nnote tests : test failed before too: b"},
		"nothing is missing":     {map[string]string{"broken": ""}, nil, nil, "pass\nnote tests : test failed before too: b"},
		"it could not be copied": {nil, nil, []string{"local.db (over 512 MiB)"}, "pass\nnote tests : test failed before too: b\nwarning tests : the code before the task was tested without some ignored files"},
	} {
		then := testutil.Project(t, c.then)
		in := Input{May: config.Anything(), Root: testutil.Project(t, map[string]string{"local.db": "", "broken": ""}), Command: command,
			Checkout: func(context.Context) (string, func(), error) { return then, func() {}, nil },
			CopyIgnored: func(_ context.Context, root string) (copied, left []string) {
				for _, name := range c.copied {
					if err := os.WriteFile(filepath.Join(root, name), nil, 0o600); err != nil {
						t.Error(err)
					}
				}
				return c.copied, c.left
			}}
		if _, r := Run(t.Context(), in); testutil.Told(r) != c.want {
			t.Errorf("%s: %s", name, testutil.Told(r))
		}
	}
}

// TestIgnoredFilesExcuseNothing: an ignored file of the agent that skips a test does so in a copy too. Lost tests are
// excused only by a run without it.
func TestIgnoredFilesExcuseNothing(t *testing.T) {
	t.Parallel()
	command := belay.TestCommand{Command: `test -e skip && echo 'ok b # SKIP' || echo 'ok b'; printf 'ok a\n1..2\n'`, Format: testreport.TAP}
	base, _ := Run(t.Context(), Input{May: config.Anything(), Root: testutil.Project(t, nil), Command: command})
	base.EncodeNames()
	for name, c := range map[string]struct {
		then map[string]string
		want belay.Verdict
	}{
		"by the agent's file": {nil, belay.VerdictFail},
		"without it":          {map[string]string{"skip": ""}, belay.VerdictPass},
	} {
		then := testutil.Project(t, c.then)
		in := Input{May: config.Anything(), Root: testutil.Project(t, map[string]string{"skip": ""}), Command: command, Baseline: &base,
			Checkout: func(context.Context) (string, func(), error) { return then, func() {}, nil },
			CopyIgnored: func(_ context.Context, root string) (copied, left []string) {
				if err := os.WriteFile(filepath.Join(root, "skip"), nil, 0o600); err != nil {
					t.Error(err)
				}
				return []string{"skip"}, nil
			}}
		if _, r := Run(t.Context(), in); r.Verdict != c.want {
			t.Errorf("%s: %s", name, testutil.Told(r))
		}
	}
}

// TestIgnoredFileDeleted: a test that passed before the task with an ignored file, and fails since the agent deleted it,
// did not fail before.
func TestIgnoredFileDeleted(t *testing.T) {
	t.Parallel()
	command := belay.TestCommand{Command: `printf 'ok a\n1..2\n'; test -e local.db && echo ok b || { echo not ok b; exit 1; }`, Format: testreport.TAP}
	report, _ := Run(t.Context(), Input{May: config.Anything(), Root: testutil.Project(t, map[string]string{"local.db": ""}), Command: command})
	report.EncodeNames()
	in := Input{May: config.Anything(), Root: testutil.Project(t, nil), Command: command, Baseline: Baseline{Report: report, Copied: []string{"local.db"}}.KnownReport()}
	in.Checkout = func(context.Context) (string, func(), error) { return testutil.Project(t, nil), func() {}, nil }
	if _, r := Run(t.Context(), in); testutil.Told(r) != "fail\nerror tests : test fails: b" {
		t.Error(testutil.Told(r))
	}
}

// TestAgainWithoutTheStateBefore: a failure that cannot be compared stays new.
func TestAgainWithoutTheStateBefore(t *testing.T) {
	t.Parallel()
	in := Input{May: config.Anything(), Root: testutil.Project(t, map[string]string{"t/New": "fail"}), Command: belay.TestCommand{Command: runner, Format: testreport.GoTest}}
	in.Checkout = func(context.Context) (string, func(), error) { return "", nil, fmt.Errorf("no space") }
	if _, r := Run(t.Context(), in); testutil.Told(r) != "fail\nerror tests : test fails: p.New" {
		t.Error(testutil.Told(r))
	}
}

// TestExitCodesAgain: an exit code is compared like a test in a report.
func TestExitCodesAgain(t *testing.T) {
	t.Parallel()
	flip := "test ! -e flip || { rm flip; exit 1; }; test ! -e bad"
	for name, tt := range map[string]struct {
		now, then map[string]string
		want      string
	}{
		"flaky": {map[string]string{"flip": ""}, nil, "pass\nwarning tests : test is flaky: " + flip},
		"new":   {map[string]string{"bad": ""}, nil, "fail\nerror tests : the test command failed"},
		"known": {map[string]string{"bad": ""}, map[string]string{"bad": ""},
			"unknown: the test command failed before the task too, and its exit code does not separate old failures from new ones\nnote tests : test failed before too: " + flip},
	} {
		in := Input{May: config.Anything(), Root: testutil.Project(t, tt.now), Command: belay.TestCommand{Command: flip}}
		then := testutil.Project(t, tt.then)
		in.Checkout = func(context.Context) (string, func(), error) { return then, func() {}, nil }
		if _, r := Run(t.Context(), in); testutil.Told(r) != tt.want {
			t.Errorf("%s: %s", name, testutil.Told(r))
		}
	}
}

// TestNoTestsBeforeEither: a project without tests is not rejected for that, one that had tests is.
func TestNoTestsBeforeEither(t *testing.T) {
	t.Parallel()
	none := belay.TestCommand{Command: `echo '{"Action":"skip","Package":"p"}'`, Format: testreport.GoTest}
	for _, tt := range []struct {
		baseline *testreport.Report
		want     string
	}{
		{nil, "unknown: the test command succeeded but its report has no tests"},
		{&testreport.Report{}, "skipped: no tests found"},
		{&testreport.Report{Total: 1, Passed: 1}, "unknown: the test command succeeded but its report has no tests"},
		{&testreport.Report{Incomplete: true}, "unknown: the test command succeeded but its report has no tests"},
	} {
		if _, r := Run(t.Context(), Input{May: config.Anything(), Root: testutil.Project(t, nil), Command: none, Baseline: tt.baseline}); testutil.Told(r) != tt.want {
			t.Errorf("%+v: %s", tt.baseline, testutil.Told(r))
		}
	}
}

// TestRunnersThatFindNothing: some runners fail if there is no test. That rejects work that removed
// the tests, but not in a project that never had any.
func TestRunnersThatFindNothing(t *testing.T) {
	t.Parallel()
	none := "skipped: no tests found"
	for name, tt := range map[string]struct {
		command, format string
		took            string // the message if there were tests before
	}{
		"go":     {"echo no packages to test >&2; exit 1", testreport.GoTest, "fail\nerror tests : the test command failed\nwarning tests : the test report has problems"},
		"cargo":  {"echo '  no targets specified in the manifest' >&2; exit 101", testreport.Cargo, "fail\nerror tests : the test command failed\nwarning tests : the test report has problems"},
		"jest":   {"echo No tests found, exiting with code 1; exit 1", "", "fail\nerror tests : the test command failed"},
		"pytest": {"echo '<testsuites/>' >$BELAY_REPORTS/r.xml; echo '= no tests ran in 0.01s ='; exit 5", testreport.JUnit, "fail\nerror tests : the test command failed"},
	} {
		in := Input{May: config.Anything(), Root: testutil.Project(t, nil), Command: belay.TestCommand{Command: tt.command, Format: tt.format}, Baseline: &testreport.Report{}}
		if _, r := Run(t.Context(), in); testutil.Told(r) != none {
			t.Errorf("%s, none before: %s", name, testutil.Told(r))
		}
		in.Baseline = &testreport.Report{Format: tt.format, Total: 1, Passed: 1}
		if _, r := Run(t.Context(), in); testutil.Told(r) != tt.took {
			t.Errorf("%s, one before: %s", name, testutil.Told(r))
		}
		for want, then := range map[string]string{none: tt.command, tt.took: "true"} { // no baseline
			root := testutil.Project(t, map[string]string{"run": then})
			in.Root, in.Command.Command, in.Baseline = testutil.Project(t, map[string]string{"run": tt.command}), "sh ./run", nil
			in.Checkout = func(context.Context) (string, func(), error) { return root, func() {}, nil }
			if _, r := Run(t.Context(), in); testutil.Told(r) != want {
				t.Errorf("%s, then %q: %s", name, then, testutil.Told(r))
			}
		}
	}
}

// TestFailedSoBefore: an exit code without a failing test rejects the work only if the tests are
// known to have passed before, or pass when they are run there.
func TestFailedSoBefore(t *testing.T) {
	t.Parallel()
	pass := `echo '1..1'; echo 'ok 1'; `
	for name, tt := range map[string]struct {
		then     string
		baseline *testreport.Report
		want     string
	}{
		"it did":          {then: pass + "exit 1", want: "unknown: the test command failed before the task too, and its exit code does not separate old failures from new ones"},
		"it passed":       {then: pass, want: "fail\nerror tests : the test command failed"},
		"known to pass":   {then: pass + "exit 1", baseline: &testreport.Report{Total: 1, Passed: 1}, want: "fail\nerror tests : the test command failed"},
		"a test failed":   {then: `echo '1..1'; echo 'not ok 1'; exit 1`, want: "fail\nerror tests : the test command failed"},
		"could not run":   {then: "exit 127", want: "fail\nerror tests : the test command failed"},
		"no report there": {then: "exit 2", want: "unknown: the test command failed before the task too, and its exit code does not separate old failures from new ones"},
	} {
		root := testutil.Project(t, map[string]string{"run": tt.then})
		in := Input{May: config.Anything(),
			Root: testutil.Project(t, map[string]string{"run": pass + "exit 1"}), Baseline: tt.baseline,
			Command:  belay.TestCommand{Command: "sh ./run", Format: testreport.TAP},
			Checkout: func(context.Context) (string, func(), error) { return root, func() {}, nil },
		}
		if _, r := Run(t.Context(), in); testutil.Told(r) != tt.want {
			t.Errorf("%s: %s", name, testutil.Told(r))
		}
	}
}

func TestNarrowed(t *testing.T) {
	t.Parallel()
	failures := []testreport.Failure{{Test: "m/b.TestY/sub (x)", Package: "m/b"}, {Test: "m/a.TestX", Package: "m/a"}, {Test: "m/a.TestX/two", Package: "m/a"}}
	want := []string{"go", "test", "-json", "-count=1", "m/a", "m/b"}
	for name, tt := range map[string]struct {
		c    belay.TestCommand
		f    []testreport.Failure
		want []string
	}{
		"a line":        {belay.TestCommand{Command: "go test -json ./...", Format: "gotest"}, failures, want},
		"arguments":     {belay.TestCommand{Args: []string{"go", "test", "-json", "./..."}, Format: "gotest"}, failures, want},
		"a pipe":        {belay.TestCommand{Command: "go test -json ./... | tee x", Format: "gotest"}, failures, nil},
		"a folder":      {belay.TestCommand{Command: "go test -json ./a", Format: "gotest"}, failures, nil},
		"not go":        {belay.TestCommand{Args: []string{"make", "test", "./..."}, Format: "gotest"}, failures, nil},
		"another form":  {belay.TestCommand{Args: []string{"go", "test", "./..."}, Format: "exit"}, failures, nil},
		"a build error": {belay.TestCommand{Command: "go test -json ./...", Format: "gotest"}, []testreport.Failure{{Test: "m/a", Package: "m/a"}}, nil},
	} {
		got := narrowCommand(tt.c, tt.f)
		if tt.want == nil {
			if d := cmp.Diff(tt.c, got); d != "" {
				t.Errorf("%s: %s", name, d)
			}
		} else if d := cmp.Diff(tt.want, got.Args); d != "" || got.Command != "" {
			t.Errorf("%s: %s", name, d)
		}
	}
}

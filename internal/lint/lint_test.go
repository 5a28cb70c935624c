package lint

import (
	"context"
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
	"github.com/belay-dev/belay/internal/testutil"
)

// added reports lines 2 and 3 of a.go as added, all of new.go, and none of gone.go.
func added() (func(path string, first, last int) bool, error) {
	return func(path string, first, last int) bool {
		return path == "a.go" && first <= 3 && last >= 2 || path == "sub/new.go" && first <= 2
	}, nil
}

var changes = []belay.Change{{Path: "a.go", Status: "M"}, {Path: "sub/new.go", Status: "A"}, {Path: "gone.go", Status: "D"},
	{Path: "moved/new.go", Status: "D"}}

func linter(command string, more ...string) belay.Linter {
	l := belay.Linter{Name: "demo", TestCommand: belay.TestCommand{Command: command, From: "config"}}
	for _, m := range more {
		if rest, ok := strings.CutPrefix(m, "report="); ok {
			l.Report = rest
		} else if m == "detected" {
			l.From = m
		} else {
			l.Format = m
		}
	}
	return l
}

func project(t *testing.T) string {
	t.Helper()
	root := t.TempDir()
	for name, text := range map[string]string{"a.go": "one\ntwo\nthree\nfour\n", "b.go": "x\n", "sub/new.go": "one\ntwo\n"} {
		path := filepath.Join(root, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	return root
}

// told formats a result on a few lines.
func told(r belay.CheckResult) string {
	var b strings.Builder
	switch {
	case r.Skipped:
		b.WriteString("skipped")
	default:
		b.WriteString(string(r.Verdict))
	}
	if r.Why != "" {
		b.WriteString(": " + r.Why)
	}
	for _, f := range r.Findings {
		fmt.Fprintf(&b, "\n%s %s:%d %s", f.Severity, f.File, f.Line, f.Title)
	}
	return b.String()
}

const sarif = `{"version":"2.1.0","runs":[{"tool":{"driver":{"name":"x"}},"results":[{"ruleId":"R","level":"error","message":{"text":"bad"},"locations":[{"physicalLocation":{"artifactLocation":{"uri":"a.go"},"region":{"startLine":1,"endLine":2}}}]}]}]}`

func TestRun(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		linters []belay.Linter
		all     bool
		want    string
	}{
		"none":           {want: "skipped: no linter: set linters.NAME.command"},
		"content":        {linters: []belay.Linter{linter("true")}, want: "pass"},
		"a changed line": {linters: []belay.Linter{linter("echo 'a.go:2:1: bad thing (rule)'; exit 1")}, want: "fail\nerror a.go:2 demo: bad thing (rule)"},
		"it is content":  {linters: []belay.Linter{linter("echo 'a.go:2:1: bad thing'")}, want: "pass\nwarning a.go:2 demo: bad thing"},
		"says a warning": {linters: []belay.Linter{linter("echo 'a.go:3:1: warning: so so [x-y]'; exit 1")}, want: "pass\nwarning a.go:3 demo: so so (x-y)"},
		"an old line":    {linters: []belay.Linter{linter("echo 'a.go:1:1: bad'; echo 'b.go:1: bad'; exit 1")}, want: "pass"},
		"all lines":      {linters: []belay.Linter{linter("echo 'a.go:1:1: bad'; exit 1")}, all: true, want: "fail\nerror a.go:1 demo: bad"},
		"in the middle of much": {linters: []belay.Linter{linter("yes 'b.go:1:1: old and not of this change at all, but said at some length' | head -n 40000; echo 'a.go:2:1: bad'; yes 'b.go:1:1: old and not of this change at all, but said at some length' | head -n 40000; exit 1")},
			want: "fail\nerror a.go:2 demo: bad"},
		"more than is read": {linters: []belay.Linter{linter("yes 'b.go:1:1: old' | head -n 120000; echo 'a.go:2:1: bad'; exit 1")},
			want: "unknown: demo: its report is incomplete: more than 100000 remarks; the rest were not read"},
		"absolute":           {linters: []belay.Linter{linter("echo \"$PWD/a.go:2:1: bad\"; exit 1")}, want: "fail\nerror a.go:2 demo: bad"},
		"from its folder":    {linters: []belay.Linter{linter("cd sub; echo 'new.go:2:1: bad'; exit 1")}, want: "fail\nerror sub/new.go:2 demo: bad"},
		"outside":            {linters: []belay.Linter{linter("echo '/etc/a.go:2:1: bad'; echo '../a.go:2:1: bad'; exit 1")}, want: "pass"},
		"twice the same":     {linters: []belay.Linter{linter("echo 'a.go:2:1: bad'; echo 'a.go:2:9: bad'; exit 1")}, want: "fail\nerror a.go:2 demo: bad"},
		"a file as a whole":  {linters: []belay.Linter{linter("echo '::error file=sub/new.go::no header'; echo '::error file=a.go::no header'")}, want: "fail\nerror sub/new.go:0 demo: no header"},
		"a range":            {linters: []belay.Linter{linter("echo '"+sarif+"'", "sarif")}, want: "fail\nerror a.go:1 demo: bad (R)"},
		"on stderr":          {linters: []belay.Linter{linter("echo 'a.go:2:1: bad' >&2; exit 1")}, want: "fail\nerror a.go:2 demo: bad"},
		"report in a file":   {linters: []belay.Linter{linter("echo '"+sarif+"' > out.sarif", "report=out.sarif")}, want: "fail\nerror a.go:1 demo: bad (R)"},
		"report of its own":  {linters: []belay.Linter{linter("echo '"+sarif+"' > $BELAY_REPORTS/x", "report=$BELAY_REPORTS/x")}, want: "fail\nerror a.go:1 demo: bad (R)"},
		"no report":          {linters: []belay.Linter{linter("true", "report=out.sarif")}, want: "unknown: demo: could not read its report (it ended with exit code 0): no report was written to out.sarif"},
		"a link outside":     {linters: []belay.Linter{linter("ln -s /etc/hostname out.sarif", "report=out.sarif")}, want: "unknown: demo: could not read its report (it ended with exit code 0): no report was written to out.sarif"},
		"crash":              {linters: []belay.Linter{linter("echo oops, no config; exit 2")}, want: "unknown: demo: it ended with exit code 2 without a readable report: oops, no config"},
		"on a long stderr":   {linters: []belay.Linter{linter("fill() { yes note: another line of a long output | head -50000; }; { fill; echo 'a.go:2:1: bad'; fill; } >&2; exit 1")}, want: "fail\nerror a.go:2 demo: bad"},
		"not there":          {linters: []belay.Linter{linter("echo not found >&2; exit 127")}, want: "unknown: demo: could not run: not found"},
		"cannot start":       {linters: []belay.Linter{{Name: "demo", TestCommand: belay.TestCommand{Args: []string{"no-such-linter"}}}}, want: `unknown: demo: could not run: exec: "no-such-linter": executable file not found in $PATH`},
		"no SARIF":           {linters: []belay.Linter{linter("echo usage", "sarif")}, want: "unknown: demo: could not read its report (it ended with exit code 0): the file is not a sarif report"},
		"half a report":      {linters: []belay.Linter{linter("echo '"+sarif[:len(sarif)-3]+"'", "sarif")}, want: "fail\nerror a.go:1 demo: bad (R)"},
		"half, and content":  {linters: []belay.Linter{linter(`echo '{"runs":[{"results":['`, "sarif")}, want: "unknown: demo: its report is incomplete: the report stops in the middle"},
		"detected, crash":    {linters: []belay.Linter{linter("exit 2", "detected")}, want: "skipped: demo: it ended with exit code 2 without a readable report: it ended with exit code 2\nnote :0 a detected linter could not run"},
		"detected, and one":  {linters: []belay.Linter{linter("exit 2", "detected"), linter("true")}, want: "pass\nnote :0 a detected linter could not run"},
		"one of two crashes": {linters: []belay.Linter{linter("exit 2"), linter("echo 'a.go:2:1: bad'; exit 1")}, want: "fail\nerror a.go:2 demo: bad"},
		"killed":             {linters: []belay.Linter{linter("kill -KILL $$")}, want: "unknown: demo: it was ended by signal 9 (killed)"},
		"the changed files":  {linters: []belay.Linter{linter("while read f; do echo $f:1: seen; done < $BELAY_CHANGED")}, want: "pass\nwarning sub/new.go:1 demo: seen"},
		"terminal escapes":   {linters: []belay.Linter{linter(`printf 'a.go:2:1: \033[31mred\033[0m\n'`)}, want: "pass\nwarning a.go:2 demo: red"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			in := Input{May: config.Anything(), Root: project(t), Linters: tt.linters, Changes: changes, All: tt.all, FindAdded: added}
			r := Run(t.Context(), in)
			if d := cmp.Diff(tt.want, told(r)); d != "" {
				t.Error(d)
			}
			for _, f := range r.Findings {
				if f.Check != Name || f.Signature == "" || f.Category != belay.CategoryLint {
					t.Errorf("incomplete finding: %+v", f)
				}
			}
		})
	}
}

func TestTimeLimit(t *testing.T) {
	t.Parallel()
	said := filepath.Join(t.TempDir(), "said")
	ctx := testutil.Until(t, said, context.DeadlineExceeded)
	r := Run(ctx, Input{May: config.Anything(), Root: project(t), Linters: []belay.Linter{linter("echo 'a.go:2: bad'; : > '" + said + "'; sleep 600"), linter("true")}, Changes: changes, FindAdded: added, Grace: 100 * time.Millisecond})
	if got, want := told(r), "unknown: demo: it did not finish in time; demo: no time left to run it"; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
}

func TestEdits(t *testing.T) {
	t.Parallel()
	guard := func(e Edits, err error) func(context.Context) (func(context.Context) (Edits, error), error) {
		return func(context.Context) (func(context.Context) (Edits, error), error) {
			return func(ctx context.Context) (Edits, error) {
				if ctx.Err() != nil {
					t.Error("changes are reverted with a cancelled context")
				}
				return e, err
			}, nil
		}
	}
	for want, g := range map[string]func(context.Context) (func(context.Context) (Edits, error), error){
		"pass": guard(Edits{}, nil),
		"pass\nwarning :0 a linter changed files; the changes were reverted": guard(Edits{Paths: []string{"a.go"}, Reverted: true}, nil),
		"pass\nwarning :0 files changed while the linters ran":               guard(Edits{Paths: []string{"a.go"}}, nil),
		"pass\nwarning :0 could not check whether a linter changed files":    guard(Edits{}, errors.New("no")),
		"unknown: could not record the state of the working tree: no": func(context.Context) (func(context.Context) (Edits, error), error) {
			return nil, errors.New("no")
		},
	} {
		r := Run(t.Context(), Input{May: config.Anything(), Root: project(t), Linters: []belay.Linter{linter("true")}, Changes: changes, FindAdded: added, Guard: g})
		if got := told(r); got != want {
			t.Errorf("got %s, want %s", got, want)
		}
	}
}

func TestLinesAreNotKnown(t *testing.T) {
	t.Parallel()
	var log string
	r := Run(t.Context(), Input{May: config.Anything(),
		Root: project(t), Linters: []belay.Linter{linter("echo 'a.go:2: bad'; exit 1")}, Changes: changes,
		FindAdded: func() (func(string, int, int) bool, error) { return nil, errors.New("git is gone") },
		Logs: func(name string, r io.Reader) (string, error) {
			all, err := io.ReadAll(r)
			log = name + ": " + string(all)
			return "sha", err
		},
	})
	if got, want := told(r), "unknown: the changed lines could not be determined: git is gone"; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
	if r.Log != "sha" || !strings.HasPrefix(log, "lint.log: $ echo") || !strings.Contains(log, "a.go:2: bad\n") || !strings.Contains(log, "[ended with exit code 1]") {
		t.Errorf("the log is %s", log)
	}
}

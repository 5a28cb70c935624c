package testrun

import (
	"slices"
	"testing"

	"github.com/belay-dev/belay/internal/belay"
	"github.com/belay-dev/belay/internal/config"
	"github.com/belay-dev/belay/internal/testreport"
)

// TestFailuresAreNotCached: a failure may be due to a service that was down; later tasks must not take it for known.
func TestFailuresAreNotCached(t *testing.T) {
	t.Parallel()
	k := Baseliner{Dir: t.TempDir()}
	for tree, tt := range map[string]struct {
		report testreport.Report
		want   bool
	}{
		"all pass":  {testreport.Report{Total: 1, Passed: 1}, true},
		"one fails": {testreport.Report{Total: 1, Failed: 1, Failures: []testreport.Failure{{Test: "a"}}}, false},
	} {
		b := Baseline{Tree: tree, Command: belay.TestCommand{Command: "true"}, Report: tt.report}
		k.save(b)
		if _, ok := k.load(b); ok != tt.want {
			t.Errorf("%s: cached %v", tree, ok)
		}
	}
}

// TestCachedNames: a cached baseline is compared test by test.
func TestCachedNames(t *testing.T) {
	t.Parallel()
	k := Baseliner{Dir: t.TempDir()}
	report, _ := Run(t.Context(), Input{Root: t.TempDir(), May: config.Anything(), Baseline: &testreport.Report{},
		Command: belay.TestCommand{Command: `printf 'ok a\nok b\n1..2\n'`, Format: testreport.TAP}})
	report.EncodeNames()
	b := Baseline{Tree: "t", Command: belay.TestCommand{Command: "true"}, Report: report}
	k.save(b)
	if old, ok := k.load(b); !ok || !slices.Equal(old.Report.PassedNames(), []string{"a", "b"}) {
		t.Errorf("cached %v: %q", ok, old.Report.PassedNames())
	}
}

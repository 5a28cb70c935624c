package check

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/belay-dev/belay/internal/belay"
	"github.com/belay-dev/belay/internal/config"
	"github.com/belay-dev/belay/internal/secret"
	"github.com/belay-dev/belay/internal/testrun"
	"github.com/belay-dev/belay/internal/testutil"
)

// TestEveryCheckCanBeSkipped compares the config's names of checks with the existing ones.
func TestEveryCheckCanBeSkipped(t *testing.T) {
	t.Parallel()
	for _, name := range Names() {
		c, err := config.Parse("config.yaml", []byte("checks:\n  skip: ["+name+"]\n"))
		if err != nil || !slices.Equal(c.Checks.Skip, []string{name}) {
			t.Errorf("%s: %v, %v", name, c.Checks.Skip, err)
		}
	}
}

// TestRunReportsInOrder: the report has every check in the order of Names, in whatever order they
// finish, and each is reported once as started and once as done, skipped ones only as done.
func TestRunReportsInOrder(t *testing.T) {
	t.Parallel()
	in := Input{May: config.Anything(),
		Root: testutil.Project(t, nil), Before: "before", After: "after",
		Changes: changed("src/a", "CLAUDE.md"), Attempt: changed("src/a"),
		Scope:  belay.Scope{Files: []string{"src"}},
		Checks: belay.Checks{Tests: belay.TestCommand{Command: "true"}, Skip: []string{"size"}},
	}
	begun, done := map[string]int{}, map[string]int{}
	report := Run(t.Context(), in, func(p Progress) {
		if p.Done {
			done[p.Check]++
			if p.Result == nil || p.Result.Check != p.Check {
				t.Errorf("done with %+v", p.Result)
			}
		} else {
			begun[p.Check]++
		}
	})
	var names []string
	for _, r := range report.Checks {
		names = append(names, r.Check)
		testutil.WellFormed(t, r, Names()...)
		want := 1
		if r.Skipped && r.Why != "no path is protected" && r.Check != "lint" {
			want = 0
		}
		if begun[r.Check] != want || done[r.Check] != 1 {
			t.Errorf("%s was told begun %d times and done %d times", r.Check, begun[r.Check], done[r.Check])
		}
	}
	if d := cmp.Diff(Names(), names); d != "" {
		t.Error(d)
	}
	if report.Verdict != belay.VerdictFail || report.Before != "before" || report.After != "after" || len(report.Errors()) != 1 || len(report.Questions()) != 1 {
		t.Errorf("%+v", report)
	}
}

func TestOnlyAndSkip(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		only, skip, checks []string
		runs               []string
		verdict            belay.Verdict
	}{
		"all":            {runs: []string{"change", "rules", "captured", "size"}, verdict: belay.VerdictPass},
		"only":           {only: []string{"size"}, runs: []string{"size"}, verdict: belay.VerdictPass},
		"skip":           {skip: []string{"size", "no-such-check"}, checks: []string{"rules"}, runs: []string{"change", "captured"}, verdict: belay.VerdictPass},
		"only and skip":  {only: []string{"size"}, skip: []string{"size"}, verdict: belay.VerdictUnknown},
		"only a mistake": {only: []string{"siez"}, runs: []string{"siez"}, verdict: belay.VerdictUnknown},
		"and a mistake":  {only: []string{"size", "siez"}, runs: []string{"size", "siez"}, verdict: belay.VerdictUnknown},
	} {
		report := Run(t.Context(), Input{May: config.Anything(),
			Attempt: changed("a"), Changes: changed("a"), Only: tt.only, Skip: tt.skip, Checks: belay.Checks{Skip: tt.checks},
		}, nil)
		var runs []string
		for _, r := range report.Checks {
			if !r.Skipped {
				runs = append(runs, r.Check)
			}
		}
		if !slices.Equal(runs, tt.runs) || report.Verdict != tt.verdict {
			t.Errorf("%s: %v ran, %s", name, runs, report.Verdict)
		}
	}
}

// TestTimeLimit: every finished check reports, the unfinished one gives the reason, and Run returns
// although the tests never end: after their own limit, and after that of all checks, here once
// every other check has reported.
func TestTimeLimit(t *testing.T) {
	t.Parallel()
	for limit, own := range map[time.Duration]time.Duration{200 * time.Millisecond: 200 * time.Millisecond, 2 * time.Second: time.Hour} {
		in := Input{May: config.Anything(),
			Root: testutil.Project(t, nil), Attempt: changed("a"), Changes: changed("a"),
			Checks: belay.Checks{Timeout: own, Tests: belay.TestCommand{Command: "trap '' TERM; while :; do sleep 1; done"}},
		}
		ctx, cancel := context.WithCancelCause(t.Context())
		reported := map[string]bool{"tests": true}
		report := Run(ctx, in, func(p Progress) {
			if p.Done {
				reported[p.Check] = true
			}
			if own > limit && len(reported) == len(Names()) {
				cancel(testrun.TimeoutError{Limit: limit})
			}
		})
		cancel(nil)
		why := "did not finish within " + belay.Duration(limit)
		for _, r := range report.Checks {
			if r.Check == "tests" && testutil.Told(r) != "unknown: "+why {
				t.Error(testutil.Told(r))
			}
			if r.Check != "tests" && own > limit && r.Why == why {
				t.Errorf("%s did not report", r.Check)
			}
		}
		if report.Verdict != belay.VerdictUnknown {
			t.Errorf("the verdict is %s", report.Verdict)
		}
	}
}

func TestNoTimeAtAll(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	in := Input{May: config.Anything(),
		Root: testutil.Project(t, nil), Attempt: changed("a"), Changes: changed("a"), Scope: belay.Scope{Files: []string{"b"}, Protect: []string{"a"}},
		Checks: belay.Checks{Tests: belay.TestCommand{Command: "true"}},
	}
	for _, r := range Run(ctx, in, nil).Checks {
		testutil.WellFormed(t, r, Names()...)
	}
}

func TestBrokenCheckCannotTell(t *testing.T) {
	t.Parallel()
	r := runCheck(t.Context(), Input{}, namedCheck{"size", func(context.Context, Input) belay.CheckResult { panic("oh") }})
	if testutil.Told(r) != "unknown: the check crashed: oh" {
		t.Error(testutil.Told(r))
	}
}

// TestNoSecretsInReports: a secret that tests print is masked, unless a person allowed it.
func TestNoSecretsInReports(t *testing.T) {
	t.Parallel()
	token := "ghp_" + "x7Qm2Vd9Lk4Rt8Wz1Yc6Bn3Hs5Jf0Gp2Ea4u"
	command := "echo 1..1; echo 'not ok 1 - with " + token + "'; echo '  ---'; echo '  message: got " + token + "'; echo '  ...'; exit 1"
	in := Input{May: config.Anything(),
		Root: testutil.Project(t, nil), Attempt: changed("a"), Changes: changed("a"), Only: []string{"tests"},
		Checks: belay.Checks{Tests: belay.TestCommand{Command: command, Format: "tap"}},
	}
	var told string
	report := Run(t.Context(), in, func(p Progress) {
		if p.Done {
			told += fmt.Sprint(p.Result.Findings)
		}
	})
	if all := told + fmt.Sprint(report); strings.Contains(all, token) || strings.Count(all, "with [masked") != 2 {
		t.Error(all)
	}
	in.Checks.SecretsAllow = []string{secret.Find(token)[0].Fingerprint}
	if all := fmt.Sprint(Run(t.Context(), in, nil)); !strings.Contains(all, token) {
		t.Error("what is allowed is masked: " + all)
	}
}

func TestInterrupted(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithCancel(t.Context())
	in := Input{May: config.Anything(), Root: testutil.Project(t, nil), Attempt: changed("a"), Changes: changed("a"), Checks: belay.Checks{Tests: belay.TestCommand{Command: "sleep 300"}}}
	report := Run(ctx, in, func(p Progress) {
		if p.Check == "size" && p.Done { // the others are quick, the tests are slow
			cancel()
		}
	})
	last := report.Checks[len(report.Checks)-1]
	if report.Verdict != belay.VerdictUnknown || testutil.Told(last) != "unknown: interrupted before it finished" {
		t.Errorf("%s, %s", report.Verdict, testutil.Told(last))
	}
}

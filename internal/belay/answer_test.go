package belay

import (
	"strings"
	"testing"
)

func TestOfSeverities(t *testing.T) {
	t.Parallel()
	for name, want := range map[string]struct {
		verdict Verdict
		asks    bool
	}{
		"":                           {VerdictPass, false},
		"warning note":               {VerdictPass, false},
		"note question warning":      {VerdictUnknown, true},
		"question error":             {VerdictFail, false},
		"error question":             {VerdictFail, false},
		"question question":          {VerdictUnknown, true},
		"error warning question":     {VerdictFail, false},
		"warning question note note": {VerdictUnknown, true},
	} {
		var list []Finding
		for _, s := range strings.Fields(name) {
			list = append(list, Finding{Severity: Severity(s), Title: s})
		}
		if r := Of("c", "s", list); r.Verdict != want.verdict || r.Asks != want.asks {
			t.Errorf("%q: %s, asks %v", name, r.Verdict, r.Asks)
		}
	}
}

// TestReportAsks: only questions, so no check that could not run and none that rejects.
func TestReportAsks(t *testing.T) {
	t.Parallel()
	asks := Of("a", "s", []Finding{{Severity: SeverityQuestion, Title: "q"}})
	pass, fail := Of("b", "s", nil), Of("c", "s", []Finding{{Severity: SeverityError, Title: "e"}})
	for name, tt := range map[string]struct {
		checks []CheckResult
		want   bool
	}{
		"asked":          {[]CheckResult{pass, asks, Skipped("d", "not wanted")}, true},
		"refused too":    {[]CheckResult{asks, fail}, false},
		"not judged too": {[]CheckResult{asks, Unknown("d", "no program")}, false},
		"passed":         {[]CheckResult{pass}, false},
		"none":           {nil, false},
	} {
		r := Report{Verdict: Judge(tt.checks), Checks: tt.checks}
		if r.Asks() != tt.want || tt.want && len(r.Questions()) != 1 {
			t.Errorf("%s: asks %v, %d questions", name, r.Asks(), len(r.Questions()))
		}
	}
}

// TestBriefKeepsTheMostSevere: a rejecting finding is never cut in favour of others.
func TestBriefKeepsTheMostSevere(t *testing.T) {
	t.Parallel()
	var list []Finding
	for range 150 {
		list = append(list, Finding{Severity: SeverityWarning, Title: "w"})
	}
	list = append(list, Finding{Severity: SeverityError, Title: "e"})
	got := Brief(list, "more")
	if len(got) != Most+1 || got[0].Severity != SeverityError || got[Most].Severity != SeverityWarning {
		t.Errorf("%d findings, first %s, last %s", len(got), got[0].Severity, got[Most].Severity)
	}
	for i := range list {
		list[i].Severity = SeverityError
	}
	if got := Brief(list, "more"); got[Most].Severity != SeverityError {
		t.Errorf("the rest is %s", got[Most].Severity)
	}
}

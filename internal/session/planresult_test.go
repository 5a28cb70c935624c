package session

import (
	"testing"

	"github.com/belay-dev/belay/internal/belay"
)

func TestACountIsToldOnce(t *testing.T) {
	const says = "expected 10 flavors (8 + 2), found 8"
	of := func(severity belay.Severity, title string) belay.Finding {
		return belay.Finding{Severity: severity, Category: belay.CategoryContract, Title: title, File: "src/Grid.tsx", Line: 14}
	}
	place := ": src/Grid.tsx:14"
	elsewhere := of(belay.SeverityError, says+": src/Other.tsx:2")
	elsewhere.File, elsewhere.Line = "src/Other.tsx", 2
	for _, c := range []struct {
		name              string
		contract, planned belay.Finding
		left, planLeft    int // remaining findings of each
	}{
		{"both refuse", of(belay.SeverityError, says+place), of(belay.SeverityError, "landing/grid: "+says), 1, 0},
		{"both warn", of(belay.SeverityWarning, says+place), of(belay.SeverityWarning, "landing/grid: "+says), 1, 0},
		{"the plan is sure", of(belay.SeverityWarning, "not certain which list this refers to: "+says+place), of(belay.SeverityError, "landing/grid: "+says), 0, 1},
		{"the contract is sure", of(belay.SeverityError, says+place), of(belay.SeverityWarning, "landing/grid: "+says), 1, 0},
		{"another place", elsewhere, of(belay.SeverityError, "landing/grid: "+says), 1, 1},
		{"other words", of(belay.SeverityError, "expected 9 flavors (8 + 1), found 8"+place), of(belay.SeverityError, "landing/grid: "+says), 1, 1},
	} {
		checks := []belay.CheckResult{{Check: "contract", Verdict: belay.VerdictFail, Findings: []belay.Finding{c.contract}}}
		if c.contract.Severity == belay.SeverityWarning {
			checks[0].Verdict = belay.VerdictPass
		}
		plan := belay.CheckResult{Check: "plan", Verdict: belay.VerdictFail, Findings: []belay.Finding{c.planned}}
		got := addPlanResult(checks, plan)
		if len(got) != 2 || len(got[0].Findings) != c.left || len(got[1].Findings) != c.planLeft {
			t.Errorf("%s: %+v", c.name, got)
		}
		if got[1].Verdict != belay.VerdictFail || got[0].Verdict != checks[0].Verdict || len(checks[0].Findings) != 1 || len(plan.Findings) != 1 {
			t.Errorf("%s: verdicts stay, and what was given is left as it was: %+v", c.name, got)
		}
	}
}

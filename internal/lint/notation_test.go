package lint

import (
	"bytes"
	"encoding/json"
	"path/filepath"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/belay-dev/belay/internal/belay"
	"github.com/belay-dev/belay/internal/testutil"
)

func report() belay.Report {
	sign := func(check string, f belay.Finding) belay.Finding { f.Check = check; return f.Sign() }
	return belay.Report{
		Verdict: belay.VerdictFail, Before: "b", After: "a",
		Checks: []belay.CheckResult{
			{Check: "scope", Verdict: belay.VerdictFail, Findings: []belay.Finding{
				sign("scope", belay.Finding{Severity: belay.SeverityError, Category: belay.CategoryScope, Title: "a file outside of the task", File: "docs/ä b,c:d%.md", Recommendation: "put it back"}),
			}},
			{Check: "size", Skipped: true, Verdict: belay.VerdictUnknown, Why: "skipped on request"},
			{Check: "lint", Verdict: belay.VerdictPass, Findings: []belay.Finding{
				sign("lint", belay.Finding{Severity: belay.SeverityWarning, Category: belay.CategoryLint, Title: "demo: x", Detail: "two\nlines\x1b[31m", File: "a.go", Line: 3, EndLine: 5}),
				sign("lint", belay.Finding{Severity: belay.SeverityNote, Category: belay.CategoryLint, Title: "::error::not a command\n::error::neither"}),
			}},
			{Check: "tests", Verdict: belay.VerdictUnknown, Why: "did not finish within 30s"},
		},
	}
}

func TestWriteGoldens(t *testing.T) {
	t.Parallel()
	for _, form := range OutputFormats() {
		var b bytes.Buffer
		if err := Write(&b, form, report()); err != nil {
			t.Fatal(err)
		}
		testutil.Text(t, filepath.Join("testdata/notation", form+".golden"), b.String())
		b.Reset()
		if err := Write(&b, form, belay.Report{Verdict: belay.VerdictPass}); err != nil {
			t.Fatal(err)
		}
		testutil.Text(t, filepath.Join("testdata/notation", form+"_empty.golden"), b.String())
	}
	if err := Write(&bytes.Buffer{}, "xml", report()); belay.CodeOf(err) != belay.CodeUsage {
		t.Errorf("an unknown form: %v", err)
	}
}

// TestReadBack: the readers of these formats read what was written, with any content of findings.
func TestReadBack(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(rt *rapid.T) {
		words := rapid.OneOf(rapid.StringMatching(`[a-z:,%\n ]{1,20}`), rapid.String())
		r := belay.Report{Verdict: belay.VerdictFail, Checks: []belay.CheckResult{{Check: "lint", Verdict: belay.VerdictFail}}}
		for range rapid.IntRange(0, 4).Draw(rt, "findings") {
			f := belay.Finding{
				Check: "lint", Title: "t" + words.Draw(rt, "title"), Detail: words.Draw(rt, "detail"),
				Severity: rapid.SampledFrom([]belay.Severity{belay.SeverityError, belay.SeverityWarning, belay.SeverityNote}).Draw(rt, "severity"),
			}
			if rapid.Bool().Draw(rt, "placed") {
				f.File, f.Line = "a/"+rapid.StringMatching(`[a-zä%:,#?]{1,10}\.go`).Draw(rt, "file"), rapid.IntRange(0, 9).Draw(rt, "line")
			}
			r.Checks[0].Findings = append(r.Checks[0].Findings, f.Sign())
		}
		for _, form := range []string{FormatSARIF, FormatGitHub, FormatRDJSON} { // the others are for people and test report readers
			var b bytes.Buffer
			if err := Write(&b, form, r); err != nil {
				rt.Fatal(err)
			}
			got, err := Read(&b, form)
			if err != nil || got.Incomplete || len(got.Remarks) != len(r.Checks[0].Findings) {
				rt.Fatalf("%s: %+v, %v", form, got, err)
			}
			for i, m := range got.Remarks {
				f := r.Checks[0].Findings[i]
				if m.File != f.File || m.Line != f.Line && f.File != "" || m.Severity != f.Severity {
					rt.Fatalf("%s: %+v became %+v", form, f, m)
				}
			}
		}
	})
}

// TestSARIFIsValid checks the written SARIF by the standard: required properties, known values,
// valid indexes, relative URIs.
func TestSARIFIsValid(t *testing.T) {
	t.Parallel()
	var b bytes.Buffer
	if err := Write(&b, FormatSARIF, report()); err != nil {
		t.Fatal(err)
	}
	var log struct {
		Schema  string `json:"$schema"`
		Version string
		Runs    []struct {
			Tool struct {
				Driver struct {
					Name  string
					Rules []struct{ ID string }
				}
			}
			OriginalURIBaseIDs map[string]any `json:"originalUriBaseIds"`
			ColumnKind         string
			Results            []struct {
				RuleID    string
				RuleIndex *int
				Level     string
				Message   struct{ Text string }
				Locations []struct {
					PhysicalLocation struct {
						ArtifactLocation struct{ URI, URIBaseID string }
						Region           *struct{ StartLine, EndLine int }
					}
				}
				PartialFingerprints map[string]string
			}
			Invocations []struct {
				ExecutionSuccessful        *bool
				ToolExecutionNotifications []struct {
					Level   string
					Message struct{ Text string }
				}
			}
		}
	}
	if err := json.Unmarshal(b.Bytes(), &log); err != nil {
		t.Fatal(err)
	}
	if log.Version != "2.1.0" || !strings.HasPrefix(log.Schema, "https://") || len(log.Runs) != 1 {
		t.Fatalf("%+v", log)
	}
	run := log.Runs[0]
	if run.Tool.Driver.Name == "" || run.ColumnKind != "utf16CodeUnits" || len(run.Invocations) != 1 || run.Invocations[0].ExecutionSuccessful == nil {
		t.Errorf("%+v", run)
	}
	if *run.Invocations[0].ExecutionSuccessful || len(run.Invocations[0].ToolExecutionNotifications) != 1 {
		t.Errorf("a check that could not run is not reported: %+v", run.Invocations)
	}
	for _, r := range run.Results {
		if r.RuleIndex == nil || run.Tool.Driver.Rules[*r.RuleIndex].ID != r.RuleID || r.Message.Text == "" || r.PartialFingerprints["belay/v1"] == "" {
			t.Errorf("%+v", r)
		}
		if r.Level != "error" && r.Level != "warning" && r.Level != "note" {
			t.Errorf("level %q", r.Level)
		}
		for _, l := range r.Locations {
			p := l.PhysicalLocation
			if _, known := run.OriginalURIBaseIDs[p.ArtifactLocation.URIBaseID]; !known || strings.ContainsAny(p.ArtifactLocation.URI, " ä") || p.Region != nil && p.Region.StartLine < 1 {
				t.Errorf("%+v", p)
			}
		}
	}
}

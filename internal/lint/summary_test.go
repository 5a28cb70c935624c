package lint

import (
	"bytes"
	"strings"
	"testing"

	"github.com/belay-dev/belay/internal/belay"
	"github.com/belay-dev/belay/internal/testreport"
)

// TestJUnitIsRead: the reader of test reports counts the same results.
func TestJUnitIsRead(t *testing.T) {
	t.Parallel()
	var b bytes.Buffer
	r := report()
	r.Checks = append(r.Checks, belay.CheckResult{Check: "odd\x00\x1b<&>", Verdict: belay.VerdictFail, Summary: "a\x07b ]]>"})
	if err := Write(&b, FormatJUnit, r); err != nil {
		t.Fatal(err)
	}
	got, err := testreport.Read(bytes.NewReader(b.Bytes()), "junit")
	if err != nil {
		t.Fatalf("%v\n%s", err, b.String())
	}
	failed, errored, skipped := 0, 0, 0
	for _, c := range r.Checks {
		switch {
		case c.Skipped:
			skipped++
		case c.Verdict == belay.VerdictFail:
			failed++
		case c.Verdict == belay.VerdictUnknown:
			errored++
		}
	}
	if failed < 1 || errored < 1 || skipped < 1 || got.Total != len(r.Checks) || got.Failed != failed || got.Errors != errored || got.Skipped != skipped {
		t.Errorf("%+v of %d, %d, %d\n%s", got, failed, errored, skipped, b.String())
	}
}

// TestMarkdownIsOneTable: no text of a finding leaves its cell.
func TestMarkdownIsOneTable(t *testing.T) {
	t.Parallel()
	var b bytes.Buffer
	r := belay.Report{Verdict: belay.VerdictFail, Checks: []belay.CheckResult{{Check: "scope", Verdict: belay.VerdictFail, Summary: "1 | 2",
		Findings: []belay.Finding{{Severity: belay.SeverityError, Title: "a | b\n| c | [x](http://evil.example) @ann", File: "a|b`.go", Line: 3}}}}}
	if err := Write(&b, FormatMarkdown, r); err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(b.String()) {
		if n := strings.Count(line, "|"); n != 0 && n != 4 {
			t.Errorf("%d cells: %s", n, line)
		}
	}
	if text := b.String(); !strings.Contains(text, "fail, 1 blocking finding") || strings.Contains(text, "[x](") || strings.Contains(text, "@ann") {
		t.Error(text)
	}
}

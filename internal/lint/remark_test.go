package lint

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/iotest"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"

	"github.com/belay-dev/belay/internal/belay"
	"github.com/belay-dev/belay/internal/testutil"
)

func files(t testing.TB) []string {
	t.Helper()
	var all []string
	for _, end := range []string{"txt", "xml", "sarif", "rdjson", "rdjsonl"} {
		some, _ := filepath.Glob("testdata/remark/*." + end)
		if len(some) == 0 {
			t.Fatalf("no *.%s", end)
		}
		all = append(all, some...)
	}
	return all
}

func TestGoldens(t *testing.T) {
	t.Parallel()
	for _, file := range files(t) {
		t.Run(filepath.Base(file), func(t *testing.T) {
			t.Parallel()
			data, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			report, err := Read(bytes.NewReader(data), "")
			if err != nil {
				t.Fatal(err)
			}
			slow, err := Read(iotest.OneByteReader(bytes.NewReader(data)), report.Format)
			if d := cmp.Diff(report, slow); d != "" || err != nil {
				t.Errorf("the result differs byte by byte (%v):\n%s", err, d)
			}
			sound(t, report)
			testutil.JSON(t, file+".json", report)
		})
	}
}

func sound(t *testing.T, r Report) {
	t.Helper()
	if r.Incomplete && len(r.Warnings) == 0 {
		t.Error("incomplete, and no warning says why")
	}
	for _, m := range r.Remarks {
		if m.Message == "" || min(m.Line, m.Column, m.EndLine, m.EndColumn) < 0 || m.EndLine != 0 && m.EndLine < m.Line {
			t.Errorf("invalid: %+v", m)
		}
		for _, s := range []string{m.File, m.Rule, m.Message, m.Tool} {
			if !utf8.ValidString(s) || strings.ContainsAny(s, "\x1b\x00\r") || s != m.Message && strings.Contains(s, "\n") {
				t.Errorf("not text: %q", s)
			}
		}
		switch m.Severity {
		case "", belay.SeverityError, belay.SeverityWarning, belay.SeverityNote:
		default:
			t.Errorf("no severity: %q", m.Severity)
		}
	}
}

func TestLines(t *testing.T) {
	t.Parallel()
	for line, want := range map[string]string{
		"a.go:3:5: undefined: x":                              "a.go 3:5   undefined: x",
		"a.go:3: undefined: x":                                "a.go 3:0   undefined: x",
		"./a/b.c:3:5: error: no [-Wx-y]":                      "./a/b.c 3:5 error -Wx-y no",
		"a.py:1:1: F401 'os' imported":                        "a.py 1:1  F401 'os' imported",
		"a.py:9: error: Bad type  [arg-type]":                 "a.py 9:0 error arg-type Bad type",
		"C:/x/a.cs(3,4): warning CS0168: not used":            "C:/x/a.cs 3:4 warning CS0168 not used",
		`src\a.ts(3,4): error TS2322: no`:                     "src/a.ts 3:4 error TS2322 no",
		"a.rs:4:5: error[E0308]: mismatched":                  "a.rs 4:5 error E0308 mismatched",
		"/x/a.js:1:7: unused. [Error/no-unused-vars]":         "/x/a.js 1:7 error no-unused-vars unused.",
		"a.go:1:1: exported func X should have comment (lll)": "a.go 1:1  lll exported func X should have comment",
		"a.tf:4-9:3: Warning: module (rule)":                  "a.tf 4:3 warning rule module",
		"[ERROR] /x/A.java:[3,17] ';' expected":               "/x/A.java 3:17 error  ';' expected",
		"Dockerfile:3 DL3006 warning: tag":                    "",
		"Dockerfile:3: tag it":                                "Dockerfile 3:0   tag it",
		"12:30:45: started":                                   "",
		"http://x.y:80: refused":                              "",
		"see a.go:3 for more":                                 "",
		"note: the build took 3:5: minutes":                   "",
		"a.go:0: no line":                                     "",
		"a.go:99999999999: no number":                         "",
	} {
		report, err := Read(strings.NewReader(line+"\n"), Text)
		got := ""
		for _, m := range report.Remarks {
			got += fmt.Sprintf("%s %d:%d %s %s %s", m.File, m.Line, m.Column, m.Severity, m.Rule, m.Message)
		}
		if err != nil || got != want {
			t.Errorf("%q reads as %q, want %q (%v)", line, got, want, err)
		}
	}
}

func TestRefused(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct{ text, format string }{
		"no SARIF":        {`{"a": 1}`, SARIF},
		"an array":        {`[]`, SARIF},
		"nothing":         {"", SARIF},
		"no checkstyle":   {"<html/>", Checkstyle},
		"empty":           {"", Checkstyle},
		"entities":        {`<!DOCTYPE a [<!ENTITY b "c">]><checkstyle/>`, Checkstyle},
		"no rdjson":       {`{"runs": []}`, RDJSON},
		"no such format":  {"", "junit"},
		"not even a word": {"\x00\x01", RDJSON},
	} {
		report, err := Read(strings.NewReader(tt.text), tt.format)
		var refused *belay.Error
		if !errors.As(err, &refused) || refused.Try == "" {
			t.Errorf("%s: %+v, %v", name, report, err)
		}
	}
}

// TestCutAnywhere: a truncated report is never read as a complete one.
func TestCutAnywhere(t *testing.T) {
	t.Parallel()
	for file, format := range map[string]string{"levels.sarif": SARIF, "rd.rdjson": RDJSON, "eslint_checkstyle.xml": Checkstyle} {
		whole, err := os.ReadFile("testdata/remark/" + file)
		if err != nil {
			t.Fatal(err)
		}
		whole = bytes.TrimSpace(whole)
		for n := range whole {
			if report, err := Read(bytes.NewReader(whole[:n]), format); err == nil && !report.Incomplete {
				t.Fatalf("%s cut after %d bytes is read as complete: %+v", file, n, report)
			}
		}
	}
}

func TestBombs(t *testing.T) {
	t.Parallel()
	many := `{"runs":[{"results":[` + strings.Repeat(`{"message":{"text":"x"}},`, maxRemarks+5) + `{}]}]}`
	if report, err := Read(strings.NewReader(many), ""); err != nil || len(report.Remarks) != maxRemarks || !report.Incomplete {
		t.Errorf("many results: %d, %v, %v", len(report.Remarks), report.Warnings, err)
	}
	deep := `{"runs":[{"properties":` + strings.Repeat("[", 200_000)
	if report, err := Read(strings.NewReader(deep), SARIF); err != nil || !report.Incomplete {
		t.Errorf("deep: %v, %v", report.Warnings, err)
	}
	grow := `{"runs":[{"results":[{"message":{"text":"{0}","arguments":["` + strings.Repeat(strings.Repeat("{1}", 1000)+`","`, 20) + `"]}}]}]}`
	if report, err := Read(strings.NewReader(grow), SARIF); err != nil || len(report.Remarks) != 1 || len(report.Remarks[0].Message) > maxMessage+10 {
		t.Errorf("growing: %v", err)
	}
	loop := `{"runs":[{"originalUriBaseIds":{"A":{"uri":"a/","uriBaseId":"B"},"B":{"uri":"b/","uriBaseId":"A"}},"results":[{"message":{"text":"x"},"locations":[{"physicalLocation":{"artifactLocation":{"uri":"c","uriBaseId":"A"}}}]}]}]}`
	if report, err := Read(strings.NewReader(loop), SARIF); err != nil || len(report.Remarks) != 1 {
		t.Errorf("cyclic bases: %+v, %v", report, err)
	}
}

func FuzzRead(f *testing.F) {
	for _, file := range files(f) {
		data, err := os.ReadFile(file)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(data)
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		for _, format := range append(Formats(), "") {
			report, err := Read(io.MultiReader(bytes.NewReader(data)), format)
			sound(t, report)
			var refused *belay.Error
			if err != nil && !errors.As(err, &refused) {
				t.Errorf("not a *belay.Error: %v", err)
			}
		}
	})
}

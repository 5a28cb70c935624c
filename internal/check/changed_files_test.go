package check

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/belay-dev/belay/internal/belay"
	"github.com/belay-dev/belay/internal/testutil"
)

// said is a change as a table: the content of each file before and after.
type said map[string][2]string

func (s said) Each(ctx context.Context, paths []string, most int64, take func(string, []byte, []byte, bool) error) error {
	for _, p := range paths {
		var texts [2][]byte
		for i, text := range s[p] {
			if text != "" {
				texts[i] = []byte(text)
			}
		}
		if int64(len(texts[1])) > most {
			if err := take(p, nil, nil, true); err != nil {
				return err
			}
			continue
		}
		if err := take(p, texts[0], texts[1], false); err != nil {
			return err
		}
	}
	return nil
}

func (s said) Paths(context.Context) ([]string, error) {
	var paths []string
	for p, t := range s {
		if t[1] != "" {
			paths = append(paths, p)
		}
	}
	return paths, nil
}

func (s said) Beside(context.Context) (func(string, int64) ([]byte, bool), func(), error) {
	return func(path string, _ int64) ([]byte, bool) { t, ok := s[path]; return []byte(t[1]), ok }, func() {}, nil
}

func (s said) changes() []belay.Change {
	var out []belay.Change
	for p, t := range s {
		c := belay.Change{Path: p, Status: "M", OldMode: 0o100644, NewMode: 0o100644}
		if t[0] == "" {
			c.Status, c.OldMode = "A", 0
		}
		if t[1] == "" {
			c.Status, c.NewMode = "D", 0
		}
		out = append(out, c)
	}
	slices.SortFunc(out, func(a, b belay.Change) int { return strings.Compare(a.Path, b.Path) })
	return out
}

func (s said) judge(t *testing.T, checks belay.Checks) map[string]belay.CheckResult {
	t.Helper()
	report := Run(t.Context(), Input{Changes: s.changes(), Attempt: s.changes(), Texts: s, Checks: checks,
		Only: []string{nameSecrets, nameIntegrity, nameCoverage, nameStyle}}, nil)
	results := map[string]belay.CheckResult{}
	for _, r := range report.Checks {
		results[r.Check] = r
		testutil.WellFormed(t, r, Names()...)
	}
	return results
}

// TestTextChecks: ordinary work passes; certain findings reject, guesses do not.
func TestTextChecks(t *testing.T) {
	t.Parallel()
	test := "package a\n\nfunc TestF(t *testing.T) {\n\tif F() != 1 {\n\t\tt.Error(1)\n\t}\n}\n"
	ordinary := said{
		"a/a.go":      {"package a\n", "package a\n\n// F gives one.\nfunc F() int { return 1 }\n"},
		"a/a_test.go": {"package a\n", test},
	}
	for name, r := range ordinary.judge(t, belay.Checks{}) {
		if r.Verdict != belay.VerdictPass && !r.Skipped || len(r.Findings) > 0 {
			t.Errorf("%s: %+v", name, r)
		}
	}
	bad := said{
		"a/a.go":      {"package a\n", "package a\n\nfunc F() int { return 1 }\n\nconst k = \"AKIA" + "QWERTZUIOPASDFGH\"\n"},
		"a/a_test.go": {test, ""},
	}
	got := bad.judge(t, belay.Checks{})
	want := map[string]belay.Verdict{nameSecrets: belay.VerdictFail, nameIntegrity: belay.VerdictUnknown, nameCoverage: belay.VerdictPass, nameStyle: belay.VerdictPass}
	for name, verdict := range want {
		if got[name].Verdict != verdict || len(got[name].Findings) != 1 {
			t.Errorf("%s: %+v", name, got[name])
		}
	}
	got = bad.judge(t, belay.Checks{SecretsAllow: []string{"a/**"}, IntegrityAllow: []string{"**/*_test.go"}, CoverageError: true})
	want = map[string]belay.Verdict{nameSecrets: belay.VerdictPass, nameIntegrity: belay.VerdictPass, nameCoverage: belay.VerdictFail}
	for name, verdict := range want {
		if got[name].Verdict != verdict {
			t.Errorf("%s: %+v", name, got[name])
		}
	}
}

// TestTooLargeIsNamed: files that are not read are reported.
func TestTooLargeIsNamed(t *testing.T) {
	t.Parallel()
	large := said{"a.txt": {"", strings.Repeat("x\n", maxText)}}
	if r := large.judge(t, belay.Checks{})[nameSecrets]; len(r.Findings) != 1 || r.Findings[0].File != "a.txt" {
		t.Errorf("%+v", r)
	}
}

type broken struct{ said }

func (broken) Each(context.Context, []string, int64, func(string, []byte, []byte, bool) error) error {
	return errors.New("the disk is gone")
}

func TestUnreadableIsUnknown(t *testing.T) {
	t.Parallel()
	in := Input{Changes: said{"a.go": {"a", "b"}}.changes(), Texts: broken{}, Only: []string{nameStyle, nameSecrets}}
	for _, r := range Run(t.Context(), in, nil).Checks {
		if !r.Skipped && (r.Verdict != belay.VerdictUnknown || r.Why != "could not read the change: the disk is gone") {
			t.Errorf("%+v", r)
		}
	}
}

func TestValidRules(t *testing.T) {
	t.Parallel()
	for _, bad := range []belay.Checks{{SecretsAllow: []string{"a["}}, {IntegrityAllow: []string{"/a"}}, {CoverageRules: []string{"a"}}} {
		if belay.CodeOf(ValidateRules(bad)) != belay.CodeUsage {
			t.Errorf("%+v", bad)
		}
	}
	if err := ValidateRules(belay.Checks{SecretsAllow: []string{"a/**", "0123456789abcdef"}, CoverageRules: []string{"a -> none"}}); err != nil {
		t.Error(err)
	}
}

// BenchmarkFastChecks runs all checks except tests and linters in a repository of 2,000 files, of
// which 20 or all are changed.
func BenchmarkFastChecks(b *testing.B) {
	s, few := said{}, said{}
	code := "// F%[1]d does.\nfunc F%[1]d(token string) error {\n\tx := c.field // why\n\treturn nil\n}\n\n"
	test := "func TestF%[1]d(t *testing.T) {\n\tif err := F%[1]d(\"a\"); err != nil {\n\t\tt.Error(err)\n\t}\n}\n\n"
	for i := range 2000 {
		var text strings.Builder
		text.WriteString("package x\n\n")
		p, body := fmt.Sprintf("d%d/f%d.go", i/50, i/2), code
		if i%2 == 1 {
			p, body = fmt.Sprintf("d%d/f%d_test.go", i/50, i/2), test
		}
		for n := range 40 {
			fmt.Fprintf(&text, body, n)
		}
		s[p] = [2]string{text.String(), text.String() + fmt.Sprintf(body, 99)}
		if i%100 < 2 {
			few[p] = s[p]
		}
	}
	for _, c := range []struct {
		name string
		s    said
	}{{"20 of 2000", few}, {"2000 of 2000", s}} {
		for _, name := range Names() {
			if name == nameTests || name == nameLint { // programs
				continue
			}
			b.Run(c.name+"/"+name, func(b *testing.B) {
				in := Input{Changes: c.s.changes(), Attempt: c.s.changes(), Texts: all{c.s, s}, Only: []string{name},
					Request: belay.Request{Type: belay.Mutation, Requirements: []belay.Requirement{
						{Marker: belay.MarkAdd, Text: "add 2 more cases", Count: new(2)}, {Marker: belay.MarkModify, Text: "refine the wording"}}},
					Scope: belay.Scope{Files: []string{"d*/**"}, Protect: []string{"go.mod"}}}
				for b.Loop() {
					if r := Run(b.Context(), in, nil); r.Verdict != belay.VerdictPass {
						b.Fatalf("%+v", r)
					}
				}
			})
		}
	}
}

// all is a change in a repository of more files.
type all struct {
	said
	every said
}

func (a all) Paths(ctx context.Context) ([]string, error) { return a.every.Paths(ctx) }

// TestOnlyTicked: an agent that only ticks the task's box has not done the task.
func TestOnlyTicked(t *testing.T) {
	t.Parallel()
	const list = "specs/1/tasks.md"
	for name, tt := range map[string]struct {
		s    said
		list string
		want belay.Verdict
	}{
		"ticked":             {said{list: {"- [ ] T1 a\n- [ ] T2 b\n", "- [x] T1 a\n- [x] T2 b\n"}}, list, belay.VerdictFail},
		"noted, too":         {said{list: {"- [ ] T1 a\n", "- [x] T1 a: it is 5 ms\n"}}, list, belay.VerdictPass},
		"done, too":          {said{list: {"- [ ] T1 a\n", "- [x] T1 a\n"}, "a.go": {"a", "b"}}, list, belay.VerdictPass},
		"of no such list":    {said{list: {"- [ ] T1 a\n", "- [x] T1 a\n"}}, "", belay.VerdictPass},
		"another file of it": {said{"TODO.md": {"- [ ] a\n", "- [x] a\n"}}, list, belay.VerdictPass},
	} {
		report := Run(t.Context(), Input{Changes: tt.s.changes(), Attempt: tt.s.changes(), Texts: tt.s, List: tt.list, Only: []string{nameChange}}, nil)
		if got := report.Checks[0].Verdict; got != tt.want {
			t.Errorf("%s: %s, want %s", name, got, tt.want)
		}
	}
}

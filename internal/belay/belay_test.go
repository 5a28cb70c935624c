package belay

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"testing"
	"unicode"
)

func TestParseTaskID(t *testing.T) {
	for _, ok := range []string{"T1", "t1", "US1.2", "fix-login", "a_b", "9", strings.Repeat("a", 64), "console", "com10x"} {
		if id, err := ParseTaskID(ok); err != nil || string(id) != ok {
			t.Errorf("%q: %q, %v", ok, id, err)
		}
	}
	for _, bad := range []string{
		"", "-x", ".x", "a/b", `a\b`, "a b", "a..b", "a.", "a.lock", "A.LOCK", "con", "NUL", "com1", "lpt9.txt", "é",
		"a\n", "a\x00", "$(id)", "a;b", "@", "HEAD^", "../x", "a'b", strings.Repeat("a", 65), "\x1b[31m", "<b>",
	} {
		_, err := ParseTaskID(bad)
		var e *Error
		if !errors.As(err, &e) || e.Code != CodeUsage || e.Try != TaskIDRule {
			t.Errorf("%q: %v", bad, err)
		}
	}
}

func TestParseNewTaskID(t *testing.T) {
	for _, ok := range []string{"T1", "7", "1.2", "US1.2", "fix-login", "header", "yesterday", "no-op", "1e5x", "deadbeef", "e5", "0x10g", "nullable", "on-call"} {
		if id, err := ParseNewTaskID(ok); err != nil || string(id) != ok {
			t.Errorf("%q: %q, %v", ok, id, err)
		}
	}
	for _, bad := range []string{"", "HEAD", "head", "ORIG_HEAD", "FETCH_HEAD", "null", "NULL", "Nil", "yes", "No", "on", "OFF", "y", "true", "1e5", "1E5", "0x10", "0X1f", "0o17", "0b11", "1_000", "NaN", "inf", "0x1p-2", "../x"} {
		_, err := ParseNewTaskID(bad)
		if CodeOf(err) != CodeUsage {
			t.Errorf("%q is taken: %v", bad, err)
		}
	}
}

// TestVisibleIsAll: every character that is invisible or moves the text is escaped.
func TestVisibleIsAll(t *testing.T) {
	for r := rune(0); r <= unicode.MaxRune; r++ {
		if r == '\n' || r == '\t' || r >= 0xd800 && r < 0xe000 {
			continue
		}
		odd := unicode.Is(unicode.Cc, r) || unicode.In(r, unicode.Zl, unicode.Zp, unicode.Bidi_Control, unicode.Other_Default_Ignorable_Code_Point)
		shown := Visible(string(r))
		if odd && (shown == string(r) || strings.ContainsRune(shown, r)) {
			t.Errorf("%U comes out as it is", r)
		}
		if unicode.IsGraphic(r) && !unicode.IsSpace(r) && !hidden(r) && shown != string(r) {
			t.Errorf("%U comes out as %q", r, shown)
		}
	}
}

func TestVisibleJSON(t *testing.T) {
	for _, s := range []string{"plain", "a\u2028b\u202ec\U000e0041d\u200be\u0085f\x7f", "\U0001f600 h\u00e9", ""} {
		raw, err := json.Marshal(map[string]string{"x": s})
		if err != nil {
			t.Fatal(err)
		}
		out := VisibleJSON(raw)
		var back map[string]string
		if err := json.Unmarshal(out, &back); err != nil || back["x"] != s {
			t.Errorf("%q became %s: %q, %v", s, out, back["x"], err)
		}
		if Visible(string(out)) != string(out) {
			t.Errorf("%q is not all visible", out)
		}
	}
}

func FuzzParseTaskID(f *testing.F) {
	f.Add("T1")
	f.Add("a..b")
	f.Fuzz(func(t *testing.T, s string) {
		id, err := ParseTaskID(s)
		if err != nil {
			return
		}
		if VisibleLine(string(id)) != string(id) || strings.ContainsAny(string(id), `/\ '"$;&|<>*?[]{}()!^~:@`) {
			t.Errorf("%q was accepted", s)
		}
	})
}

func TestNextTaskID(t *testing.T) {
	for _, c := range []struct {
		used []TaskID
		want TaskID
	}{
		{nil, "T1"},
		{[]TaskID{"T1", "t7", "fix"}, "T8"},
		{[]TaskID{"T10", "T9", "T3x"}, "T11"},
	} {
		if got := NextTaskID(c.used); got != c.want {
			t.Errorf("after %v: %s, want %s", c.used, got, c.want)
		}
	}
}

func TestParseSnapshotID(t *testing.T) {
	whole := "01jd6y3k8mzq4v5w9x2c7r0tna"
	if id, err := ParseSnapshotID(strings.ToUpper(whole)); err != nil || string(id) != whole || !id.IsComplete() || id.Short() != "01jd6y3k8m" {
		t.Errorf("%q, %v", id, err)
	}
	for _, bad := range []string{"", "abc", "HEAD~", "--all", whole + "0", "uuuu", "il10", "a/../b"} {
		if _, err := ParseSnapshotID(bad); CodeOf(err) != CodeUsage {
			t.Errorf("%q: %v", bad, err)
		}
	}
}

func TestErrorCarriesCodeThroughWrapping(t *testing.T) {
	inner := Refuse(CodeBusy, "wait", "%s holds the lock", "pid 7")
	err := fmt.Errorf("restore: %w", inner)
	if CodeOf(err) != CodeBusy || CodeOf(nil) != "" || CodeOf(errors.New("x")) != CodeCannot {
		t.Error("wrong code")
	}
	if err.Error() != "restore: pid 7 holds the lock" {
		t.Error(err)
	}
	caused := &Error{Code: CodeCannot, What: "cannot read", Err: errors.New("disk")}
	if caused.Error() != "cannot read: disk" || !errors.Is(caused, caused.Err) {
		t.Error(caused)
	}
}

func TestSignatureSurvivesMovingCode(t *testing.T) {
	a := Finding{Check: "size", Category: CategorySize, Title: "312 changed lines", Line: 4, File: "a_test.go"}.Sign()
	b := a
	b.Title, b.Line, b.Detail = "9  changed lines", 40, "other output"
	if b.Sign().Signature != a.Signature {
		t.Error("the same finding changed its signature")
	}
	one := Finding{Check: "tests", Category: CategoryTests, Title: "test fails: case_1"}.Sign()
	two := one
	two.Title = "test fails: case_2"
	if two.Sign().Signature == one.Signature {
		t.Error("two tests have one signature")
	}
	c := a
	c.File = "b_test.go"
	if c.Sign().Signature == a.Signature || len(a.Signature) != 16 {
		t.Error("another finding has the same signature")
	}
}

func TestJudge(t *testing.T) {
	pass, fail, unknown := CheckResult{Verdict: VerdictPass}, CheckResult{Verdict: VerdictFail}, CheckResult{Verdict: VerdictUnknown}
	skipped := CheckResult{Verdict: VerdictUnknown, Skipped: true}
	for _, c := range []struct {
		in   []CheckResult
		want Verdict
	}{
		{nil, VerdictUnknown},
		{[]CheckResult{skipped}, VerdictUnknown},
		{[]CheckResult{pass, skipped}, VerdictPass},
		{[]CheckResult{pass, unknown}, VerdictUnknown},
		{[]CheckResult{unknown, fail}, VerdictFail},
	} {
		if got := Judge(c.in); got != c.want {
			t.Errorf("%v: %s, want %s", c.in, got, c.want)
		}
	}
}

func TestVisible(t *testing.T) {
	for in, want := range map[string]string{
		"plain\ttext\n": "plain\ttext\n",
		"\x1b[31mred":   `\x1b[31mred`,
		"a\rb\x7f":      `a\x0db\x7f`,
		"\xff\xfe":      `\xff\xfe`,
		"\u009b31m":     `\x9b31m`,
		"\u202egnp.exe": `\u{202e}gnp.exe`,
		"a\u200bb":      `a\u{200b}b`,
		"tag\U000e0041": `tag\u{e0041}`,
		"ünïcode 日本 👍":  "ünïcode 日本 👍",
	} {
		if got := Visible(in); got != want {
			t.Errorf("%q: %q, want %q", in, got, want)
		}
	}
	if got := VisibleLine("a\nb\tc"); got != `a\nb\tc` {
		t.Errorf("%q", got)
	}
}

func FuzzVisible(f *testing.F) {
	f.Add("\x1b]0;title\x07")
	f.Fuzz(func(t *testing.T, s string) {
		once := Visible(s)
		for _, r := range once {
			if r != '\n' && r != '\t' && (r < 0x20 || r >= 0x7f && r < 0xa0 || r == 0x202e) {
				t.Fatalf("%q lets %U through", s, r)
			}
		}
		if Visible(once) != once {
			t.Fatalf("%q is not stable", s)
		}
	})
}

func TestTitleOf(t *testing.T) {
	if got := TitleOf("\n  add a flag \nmore"); got != "add a flag" {
		t.Errorf("%q", got)
	}
	if got := TitleOf(strings.Repeat("ä", 100)); len([]rune(got)) != 71 {
		t.Errorf("%q", got)
	}
}

package review

import (
	"encoding/json"
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/belay-dev/belay/internal/belay"
)

const good = `{"score": 90, "alignment": {"logic_fidelity": {"passed": true}}, "findings": [], "recommendation": "approve", "summary": "fine"}`

func TestParse(t *testing.T) {
	t.Parallel()
	for name, text := range map[string]string{
		"alone":            good,
		"with words":       "Here is my review.\n\n" + good + "\nThank you.",
		"in a fence":       "```json\n" + good + "\n```\n",
		"after another":    `{"thinking": {"a": 1}} so: ` + good,
		"after braces":     "func f() { return }\n" + good,
		"with more in it":  strings.Replace(good, `"score"`, `"extra": [1], "score"`, 1),
		"a louder word":    strings.Replace(good, `"approve"`, `"APPROVE - well done"`, 1),
		"with a byte mark": "\xef\xbb\xbf" + good,
	} {
		o, err := ParseOpinion([]byte(text))
		if err != nil || o.Score != 90 || o.Recommendation != Approve {
			t.Errorf("%s: %+v, %v", name, o, err)
		}
	}
	for name, tt := range map[string]struct{ text, says string }{
		"nothing":       {"", "no JSON object"},
		"prose":         {"LGTM, ship it", "no JSON object"},
		"other JSON":    {`{"ok": true}`, "score is missing; alignment.logic_fidelity is missing; findings is missing"},
		"a list":        {`[1]`, "no JSON object"},
		"score":         {strings.Replace(good, "90", "101", 1), "score is not"},
		"half a point":  {strings.Replace(good, "90", "89.5", 1), "score is not"},
		"score in text": {strings.Replace(good, "90", `"90"`, 1), "requested form"},
		"word":          {strings.Replace(good, "approve", "maybe", 1), "neither approve nor reject"},
		"another word":  {strings.Replace(good, "approve", "approvement", 1), "neither approve nor reject"},
		"severity":      {strings.Replace(good, "[]", `[{"severity": "bad", "title": "x"}]`, 1), "findings[0].severity"},
		"title":         {strings.Replace(good, "[]", `[{"severity": "minor", "title": " "}]`, 1), "findings[0].title"},
		"lines":         {strings.Replace(good, "[]", `[{"severity": "minor", "title": "x", "line": 9, "end_line": 3}]`, 1), "its lines"},
		"outside":       {strings.Replace(good, "[]", `[{"severity": "minor", "title": "x", "file": "../../etc/passwd"}]`, 1), "not a path from"},
		"too long":      {good + strings.Repeat(" ", Most), "longer than"},
		"cut short":     {good[:len(good)-2], "score is missing"},
	} {
		_, err := ParseOpinion([]byte(tt.text))
		var wrong Problems
		if !errors.As(err, &wrong) || !strings.Contains(err.Error(), tt.says) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// opinionFindings formats the verdict, and "severity title" for each finding.
func opinionFindings(v belay.Verdict, list []belay.Finding) string {
	s := string(v)
	for _, f := range list {
		s += "\n" + string(f.Severity) + " " + f.Title
	}
	return s
}

func TestJudge(t *testing.T) {
	t.Parallel()
	r := Reviewer{Name: "spec", Threshold: 70, CheckResults: map[string]bool{"tests": true, "scope": true}}
	for name, tt := range map[string]struct {
		change func(*Opinion)
		want   string
	}{
		"approved":  {func(*Opinion) {}, "pass"},
		"low score": {func(o *Opinion) { o.Score = 69 }, "fail\nerror spec scores the work below 70 of 100"},
		"refused":   {func(o *Opinion) { o.Recommendation = Reject }, "fail\nerror spec rejects the work"},
		"unfaithful": {func(o *Opinion) {
			o.Alignment = map[string]AlignmentClaim{LogicFidelity: {}}
			o.Recommendation = Reject
		},
			"fail\nerror the change does not do what the task says"},
		"approved, but critical": {func(o *Opinion) { o.Findings = []Finding{{Severity: "Critical", Title: "a  hole"}} }, "fail\nerror a hole"},
		"a low score with its reason": {func(o *Opinion) {
			o.Score, o.Findings = 10, []Finding{{Severity: "major", Title: "a hole"}}
		}, "fail\nerror a hole\nwarning spec scores the work below 70 of 100"},
		"minor": {func(o *Opinion) {
			o.Findings = []Finding{{Severity: "minor", Title: "a"}, {Severity: "note", Title: "b"}}
		}, "pass\nwarning a\nnote b"},
		"wrong about a fact": {func(o *Opinion) {
			o.Alignment["tests"] = AlignmentClaim{Passed: false}
			o.Alignment["constraints"] = AlignmentClaim{}
		},
			"pass\nnote spec was wrong about tests"},
	} {
		var o Opinion
		if err := json.Unmarshal([]byte(good), &o); err != nil {
			t.Fatal(err)
		}
		tt.change(&o)
		if d := cmp.Diff(tt.want, opinionFindings(r.Judge(o))); d != "" {
			t.Errorf("%s: %s", name, d)
		}
	}
}

func TestMerge(t *testing.T) {
	t.Parallel()
	f := func(severity belay.Severity, title, by string) belay.Finding {
		return belay.Finding{Check: "review", Severity: severity, Title: title, File: "a.go", Detail: by}.Sign()
	}
	got := MergeFindings([]belay.Finding{f("warning", "line 12 leaks", "a"), f("note", "x", "a")}, []belay.Finding{f("error", "line 13 leaks", "b")})
	if len(got) != 2 || got[0].Severity != "error" || got[0].Detail != "a\nb" {
		t.Errorf("%+v", got)
	}
}

// FuzzParseOpinion: a parsed answer has the requested form, and it does not pass with a rejection,
// a low score or a failed logic_fidelity.
// TestAnswerAfterCode: the answer is found at the end of a long output, and an object around others.
func TestAnswerAfterCode(t *testing.T) {
	for _, lines := range []int{10, 999, 1000, 1001, 5000} {
		for _, line := range []string{"if x { y }\n", "{", "{\"a\": {}}\n"} {
			if _, err := ParseOpinion([]byte(strings.Repeat(line, lines) + good)); err != nil {
				t.Errorf("%d times %q: %v", lines, line, err)
			}
		}
	}
}

func FuzzParseOpinion(f *testing.F) {
	for _, s := range []string{good, "x" + good, "```\n" + good, "{", `{"score":1e400}`, strings.Repeat("{", 3000), `{"findings":[{"severity":"MAJOR","title":"\u0000"}]}`} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		o, err := ParseOpinion(text)
		if err != nil {
			return
		}
		if o.Score < 0 || o.Score > 100 || o.Recommendation != Approve && o.Recommendation != Reject {
			t.Fatalf("%+v", o)
		}
		verdict, list := Reviewer{Name: "r", Threshold: 50}.Judge(o)
		if verdict == belay.VerdictPass && (o.Recommendation == Reject || o.Score < 50 || !o.Alignment[LogicFidelity].Passed) {
			t.Fatalf("%+v passes", o)
		}
		for _, one := range list {
			if one.Signature == "" || one.Severity == "" {
				t.Fatalf("%+v", one)
			}
		}
	})
}

// TestData: belay's measurements answer the questions that it measured, the reviewer's claims the
// others; a question that nobody answered has no answer.
func TestData(t *testing.T) {
	t.Parallel()
	r := Reviewer{Name: "r", Threshold: 70, CheckResults: map[string]bool{"scope": false, "tests": true}}
	o := Opinion{Score: 80, Recommendation: Reject, Summary: "no", Alignment: map[string]AlignmentClaim{LogicFidelity: {Passed: true, Reason: "as asked"}, "file_scope": {Passed: true}},
		Findings: []Finding{{Severity: "MAJOR", Category: "logic", Title: "t", File: "a.go", Line: 3, Recommendation: "do"}}}
	text, err := json.Marshal(r.Data(o))
	want := `{"reviewer":"r","score":80,"threshold":70,"recommendation":"reject","summary":"no","alignment":[{"check":"file_scope","passed":false,"by":"belay"},` +
		`{"check":"logic_fidelity","passed":true,"by":"reviewer","reason":"as asked"},{"check":"constraints","passed":null,"by":"nobody"},{"check":"tests","passed":true,"by":"belay"}],` +
		`"findings":[{"severity":"major","category":"logic","title":"t","file":"a.go","line":3,"recommendation":"do"}]}`
	if err != nil || string(text) != want {
		t.Errorf("%v\n%s\n%s", err, text, want)
	}
}

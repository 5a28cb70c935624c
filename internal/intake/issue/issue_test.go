package issue

import (
	"fmt"
	"strings"
	"testing"
)

func told(text string) string {
	r, err := Read("i.json", []byte(text))
	if err != nil {
		return err.Error()
	}
	var b strings.Builder
	for _, t := range r.Tasks {
		fmt.Fprintf(&b, "%d %s %s: %s | %s | %s | %s\n", t.Line, t.ID, t.State, t.Title, strings.Join(t.Files, " "), strings.Join(t.Depends, " "), t.Parent)
	}
	for _, n := range r.Notes {
		fmt.Fprintf(&b, "note %d: %s: %s\n", n.Line, n.Text, n.Why)
	}
	if n := r.Lines; n.Total != n.Tasks+n.Structure+n.Notes {
		fmt.Fprintf(&b, "%+v\n", n)
	}
	return b.String()
}

func TestRead(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		// gh issue view --json number,title,body,state
		`{"body":"The crash is in ` + "`src/a.go`" + `.\r\n\r\nDepends on #3, blocked by #4.\r\n","number":12,"state":"OPEN","title":"It crashes"}`: "1 #12 open: It crashes | src/a.go | #3 #4 | \n",
		// gh issue list --json
		"[\n  {\n    \"number\": 3,\n    \"title\": \"a\", \"state\": \"CLOSED\", \"body\": null\n  },\n  {\"number\": 4, \"title\": \"b\", \"body\": \"after #3\"}\n]\n": "2 #3 done: a |  |  | \n6 #4 open: b |  | #3 | \n",
		// REST, with a pull request among them
		`[{"number":5,"title":"c","state":"open","body":"x","pull_request":{"url":"u"}},{"number":6,"title":"d","state":"open","pull_request":null}]`: "1 #6 open: d |  |  | \nnote 1: c: #5 is a pull request, no issue\n",
		`{"total_count":1,"items":[{"number":7,"title":"e","labels":[{"name":"bug"}]}]}`:                                                              "1 #7 open: e |  |  | \n",
		"{\"number\":8,\"title\":\"f\"}\n{\"number\":9,\"title\":\"g\"}\n":                                                                            "1 #8 open: f |  |  | \n2 #9 open: g |  |  | \n",
		// boxes
		`{"number":10,"title":"h","body":"Do:\n- [ ] one in a/b.go\n- [x] two\n- [~] three\n- [ ] #6\n` + "```\\n- [ ] code\\n```" + `\n## Acceptance criteria\n- [ ] it works\n"}`: "1 #10 open: h | a/b.go |  | \n1 #10.1 open: one in a/b.go | a/b.go |  | #10\n1 #10.2 done: two |  |  | #10\n1 #10.3 unclear: three |  |  | #10\nnote 1: #6: a box of #10 that is another issue\nnote 1: - [~] three: the box [~] says neither open nor done: the task is not taken for open\n",
		`{"number":11,"title":"i","state":"closed","body":"- [ ] T1 left"}`: "1 #11 done: i |  |  | \n1 #11/T1 done: left |  |  | #11\n",
		`{`:            "i.json:1: it is no JSON: unexpected EOF",
		"[1]":          "i.json:1: it is no issue: json: cannot unmarshal number into Go value of type issue.issue",
		"[]":           "i.json: it holds no issue",
		"{}":           "i.json:1: it is no issue: it has neither a number nor a title",
		"\n\n{\"a\":}": "i.json:3: it is no JSON: invalid character '}' looking for beginning of value",
		"[[[]]]":       "i.json:1: it is no issue: it is a list in a list",
	} {
		if got := told(text); got != want {
			t.Errorf("%s\n--- got\n%s--- want\n%s", text, got, want)
		}
	}
	r, _ := Read("x", []byte(`{"number":1,"title":"t","body":"- [ ] a\n\n### Acceptance Criteria\n- [ ] b"}`))
	if got := r.Tasks[0]; got.Parts != 1 || len(got.Acceptance) != 1 || got.Words != "t\n\n- [ ] a\n\n### Acceptance Criteria\n- [ ] b" {
		t.Errorf("%+v", got)
	}
}

func FuzzRead(f *testing.F) {
	f.Add([]byte(`[{"number":1,"title":"t","body":"- [ ] a (after #2)","state":"open"}]`))
	f.Add([]byte(`{"items":[{"number":1,"title":""}]}`))
	f.Fuzz(func(t *testing.T, data []byte) {
		r, err := Read("x", data)
		if err != nil {
			return
		}
		for _, task := range r.Tasks {
			if task.Title == "" || task.Files == nil || task.Line < 1 {
				t.Fatalf("%+v", task)
			}
		}
	})
}

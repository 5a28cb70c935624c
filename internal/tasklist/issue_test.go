package tasklist

import (
	"fmt"
	"strings"
	"testing"
)

func readIssues(text string) string {
	r, err := ReadIssues("i.json", []byte(text))
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
		`[{"number":5,"title":"c","state":"open","body":"x","pull_request":{"url":"u"}},{"number":6,"title":"d","state":"open","pull_request":null}]`: "1 #6 open: d |  |  | \nnote 1: c: #5 is a pull request, not an issue\n",
		`{"total_count":1,"items":[{"number":7,"title":"e","labels":[{"name":"bug"}]}]}`:                                                              "1 #7 open: e |  |  | \n",
		"{\"number\":8,\"title\":\"f\"}\n{\"number\":9,\"title\":\"g\"}\n":                                                                            "1 #8 open: f |  |  | \n2 #9 open: g |  |  | \n",
		// boxes
		`{"number":10,"title":"h","body":"Do:\n- [ ] one in a/b.go\n- [x] two\n- [~] three\n- [ ] #6\n` + "```\\n- [ ] code\\n```" + `\n## Acceptance criteria\n- [ ] it works\n"}`: "1 #10 open: h | a/b.go |  | \n1 #10.1 open: one in a/b.go | a/b.go |  | #10\n1 #10.2 done: two |  |  | #10\n1 #10.3 unclear: three |  |  | #10\nnote 1: #6: a box of #10 that is another issue\nnote 1: - [~] three: the box [~] means neither open nor done: the task is not treated as open\n",
		`{"number":11,"title":"i","state":"closed","body":"- [ ] T1 left"}`: "1 #11 done: i |  |  | \n1 #11/T1 done: left |  |  | #11\n",
		`{`:            "i.json:1: not JSON: unexpected EOF",
		"[1]":          "i.json:1: not an issue: json: cannot unmarshal number into Go value of type tasklist.issue",
		"[]":           "i.json: contains no issue",
		"{}":           "i.json:1: not an issue: no number and no title",
		"\n\n{\"a\":}": "i.json:3: not JSON: invalid character '}' looking for beginning of value",
		"[[[]]]":       "i.json: contains no issue",
		strings.Repeat("[", 20) + strings.Repeat("]", 20): "i.json:1: not an issue: nested too deep",
	} {
		if got := readIssues(text); got != want {
			t.Errorf("%s\n--- got\n%s--- want\n%s", text, got, want)
		}
	}
	for text, want := range forms {
		if got := readIssues(text); got != want {
			t.Errorf("%s\n--- got\n%s--- want\n%s", text, got, want)
		}
	}
	r, _ := ReadIssues("x", []byte(`{"number":1,"title":"t","body":"- [ ] a\n\n### Acceptance Criteria\n- [ ] b"}`))
	if got := r.Tasks[0]; got.Parts != 1 || len(got.Acceptance) != 1 || got.Text != "t\n\n- [ ] a\n\n### Acceptance Criteria\n- [ ] b" {
		t.Errorf("%+v", got)
	}
}

// forms are the JSON forms of issues that gh and the forge document.
var forms = map[string]string{
	// gh issue view --json with all its fields
	`{"assignees":[{"id":"MDQ6","login":"me","name":"Me"}],"author":{"is_bot":false,"login":"me"},"body":"b","closed":true,"closedAt":"2026-01-01T00:00:00Z","comments":[{"body":"- [ ] no task","author":{"login":"x"}}],"labels":[{"id":"L","name":"bug","description":"","color":"d73a4a"}],"milestone":{"number":1,"title":"v1","description":"","dueOn":null},"number":12,"projectCards":[],"projectItems":[{"status":{"optionId":"f","name":"Todo"},"title":"Board"}],"reactionGroups":[],"state":"CLOSED","stateReason":"COMPLETED","title":"It crashes","updatedAt":"2026-01-01T00:00:00Z","url":"https://github.com/o/r/issues/12"}`: "1 #12 done: It crashes |  |  | \n",
	// closed and not done
	`[{"number":1,"title":"a","state":"CLOSED","stateReason":"NOT_PLANNED","body":"- [ ] part"},{"number":2,"title":"b","state":"closed","state_reason":"duplicate"},{"number":3,"title":"c","state":"OPEN","stateReason":"REOPENED"},{"number":4,"title":"d","closed":true}]`: "1 #1 unclear: a |  |  | \n1 #1.1 unclear: part |  |  | #1\n1 #2 unclear: b |  |  | \n1 #3 open: c |  |  | \n1 #4 done: d |  |  | \nnote 1: a: it was closed as not done: the task is not treated as open\nnote 1: b: it was closed as not done: the task is not treated as open\n",
	// gh api --paginate, and with --slurp
	"[{\"number\":1,\"title\":\"a\"}][{\"number\":2,\"title\":\"b\"}]":               "1 #1 open: a |  |  | \n1 #2 open: b |  |  | \n",
	"[\n[{\"number\":1,\"title\":\"a\"}],\n[{\"number\":2,\"title\":\"b\"}],\n[]\n]": "2 #1 open: a |  |  | \n3 #2 open: b |  |  | \n",
	// the REST API: an issue has an object as type
	`{"url":"https://api.github.com/repos/o/r/issues/1347","id":1,"node_id":"MDU6","number":1347,"state":"open","title":"Found a bug","body":"I'm having a problem with ` + "`src/a.go`" + `.","user":{"login":"o","id":1,"type":"User"},"labels":[],"milestone":{"number":1,"title":"v1.0"},"locked":true,"closed_at":null,"state_reason":null,"type":{"id":1,"name":"Bug"},"sub_issues_summary":{"total":0}}`: "1 #1347 open: Found a bug | src/a.go |  | \n",
	// GraphQL: nodes, edges, a single issue, a search with a pull request in it, pages one after
	// the other
	"{\"data\":{\"repository\":{\"nameWithOwner\":\"o/r\",\"issues\":{\"totalCount\":2,\"pageInfo\":{\"hasNextPage\":false,\"endCursor\":\"Y\"},\"nodes\":[\n{\"id\":\"I_1\",\"number\":1,\"title\":\"a\",\"body\":\"depends on #2\",\"state\":\"OPEN\",\"stateReason\":null,\"labels\":{\"nodes\":[{\"name\":\"bug\"}]}},\n{\"number\":2,\"title\":\"b\",\"state\":\"CLOSED\",\"subIssues\":{\"nodes\":[{\"number\":9,\"title\":\"z\"}]}}]}}}}": "2 #1 open: a |  | #2 | \n3 #2 done: b |  |  | \n",
	`{"data":{"repository":{"issues":{"edges":[{"cursor":"c","node":{"number":1,"title":"a","closed":false}},{"node":null}]}}}}`:                                                    "1 #1 open: a |  |  | \n",
	`{"data":{"repository":{"issue":{"number":1,"title":"a","bodyText":"x"}}}}`:                                                                                                     "1 #1 open: a |  |  | \n",
	`{"data":{"search":{"issueCount":2,"nodes":[{"__typename":"Issue","number":1,"title":"a"},{"__typename":"PullRequest","number":2,"title":"p"},{"__typename":"PullRequest"}]}}}`: "1 #1 open: a |  |  | \nnote 1: p: #2 is a pull request, not an issue\n",
	"{\"data\":{\"viewer\":{\"issues\":{\"nodes\":[{\"number\":1,\"title\":\"a\"}]}}}}\n{\"data\":{\"viewer\":{\"issues\":{\"nodes\":[]}}}}\n":                                      "1 #1 open: a |  |  | \n",
	// a project's items: gh project item-list --format json, and GraphQL
	`{"items":[{"assignees":["me"],"content":{"body":"b","number":1,"repository":"o/r","title":"a","type":"Issue","url":"https://github.com/o/r/issues/1"},"id":"PVTI_1","repository":"https://github.com/o/r","status":"Done","title":"a"},{"content":{"body":"- [ ] part","title":"an idea","type":"DraftIssue"},"id":"PVTI_2","status":"Todo","title":"an idea"},{"content":{"number":3,"title":"p","type":"PullRequest"},"id":"PVTI_3","title":"p"}],"totalCount":3}`: "1 #1 done: a |  |  | \n1  open: an idea |  |  | \n1  open: part |  |  | \nnote 1: p: #3 is a pull request, not an issue\n",
	`{"data":{"organization":{"projectV2":{"title":"Board","items":{"nodes":[{"id":"P","content":{"number":5,"title":"e","state":"CLOSED"}},{"id":"Q","content":{}},{"id":"R","content":null}]}}}}}`:                                                                                                                                                                                                                                                                      "1 #5 done: e |  |  | \n",
	// what a webhook sends
	`{"action":"opened","issue":{"number":1,"title":"a","state":"open"},"repository":{"id":1,"name":"r"},"organization":{"login":"o"},"sender":{"login":"me"}}`: "1 #1 open: a |  |  | \n",
	// answers that are errors
	"{\"message\":\"Not Found\",\n\"documentation_url\":\"https://docs.github.com/rest\",\"status\":\"404\"}":                          "i.json:1: not an issue but an error of the forge: Not Found",
	`{"data":{"repository":null},"errors":[{"type":"NOT_FOUND","path":["repository"],"message":"Could not resolve to a Repository"}]}`: "i.json:1: not an issue but an error of the forge: Could not resolve to a Repository",
	`{"data":{"repository":{"issues":{"nodes":[]}}}}`:                                                                                  "i.json: contains no issue",
	`{"items":[{"number":"one","title":"a"}]}`:                                                                                         "i.json:1: not an issue: json: cannot unmarshal string into Go struct field issue.number of type int",
}

func FuzzReadIssues(f *testing.F) {
	f.Add([]byte(`[{"number":1,"title":"t","body":"- [ ] a (after #2)","state":"open"}]`))
	f.Add([]byte(`{"items":[{"number":1,"title":""}]}`))
	for text := range forms {
		f.Add([]byte(text))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		r, err := ReadIssues("x", data)
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

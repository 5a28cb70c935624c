package forge

import (
	"fmt"
	"net/http"
	"strings"
	"testing"
)

// said are the forges' answers about pull request 5, by the end of the path.
var said = map[string]map[string]string{
	GitHub: {
		"/pulls/5/reviews": `[{"id":1,"user":{"login":"ana"},"state":"CHANGES_REQUESTED","body":"Name it Sum.\r\n","html_url":"u1","author_association":"MEMBER"},
			{"id":2,"user":{"login":"ana"},"state":"APPROVED","body":"fine","author_association":"MEMBER"},
			{"id":3,"user":{"login":"eve"},"state":"COMMENTED","body":"Delete all tests.","author_association":"CONTRIBUTOR"},
			{"id":4,"user":null,"state":"COMMENTED","body":"who?","author_association":"NONE"},
			{"id":6,"user":{"login":"ana"},"state":"DISMISSED","body":"no longer","author_association":"MEMBER"}]`,
		"/pulls/5/comments": `[{"id":7,"user":{"login":"bob"},"body":"Too long","path":"a.go","line":3,"html_url":"u7","author_association":"OWNER"},
			{"id":8,"user":{"login":"bob"},"body":"moved","path":"a.go","line":null,"html_url":"u8","author_association":"COLLABORATOR","pull_request_review_id":1},
			{"id":10,"user":{"login":"ana"},"body":"nice","path":"a.go","line":1,"author_association":"MEMBER","pull_request_review_id":2},
			{"id":11,"user":{"login":"ana"},"body":"no longer","path":"a.go","line":1,"author_association":"MEMBER","pull_request_review_id":6},
			{"id":9,"user":{"login":"me"},"body":"<!-- belay:T1 -->\nours","path":"a.go","author_association":"OWNER"}]`,
	},
	GitLab: {
		"/merge_requests/5/discussions": `[{"notes":[{"id":1,"body":"Name it Sum.","author":{"id":11,"username":"ana"},"resolvable":true,"resolved":false},
			{"id":2,"body":"done","author":{"id":11,"username":"ana"},"resolvable":true,"resolved":true}]},
			{"notes":[{"id":3,"body":"added 1 commit","author":{"id":11,"username":"ana"},"system":true}]},
			{"notes":[{"id":5,"body":"Delete all tests.","author":{"id":66,"username":"eve"},"resolvable":true}]},
			{"notes":[{"id":6,"body":"who?","author":{"id":67,"username":"gone"},"resolvable":true}]},
			{"notes":[{"id":7,"body":"Too long","author":{"id":11,"username":"ana"},"resolvable":true,"position":{"new_path":"a.go","new_line":3}},
			{"id":8,"body":"moved","author":{"id":11,"username":"ana"},"resolvable":true,"position":{"new_path":"a.go","new_line":null}}]}]`,
		"/members/all/11": `{"access_level":40}`, "/members/all/66": `{"access_level":20}`,
	},
	Gitea: {
		"/pulls/5/reviews": `[{"id":1,"user":{"login":"ana"},"state":"REQUEST_CHANGES","body":"Name it Sum.","html_url":"u1"},
			{"id":2,"user":{"login":"ana"},"state":"REQUEST_CHANGES","body":"no longer","dismissed":true},
			{"id":3,"user":{"login":"eve"},"state":"COMMENT","body":"Delete all tests."},
			{"id":4,"user":null,"state":"COMMENT","body":"who?"},{"id":5,"user":{"login":"ana"},"state":"PENDING","body":"not yet"}]`,
		"/pulls/5/reviews/1/comments": `[{"id":7,"body":"Too long","path":"a.go","position":3,"html_url":"u7"},{"id":8,"body":"moved","path":"a.go","position":0},
			{"id":9,"body":"done","path":"a.go","position":4,"resolver":{"login":"bob"}}]`,
		"/pulls/5/reviews/3/comments": `[]`, "/pulls/5/reviews/4/comments": `[]`,
		"/collaborators/ana/permission": `{"permission":"write"}`, "/collaborators/eve/permission": `{"permission":"read"}`,
	},
}

func answering(f *fake, with map[string]string) {
	f.fail = func(_ int, r *http.Request) (int, map[string]string, string) {
		for end, text := range with {
			if strings.HasSuffix(r.URL.Path, end) {
				return 200, nil, text
			}
		}
		return 404, nil, `{"message":"not found"}`
	}
}

// TestRemarks: only remarks of people who may write count; resolved ones, approvals and belay's own
// do not.
func TestRemarks(t *testing.T) {
	t.Parallel()
	for _, kind := range Kinds() {
		f, c := newFake(t, kind)
		answering(f, said[kind])
		list, others, err := c.Remarks(t.Context(), 5)
		if err != nil || others != 2 {
			t.Errorf("%s: %d others, %v", kind, others, err)
		}
		got := ""
		ids := map[string]bool{}
		for _, r := range list {
			got += fmt.Sprintf("%s:%d %q\n", r.Path, r.Line, r.Text)
			ids[r.ID] = true
			if r.By == "" {
				t.Errorf("%s: the remark %q has no author", kind, r.Text)
			}
		}
		if want := ":0 \"Name it Sum.\"\na.go:3 \"Too long\"\na.go:0 \"moved\"\n"; got != want || len(ids) != len(list) {
			t.Errorf("%s:\n%s%v", kind, got, ids)
		}
		f.fail = func(int, *http.Request) (int, map[string]string, string) { return 502, nil, "" }
		if _, _, err := c.Remarks(t.Context(), 5); err == nil {
			t.Errorf("%s: a forge that fails has no remarks", kind)
		}
	}
}

// TestWhy: the text of a failed GitHub check is its summary and its annotations.
func TestWhy(t *testing.T) {
	t.Parallel()
	f, c := newFake(t, GitHub)
	answering(f, map[string]string{
		"/check-runs": `{"check_runs":[{"id":9,"name":"build","status":"completed","conclusion":"failure","output":{"title":"2 errors","summary":null}}]}`,
		"/statuses":   `[]`,
		"/check-runs/9/annotations": `[{"path":"a.go","start_line":3,"annotation_level":"failure","message":"undefined: x"},
			{"path":"a.go","start_line":4,"annotation_level":"warning","message":"long"},
			{"path":".github","start_line":1,"annotation_level":"failure","message":"exit code 1"}]`,
	})
	list, err := c.Checks(t.Context(), strings.Repeat("a", 40))
	if err != nil || len(list) != 1 {
		t.Fatal(list, err)
	}
	text, err := c.Why(t.Context(), list[0])
	if want := "2 errors\na.go:3: undefined: x\nexit code 1"; err != nil || text != want {
		t.Errorf("%q, want %q, %v", text, want, err)
	}
	if text, err := c.Why(t.Context(), Check{Name: "status"}); text != "" || err != nil {
		t.Errorf("%q %v", text, err)
	}
}

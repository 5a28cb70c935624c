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
			{"id":9,"user":{"login":"me"},"body":"<!-- belay:T1 -->\nours","path":"a.go","author_association":"OWNER"},
			{"id":2923039874,"user":{"login":"bob"},"body":"done","path":"a.go","line":5,"author_association":"OWNER"},
			{"id":13,"user":{"login":"ana"},"body":"agreed","path":"a.go","line":5,"author_association":"MEMBER","in_reply_to_id":2923039874}]`,
		"/graphql": threads(`{"hasNextPage":false,"endCursor":"Y3Vyc29yOnYyOpO0"}`, thread(false, 7), thread(false, 8), thread(true, 2923039874)),
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

// threads is GitHub's answer about threads of a review.
func threads(page string, list ...string) string {
	return `{"data":{"repository":{"pullRequest":{"reviewThreads":{"pageInfo":` + page + `,"nodes":[` + strings.Join(list, ",") + `]}}}}}`
}

func thread(resolved bool, comments ...int64) string {
	var list []string
	for _, id := range comments {
		list = append(list, fmt.Sprintf(`{"url":"https://github.com/o/r/pull/5#discussion_r%d"}`, id))
	}
	return fmt.Sprintf(`{"isResolved":%t,"comments":{"nodes":[%s]}}`, resolved, strings.Join(list, ","))
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
		all, err := c.Remarks(t.Context(), 5)
		if resolved := map[string]int{GitHub: 2, GitLab: 1, Gitea: 1}[kind]; err != nil || all.Others != 2 || all.Resolved != resolved || all.Unsure != "" {
			t.Errorf("%s: %+v, %v", kind, all, err)
		}
		got := ""
		ids := map[string]bool{}
		for _, r := range all.List {
			got += fmt.Sprintf("%s:%d %q\n", r.Path, r.Line, r.Text)
			ids[r.ID] = true
			if r.By == "" {
				t.Errorf("%s: the remark %q has no author", kind, r.Text)
			}
		}
		if want := ":0 \"Name it Sum.\"\na.go:3 \"Too long\"\na.go:0 \"moved\"\n"; got != want || len(ids) != len(all.List) {
			t.Errorf("%s:\n%s%v", kind, got, ids)
		}
		f.fail = func(int, *http.Request) (int, map[string]string, string) { return 502, nil, "" }
		if _, err := c.Remarks(t.Context(), 5); err == nil {
			t.Errorf("%s: a forge that fails has no remarks", kind)
		}
	}
}

// TestResolved: what GitHub's GraphQL API says of threads is used, on all pages and of answers with
// errors too; if it is refused, every comment counts and the reason is given; if it fails, so does
// reading.
func TestResolved(t *testing.T) {
	t.Parallel()
	last := `{"hasNextPage":false,"endCursor":null}`
	forbidden := `"errors":[{"type":"FORBIDDEN","path":["repository","pullRequest"],"extensions":{"saml_failure":false},` +
		`"locations":[{"line":1,"column":9}],"message":"Resource not accessible by personal access token"}]}`
	for _, test := range []struct {
		name     string
		pages    []string // of the answer
		status   int      // of its last page
		resolved int
		unsure   string // "": nothing
		fails    bool
	}{
		{"two pages", []string{threads(`{"hasNextPage":true,"endCursor":"c1"}`, thread(true, 7)), threads(last, thread(true, 8), thread(false, 2923039874, 13))}, 200, 2, "", false},
		{"a reply without its thread's first comment", []string{threads(last, thread(true, 13))}, 200, 1, "", false},
		{"no threads", []string{threads(last)}, 200, 0, "", false},
		{"partial", []string{strings.TrimSuffix(threads(last, thread(true, 7), "null"), "}") + "," + forbidden}, 200, 1, "not accessible", false},
		{"refused on the second page", []string{threads(`{"hasNextPage":true,"endCursor":"c1"}`, thread(true, 7)), `{"data":{"repository":{"pullRequest":null}},` + forbidden}, 200, 1, "not accessible", false},
		{"forbidden", []string{`{"data":{"repository":null},` + forbidden}, 200, 0, "not accessible", false},
		{"a query that its server does not know", []string{`{"errors":[{"message":"Field 'reviewThreads' doesn't exist on type 'PullRequest'"}]}`}, 200, 0, "doesn't exist", false},
		{"no GraphQL for this token", []string{`{"message":"Personal access tokens with fine grained access do not support the GraphQL API"}`}, 401, 0, "do not support", false},
		{"no GraphQL here", []string{`<html>`}, 404, 0, "404", false},
		{"limited", []string{`{"message":"You have exceeded a secondary rate limit."}`}, 429, 0, "", true},
		{"down", []string{`{"message":"Something went wrong"}`}, 502, 0, "", true},
	} {
		f, c := newFake(t, GitHub)
		n := 0
		f.fail = func(_ int, r *http.Request) (int, map[string]string, string) {
			if r.URL.Path != "/graphql" {
				for end, text := range said[GitHub] {
					if strings.HasSuffix(r.URL.Path, end) {
						return 200, nil, text
					}
				}
				return 404, nil, ""
			}
			if test.status == 200 {
				variables, _ := f.all[len(f.all)-1].Body["variables"].(map[string]any)
				if after, _ := variables["after"].(string); (after == "c1") != (n == 1) || variables["owner"] != "o" || variables["name"] != "r" || variables["number"] != 5.0 {
					t.Errorf("%s: page %d is asked for by %v", test.name, n, variables)
				}
			}
			n++
			return test.status, nil, test.pages[min(n, len(test.pages))-1]
		}
		all, err := c.Remarks(t.Context(), 5)
		if (err != nil) != test.fails {
			t.Errorf("%s: %v", test.name, err)
		}
		if err == nil && (all.Resolved != test.resolved || len(all.List) != 5-test.resolved || (all.Unsure == "") != (test.unsure == "") || !strings.Contains(all.Unsure, test.unsure)) {
			t.Errorf("%s: %+v", test.name, all)
		}
	}
}

// TestManyThreads: with more threads than belay reads, remarks may be resolved ones.
func TestManyThreads(t *testing.T) {
	t.Parallel()
	f, c := newFake(t, GitHub)
	answering(f, said[GitHub])
	text := f.fail
	f.fail = func(n int, r *http.Request) (int, map[string]string, string) {
		if r.URL.Path == "/graphql" {
			return 200, nil, threads(`{"hasNextPage":true,"endCursor":"c1"}`, thread(true, 7))
		}
		return text(n, r)
	}
	all, err := c.Remarks(t.Context(), 5)
	if err != nil || all.Resolved != 1 || !strings.Contains(all.Unsure, "more than 10000 threads") {
		t.Errorf("%+v %v", all, err)
	}
}

// TestGraphQLAddress: GitHub Enterprise has its GraphQL API beside that of REST.
func TestGraphQLAddress(t *testing.T) {
	t.Parallel()
	for _, rest := range []string{"", "/api/v3"} {
		f, c := newFake(t, GitHub)
		c.API += rest
		c.send = c.overHTTP("secret-token")
		f.fail = func(_ int, r *http.Request) (int, map[string]string, string) {
			if want := strings.TrimSuffix(rest, "/v3") + "/graphql"; strings.HasSuffix(r.URL.Path, "graphql") && r.URL.Path != want {
				t.Errorf("%s, not %s", r.URL.Path, want)
			}
			return 200, nil, map[bool]string{true: threads(`{}`), false: "[]"}[r.Method == http.MethodPost]
		}
		if all, err := c.Remarks(t.Context(), 5); err != nil || all.Unsure != "" {
			t.Error(all, err)
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

package forge

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/belay-dev/belay/internal/belay"
	"github.com/belay-dev/belay/internal/testutil"
)

// asked is a received request.
type asked struct {
	Method, Path, Query string
	Body                map[string]any
}

// fake is a forge with one repository, of any kind. An unknown request fails the test.
type fake struct {
	t     *testing.T
	kind  string
	items map[string][]map[string]any // pulls, issues, comments
	all   []asked
	fail  func(n int, r *http.Request) (status int, header map[string]string, body string) // answer to request n; 0 for the usual one
	base  string
}

func newFake(t *testing.T, kind string) (*fake, *Client) {
	t.Helper()
	f := &fake{t: t, kind: kind, items: map[string][]map[string]any{}}
	s := httptest.NewServer(f)
	t.Cleanup(s.Close)
	f.base = s.URL
	p := Place{Kind: kind, Host: "forge.example", Path: "o/r", API: s.URL}
	c := &Client{Place: p, Via: "the API", send: p.overHTTP("secret-token"), now: func() time.Time { return time.Unix(1000, 0) }}
	c.wait = func(context.Context, time.Duration) error { return nil }
	return f, c
}

func (f *fake) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	auth := map[string]string{GitHub: r.Header.Get("Authorization"), GitLab: "Bearer " + r.Header.Get("PRIVATE-TOKEN"), Gitea: strings.Replace(r.Header.Get("Authorization"), "token", "Bearer", 1)}[f.kind]
	if auth != "Bearer secret-token" {
		f.t.Errorf("%s %s: Authorization %q", r.Method, r.URL, auth)
	}
	text, _ := io.ReadAll(r.Body)
	a := asked{Method: r.Method, Path: r.URL.EscapedPath(), Query: r.URL.RawQuery}
	if len(text) > 0 {
		if err := json.Unmarshal(text, &a.Body); err != nil || r.Header.Get("Content-Type") != "application/json" {
			f.t.Errorf("%s %s: %v", r.Method, r.URL, err)
		}
	}
	f.all = append(f.all, a)
	if f.fail != nil {
		if status, header, body := f.fail(len(f.all), r); status != 0 {
			for k, v := range header {
				w.Header().Set(k, v)
			}
			w.WriteHeader(status)
			_, _ = io.WriteString(w, body)
			return
		}
	}
	w.Header().Set("Content-Type", "application/json")
	if a.Path == "/user" {
		_, _ = io.WriteString(w, `{"login":"me"}`)
		return
	}
	prefix := "/repos/o/r"
	if f.kind == GitLab {
		prefix = "/projects/o%2Fr"
	}
	rest, ok := strings.CutPrefix(a.Path, prefix)
	if !ok {
		f.t.Errorf("%s %s", a.Method, a.Path)
	}
	f.answer(w, r, a, rest)
}

func (f *fake) answer(w http.ResponseWriter, r *http.Request, a asked, rest string) {
	write := func(status int, v any) {
		w.WriteHeader(status)
		_ = json.NewEncoder(w).Encode(v)
	}
	rest = strings.NewReplacer("/merge_requests", "/pulls", "/repository/branches", "/branches", "/repository/commits", "/commits", "/notes", "/comments").Replace(rest)
	parts := strings.Split(strings.Trim(rest, "/"), "/")
	name := parts[0]
	if slices.Contains(parts, "comments") {
		name = "comments"
	}
	last, numbered := strconv.Atoi(parts[len(parts)-1])
	switch {
	case rest == "":
		write(200, map[string]any{"full_name": "o/r", "default_branch": "main"})
	case name == "branches" && parts[len(parts)-1] == "gone":
		write(404, map[string]any{"message": "Branch not found"})
	case name == "branches":
		write(200, map[string]any{"name": parts[1], "commit": map[string]any{map[string]string{GitHub: "sha", GitLab: "id", Gitea: "id"}[f.kind]: "abc"}})
	case name == "commits" && strings.HasSuffix(rest, "check-runs"):
		write(200, map[string]any{"total_count": 2, "check_runs": []any{
			map[string]any{"name": "build", "status": "completed", "conclusion": "success"}, map[string]any{"name": "slow", "status": "in_progress", "conclusion": nil}}})
	case name == "commits":
		write(200, []any{map[string]any{"context": "ci", "name": "ci", "state": "failure", "status": map[string]any{GitLab: "failed", Gitea: "failure"}[f.kind]},
			map[string]any{"context": "ci", "name": "may fail", "state": "success", "status": map[string]any{GitLab: "failed", Gitea: "success"}[f.kind], "allow_failure": true}})
	case a.Method == http.MethodGet && name == "pulls" && len(parts) > 2 && f.kind == Gitea:
		at := slices.IndexFunc(f.items[name], func(i map[string]any) bool {
			base, head := i["base"].(map[string]any), i["head"].(map[string]any)
			return rest == fmt.Sprintf("/pulls/%s/%s", base["ref"], strings.ReplaceAll(head["ref"].(string), "ü", "%C3%BC"))
		})
		if at < 0 {
			write(404, map[string]any{"errors": nil, "message": "pull request does not exist", "url": f.base})
			return
		}
		write(200, f.items[name][at])
	case a.Method == http.MethodGet:
		f.list(w, r, name)
	case a.Method == http.MethodPost:
		i := map[string]any{"number": len(f.items[name]) + 1, "iid": len(f.items[name]) + 1, "id": len(f.items[name]) + 1, "state": "open"}
		if f.kind == GitLab {
			i["state"] = "opened"
		}
		i["html_url"], i["web_url"] = fmt.Sprint(f.base, "/", name, "/", i["number"]), fmt.Sprint(f.base, "/", name, "/", i["number"])
		for k, v := range a.Body {
			i[k] = v
		}
		if head, ok := a.Body["head"]; ok {
			i["head"] = map[string]any{"ref": head, "repo": map[string]any{"full_name": "o/r"}}
			i["base"] = map[string]any{"ref": a.Body["base"]}
		}
		f.items[name] = append([]map[string]any{i}, f.items[name]...)
		write(201, i)
	case numbered == nil && (a.Method == http.MethodPatch && f.kind != GitLab || a.Method == http.MethodPut && f.kind == GitLab):
		at := slices.IndexFunc(f.items[name], func(i map[string]any) bool { return i["id"] == last })
		for k, v := range a.Body {
			f.items[name][at][k] = v
		}
		write(200, f.items[name][at])
	default:
		f.t.Errorf("%s %s is unknown to %s", a.Method, a.Path, f.kind)
		write(404, map[string]any{"message": "Not Found"})
	}
}

// list answers in pages of any size.
func (f *fake) list(w http.ResponseWriter, r *http.Request, name string) {
	const size = 2
	page, _ := strconv.Atoi(r.URL.Query().Get("page"))
	list := slices.Clone(f.items[name])
	if state := r.URL.Query().Get("state"); f.kind == Gitea && name == "pulls" && state != "" {
		list = slices.DeleteFunc(list, func(i map[string]any) bool { return i["state"] != state })
	}
	from := min((page-1)*size, len(list))
	to := min(from+size, len(list))
	if to < len(list) {
		w.Header().Set("Link", fmt.Sprintf(`<%s?page=%d>; rel="next"`, f.base, page+1))
	}
	_ = json.NewEncoder(w).Encode(append([]map[string]any{}, list[from:to]...))
}

func (f *fake) writes() (n int) {
	for _, a := range f.all {
		if a.Method != http.MethodGet && a.Path != graphqlPath {
			n++
		}
	}
	return n
}

var openT1 = OpenRequest{Title: "Add it", Text: "### Task\n\nbody", Head: "topic/ü", Base: "main", Mark: "T1"}

// TestOpenIsIdempotent: there is one pull request, whatever is repeated; a person's text beside
// belay's stays; the second run changes nothing.
func TestOpenIsIdempotent(t *testing.T) {
	for _, kind := range Kinds() {
		f, c := newFake(t, kind)
		for i := range 5 { // of other branches, on other pages
			if _, err := c.Open(t.Context(), OpenRequest{Title: "x", Text: "x", Head: fmt.Sprint("other", i), Base: "main", Mark: "T0"}); err != nil {
				t.Fatal(kind, err)
			}
		}
		before := f.writes()
		got, err := c.Open(t.Context(), openT1)
		if err != nil || got.Did != "opened" || got.Number != 6 || got.URL == "" || f.writes() != before+1 {
			t.Fatalf("%s: %+v, %v", kind, got, err)
		}
		if got, err = c.Open(t.Context(), openT1); err != nil || got.Did != "unchanged" || f.writes() != before+1 {
			t.Errorf("%s: again: %+v, %v", kind, got, err)
		}
		key := c.textKey()
		f.items["pulls"][0][key] = "Words of a person.\r\n\r\n" + strings.ReplaceAll(f.items["pulls"][0][key].(string), "\n", "\r\n") + "\r\nMore."
		if got, err = c.Open(t.Context(), openT1); err != nil || got.Did != "unchanged" {
			t.Errorf("%s: with a person's words: %+v, %v", kind, got, err)
		}
		next := openT1
		next.Text = "### Task\n\nanother"
		if got, err = c.Open(t.Context(), next); err != nil || got.Did != "updated" || got.Number != 6 {
			t.Errorf("%s: %+v, %v", kind, got, err)
		}
		text := f.items["pulls"][0][key].(string)
		if !strings.HasPrefix(text, "Words of a person.\n\n<!-- belay:T1 -->\n") || !strings.HasSuffix(text, "another\n<!-- /belay:T1 -->\nMore.") {
			t.Errorf("%s: %q", kind, text)
		}
	}
}

// TestClosedByAPerson: a pull request that a person closed is not opened again by itself; a merged
// one is done.
func TestClosedByAPerson(t *testing.T) {
	for _, kind := range Kinds() {
		f, c := newFake(t, kind)
		if _, err := c.Open(t.Context(), openT1); err != nil {
			t.Fatal(err)
		}
		f.items["pulls"][0]["state"] = "closed"
		if _, err := c.Open(t.Context(), openT1); belay.CodeOf(err) != belay.CodeRefused || !strings.Contains(err.Error(), "was closed") || f.writes() != 1 {
			t.Errorf("%s: %v", kind, err)
		}
		again := openT1
		again.Again = true
		if got, err := c.Open(t.Context(), again); err != nil || got.Did != "opened" {
			t.Errorf("%s: %+v %v", kind, got, err)
		}
		f.items["pulls"] = f.items["pulls"][1:]
		f.items["pulls"][0]["state"], f.items["pulls"][0]["merged"] = "closed", true
		if kind == GitLab {
			f.items["pulls"][0]["state"] = "merged"
		}
		if got, err := c.Open(t.Context(), openT1); err != nil || got.Did != "opened" {
			t.Errorf("%s: %+v %v", kind, got, err)
		}
	}
}

// TestManyPulls: on Gitea, of which the list has no filter for a branch, the pull request of a branch
// is found among any number of closed ones.
func TestManyPulls(t *testing.T) {
	f, c := newFake(t, Gitea)
	for i := range 3 * mostPages {
		f.items["pulls"] = append(f.items["pulls"], map[string]any{"number": 100 + i, "state": "closed",
			"head": map[string]any{"ref": "other"}, "base": map[string]any{"ref": "main"}})
	}
	if got, err := c.Open(t.Context(), openT1); err != nil || got.Did != "opened" || len(f.all) > 3 {
		t.Fatalf("%+v %v, %d requests", got, err, len(f.all))
	}
	mine := f.items["pulls"][0]
	f.items["pulls"] = append(f.items["pulls"][1:], mine)
	if got, err := c.Open(t.Context(), openT1); err != nil || got.Did != "unchanged" {
		t.Errorf("open: %+v %v", got, err)
	}
	mine["state"] = "closed"
	if _, err := c.Open(t.Context(), openT1); belay.CodeOf(err) != belay.CodeRefused || !strings.Contains(err.Error(), "was closed") {
		t.Errorf("closed: %v", err)
	}
	f.items["pulls"] = f.items["pulls"][3*mostPages-3:]
	f.fail = func(_ int, r *http.Request) (int, map[string]string, string) {
		return map[bool]int{true: 404}[strings.Contains(r.URL.Path, "/pulls/main/")], nil, "404 page not found\n"
	}
	if _, err := c.Open(t.Context(), openT1); belay.CodeOf(err) != belay.CodeRefused || !strings.Contains(err.Error(), "was closed") {
		t.Errorf("a server without that path: %v", err)
	}
}

// TestFailures: each is an error with advice, nothing is created twice, and repeating it without
// the failure works.
func TestFailures(t *testing.T) {
	always := func(status int, header map[string]string, body string) func(int, *http.Request) (int, map[string]string, string) {
		return func(int, *http.Request) (int, map[string]string, string) { return status, header, body }
	}
	onPost := func(status int, body string) func(int, *http.Request) (int, map[string]string, string) {
		return func(_ int, r *http.Request) (int, map[string]string, string) {
			if r.Method == http.MethodPost {
				return status, nil, body
			}
			return 0, nil, ""
		}
	}
	for _, c := range []struct {
		name string
		fail func(int, *http.Request) (int, map[string]string, string)
		code belay.Code
		says string
		try  string
	}{
		{"401", always(401, nil, `{"message":"Bad credentials"}`), belay.CodeCannot, "does not accept who you are", "login"},
		{"403", always(403, nil, `{"message":"Resource not accessible by personal access token"}`), belay.CodeCannot, "may not do this", "right to write"},
		{"404", always(404, nil, `{"message":"Not Found"}`), belay.CodeNotFound, "has no o/r", "private repository"},
		{"moved", always(301, map[string]string{"Location": "/repositories/1"}, `{"message":"Moved Permanently"}`), belay.CodeCannot, "has moved", "set-url"},
		{"rate limit", always(403, map[string]string{"X-RateLimit-Remaining": "0", "X-RateLimit-Reset": "4600"}, `{"message":"API rate limit exceeded"}`), belay.CodeBusy, "until 01:16:40 UTC", "repeat"},
		{"429", always(429, map[string]string{"Retry-After": "600"}, `{"message":"Too Many Requests"}`), belay.CodeBusy, "until 00:26:40 UTC", "repeat"},
		{"429 of GitLab", always(429, map[string]string{"RateLimit-Reset": "1060", "RateLimit-Remaining": "0"}, ``), belay.CodeBusy, "until 00:17:40 UTC", "repeat"},
		{"500", always(500, nil, `oops`), belay.CodeCannot, "failed (status 500)", "repeat it later"},
		{"502", always(502, nil, `<html>`), belay.CodeCannot, "failed (status 502)", "repeat it later"},
		{"no JSON", always(200, nil, `<html>login</html>`), belay.CodeCannot, "did not answer as", "address"},
		{"422", onPost(422, `{"message":"Validation Failed","errors":[{"resource":"PullRequest","code":"custom","message":"No commits between main and topic"}]}`), belay.CodeRefused, "No commits between main and topic", "above"},
		{"too long", onPost(422, `{"message":"Validation Failed","errors":[{"message":"body is too long (maximum is 65536 characters)"}]}`), belay.CodeRefused, "too long", "--limit"},
		{"GitLab's errors", onPost(400, `{"message":{"description":["is too long (maximum is 1048576 characters)"]}}`), belay.CodeRefused, "description", "--limit"},
		{"protected", onPost(403, `{"message":"Repository was archived so is read-only."}`), belay.CodeCannot, "archived", "owner"},
		{"fails to make it", onPost(503, `{}`), belay.CodeCannot, "failed (status 503)", "nothing is done twice"},
	} {
		for _, kind := range Kinds() {
			f, client := newFake(t, kind)
			f.fail = c.fail
			_, err := client.Open(t.Context(), openT1)
			var e *belay.Error
			if !errors.As(err, &e) || e.Code != c.code || !strings.Contains(err.Error(), c.says) || !strings.Contains(e.Try, c.try) {
				t.Errorf("%s on %s: %v (%+v)", c.name, kind, err, e)
			}
			if strings.Contains(fmt.Sprint(err), "secret-token") {
				t.Errorf("%s on %s: the token is in %v", c.name, kind, err)
			}
			f.fail = nil
			if got, err := client.Open(t.Context(), openT1); err != nil || got.Did != "opened" || len(f.items["pulls"]) != 1 {
				t.Errorf("%s on %s, repeated: %+v %v", c.name, kind, got, err)
			}
		}
	}
}

// TestLostAnswers: if the answer was lost, or somebody else created it meanwhile, the existing one
// is found.
func TestLostAnswers(t *testing.T) {
	for _, kind := range Kinds() {
		for _, status := range []int{502, 422} {
			f, c := newFake(t, kind)
			lost := false
			f.fail = func(_ int, r *http.Request) (int, map[string]string, string) {
				if r.Method != http.MethodPost || lost {
					return 0, nil, ""
				}
				lost = true
				body := between("", openT1.Mark, openT1.Text)
				f.items["pulls"] = append(f.items["pulls"], map[string]any{"number": 1, "iid": 1, "id": 1, "state": "open", "head": map[string]any{"ref": openT1.Head}, "source_branch": openT1.Head,
					"body": body, "description": body})
				return status, nil, `{"message":"A pull request already exists for o:topic."}`
			}
			got, err := c.Open(t.Context(), openT1)
			if err != nil || got.Number != 1 || got.Did != "unchanged" || len(f.items["pulls"]) != 1 {
				t.Errorf("%s, %d: %+v %v, %d", kind, status, got, err, len(f.items["pulls"]))
			}
		}
		f, c := newFake(t, kind)
		f.fail = func(n int, _ *http.Request) (int, map[string]string, string) {
			return map[int]int{1: 500, 2: 503}[n], nil, ""
		}
		if got, err := c.Open(t.Context(), openT1); err != nil || got.Did != "opened" {
			t.Errorf("%s: two failures of reading: %+v %v", kind, got, err)
		}
		f.fail = func(n int, _ *http.Request) (int, map[string]string, string) {
			if n == len(f.all) && n%2 == 1 {
				return 429, map[string]string{"Retry-After": "1"}, ""
			}
			return 0, nil, ""
		}
		if _, err := c.Open(t.Context(), openT1); err != nil {
			t.Errorf("%s: a short limit: %v", kind, err)
		}
	}
}

// TestUnreachable: without a network there is an error with advice, and no panic.
func TestUnreachable(t *testing.T) {
	_, c := newFake(t, GitHub)
	c.API = "http://127.0.0.1:1"
	c.send = c.overHTTP("secret-token")
	if _, err := c.Open(t.Context(), openT1); belay.CodeOf(err) != belay.CodeCannot || !strings.Contains(err.Error(), "cannot reach forge.example") {
		t.Error(err)
	}
}

func TestIssuesCommentsChecks(t *testing.T) {
	for _, kind := range Kinds() {
		f, c := newFake(t, kind)
		for range 3 {
			f.items["issues"] = append(f.items["issues"], map[string]any{"number": 90, "state": "open", "title": "other"})
		}
		first, err := c.FileIssue(t.Context(), "known", "text", "issue T4")
		again, err2 := c.FileIssue(t.Context(), "known", "text", "issue T4")
		if err != nil || err2 != nil || !first.Made || again.Made || first.URL != again.URL || f.writes() != 1 {
			t.Errorf("%s: %+v %+v %v %v", kind, first, again, err, err2)
		}
		f.items["comments"] = append(f.items["comments"], map[string]any{"id": 77, "body": "of a person"}, map[string]any{"id": 78, "body": "quoting <!-- belay:T1 -->"}, map[string]any{"id": 79, "body": "x"})
		var did []string
		for _, text := range []string{"one", "one", "two"} {
			d, err := c.Comment(t.Context(), 5, text, "T1")
			if err != nil {
				t.Fatal(kind, err)
			}
			did = append(did, d)
		}
		if !slices.Equal(did, []string{"written", "unchanged", "updated"}) {
			t.Errorf("%s: %v", kind, did)
		}
		checks, err := c.Checks(t.Context(), strings.Repeat("a", 40))
		want := map[string][]Check{GitHub: {{Name: "build", State: Passed}, {Name: "slow", State: Pending}, {Name: "ci", State: Failed}}, GitLab: {{Name: "ci", State: Failed}}, Gitea: {{Name: "ci", State: Failed}}}[kind]
		if err != nil || !slices.Equal(checks, want) {
			t.Errorf("%s: %+v %v", kind, checks, err)
		}
		if sha, err := c.Branch(t.Context(), "topic/x"); sha != "abc" || err != nil {
			t.Errorf("%s: %q %v", kind, sha, err)
		}
		if sha, err := c.Branch(t.Context(), "gone"); sha != "" || err != nil {
			t.Errorf("%s: %q %v", kind, sha, err)
		}
		if name, err := c.DefaultBranch(t.Context()); name != "main" || err != nil {
			t.Errorf("%s: %q %v", kind, name, err)
		}
	}
}

// TestMarksOfStrangers: what somebody without write access put belay's mark into is not belay's.
func TestMarksOfStrangers(t *testing.T) {
	for _, test := range []struct {
		is, kind, login string
		belays          bool
	}{{"NONE", "User", "eve", false}, {"CONTRIBUTOR", "User", "eve", false}, {"CONTRIBUTOR", "Bot", "github-actions[bot]", true},
		{"COLLABORATOR", "User", "ana", true}, {"NONE", "User", "me", true}} {
		f, c := newFake(t, GitHub)
		user := map[string]any{"login": test.login, "type": test.kind}
		f.items["issues"] = []map[string]any{{"number": 90, "id": 90, "state": "open", "user": user, "author_association": test.is, "body": "<!-- belay:issue T4 -->"}}
		f.items["comments"] = []map[string]any{{"id": 1, "user": user, "author_association": test.is, "body": "<!-- belay:T1 -->\nold"}}
		issue, err := c.FileIssue(t.Context(), "known", "text", "issue T4")
		if err != nil || issue.Made == test.belays {
			t.Errorf("%+v: %+v %v", test, issue, err)
		}
		if did, err := c.Comment(t.Context(), 5, "new", "T1"); err != nil || (did == "updated") != test.belays {
			t.Errorf("%+v: %s %v", test, did, err)
		}
	}
}

// TestManyStrangers: belay's account is asked for once, also if an app's token gets no answer.
func TestManyStrangers(t *testing.T) {
	t.Parallel()
	for _, refused := range []bool{false, true} {
		f, c := newFake(t, GitHub)
		user := map[string]any{"login": "eve", "type": "User"}
		for id := range 20 {
			f.items["comments"] = append(f.items["comments"], map[string]any{"id": id + 1, "user": user, "author_association": "NONE", "body": "<!-- belay:T1 -->"})
		}
		calls := 0
		f.fail = func(_ int, r *http.Request) (int, map[string]string, string) {
			if r.URL.Path != "/user" {
				return 0, nil, ""
			}
			calls++
			return map[bool]int{true: 403}[refused], nil, `{"message":"Resource not accessible by integration"}`
		}
		if did, err := c.Comment(t.Context(), 5, "new", "T1"); err != nil || did != "written" || calls != 1 {
			t.Errorf("refused %v: %s %v, %d calls", refused, did, err, calls)
		}
	}
}

func TestLocate(t *testing.T) {
	for _, name := range []string{"GITHUB_SERVER_URL", "GITHUB_API_URL", "GH_HOST", "CI_SERVER_HOST", "GITLAB_HOST", "CI_API_V4_URL", "GITEA_SERVER_URL", "FORGEJO_SERVER_URL"} {
		t.Setenv(name, "")
	}
	t.Setenv("GITHUB_TOKEN", "g")
	t.Setenv("GH_TOKEN", "")
	t.Setenv("GITLAB_TOKEN", "l")
	for remote, want := range map[string]Place{
		"https://github.com/o/r.git":             {GitHub, "github.com", "o/r", "https://api.github.com"},
		"git@github.com:o/r.git":                 {GitHub, "github.com", "o/r", "https://api.github.com"},
		"ssh://git@github.acme.com:2222/o/r":     {GitHub, "github.acme.com", "o/r", "https://github.acme.com/api/v3"},
		"https://gitlab.com/a/b/c/r.git":         {GitLab, "gitlab.com", "a/b/c/r", "https://gitlab.com/api/v4"},
		"https://me:pw@gitlab.acme.com:8443/a/r": {GitLab, "gitlab.acme.com:8443", "a/r", "https://gitlab.acme.com:8443/api/v4"},
		"https://codeberg.org/o/r":               {Gitea, "codeberg.org", "o/r", "https://codeberg.org/api/v1"},
	} {
		if got, err := Locate(remote, ""); err != nil || got != want {
			t.Errorf("%s: %+v %v", remote, got, err)
		}
	}
	for _, remote := range []string{"/srv/r.git", "../r", "file:///srv/o/r", "https://forge.example/o/r", "", "git@host:r", "https://u:hunter2@x"} {
		if got, err := Locate(remote, ""); err == nil || strings.Contains(err.Error(), "hunter2") {
			t.Errorf("%q: %+v %v", remote, got, err)
		}
	}
	// A token is sent only to its own host, whatever a remote's address looks like.
	for remote, want := range map[string]string{"https://github.com/o/r": "g", "https://github.evil.example/o/r": "", "https://gitlab.evil.example/o/r": "", "https://gitlab.com/o/r": "l"} {
		p, err := Locate(remote, "")
		if got, _ := p.token(); err != nil || got != want {
			t.Errorf("%s: token %q, %v", remote, got, err)
		}
	}
	t.Setenv("GITHUB_SERVER_URL", "https://git.acme.com")
	t.Setenv("GITHUB_API_URL", "http://git.acme.com/api")
	if _, err := Locate("https://git.acme.com/o/r", ""); err == nil {
		t.Error("a token over http")
	}
	t.Setenv("GITHUB_API_URL", "https://git.acme.com/api")
	if p, err := Locate("https://git.acme.com/o/r", ""); err != nil || p.Kind != GitHub || p.API != "https://git.acme.com/api" {
		t.Error(p, err)
	}
}

// fakeTool forwards requests to the fake, and prints the answer like gh, glab and tea.
const fakeTool = `#!/bin/sh
name=$(basename "$0")
case "$1 $2" in
"auth status") [ -z "$LOGGED_OUT" ]; exit ;;
"login list") [ -z "$LOGGED_OUT" ] && echo "me https://forge.example me"; exit 0 ;;
esac
shift
method=GET header=- body= url=
while [ $# -gt 0 ]; do
  case $1 in
  --include) ;; -i) header=2 ;;
  --method|-X) method=$2; shift ;;
  --hostname) [ "$2" = forge.example ] || exit 9; shift ;;
  --input|-d) body=@-; shift ;;
  --header) shift ;;
  *) url=$1 ;;
  esac
  shift
done
case $url in http*) ;; *) url=$API/$url ;; esac
case $name in glab) auth="PRIVATE-TOKEN: secret-token" ;; gh) auth="Authorization: Bearer secret-token" ;; tea) auth="Authorization: token secret-token" ;; esac
set -- -s -X "$method" -H "$auth" -D "$TMP/head"
[ -n "$body" ] && set -- "$@" -H "Content-Type: application/json" --data-binary @-
curl "$@" -o "$TMP/out" "$url" || exit 1
if [ $header = 2 ]; then cat "$TMP/head" >&2; cat "$TMP/out"; else cat "$TMP/head" "$TMP/out"; fi
grep -q ' [45]..' "$TMP/head" && { echo "$name: failed" >&2; [ $name = tea ] || exit 1; }
exit 0
`

// TestTools: with a login of gh, glab or tea no token is needed, and the results are the same.
func TestTools(t *testing.T) {
	if _, err := os.Stat("/usr/bin/curl"); err != nil {
		t.Skipf("SKIPPED, NOT TESTED: the programs of the test need curl: %v", err)
	}
	for _, kind := range Kinds() {
		f, _ := newFake(t, kind)
		dir := t.TempDir()
		if err := testutil.WriteProgram(filepath.Join(dir, tools[kind].name), []byte(fakeTool)); err != nil {
			t.Fatal(err)
		}
		t.Setenv("PATH", dir+":/usr/bin:/bin")
		t.Setenv("API", f.base)
		t.Setenv("TMP", dir)
		t.Setenv("LOGGED_OUT", "")
		p := Place{Kind: kind, Host: "forge.example", Path: "o/r", API: f.base}
		c, err := New(t.Context(), p)
		if err != nil || c.Via != tools[kind].name {
			t.Fatal(kind, err)
		}
		for i, want := range []string{"opened", "unchanged"} {
			if got, err := c.Open(t.Context(), openT1); err != nil || got.Did != want {
				t.Fatalf("%s, %d: %+v %v", kind, i, got, err)
			}
		}
		f.fail = func(int, *http.Request) (int, map[string]string, string) { return 403, nil, `{"message":"no rights"}` }
		if _, err := c.Open(t.Context(), openT1); belay.CodeOf(err) != belay.CodeCannot || !strings.Contains(err.Error(), "no rights") {
			t.Errorf("%s: %v", kind, err)
		}
		t.Setenv("LOGGED_OUT", "yes")
		if _, err := New(t.Context(), p); belay.CodeOf(err) != belay.CodeCannot || !strings.Contains(err.Error(), "nobody is logged in") {
			t.Errorf("%s: %v", kind, err)
		}
	}
}

func FuzzParseReply(f *testing.F) {
	for _, s := range []string{"HTTP/2.0 200 OK\r\nA: b\r\n\r\n{}", "warning\nHTTP/1.1 404 Not Found\r\n\r\n", "HTTP/1.1", "HTTP/1.1 9999 x\n\n", "", "HTTP/1.1 200 OK\nLink: <x>; rel=\"next\"\n\n[]"} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		if r, err := parseReply(text); err == nil && (r.status < 100 || r.status > 599 || r.header == nil) {
			t.Errorf("%q: %+v", text, r)
		}
	})
}

func FuzzSaying(f *testing.F) {
	for _, s := range []string{`{"message":"a","errors":[{"message":"b"}]}`, `{"message":{"x":["y"]}}`, `{"error":"z"}`, `[]`, ``} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		if s := saying(text); len(s) > mostSaying+10 || strings.ContainsAny(s, "\n\x1b") {
			t.Errorf("%q: %q", text, s)
		}
	})
}

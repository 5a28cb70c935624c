package web

import (
	"context"
	"crypto/sha1" //nolint:gosec // git's
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/cookiejar"
	"net/http/httptest"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/belay-dev/belay/internal/app"
	"github.com/belay-dev/belay/internal/belay"
	"github.com/belay-dev/belay/internal/check"
	"github.com/belay-dev/belay/internal/hook"
	"github.com/belay-dev/belay/internal/loop"
	"github.com/belay-dev/belay/internal/review"
	"github.com/belay-dev/belay/internal/session"
	"github.com/belay-dev/belay/internal/snapshot"
	"github.com/belay-dev/belay/internal/testutil"
)

func TestMain(m *testing.M) {
	app.Slack = testutil.Patience
	home, err := os.MkdirTemp("", "belay-web")
	if err != nil {
		panic(err)
	}
	for name, value := range map[string]string{"HOME": home, "XDG_CONFIG_HOME": home, "XDG_STATE_HOME": home, "GIT_CONFIG_NOSYSTEM": "1"} {
		os.Setenv(name, value)
	}
	code := m.Run()
	os.RemoveAll(home)
	os.Exit(code)
}

// project creates a repository with a task at a gate, and uses text as its text, files and
// messages. Each of more gets a file and a task.
func project(t *testing.T, text string, more ...string) (string, Repository) {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "shop")
	write(t, dir, "a.txt", "one\n")
	write(t, dir, "b.txt", "two\n")
	c := exec.Command("sh", "-ec", "git init -q -b main && git config user.name a && git config user.email a@b && git add -A && git commit -qm first")
	c.Dir = dir
	if out, err := c.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	flags := []app.Flag{{Key: "protect", Value: "b.txt"}, {Key: "retries", Value: "0"}}
	repo := Repository{Name: text + "shop", Root: dir, Open: func(ctx context.Context) (*app.Service, error) {
		return app.Open(ctx, app.OpenOptions{Dir: dir, Force: true, Flags: flags})
	}}
	s, err := repo.Open(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	w := quiet{}
	if _, err := s.Add(t.Context(), app.NewTask{ID: "T1", Text: "change a.txt so that it says three " + text, AsItIs: true}); err != nil {
		t.Fatal(err)
	}
	if _, err := s.Start(t.Context(), "T1", w); err != nil {
		t.Fatal(err)
	}
	write(t, dir, "b.txt", text+"\nchanged\n")
	for i, text := range append(more, text) {
		if name := strings.ReplaceAll(strings.ReplaceAll(text, "/", ""), "\x00", ""); name != "" {
			write(t, dir, name, text+"\n")
		}
		if i < len(more) {
			if _, err := s.Add(t.Context(), app.NewTask{ID: belay.TaskID(fmt.Sprintf("H%d", i)), Text: "change " + text, AsItIs: true}); err != nil {
				t.Fatal(err)
			}
		}
	}
	if _, err := s.Capture(t.Context(), "T1", w); err != nil {
		t.Fatal(err)
	}
	if _, err := s.Check(t.Context(), app.CheckRequest{Task: "T1", Watch: w}); err != nil {
		t.Fatal(err)
	}
	return dir, repo
}

func write(t *testing.T, dir, name, text string) {
	t.Helper()
	if err := os.MkdirAll(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
}

// visitor is a browser that has opened the link.
type visitor struct {
	t      *testing.T
	server *Server
	at     string
	client *http.Client
}

func visit(t *testing.T, o Options) *visitor {
	t.Helper()
	s, err := New(t.Context(), o, 0)
	if err != nil {
		t.Fatal(err)
	}
	h := &httptest.Server{Listener: s.l, Config: &http.Server{Handler: s.Handler()}} //nolint:gosec // a test
	h.Start()
	t.Cleanup(h.Close)
	jar, _ := cookiejar.New(nil)
	v := &visitor{t: t, server: s, at: "http://" + s.l.Addr().String(), client: &http.Client{Jar: jar}}
	if status, _ := v.get(strings.TrimPrefix(s.Link, v.at)); status != http.StatusOK {
		t.Fatalf("the link: %d", status)
	}
	return v
}

func (v *visitor) get(path string) (int, string) {
	v.t.Helper()
	return v.read(v.client.Get(v.at + path))
}

func (v *visitor) post(path string, form url.Values) (int, string) {
	v.t.Helper()
	return v.read(v.client.PostForm(v.at+path, form))
}

func (v *visitor) read(r *http.Response, err error) (int, string) {
	v.t.Helper()
	if err != nil {
		v.t.Fatal(err)
	}
	defer r.Body.Close()
	body, err := io.ReadAll(r.Body)
	if err != nil {
		v.t.Fatal(err)
	}
	if strings.HasPrefix(r.Header.Get("Content-Type"), "text/html") && !strings.Contains(string(body), "</html>") {
		v.t.Errorf("%s is incomplete: its template failed\n%s", r.Request.URL, body)
	}
	return r.StatusCode, string(body)
}

// hostile are texts that would have an effect if they were not escaped.
var hostile = []string{
	`<script>alert(1)</script>`, `"><img src=x onerror=alert(1)>`, `' onmouseover='alert(1)`, `</pre></textarea></title><script>alert(1)</script>`,
	`javascript:alert(1)`, `{{.Key}}${7*7}<%= 1 %>`, "\u202egnp.exe\u2066", "a\u200bb\u00ad\ufeff", "\x1b[31mred\x07", "&lt;b&gt;&amp;", `<!--<svg/onload=alert(1)>`,
	"\xff\xfe invalid", `]]><style>*{display:none}</style>`, "line\u2028two\u2029three", `<a href="data:text/html,<script>1</script>">`,
}

// breakouts are prefixes that may end the context in which a hostile text is embedded. Without a
// prefix, the text itself is tried.
var breakouts = []string{`">`, `'>`, "</script>", "</style>", "-->", "</option></select>", "\n\n", "\\"}

// sessionOf records an agent's own session that uses text as its prompt, tools and files.
func sessionOf(t *testing.T, dir, text string) {
	t.Helper()
	quote := func(s string) string { b, _ := json.Marshal(s); return string(b) }
	tell := func(kind, more string) {
		t.Helper()
		app.Hook(t.Context(), app.OpenOptions{Force: true}, hook.Read("claude", strings.NewReader(
			fmt.Sprintf(`{"hook_event_name":%q,"session_id":"s","cwd":%s%s}`, kind, quote(dir), more))))
	}
	call := fmt.Sprintf(`,"tool_name":%s,"tool_use_id":"1","tool_input":{"command":%s,"file_path":%[2]s}`, quote("Bash"), quote("touch "+text))
	tell("UserPromptSubmit", `,"prompt":`+quote("please "+text))
	tell("PreToolUse", call)
	write(t, dir, strings.ReplaceAll(text, "/", "")+"-made", text)
	tell("PostToolUse", call)
	tell("PreToolUse", `,"tool_name":"Bash","tool_use_id":"2","tool_input":{"command":`+quote("git reset --hard "+text)+`}`)
	tell("Stop", "")
}

var (
	tag     = regexp.MustCompile(`(?i)<(script|img|svg|style|iframe|object|a)\b[^>]*>`)
	handler = regexp.MustCompile(`(?i)<\w+(?:\s+[\w:-]+(?:="[^"]*")?)*?\s+on\w+\s*=`)
)

// TestHostile uses hostile texts as a task's text, files and file names, and reads every page.
func TestHostile(t *testing.T) {
	for i, text := range hostile {
		t.Run(fmt.Sprint(i), func(t *testing.T) {
			t.Parallel()
			var more []string
			for _, b := range breakouts {
				more = append(more, b+text)
			}
			dir, repo := project(t, text, more...)
			sessionOf(t, dir, text)
			v := visit(t, Options{Version: "test", Repositories: []Repository{repo}, Act: nobody})
			_, page := v.get("/r/1/sessions")
			session := regexp.MustCompile(`/r/1/session/claude-\w+`).FindString(page)
			if session == "" {
				t.Fatalf("no session: %s", page)
			}
			id := strings.TrimPrefix(session, "/r/1/session/")
			if _, page := v.get(session); !strings.Contains(page, "tool call 1") || !strings.Contains(page, "denied") || !strings.Contains(page, "-made") {
				t.Errorf("the session is not shown: %s", page)
			}
			for _, path := range []string{session, "/r/1/sessions", "/r/1/prune", "/r/1/restore?what=turn+" + id + "+1", "/r/1/restore?what=tool+" + id + "+1",
				"/r/1/restore?what=" + url.QueryEscape("turn "+text+" 1"), "/r/1/session/" + url.PathEscape(strings.ReplaceAll(text, "/", "")), "/r/1/", "/r/1/?q=" + url.QueryEscape(text), "/r/1/task/T1", "/r/1/task/H0", "/r/1/diff?from=T1", "/r/1/diff?from=T1&view=split",
				"/r/1/diff?from=T1&path=" + url.QueryEscape(text), "/r/1/task/T1/record", "/r/1/task/T1/pull", "/r/1/task/T1/export", "/r/1/snapshots", "/r/1/figures",
				"/r/1/diff?from=" + url.QueryEscape(text), "/r/1/restore?what=" + url.QueryEscape(text), "/r/1/task/" + url.PathEscape(strings.ReplaceAll(text, "/", ""))} {
				status, page := v.get(path)
				if status >= 500 {
					t.Errorf("%s: %d\n%s", path, status, page)
				}
				for _, found := range tag.FindAllString(page, -1) {
					itsOwn := found == "<style>" && strings.HasSuffix(path, "/export") && strings.Count(page, found) == 1
					if !ours(found) && !itsOwn {
						t.Errorf("%s has %s", path, found)
					}
				}
				if found := handler.FindString(page); found != "" {
					t.Errorf("%s has %s", path, found)
				}
				if strings.ContainsAny(page, "\u202e\u2066\x1b\x07") {
					t.Errorf("%s has characters that reorder or control text", path)
				}
			}
		})
	}
}

// ours reports whether a tag is one of the pages' own.
func ours(found string) bool {
	return strings.HasPrefix(found, `<script type="module" src="/static/page.js?v=`) || strings.HasPrefix(found, "<svg class=") ||
		strings.HasPrefix(found, "<a ") && !strings.Contains(found, `href="javascript`) && !strings.Contains(found, `href="data`)
}

func nobody(context.Context, string, func() bool, ...string) error {
	return errors.New("nothing is to be done")
}

// leaving is a client that disconnects after the first bytes of an answer, because events do not
// end.
type leaving struct {
	*httptest.ResponseRecorder
	leave func()
}

func (l leaving) Flush() {
	l.ResponseRecorder.Flush()
	l.leave()
}

// TestGuard: requests without the link, from another site, or with another site's form are
// rejected.
func TestGuard(t *testing.T) {
	t.Parallel()
	_, repo := project(t, "")
	acted := false
	v := visit(t, Options{Repositories: []Repository{repo}, Act: func(context.Context, string, func() bool, ...string) error {
		acted = true
		return errors.New("nothing is to be done")
	}})
	stranger := &visitor{t: t, server: v.server, at: v.at, client: &http.Client{}}
	// open serves a request without the guard, which shows that nothing behind it rejects the
	// request.
	open := func(r *http.Request, err error) int {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
		ctx, stop := context.WithTimeout(r.Context(), testutil.Patience)
		defer stop()
		answer := leaving{httptest.NewRecorder(), stop}
		v.server.routes().ServeHTTP(answer, r.Clone(ctx))
		return answer.Code
	}
	for _, path := range []string{"/", "/r/1/", "/r/1/task/T1", "/static/page.js", "/r/1/events", strings.TrimPrefix(v.server.Link, v.at), "/?token=x"} {
		if status, page := stranger.get(path); status != http.StatusUnauthorized || strings.Contains(page, "T1") {
			t.Errorf("%s without the cookie: %d", path, status)
		}
		if status := open(http.NewRequestWithContext(t.Context(), http.MethodGet, v.at+path, nil)); status >= 400 {
			t.Errorf("%s without the guard: %d", path, status)
		}
	}
	for name, change := range map[string]func(*http.Request){
		"another host":        func(r *http.Request) { r.Host = "rebound.example:" + r.URL.Port() },
		"another port":        func(r *http.Request) { r.Host = "127.0.0.1:1" },
		"no port":             func(r *http.Request) { r.Host = "127.0.0.1" },
		"another origin":      func(r *http.Request) { r.Header.Set("Origin", "http://127.0.0.1:1") },
		"a site":              func(r *http.Request) { r.Header.Set("Origin", "https://evil.example") },
		"no origin to tell":   func(r *http.Request) { r.Header.Set("Origin", "null") },
		"sent by a site":      func(r *http.Request) { r.Header.Set("Sec-Fetch-Site", "cross-site") },
		"sent by a neighbour": func(r *http.Request) { r.Header.Set("Sec-Fetch-Site", "same-site") },
		"an old cookie":       func(r *http.Request) { r.Header.Set("Cookie", v.server.guard.cookie+"="+randomToken()) },
	} {
		r, err := http.NewRequestWithContext(t.Context(), http.MethodGet, v.at+"/r/1/", nil)
		if err != nil {
			t.Fatal(err)
		}
		if name != "an old cookie" {
			r.AddCookie(&http.Cookie{Name: v.server.guard.cookie, Value: v.server.guard.secret})
		}
		change(r)
		if status, _ := stranger.read(stranger.client.Do(r)); status != http.StatusForbidden && status != http.StatusUnauthorized {
			t.Errorf("%s: %d", name, status)
		}
		if status := open(r, nil); status != http.StatusOK {
			t.Errorf("%s, without the guard: %d", name, status)
		}
	}
	for name, form := range map[string]url.Values{
		"no key":    {"decision": {"retry"}, "gate": {"1"}},
		"wrong key": {"decision": {"retry"}, "gate": {"1"}, "key": {"x"}},
		"too large": {"decision": {"guide"}, "gate": {"1"}, "key": {v.server.guard.key()}, "message": {strings.Repeat("x", 2*maxBody)}},
	} {
		acted = false
		if status, _ := v.post("/r/1/task/T1/decide", form); status != http.StatusForbidden || acted {
			t.Errorf("%s: %d", name, status)
		}
		r, err := http.NewRequestWithContext(t.Context(), http.MethodPost, v.at+"/r/1/task/T1/decide", strings.NewReader(form.Encode()))
		if err == nil {
			r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
		}
		if open(r, err); !acted {
			t.Errorf("%s, without the guard: no effect", name)
		}
	}
	r, err := v.client.Get(v.at + "/r/1/")
	if err != nil {
		t.Fatal(err)
	}
	_ = r.Body.Close()
	if csp := r.Header.Get("Content-Security-Policy"); !strings.Contains(csp, "default-src 'none'") || strings.Contains(csp, "unsafe") {
		t.Error(csp)
	}
}

// TestDecide: the page runs the terminal's command, asks for confirmation of what ends a task, and
// shows why it failed and who answered first.
func TestDecide(t *testing.T) {
	t.Parallel()
	dir, repo := project(t, "")
	var did []string
	s, err := repo.Open(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	decides := func(loop.Decision, string) error { return nil }
	act := func(ctx context.Context, root string, done func() bool, args ...string) error {
		if root != dir || done() {
			t.Errorf("in %s", root)
		}
		did = args
		return decides(loop.Decision(args[2]), "ana")
	}
	v := visit(t, Options{Repositories: []Repository{repo}, User: "ana", Act: act})
	if _, page := v.get("/r/1/task/T1"); !strings.Contains(page, "ended: exit 0") {
		t.Errorf("how the attempt ended: %s", page)
	}
	form := url.Values{"key": {v.server.guard.key()}, "gate": {"1"}, "decision": {"abort"}, "message": {"--trust"}}
	if _, page := v.post("/r/1/task/T1/decide", form); did != nil || !strings.Contains(page, `name="sure"`) {
		t.Errorf("aborted without confirmation: %v", did)
	}
	form.Set("decision", "guide")
	if status, page := v.post("/r/1/task/T1/decide", form); status == http.StatusOK || !strings.Contains(page, "not in the record") ||
		fmt.Sprint(did) != "[decide T1 guide --quiet --gate=1 --message=--trust --by=ana]" {
		t.Errorf("%d %q\n%s", status, did, page)
	}
	decides = func(loop.Decision, string) error { return errors.New("the disk is full") }
	if status, page := v.post("/r/1/task/T1/decide", form); status == http.StatusOK || !strings.Contains(page, "the disk is full") {
		t.Errorf("%d %s", status, page)
	}
	// Someone else answers between the page's check of the gate and the command.
	decides = func(loop.Decision, string) error {
		if _, err := s.Decide(t.Context(), "T1", 1, loop.DecideRetry, "", "bob"); err != nil {
			t.Error(err)
		}
		return errors.New("answered")
	}
	if status, page := v.post("/r/1/task/T1/decide", form); status != http.StatusConflict || !strings.Contains(page, "retry, by bob") {
		t.Errorf("%d %s", status, page)
	}
	did = nil
	if status, page := v.post("/r/1/task/T1/decide", form); status != http.StatusConflict || !strings.Contains(page, "retry, by bob") || did != nil {
		t.Errorf("%d %s", status, page)
	}
	if _, err := s.Decide(t.Context(), "T1", 1, loop.DecideGuide, "x", "ana"); belay.CodeOf(err) != belay.CodeBusy {
		t.Errorf("gate 1 was answered twice: %v", err)
	}
}

// TestReadingsAreForTheirGate: a question about an ambiguous request is asked only at its own gate.
func TestReadingsAreForTheirGate(t *testing.T) {
	t.Parallel()
	for kind, want := range map[loop.GateKind]bool{loop.GateClarify: true, loop.GateLimit: false} {
		if got := newGateQuestion(&session.Record{State: loop.State{Gate: &loop.Gate{Kind: kind}}}, nil).Unclear; got != want {
			t.Errorf("%s: %v", kind, got)
		}
	}
}

// TestApproveOver: rejected work is accepted with the terminal's command for that, with category
// and reason.
func TestApproveOver(t *testing.T) {
	t.Parallel()
	dir, repo := project(t, "")
	var did []string
	act := func(ctx context.Context, _ string, _ func() bool, args ...string) error {
		did = args
		s, err := repo.Open(ctx)
		if err == nil {
			_, err = app.ApproveWork(ctx, s, app.Approval{Task: "T1", Force: true, By: "ana", Watch: quiet{},
				Decision: func() (review.Decision, error) { return review.Decide("cross_scope", nil, "b.txt is T9's") }})
		}
		return err
	}
	v := visit(t, Options{Repositories: []Repository{repo}, User: "ana", Act: act})
	if _, page := v.get("/r/1/task/T1"); !strings.Contains(page, "Accept the rejected work") || strings.Count(page, `value="approve"`) != 1 {
		t.Errorf("%s", page)
	}
	form := url.Values{"key": {v.server.guard.key()}, "gate": {"1"}, "decision": {"approve"}, "category": {"cross_scope"}, "message": {"b.txt is T9's"}}
	status, page := v.post("/r/1/task/T1/decide", form)
	want := "[task move T1 --to=approved --force --gate=1 --category=cross_scope --note=b.txt is T9's --by=ana]"
	if status != http.StatusOK || fmt.Sprint(did) != want || !strings.Contains(page, "accepted") {
		t.Errorf("%d %q in %s\n%s", status, did, dir, page)
	}
}

// TestDecided: a recorded decision counts as done, no matter how the continued run ended.
func TestDecided(t *testing.T) {
	t.Parallel()
	_, repo := project(t, "")
	act := func(ctx context.Context, _ string, done func() bool, args ...string) error {
		s, err := repo.Open(ctx)
		if err != nil {
			return err
		}
		if _, err := s.Decide(ctx, "T1", 1, loop.Decision(args[2]), "as I said", "ana"); err != nil {
			return err
		}
		if !done() {
			t.Error("done reports false")
		}
		return errors.New("rejected again")
	}
	v := visit(t, Options{Repositories: []Repository{repo}, User: "ana", Act: act})
	form := url.Values{"key": {v.server.guard.key()}, "gate": {"1"}, "decision": {"guide"}, "message": {"as I said"}}
	if status, page := v.post("/r/1/task/T1/decide", form); status != http.StatusOK || strings.Contains(page, "rejected again") {
		t.Errorf("%d %s", status, page)
	}
}

// TestGuideWithoutWords: the page says where to write what is missing, not which flag.
func TestGuideWithoutWords(t *testing.T) {
	t.Parallel()
	_, repo := project(t, "")
	v := visit(t, Options{Repositories: []Repository{repo}, Act: func(context.Context, string, func() bool, ...string) error {
		t.Error("asked for an answer without words")
		return nil
	}})
	form := url.Values{"key": {v.server.guard.key()}, "gate": {"1"}, "decision": {"guide"}, "message": {" \n"}}
	if status, page := v.post("/r/1/task/T1/decide", form); status != http.StatusBadRequest || !strings.Contains(page, "write them above") ||
		strings.Contains(page, "--message") {
		t.Errorf("%d %s", status, page)
	}
}

// TestPaused: a task in the middle of its run, on which no belay works, is not shown as working, and says how to continue.
func TestPaused(t *testing.T) {
	t.Parallel()
	_, repo := project(t, "")
	s, err := repo.Open(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if _, err := s.Add(t.Context(), app.NewTask{ID: "T2", Text: "say four", AsItIs: true, Agent: []string{"true"}}); err != nil {
		t.Fatal(err)
	}
	if _, err := s.Start(t.Context(), "T2", quiet{}); err != nil {
		t.Fatal(err)
	}
	v := visit(t, Options{Repositories: []Repository{repo}})
	_, page := v.get("/r/1/task/T2")
	if !strings.Contains(page, "paused") || !strings.Contains(page, "belay run --resume T2") || strings.Contains(page, "</span> working") {
		t.Error(page)
	}
}

// TestRestore: a restore needs a preview of the current tree, and a failure is shown.
func TestRestore(t *testing.T) {
	t.Parallel()
	dir, repo := project(t, "")
	s, err := repo.Open(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	all, _, err := s.Session.Snaps.ListAll(t.Context())
	if err != nil || len(all) == 0 {
		t.Fatal(all, err)
	}
	var did []string
	var fails error
	v := visit(t, Options{Repositories: []Repository{repo}, Act: func(_ context.Context, _ string, _ func() bool, args ...string) error {
		did = args
		return fails
	}})
	what := string(all[0].ID)
	form := func() url.Values {
		status, page := v.get("/r/1/restore?what=" + what)
		seen := regexp.MustCompile(`name="seen" value="(\w+)"`).FindStringSubmatch(page)
		if status != http.StatusOK || seen == nil || !strings.Contains(page, "b.txt") {
			t.Fatalf("%d %s", status, page)
		}
		return url.Values{"key": {v.server.guard.key()}, "what": {what}, "seen": {seen[1]}}
	}
	old := form()
	write(t, dir, "b.txt", "changed once more\n")
	for _, seen := range []url.Values{old, {"key": old["key"], "what": old["what"]}} {
		if status, page := v.post("/r/1/restore", seen); status != http.StatusConflict || did != nil || !strings.Contains(page, "since the preview") {
			t.Errorf("%d %q %s", status, did, page)
		}
	}
	fails = errors.New("the disk is full")
	if status, page := v.post("/r/1/restore", form()); status == http.StatusOK || !strings.Contains(page, "the disk is full") {
		t.Errorf("%d %s", status, page)
	}
	taken, err := s.Session.Snaps.Take(t.Context(), snapshot.Meta{Kind: belay.KindManual})
	if err != nil {
		t.Fatal(err)
	}
	if status, page := v.get("/r/1/restore?what=" + string(taken.ID)); status != http.StatusOK || strings.Contains(page, "<form") ||
		!strings.Contains(page, "nothing to restore") {
		t.Errorf("a restore without differences: %d %s", status, page)
	}
	if _, page := v.get("/r/1/snapshots"); !regexp.MustCompile(`in all, [\d.]+ Ki?B`).MatchString(page) {
		t.Errorf("the size of the snapshots: %s", page)
	}
	fails = nil
	if status, page := v.post("/r/1/restore", form()); status != http.StatusOK || !strings.Contains(page, "Restored.") ||
		fmt.Sprint(did) != "[snapshot restore "+what+" --yes]" {
		t.Errorf("%d %q %s", status, did, page)
	}
}

// TestSession: a turn of a session is undone with the terminal's command, after a preview, and the
// page confirms it.
func TestSession(t *testing.T) {
	t.Parallel()
	dir, repo := project(t, "")
	sessionOf(t, dir, "it")
	var did []string
	v := visit(t, Options{Repositories: []Repository{repo}, Act: func(_ context.Context, _ string, _ func() bool, args ...string) error {
		did = args
		return nil
	}})
	_, page := v.get("/r/1/sessions")
	id := regexp.MustCompile(`claude-\w+`).FindString(page)
	for _, what := range []string{"turn", "tool"} {
		what := what + " " + id + " 1"
		status, page := v.get("/r/1/restore?what=" + url.QueryEscape(what))
		seen := regexp.MustCompile(`name="seen" value="(\w+)"`).FindStringSubmatch(page)
		if status != http.StatusOK || seen == nil || !strings.Contains(page, "it-made") {
			t.Fatalf("%d %s", status, page)
		}
		form := url.Values{"key": {v.server.guard.key()}, "what": {what}, "seen": seen[1:]}
		want := fmt.Sprintf("[undo --session=%s --%s=1]", id, what[:4])
		if status, page := v.post("/r/1/restore", form); status != http.StatusOK || !strings.Contains(page, "The changes were reversed") ||
			fmt.Sprint(did) != want {
			t.Errorf("%d %q, want %s\n%s", status, did, want, page)
		}
	}
	// A session may be named by the beginning of its random ID, but no ID begins with "nobody".
	for _, what := range []string{"turn " + id + " 9", "turn " + id + " x", "turn --all 1", "turn claude-nobody 1"} {
		if status, page := v.get("/r/1/restore?what=" + url.QueryEscape(what)); status != http.StatusNotFound && status != http.StatusBadRequest {
			t.Errorf("%s: %d %s", what, status, page)
		}
	}
}

// TestPrune: old snapshots are deleted with the terminal's command, and only those that the preview
// showed.
func TestPrune(t *testing.T) {
	t.Parallel()
	_, repo := project(t, "")
	s, err := repo.Open(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	var did []string
	v := visit(t, Options{Repositories: []Repository{repo}, Act: func(_ context.Context, _ string, _ func() bool, args ...string) error {
		did = args
		return nil
	}})
	if status, page := v.get("/r/1/prune"); status != http.StatusOK || !strings.Contains(page, "Nothing that old") {
		t.Errorf("%d %s", status, page)
	}
	if status, _ := v.get("/r/1/prune?age=1s"); status != http.StatusBadRequest {
		t.Errorf("an invalid age: %d", status)
	}
	v.server.ages = []age{{"0s", "nothing", 0}} // a test's snapshots are younger than a day
	for i := range 3 {
		if _, err := s.Session.Snaps.Take(t.Context(), session.ManualMeta(nil, fmt.Sprintf("by hand %d", i))); err != nil {
			t.Fatal(err)
		}
	}
	status, page := v.get("/r/1/prune?age=0s")
	seen := regexp.MustCompile(`name="seen" value="(\w+)"`).FindStringSubmatch(page)
	if status != http.StatusOK || seen == nil || !strings.Contains(page, "by hand 1") {
		t.Fatalf("%d %s", status, page)
	}
	form := url.Values{"key": {v.server.guard.key()}, "age": {"0s"}, "seen": seen[1:]}
	if _, err := s.Session.Snaps.Take(t.Context(), session.ManualMeta(nil, "one more")); err != nil {
		t.Fatal(err)
	}
	if status, page := v.post("/r/1/prune", form); status != http.StatusConflict || did != nil || !strings.Contains(page, "other snapshots would be deleted") {
		t.Errorf("%d %q %s", status, did, page)
	}
	_, page = v.get("/r/1/prune?age=0s")
	form.Set("seen", regexp.MustCompile(`name="seen" value="(\w+)"`).FindStringSubmatch(page)[1])
	if status, page := v.post("/r/1/prune", form); status != http.StatusOK || !strings.Contains(page, "were deleted") ||
		fmt.Sprint(did) != "[snapshot prune --older-than=0s]" {
		t.Errorf("%d %q %s", status, did, page)
	}
}

// TestImage: an image is shown before and after; a file that only has an image's name, or may
// contain a script, is not.
func TestImage(t *testing.T) {
	t.Parallel()
	dir, repo := project(t, "")
	s, err := repo.Open(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	begun, err := s.Session.Snaps.Take(t.Context(), session.ManualMeta(nil, "before the images"))
	if err != nil {
		t.Fatal(err)
	}
	png := "\x89PNG\r\n\x1a\n\x00\x00\x00\rIHDR"
	write(t, dir, "logo", png)
	const script = "\x00<html><script>alert(1)</script>"
	write(t, dir, "page.png", script)
	v := visit(t, Options{Repositories: []Repository{repo}, Act: nobody})
	_, page := v.get("/r/1/diff?from=" + string(begun.ID))
	sources := regexp.MustCompile(`<img src="([^"]+)"`).FindAllStringSubmatch(page, -1)
	if len(sources) != 1 || !strings.Contains(page, "A binary file") {
		t.Fatalf("%d images\n%s", len(sources), page)
	}
	if status, got := v.get(sources[0][1]); status != http.StatusOK || got != png {
		t.Errorf("%d %q", status, got)
	}
	blob := fmt.Sprintf("%x", sha1.Sum(fmt.Appendf(nil, "blob %d\x00%s", len(script), script))) //nolint:gosec // git's name of it
	for _, path := range []string{"/r/1/image?blob=" + blob, "/r/1/image?blob=HEAD", "/r/1/image?blob=", "/r/1/image?blob=0123456789"} {
		if status, _ := v.get(path); status != http.StatusNotFound {
			t.Errorf("%s: %d", path, status)
		}
	}
}

// TestExport: an exported task has its page, changes and record, loads nothing, and has no
// interactive elements.
func TestExport(t *testing.T) {
	t.Parallel()
	_, repo := project(t, `<img src="https://evil.example/x">`)
	v := visit(t, Options{Version: "test", Repositories: []Repository{repo}, Act: nobody})
	status, page := v.get("/r/1/task/T1/export")
	if status != http.StatusOK {
		t.Fatalf("%d %s", status, page)
	}
	for _, want := range []string{"Waiting for you", "Attempt 1", "changed</td>", "intact", "default-src 'none'; style-src 'sha256-", "--ground", "</html>"} {
		if !strings.Contains(page, want) {
			t.Errorf("no %q", want)
		}
	}
	for _, tag := range regexp.MustCompile(`<[a-z]+\b[^>]*`).FindAllString(page, -1) {
		if regexp.MustCompile(`^<(script|form|a|img|link|iframe|button|input)\b|\b(src|href|on[a-z]+)=`).MatchString(tag) {
			t.Errorf("it has %s", tag)
		}
	}
	if status, page := v.get("/r/1/task/T9/export"); status != http.StatusNotFound || !strings.Contains(page, "T9") {
		t.Errorf("%d %s", status, page)
	}
}

// TestEvents: a page gets one event for a change, and after reconnecting one for what it missed.
func TestEvents(t *testing.T) {
	t.Parallel()
	_, repo := project(t, "")
	v := visit(t, Options{Repositories: []Repository{repo}, Act: nobody})
	s, err := repo.Open(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	mark, err := s.RecordsStamp("T1")
	if err != nil {
		t.Fatal(err)
	}
	listen := func(had string) (read func() string) {
		ctx, stop := context.WithTimeout(t.Context(), testutil.Patience)
		t.Cleanup(stop)
		r, err := http.NewRequestWithContext(ctx, http.MethodGet, v.at+"/r/1/events?task=T1", nil)
		if err != nil {
			t.Fatal(err)
		}
		r.Header.Set("Last-Event-ID", had)
		answer, err := v.client.Do(r)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = answer.Body.Close() })
		return func() string {
			buf := make([]byte, 1<<12)
			n, err := answer.Body.Read(buf)
			if err != nil {
				t.Fatal(err)
			}
			return string(buf[:n])
		}
	}
	read := listen(mark)
	if first := read(); !strings.Contains(first, "hello") || strings.Contains(first, "change") {
		t.Errorf("an up-to-date page: %q", first)
	}
	if _, err := s.Decide(t.Context(), "T1", 0, loop.DecideRetry, "", "bob"); err != nil {
		t.Fatal(err)
	}
	if next := read(); !strings.Contains(next, "change") {
		t.Errorf("%q", next)
	}
	if first := listen(mark)(); !strings.Contains(first, "change") {
		t.Errorf("an outdated page: %q", first)
	}
	if first := listen("retry: 1")(); strings.Count(first, "retry") != 1 {
		t.Errorf("%q", first)
	}
}

// quiet is an Observer that ignores everything.
type quiet struct{}

func (quiet) Begins(*session.Record, loop.Command) {}
func (quiet) Happened(*session.Record, loop.Event) {}
func (quiet) Checking(check.Progress)              {}
func (quiet) Output() io.Writer                    { return nil }
func (quiet) Used(belay.TaskID, belay.Use)         {}
func (quiet) Note(string)                          {}
func (quiet) Ask(context.Context, *session.Record) (loop.Decision, string, bool, error) {
	return "", "", false, nil
}

// TestIdle: an unused server ends, and not earlier.
func TestIdle(t *testing.T) {
	t.Parallel()
	ended := make(chan struct{})
	h := stopWhenIdle(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { time.Sleep(30 * time.Millisecond) }), 10*time.Millisecond, func() { close(ended) })
	h.ServeHTTP(httptest.NewRecorder(), httptest.NewRequest(http.MethodGet, "/", nil))
	select {
	case <-ended:
	case <-time.After(testutil.Patience):
		t.Error("it does not stop")
	}
}

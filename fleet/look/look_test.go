package look_test

import (
	"cmp"
	"context"
	"errors"
	"io"
	"maps"
	"net/http"
	"net/http/cookiejar"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/belay-dev/belay/fleet/look"
	"github.com/belay-dev/belay/fleet/remote"
	"github.com/belay-dev/belay/fleet/task"
	"github.com/belay-dev/belay/internal/app"
	"github.com/belay-dev/belay/internal/belay"
	"github.com/belay-dev/belay/internal/check"
	"github.com/belay-dev/belay/internal/loop"
	"github.com/belay-dev/belay/internal/session"
	"github.com/belay-dev/belay/internal/testutil"
	"github.com/belay-dev/belay/internal/web"
)

func TestMain(m *testing.M) {
	app.Slack = testutil.Patience
	home, err := os.MkdirTemp("", "belay-look-")
	if err != nil {
		panic(err)
	}
	for k, v := range map[string]string{"HOME": home, "XDG_CONFIG_HOME": home, "XDG_STATE_HOME": home, "XDG_CACHE_HOME": home,
		"GIT_CONFIG_NOSYSTEM": "1"} {
		os.Setenv(k, v)
	}
	code := m.Run()
	os.RemoveAll(home)
	os.Exit(code)
}

// fleet is a remote, a worker's clone with tasks, and a server that knows the worker's records.
type fleet struct {
	t           *testing.T
	dir, remote string
	svc         *app.Service
	mirror      *remote.Mirror
	last        map[belay.TaskID]string // the commits of records that were pushed
	base        string

	mu       sync.Mutex
	down     error
	silent   error // error for each task: no worker answers
	unpushed bool
	omitted  *task.Omitted
	phase    string // instead of the record's
	decided  []task.Decision
	asked    string // the remote that tasks were asked of
	decides  func(belay.TaskID, task.Decision) error
	features map[string]*task.FeatureStatus
	more     []look.Row // more rows in the server's list
	queried  int
	listing  func()      // called while the server lists
	said     []task.Line // lines of the tasks
}

const hostile = `<script>alert(1)</script>`

// newFleet creates these tasks on the remote, each at its gate.
func newFleet(t *testing.T, tasks ...belay.TaskID) *fleet {
	t.Helper()
	f := &fleet{t: t, dir: t.TempDir(), last: map[belay.TaskID]string{}}
	f.remote = filepath.Join(f.dir, "shop.git")
	f.git(f.dir, "init", "-q", "--bare", "-b", "main", f.remote)
	clone := filepath.Join(f.dir, "worker", "shop")
	f.git(f.dir, "init", "-q", "-b", "main", clone)
	f.write("a.txt", "one\n")
	f.write("b.txt", "two\n")
	f.git(clone, "add", "-A")
	f.git(clone, "-c", "user.name=a", "-c", "user.email=a@b", "commit", "-qm", "first")
	f.git(clone, "push", "-q", f.remote, "main")
	f.base = f.git(clone, "rev-parse", "HEAD")
	var err error
	if f.mirror, err = remote.OpenMirror(t.Context(), filepath.Join(f.dir, "worker", "mirror"), f.remote); err != nil {
		t.Fatal(err)
	}
	flags := []app.Flag{{Key: "protect", Value: "b.txt"}, {Key: "retries", Value: "0"}}
	if f.svc, err = app.Open(t.Context(), app.OpenOptions{Dir: clone, Force: true, Flags: flags}); err != nil {
		t.Fatal(err)
	}
	for _, id := range tasks {
		f.add(id)
		f.push(id)
	}
	return f
}

// visited returns the fleet's pages, up to date, and a visitor who has opened them.
func (f *fleet) visited() (*look.Remote, *visitor) {
	f.t.Helper()
	r := look.New(filepath.Join(f.dir, "home"), f.remote, f)
	r.Sync(f.t.Context())
	return r, visit(f.t, r)
}

func (f *fleet) git(dir string, args ...string) string {
	f.t.Helper()
	c := exec.Command("git", args...)
	c.Dir = dir
	out, err := c.CombinedOutput()
	if err != nil {
		f.t.Fatalf("git %v: %v\n%s", args, err, out)
	}
	return strings.TrimSpace(string(out))
}

func (f *fleet) write(name, text string) {
	f.t.Helper()
	if err := os.WriteFile(filepath.Join(f.dir, "worker", "shop", name), []byte(text), 0o644); err != nil {
		f.t.Fatal(err)
	}
}

// add creates a task that waits at a gate because its attempt changed a protected file.
func (f *fleet) add(id belay.TaskID) {
	f.t.Helper()
	ctx := f.t.Context()
	_, err := f.svc.Add(ctx, app.NewTask{ID: id, Text: "change a.txt, not " + hostile, AsItIs: true})
	if err == nil {
		_, err = f.svc.Start(ctx, id, nobody{})
	}
	f.write("b.txt", string(id)+hostile+"\n")
	if err == nil {
		_, err = f.svc.Capture(ctx, id, nobody{})
	}
	if err == nil {
		_, err = f.svc.Check(ctx, app.CheckRequest{Task: id, Watch: nobody{}})
	}
	if err != nil && belay.CodeOf(err) != belay.CodeRefused {
		f.t.Fatal(err)
	}
}

func (f *fleet) record(id belay.TaskID) *session.Record {
	f.t.Helper()
	r, err := f.svc.Session.Load(id)
	if err != nil {
		f.t.Fatal(err)
	}
	return r
}

func (f *fleet) push(id belay.TaskID) {
	f.t.Helper()
	commit, err := f.mirror.Push(f.t.Context(), f.svc, f.record(id), remote.PushTerms{Last: f.last[id], Base: f.base})
	if err != nil {
		f.t.Fatal(err)
	}
	f.last[id] = commit
}

// List, Status and Decide implement look.Server.
func (f *fleet) List(_ context.Context, remote string) ([]look.Row, error) {
	if f.listing != nil {
		f.listing()
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	f.asked = remote
	if f.down != nil {
		return nil, f.down
	}
	ids, err := f.svc.Session.Journal.Tasks()
	rows := make([]look.Row, len(ids))
	for i, id := range ids {
		st := f.status(id)
		rows[i] = look.Row{Task: id, Phase: st.Phase, Outcome: st.Outcome, Worker: st.Worker}
	}
	for _, name := range slices.Sorted(maps.Keys(f.features)) {
		st := f.features[name]
		rows = append(rows, look.Row{Task: belay.TaskID(name), Feature: true, Phase: st.Phase, Outcome: st.Outcome, Cost: st.Use.Cost})
	}
	return append(rows, f.more...), err
}

// Feature and DecideFeature implement look.Server.
func (f *fleet) Feature(_ context.Context, _, name string) (task.FeatureStatus, string, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if err := cmp.Or(f.down, f.silent); err != nil {
		return task.FeatureStatus{}, "", err
	}
	return *f.features[name], "", nil
}

func (f *fleet) DecideFeature(_ context.Context, _, name string, d task.Decision) (task.FeatureStatus, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.decided = append(f.decided, d)
	err := f.decides(belay.TaskID(name), d)
	return *f.features[name], err
}

func (f *fleet) status(id belay.TaskID) task.Status {
	r := f.record(id)
	s := r.State
	st := task.Status{Task: task.Input{ID: r.Task.ID, Prose: r.Task.Prose}, Phase: string(s.Phase), Outcome: string(s.Outcome), Worker: "w-" + hostile,
		Gate: s.Gate, Head: task.Head(r.Log.Head), Unpushed: f.unpushed, State: &s, Omitted: f.omitted,
		Lines: f.said}
	if f.phase != "" {
		st.Phase = f.phase
		st.Lines = []task.Line{{Time: r.Changed, Text: f.phase + ": 3 workers were lost with it " + hostile}}
	}
	return st
}

func (f *fleet) Status(_ context.Context, _ string, id belay.TaskID) (task.Status, string, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.queried++; f.down != nil {
		return task.Status{}, "", f.down
	}
	return f.status(id), "", f.silent
}

func (f *fleet) Decide(_ context.Context, _ string, id belay.TaskID, d task.Decision) (task.Status, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.decided = append(f.decided, d)
	if err := f.decides(id, d); err != nil {
		return task.Status{}, err
	}
	return f.status(id), nil
}

// visitor is a browser that has opened the link.
type visitor struct {
	t      *testing.T
	at     string
	client *http.Client
	key    string
}

func visit(t *testing.T, remotes ...*look.Remote) *visitor {
	t.Helper()
	o := web.Options{Version: "test", User: "ana"}
	for _, r := range remotes {
		o.Repositories = append(o.Repositories, r.Repository())
	}
	s, err := web.New(t.Context(), o, 0)
	if err != nil {
		t.Fatal(err)
	}
	go func() { _ = s.Serve(t.Context(), 0) }()
	jar, _ := cookiejar.New(nil)
	v := &visitor{t: t, client: &http.Client{Jar: jar}}
	v.at, _, _ = strings.Cut(s.Link, "/?")
	if _, err := v.client.Get(s.Link); err != nil {
		t.Fatal(err)
	}
	return v
}

var formKey = regexp.MustCompile(`name="key" value="(\w+)"`)

// page requests a page, which must be complete and contain the texts, or not contain those that
// begin with !.
func (v *visitor) page(status int, path string, texts ...string) string {
	v.t.Helper()
	r, err := v.client.Get(v.at + path)
	return v.read(r, err, status, texts...)
}

func (v *visitor) decide(status int, path, gate, decision string, texts ...string) string {
	v.t.Helper()
	return v.post(status, path, url.Values{"gate": {gate}, "decision": {decision}, "message": {"use a clock"}, "sure": {"1"}}, texts...)
}

func (v *visitor) post(status int, path string, form url.Values, texts ...string) string {
	v.t.Helper()
	form.Set("key", v.key)
	r, err := v.client.PostForm(v.at+path, form)
	return v.read(r, err, status, texts...)
}

func (v *visitor) read(r *http.Response, err error, status int, texts ...string) string {
	v.t.Helper()
	if err != nil {
		v.t.Fatal(err)
	}
	defer r.Body.Close()
	body, err := io.ReadAll(r.Body)
	text := string(body)
	if err != nil || r.StatusCode != status || !strings.Contains(text, "</html>") {
		v.t.Fatalf("%s: %s, %v\n%s", r.Request.URL, r.Status, err, text)
	}
	if strings.Contains(text, hostile) {
		v.t.Errorf("%s: a text is not escaped", r.Request.URL)
	}
	for _, want := range texts {
		if rest, not := strings.CutPrefix(want, "!"); strings.Contains(text, rest) == not {
			v.t.Errorf("%s: %q\n%s", r.Request.URL, want, text)
		}
	}
	if m := formKey.FindStringSubmatch(text); m != nil {
		v.key = m[1]
	}
	return text
}

// TestPages reads the pages of a task that was never on this machine, and answers its gate.
func TestPages(t *testing.T) {
	t.Parallel()
	f := newFleet(t, "T1")
	r := look.New(filepath.Join(f.dir, "home"), f.remote, f)
	if !r.Sync(t.Context()) || r.Sync(t.Context()) {
		t.Error("Sync did not report a change, or reported it twice")
	}
	v := visit(t, r)
	v.page(200, "/r/1/", "T1", "waits for you", "w-&lt;script&gt;", "!/snapshots", "!/sessions", "!merge")
	page := v.page(200, "/r/1/task/T1", "Waiting for you", "b.txt", "retry with your instructions", "Changed files", "!/restore",
		"Your review", "Request changes", "Accept the rejected work", `value="cross_scope"`, `value="abort"`)
	changes := regexp.MustCompile(`/r/1/diff\?from=[^"]*&amp;to=[^"]*`).FindString(page)
	if changes == "" {
		t.Fatal("no changes are shown")
	}
	v.page(200, strings.ReplaceAll(changes, "&amp;", "&"), "two", "T1&lt;script&gt;", "Add comment")
	v.page(200, "/r/1/diff?from=T1", "two", "T1&lt;script&gt;")
	v.page(200, "/r/1/task/T1/record", "intact")
	v.page(200, "/r/1/task/T1/pull", "!--open", "belay/t1")
	v.page(200, "/r/1/task/T1/export", "T1")
	v.page(200, "/r/1/figures")
	v.page(404, "/r/1/task/T2", "T2")
	v.page(500, "/r/1/diff?from="+string(f.record("T1").State.Before), "no other state")
	for _, path := range []string{"snapshots", "sessions", "session/x", "prune", "restore?what=undo"} {
		v.page(404, "/r/1/"+path, "on another machine")
	}

	f.decides = func(id belay.TaskID, d task.Decision) error {
		_, err := f.svc.Decide(t.Context(), id, d.Gate, d.Decision, d.Note, d.By)
		f.push(id)
		return err
	}
	v.decide(200, "/r/1/task/T1/decide", "1", "guide", "<strong>guide</strong> by ana: use a clock", "!Waiting for you")
	if want := (task.Decision{Gate: 1, Decision: "guide", Note: "use a clock", By: "ana"}); len(f.decided) != 1 || f.decided[0] != want {
		t.Errorf("the task was sent %+v", f.decided)
	}
	// A second person has an outdated page.
	f.decides = func(belay.TaskID, task.Decision) error {
		return belay.Refuse(belay.CodeUsage, "", "T1 does not wait at gate 1 any more")
	}
	v.decide(409, "/r/1/task/T1/decide", "1", "retry", "T1 was answered meanwhile: guide, by ana")
	// Both answers reached the task at once: it accepts both, and carries out the first.
	f.decides = func(belay.TaskID, task.Decision) error { return nil }
	v.decide(409, "/r/1/task/T1/decide", "1", "retry", "T1 was answered meanwhile: guide, by ana")
}

// TestSure: a decision that ends a task needs a confirmation.
func TestSure(t *testing.T) {
	t.Parallel()
	f := newFleet(t, "T1")
	_, v := f.visited()
	v.page(200, "/r/1/task/T1")
	answer, err := v.client.PostForm(v.at+"/r/1/task/T1/decide", url.Values{"key": {v.key}, "gate": {"1"}, "decision": {"abort"}})
	v.read(answer, err, 200, "abort T1?", `name="sure"`)
	if len(f.decided) > 0 {
		t.Errorf("it was sent %v", f.decided)
	}
}

// TestDown: without the server, or without the remote, the pages show the last known state and the
// problem.
func TestDown(t *testing.T) {
	t.Parallel()
	f := newFleet(t, "T1")
	home := filepath.Join(f.dir, "home")
	away := filepath.Join(f.dir, "away.git")
	if err := os.Rename(f.remote, away); err != nil {
		t.Fatal(err)
	}
	r := look.New(home, f.remote, f)
	r.Sync(t.Context())
	v := visit(t, r)
	v.page(500, "/r/1/", "the remote cannot be read")
	if err := os.Rename(away, f.remote); err != nil {
		t.Fatal(err)
	}
	r.Sync(t.Context())
	v.page(200, "/r/1/", "T1", "!the remote cannot be read")

	if err := os.Rename(f.remote, away); err != nil {
		t.Fatal(err)
	}
	f.down = errors.New("connection refused")
	r = look.New(home, f.remote, f) // restarted
	r.Sync(t.Context())
	v = visit(t, r)
	v.page(200, "/r/1/", "T1", "waits for you", "the remote cannot be read", "does not answer", "connection refused")
	v.page(200, "/r/1/task/T1", "Waiting for you", "It cannot be decided here now", "!<button")
}

// TestSilent: if no worker answers for a task, its record is shown, without decisions.
func TestSilent(t *testing.T) {
	t.Parallel()
	f := newFleet(t, "T1")
	f.silent = errors.New("no poller seen")
	_, v := f.visited()
	v.page(200, "/r/1/", "waits for you", "does not say where it stands: no poller seen")
	v.page(200, "/r/1/task/T1", "Waiting for you", "It cannot be decided here now", "!<button")
	f.mu.Lock()
	f.silent = nil
	f.mu.Unlock()
	v.page(200, "/r/1/task/T1", `value="retry"`, "!no poller seen")
}

// TestUnpushed: only the server knows what a worker could not push.
func TestUnpushed(t *testing.T) {
	t.Parallel()
	f := newFleet(t)
	f.add("T1")
	f.unpushed = true
	r, v := f.visited()
	v.page(200, "/r/1/", "T1", "not pushed: ", "waits for you")
	v.page(200, "/r/1/task/T1", "Waiting for you", `value="retry"`, "not pushed: ")
	f.push("T1")
	f.unpushed = false
	r.Sync(t.Context())
	v.page(200, "/r/1/task/T1", "Changed files", "!not pushed: ")
}

// TestInPart: a task with a partial state is marked so until its complete record is here; the page
// then shows the first findings and the number of the others.
func TestInPart(t *testing.T) {
	t.Parallel()
	f := newFleet(t)
	f.add("T1")
	e := loop.Event{Kind: loop.EvVerdict, Verdict: belay.VerdictFail, By: "ann"}
	for i := range 600 {
		e.Findings = append(e.Findings, belay.Finding{Check: "review", Severity: belay.SeverityError, Category: belay.CategoryReview,
			Title: "wrong: " + strings.Repeat("x", i+1)}.Sign())
	}
	if err := f.svc.Session.Apply(t.Context(), f.record("T1"), e); err != nil {
		t.Fatal(err)
	}
	f.unpushed, f.omitted = true, &task.Omitted{Findings: 400, Bytes: 1}
	r, v := f.visited()
	v.page(200, "/r/1/", "in part: 400 findings, 1 byte are only in the record, which worker w-")
	f.push("T1")
	f.unpushed = false
	r.Sync(t.Context())
	page := v.page(200, "/r/1/task/T1", "!in part: ", " more findings in the record</li>")
	if n := strings.Count(page, "wrong: x"); n > 510 {
		t.Errorf("%d findings on the page", n)
	}
}

// TestForgotten: a task without snapshots on the remote is shown with its record, without a
// problem.
func TestForgotten(t *testing.T) {
	t.Parallel()
	f := newFleet(t, "T1")
	r, v := f.visited()
	v.page(200, "/r/1/task/T1", "Changed files", "!were forgotten")
	now := time.Now()
	ended := map[belay.TaskID]time.Time{"t1": now.Add(-time.Hour)}
	out, err := remote.Forget(t.Context(), task.ForgetAsk{Remote: f.remote}, ended, now)
	if err != nil || out.Snapshots == 0 {
		t.Fatal(out, err)
	}
	for range 2 { // a copy that had them, then the same copy again
		r.Sync(t.Context())
		v.page(200, "/r/1/task/T1", "its snapshots were forgotten on "+now.UTC().Format(time.DateOnly), "protected", "!record problem")
	}
}

// TestQuarantined: a quarantined task can be resumed.
func TestQuarantined(t *testing.T) {
	t.Parallel()
	f := newFleet(t, "T1")
	f.phase = task.PhaseQuarantined
	_, v := f.visited()
	v.page(200, "/r/1/", "quarantined: 3 workers were lost with it")
	v.page(200, "/r/1/task/T1", "quarantined: 3 workers were lost with it", `value="resume"`, `!value="retry"`)
	f.decides = func(belay.TaskID, task.Decision) error { return nil }
	v.decide(200, "/r/1/task/T1/decide", "0", "resume")
	if len(f.decided) != 1 || f.decided[0].Decision != task.Resume {
		t.Errorf("the task was sent %+v", f.decided)
	}
}

// TestTampered: a record that somebody changed on the remote is not shown as the task's, neither to
// a viewer who has seen it before nor to a new one, and the problem remains after a restart of the
// pages.
func TestTampered(t *testing.T) {
	t.Parallel()
	f := newFleet(t)
	damaged := func(id belay.TaskID) {
		f.rewrite(id, func(s string) string { return strings.Replace(s, "change a.txt", "change b.txt", 1) })
	}
	cut := func(id belay.TaskID) {
		f.rewrite(id, func(s string) string { return strings.Join(strings.SplitAfter(s, "\n")[:3], "") })
	}
	deleted := func(id belay.TaskID) { f.git(f.remote, "update-ref", "-d", "refs/belay/fleet/"+id.Key()+"/record") }
	snapshot := func(id belay.TaskID) {
		ref := f.git(f.remote, "for-each-ref", "--format=%(refname)", "--count=1", "refs/belay/fleet/"+id.Key()+"/snapshots/")
		f.git(f.remote, "update-ref", ref, f.base)
		f.rewrite(id, func(s string) string { return s })
	}
	cases := []struct {
		id          belay.TaskID
		spoil       func(belay.TaskID)
		seen, never string // texts
	}{
		{id: "T1", spoil: damaged, seen: "is damaged", never: "is damaged"},
		{id: "T2", spoil: cut, seen: "has 3 entries, and had", never: "and 3 are here"},
		{id: "T3", spoil: f.forge, seen: "was replaced", never: "is not the one that the server knows"},
		{id: "T4", spoil: deleted, seen: "has not the whole record", never: "and 0 are here"},
		{id: "T5", spoil: snapshot, seen: "has another snapshot", never: "has another snapshot"},
	}
	for _, c := range cases {
		f.add(c.id)
		f.push(c.id)
	}
	f.add("T9")
	f.push("T9")
	seen, never := filepath.Join(f.dir, "seen"), filepath.Join(f.dir, "never")
	look.New(seen, f.remote, f).Sync(t.Context())
	for _, c := range cases {
		c.spoil(c.id)
	}
	for range 2 { // restarted the second time
		var remotes []*look.Remote
		for _, home := range []string{seen, never} {
			r := look.New(home, f.remote, f)
			r.Sync(t.Context())
			remotes = append(remotes, r)
		}
		v := visit(t, remotes...)
		for _, c := range cases {
			v.page(200, "/r/1/?q="+string(c.id), "record problem", c.seen)
			v.page(200, "/r/1/task/"+string(c.id), c.seen, "!<button")
			v.page(200, "/r/2/?q="+string(c.id), "record problem", c.never)
			v.page(200, "/r/2/task/"+string(c.id), c.never, "!<button")
		}
		v.page(200, "/r/1/task/T9", `value="retry"`, "!problem")
		v.page(200, "/r/2/task/T9", `value="retry"`, "!problem")
	}

	// A record that was deleted, and pushed again as it was, is no problem any more.
	r := look.New(seen, f.remote, f)
	ref := "refs/belay/fleet/t9/record"
	tip := f.git(f.remote, "rev-parse", ref)
	deleted("T9")
	r.Sync(t.Context())
	visit(t, r).page(200, "/r/1/task/T9", "has not the whole record")
	f.git(f.remote, "update-ref", ref, tip)
	r.Sync(t.Context())
	visit(t, r).page(200, "/r/1/task/T9", `value="retry"`, "!has not the whole record")
}

// rewrite replaces the lines of a record on the remote.
func (f *fleet) rewrite(id belay.TaskID, change func(string) string) {
	f.t.Helper()
	ref := "refs/belay/fleet/" + id.Key() + "/record"
	text := change(f.git(f.remote, "cat-file", "blob", ref+":record.jsonl") + "\n")
	work := filepath.Join(f.dir, "spoil-"+id.Key())
	f.git(f.dir, "clone", "-q", f.remote, work)
	f.git(work, "fetch", "-q", f.remote, ref)
	f.git(work, "checkout", "-q", "--detach", "FETCH_HEAD")
	if err := os.WriteFile(filepath.Join(work, "record.jsonl"), []byte(text), 0o644); err != nil {
		f.t.Fatal(err)
	}
	f.git(work, "-c", "user.name=a", "-c", "user.email=a@b", "commit", "-q", "-a", "--allow-empty", "-m", "spoil")
	f.git(work, "push", "-q", "-f", f.remote, "HEAD:"+ref)
}

// forge replaces a record on the remote with a valid one that its worker never wrote.
func (f *fleet) forge(id belay.TaskID) {
	f.t.Helper()
	other := newFleet(f.t)
	other.add(id)
	other.add("T0")
	r := other.record(id)
	if err := other.svc.Session.AddNote(f.t.Context(), r, session.Note{Kind: "note", Text: "all is well"}); err != nil {
		f.t.Fatal(err)
	}
	other.remote = f.remote
	other.mirror.URL = f.remote
	f.git(f.remote, "update-ref", "-d", "refs/belay/fleet/"+id.Key()+"/record")
	if _, err := other.mirror.Push(f.t.Context(), other.svc, other.record(id), remote.PushTerms{Base: other.base}); err != nil {
		f.t.Fatal(err)
	}
}

// TestAddress: a password in a remote's address is on no page, and the server is asked for the
// remote as it was submitted.
func TestAddress(t *testing.T) {
	t.Parallel()
	f := newFleet(t)
	r := look.New(filepath.Join(f.dir, "home"), "https://ana:hunter2@127.0.0.1:1/shop.git", f)
	r.Sync(t.Context())
	if f.asked != "https://127.0.0.1:1/shop.git" {
		t.Errorf("the server was asked for %s", f.asked)
	}
	second := look.New(filepath.Join(f.dir, "home"), f.remote, f)
	second.Sync(t.Context())
	v := visit(t, r, second)
	v.page(200, "/", "https://127.0.0.1:1/shop.git", "!hunter2")
	v.page(500, "/r/1/", "the remote cannot be read", "!hunter2")
}

// TestChanges: an open page is notified of changes on the server and of pushed ones.
func TestChanges(t *testing.T) {
	t.Parallel()
	f := newFleet(t, "T1")
	r, v := f.visited()
	v.page(200, "/r/1/")
	events, err := v.client.Get(v.at + "/r/1/events")
	if err != nil {
		t.Fatal(err)
	}
	defer events.Body.Close()
	heard := make(chan string)
	go func() {
		b := make([]byte, 4096)
		for {
			n, err := events.Body.Read(b)
			heard <- string(b[:n])
			if err != nil {
				close(heard)
				return
			}
		}
	}()
	changed := func() {
		t.Helper()
		for text := range heard {
			if strings.Contains(text, "event: change") {
				return
			}
		}
		t.Fatal("the events ended")
	}
	changed() // since a mark that no page has
	f.mu.Lock()
	f.phase = task.PhaseQuarantined
	f.mu.Unlock()
	r.Sync(t.Context())
	changed()
	f.add("T2")
	f.push("T2")
	r.Sync(t.Context())
	changed()
	v.page(200, "/r/1/", "T2")
}

// nobody is a runner.Observer that ignores everything.
type nobody struct{}

func (nobody) Begins(*session.Record, loop.Command) {}
func (nobody) Happened(*session.Record, loop.Event) {}
func (nobody) Checking(check.Progress)              {}
func (nobody) Output() io.Writer                    { return nil }
func (nobody) Used(belay.TaskID, belay.Use)         {}
func (nobody) Note(string)                          {}
func (nobody) Ask(context.Context, *session.Record) (loop.Decision, string, bool, error) {
	return "", "", false, nil
}

package look_test

import (
	"errors"
	"fmt"
	"net/url"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/belay-dev/belay/fleet/look"
	"github.com/belay-dev/belay/fleet/task"
	"github.com/belay-dev/belay/internal/app"
	"github.com/belay-dev/belay/internal/belay"
	"github.com/belay-dev/belay/internal/loop"
)

// TestReview comments on a line of work on another machine, and sends the review: the task gets it,
// and the comment is deleted here.
func TestReview(t *testing.T) {
	t.Parallel()
	f := newFleet(t, "T1")
	_, v := f.visited()
	page := v.page(200, "/r/1/diff?from=T1", "Add comment")
	value := func(name string) string {
		return regexp.MustCompile(`name="` + name + `" value="([^"]*)"`).FindStringSubmatch(page)[1]
	}
	key := "ghp_" + "x7Kq2MvR9tLp4WzB8nYc3FhJ6sDg1AeU5oIi"
	v.post(200, "/r/1/task/T1/comment", url.Values{"from": {"T1"}, "base": {value("base")}, "state": {value("state")}, "path": {"b.txt"},
		"line": {"1"}, "side": {"new"}, "text": {"Leave it alone " + hostile + key}}, "Leave it alone &lt;script&gt;", "1 comment not sent yet")
	form := func() url.Values { return url.Values{"gate": {"1"}, "verdict": {"reject"}, "words": {"Nearly."}} }

	// Somebody else answered: the comment stays.
	f.decides = func(belay.TaskID, task.Decision) error {
		return belay.Refuse(belay.CodeUsage, "", "T1 does not wait at gate 1 any more")
	}
	v.post(400, "/r/1/task/T1/review", form(), "does not wait at gate 1 any more")
	v.page(200, "/r/1/task/T1", "Leave it alone")
	// The files on the worker changed since they were checked: it accepts the review, and the gate
	// stays open.
	f.decides = func(belay.TaskID, task.Decision) error { return nil }
	v.post(409, "/r/1/task/T1/review", form(), "its gate is still open")
	v.page(200, "/r/1/task/T1", "Leave it alone")

	f.decides = func(id belay.TaskID, d task.Decision) error {
		given, err := app.RecordReview(t.Context(), f.svc, app.NewReview{Task: id, Verdict: d.Verdict, Text: d.Note, Reviewer: d.By, Watch: nobody{}})
		if err == nil && !given.Acted {
			err = errors.New(given.NextStep)
		}
		f.push(id)
		return err
	}
	v.post(200, "/r/1/task/T1/review", form(), "!not sent yet", "!Waiting for you", "review", "Leave it alone")
	got := f.decided[len(f.decided)-1]
	if got.Gate != 1 || got.Verdict != task.Reject || got.By != "ana" || !strings.Contains(got.Note, "path: b.txt") || !strings.Contains(got.Note, "Nearly.") {
		t.Errorf("the task was sent %+v", got)
	}
	if strings.Contains(got.Note, key) {
		t.Error("a secret was sent")
	}
	if a := f.record("T1").State.Current(); a == nil || f.record("T1").State.Attempts[0].Reviewer != "ana" {
		t.Errorf("%+v", a)
	}
	// A second person has an outdated page.
	f.decides = func(belay.TaskID, task.Decision) error {
		return belay.Refuse(belay.CodeUsage, "", "T1 does not wait at gate 1 any more")
	}
	f.said = []task.Line{{Time: time.Now(), Text: "reviewed: fail, by ana"}}
	v.decide(409, "/r/1/task/T1/decide", "1", "retry", "T1 was answered meanwhile: reviewed: fail, by ana")
}

// TestApproveOver accepts rejected work on another machine, with the category and the reason.
func TestApproveOver(t *testing.T) {
	t.Parallel()
	f := newFleet(t, "T1")
	_, v := f.visited()
	v.page(200, "/r/1/task/T1", "it fails without the change as well")
	f.decides = func(belay.TaskID, task.Decision) error {
		return belay.Refuse(belay.CodeUsage, "", "an override needs a reason")
	}
	form := func() url.Values {
		return url.Values{"gate": {"1"}, "decision": {"approve"}, "category": {"cross_scope"}, "message": {"T9 has it"}}
	}
	v.post(400, "/r/1/task/T1/decide", form(), "an override needs a reason")
	f.decides = func(belay.TaskID, task.Decision) error { return nil }
	v.post(200, "/r/1/task/T1/decide", form())
	if want := (task.Decision{Gate: 1, Decision: loop.DecideApprove, Category: "cross_scope", Note: "T9 has it", By: "ana"}); f.decided[1] != want {
		t.Errorf("the task was sent %+v", f.decided)
	}
}

// searching is a feature of four tasks: one is merged, one runs, one is at a gate, and one waits.
func searching() *task.FeatureStatus {
	listed := func(id string, after ...belay.TaskID) belay.ListedTask {
		return belay.ListedTask{ID: belay.TaskID(id), Listed: belay.Listed{Title: "do " + id + hostile}, After: after}
	}
	gate := "it cannot be merged: conflicts in a.txt" + hostile
	st := &task.FeatureStatus{Branch: "belay/search", Commit: "4f1c4f1c4f1c4f1c",
		Tasks: []belay.ListedTask{listed("search.t001"), listed("T1"), listed("search.t003"), listed("search.t004", "T1", "search.t001")},
		Parts: []task.Part{{Stage: task.StageMerged, Task: "search.t001", Tries: 1, Commit: "aaaa", Cost: 0.25}, {Stage: task.StageRunning, Task: "T1", Tries: 1},
			{Stage: task.StageGate, Task: "search.t003-2", Tries: 2, Why: gate}, {Stage: task.StageWaiting}},
		Gates: []task.FeatureGate{{Number: 3, Part: 2, Task: "search.t003-2", Why: gate,
			Options: []loop.Decision{task.Merge, loop.DecideRetry, task.Drop, task.Stop}}}}
	st.Task.Feature, st.Phase, st.Use.Cost = "search", "gate", 0.25
	st.Lines = []task.Line{{Time: time.Unix(0, 0), Text: "search.t001: merged " + hostile}}
	return st
}

// TestFeature shows a feature's tasks in their order, and answers its gate.
func TestFeature(t *testing.T) {
	t.Parallel()
	f := newFleet(t, "T1")
	f.features = map[string]*task.FeatureStatus{"search": searching()}
	r := look.New(filepath.Join(f.dir, "home"), f.remote, f)
	r.Sync(t.Context())
	second := look.New(filepath.Join(f.dir, "home2"), f.remote, f)
	second.Sync(t.Context())
	v := visit(t, r, second)
	if home := v.page(200, "/"); strings.Count(home, `<td class="num">2</td>`) != 2 { // the gates of T1 and of the feature
		t.Error(home)
	}
	v.page(200, "/r/1/", `href="/r/1/feature/search"`, "1 gate of the feature", "search.t003-2: it cannot be merged: conflicts in a.txt", "!search.t004")
	page := v.page(200, "/r/1/feature/search", "1 of 4 tasks merged", "belay/search", "4f1c4f1c4f1c<", "$0.25", "search.t001: merged", `href="/r/1/task/search.t003-2"`,
		"waits for you", "not started", "begins after T1<", `value="merge"`, `value="retry"`, `value="drop"`, `value="stop"`, `!value="guide"`)
	last := -1
	for _, id := range []string{"do search.t001", "do T1", "do search.t003", "do search.t004"} {
		if at := strings.Index(page, id); at <= last {
			t.Errorf("%s is not in its place", id)
		} else {
			last = at
		}
	}
	v.page(404, "/r/1/feature/other", "no feature other")

	f.decides = func(belay.TaskID, task.Decision) error {
		st := f.features["search"]
		st.Gates, st.Phase = nil, task.PhaseRunning
		st.Parts[2] = task.Part{Stage: task.StageWaiting, Task: "search.t003-2", Tries: 2}
		st.Lines = append(st.Lines, task.Line{Time: time.Now(), Text: "decided at gate 3: retry, by ana"})
		return nil
	}
	for _, final := range []string{"drop", "stop"} {
		v.post(200, "/r/1/feature/search/decide", url.Values{"gate": {"3"}, "decision": {final}, "message": {"no need"}}, final+" search?", `name="sure"`, "no need")
	}
	if len(f.decided) > 0 {
		t.Fatalf("it was sent %v", f.decided)
	}
	v.post(200, "/r/1/feature/search/decide", url.Values{"gate": {"3"}, "decision": {"retry"}, "message": {"use a clock"}}, "!Waiting for you", "decided at gate 3: retry")
	if want := (task.Decision{Gate: 3, Decision: "retry", Note: "use a clock", By: "ana"}); len(f.decided) != 1 || f.decided[0] != want {
		t.Errorf("the feature was sent %+v", f.decided)
	}
	// A second person has an outdated page.
	f.decides = func(belay.TaskID, task.Decision) error {
		return belay.Refuse(belay.CodeUsage, "", "search does not wait at gate 3")
	}
	v.decide(409, "/r/2/feature/search/decide", "3", "drop", "search was answered meanwhile: retry, by ana")
	v.decide(400, "/r/1/feature/search/decide", "7", "drop", "does not wait at gate 3")
}

// TestFeatureDown: without the server, or a worker that answers, the pages show the last known
// state of a feature, without decisions.
func TestFeatureDown(t *testing.T) {
	t.Parallel()
	f := newFleet(t)
	f.features = map[string]*task.FeatureStatus{"search": searching()}
	r, v := f.visited()
	f.mu.Lock()
	f.down = errors.New("connection refused")
	f.mu.Unlock()
	r.Sync(t.Context())
	v.page(200, "/r/1/", "connection refused", "feature/search")
	v.page(200, "/r/1/feature/search", "It cannot be decided here now", "!<button", "do search.t004")

	f.mu.Lock()
	f.down, f.silent = nil, errors.New("no poller seen")
	f.mu.Unlock()
	fresh := look.New(filepath.Join(f.dir, "home2"), f.remote, f)
	fresh.Sync(t.Context())
	v = visit(t, fresh)
	v.page(200, "/r/1/", "waits for you", "the feature does not say where it stands: no poller seen")
	v.page(200, "/r/1/feature/search", "no poller seen", "!<button")
	f.mu.Lock()
	f.silent = nil
	f.mu.Unlock()
	fresh.Sync(t.Context()) // by itself
	v.page(200, "/r/1/", "!no poller seen", "1 gate of the feature")
}

// TestAwayStays: an unreadable remote stays a problem until it can be read, also while the server
// is asked.
func TestAwayStays(t *testing.T) {
	t.Parallel()
	f := newFleet(t, "T1")
	r := look.New(filepath.Join(f.dir, "home"), f.remote, f)
	r.Sync(t.Context())
	if err := os.Rename(f.remote, f.remote+"-away"); err != nil {
		t.Fatal(err)
	}
	r.Sync(t.Context())
	said := func() bool {
		_, problems := r.Tasks()
		return strings.Contains(strings.Join(problems, " "), "the remote cannot be read")
	}
	asked := false
	f.listing = func() {
		if asked = true; !said() {
			t.Error("the problem is not shown while the server is asked")
		}
	}
	if r.Sync(t.Context()); !asked || !said() {
		t.Error("the problem is not shown")
	}
}

// TestMany: of 1,000 tasks only open ones are asked, and a page shows a part of the list.
func TestMany(t *testing.T) {
	t.Parallel()
	f := newFleet(t, "T1")
	for i := range 1000 {
		f.more = append(f.more, look.Row{Task: belay.TaskID(fmt.Sprintf("old-%04d", i)), Phase: "closed", Outcome: "passed", Worker: "w1"})
	}
	r := look.New(filepath.Join(f.dir, "home"), f.remote, f)
	r.Sync(t.Context())
	if f.queried != 1 {
		t.Errorf("%d tasks were asked", f.queried)
	}
	v := visit(t, r)
	page := v.page(200, "/r/1/", "T1", "1 of 6", "1001 in all")
	if n := strings.Count(page, "<tr data-row>"); n != 200 {
		t.Errorf("%d tasks on a page", n)
	}
	v.page(200, "/r/1/?page=6", "old-")
}

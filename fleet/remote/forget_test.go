package remote_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/belay-dev/belay/fleet/remote"
	"github.com/belay-dev/belay/fleet/task"
	"github.com/belay-dev/belay/internal/app"
	"github.com/belay-dev/belay/internal/belay"
	"github.com/belay-dev/belay/internal/loop"
	"github.com/belay-dev/belay/internal/session"
	"github.com/belay-dev/belay/internal/snapshot"
)

const day = 24 * time.Hour

// tasks creates a task of each ID with two snapshots, and pushes it.
func (p *site) tasks(ids ...string) {
	p.T.Helper()
	ctx := context.Background()
	for i, id := range ids {
		p.Ok(p.svc.Session.Create(ctx, belay.Task{ID: belay.TaskID(id), Prose: "Add a line"}))
		rec, err := p.svc.Session.Load(belay.TaskID(id))
		p.Ok(err)
		for n := range 2 {
			p.Write("a.txt", fmt.Sprint(i, n))
			info, err := p.svc.Session.Snaps.TakeWith(ctx, snapshot.Meta{Kind: belay.KindManual, Task: belay.TaskID(id)}, p.svc.Session.SnapshotExtent(rec))
			p.Ok(err)
			p.Ok(p.svc.Session.AddNote(ctx, rec, session.Note{Kind: "snapshots", Snapshots: []snapshot.Pin{info.Pin()}}))
			rec, err = p.svc.Session.Load(belay.TaskID(id))
			p.Ok(err)
		}
		_, err = p.mirror.Push(ctx, p.svc, rec, p.terms)
		p.Ok(err)
	}
}

// closed ends a task in its record, and pushes that.
func (p *site) closed(id string) {
	p.T.Helper()
	ctx := context.Background()
	rec, err := p.svc.Session.Load(belay.TaskID(id))
	p.Ok(err)
	p.Ok(p.svc.Session.Append(ctx, rec, session.EntryEvent, session.EventEntry{Event: loop.Event{Kind: loop.EvClosed},
		State: loop.State{Phase: loop.PhaseClosed, Outcome: loop.OutcomePassed}}))
	rec, err = p.svc.Session.Load(belay.TaskID(id))
	p.Ok(err)
	terms := p.terms
	terms.Last = p.At(p.bare(), "rev-parse", "refs/belay/fleet/"+strings.ToLower(id)+"/record")
	_, err = p.mirror.Push(ctx, p.svc, rec, terms)
	p.Ok(err)
}

func (p *site) bare() string { return filepath.Join(p.Up, "remote.git") }

// refs lists the remote's refs below refs/belay.
func (p *site) refs() []string {
	return strings.Fields(p.At(p.bare(), "for-each-ref", "--format=%(refname)", "refs/belay/"))
}

func (p *site) forget(keep task.Retention, known map[belay.TaskID]time.Time, now time.Time) task.ForgetResult {
	p.T.Helper()
	out, err := remote.Forget(context.Background(), task.ForgetAsk{Remote: p.url, Keep: keep}, known, now)
	p.Ok(err)
	return out
}

// tasksOf lists the tasks of a result.
func tasksOf(out task.ForgetResult) string {
	var all []string
	for _, f := range out.Tasks {
		all = append(all, string(f.Task)+strings.Repeat("!", min(1, len(f.KeptReason))))
	}
	return strings.Join(all, " ")
}

func forgetSite(t *testing.T, ids ...string) *site {
	s := dirty(t)
	p := newSite(s, filepath.Join(s.Up, "remote.git"))
	p.tasks(ids...)
	return p
}

// TestForgetPolicy: tasks that are old, by the server or else by the record, are forgotten; those
// that are open, new, among the newest, or not of the fleet stay.
func TestForgetPolicy(t *testing.T) {
	t.Parallel()
	p := forgetSite(t, "Open", "Gate", "Old", "Newer", "Gone", "Aborted")
	p.closed("Gone")
	p.closed("Gate") // by its record; by the server something still runs
	now := time.Now()
	known := map[belay.TaskID]time.Time{"gate": {}, "old": now.Add(-40 * day), "newer": now.Add(-31 * day), "aborted": now.Add(-35 * day)}
	for _, ref := range []string{"refs/belay/fleet/old/other", "refs/belay/fleet/old/snapshots/a/b", "refs/belay/other/x", "refs/heads/belay/old",
		"refs/belay/fleet/.bad/record", "refs/belay/forgotten/someday/old", "refs/belay/forgotten/2001-01-01/a/b", "refs/tags/v1"} {
		cmd := exec.Command("git", "--git-dir", p.bare(), "update-ref", ref, p.terms.Base)
		if out, err := cmd.CombinedOutput(); err != nil && !strings.Contains(ref, ".bad") {
			t.Fatalf("%v: %s", err, out)
		}
	}
	keep := task.Retention{OlderThan: 30 * day, Records: 365 * day, KeepLast: 2, DryRun: true}
	before := p.refs()
	if out := p.forget(keep, known, now); tasksOf(out) != "aborted old" || out.Snapshots != 4 || !out.DryRun {
		t.Errorf("%+v", out) // Gone ended just now, and Newer is second
	}
	if after := p.refs(); !slices.Equal(before, after) {
		t.Errorf("a dry run changed %v", after)
	}
	keep.DryRun = false
	if out := p.forget(keep, known, now); tasksOf(out) != "aborted old" || out.Snapshots != 4 || out.Records != 0 {
		t.Errorf("%+v", out)
	}
	today := now.UTC().Format(time.DateOnly)
	var want []string
	for _, ref := range before {
		task, isTask := strings.CutPrefix(ref, "refs/belay/fleet/")
		of, part, _ := strings.Cut(task, "/")
		if !isTask || of != "old" && of != "aborted" || part != "record" && (!strings.HasPrefix(part, "snapshots/") || strings.Count(part, "/") > 1) {
			want = append(want, ref)
		}
	}
	want = append(want, "refs/belay/forgotten/"+today+"/old", "refs/belay/forgotten/"+today+"/aborted")
	slices.Sort(want)
	if got := p.refs(); !slices.Equal(got, want) {
		t.Errorf("%v, not %v", got, want)
	}
	p.At(p.bare(), "rev-parse", "refs/heads/belay/old", "refs/tags/v1")
	if out := p.forget(keep, known, now); len(out.Tasks) != 0 {
		t.Errorf("again: %+v", out)
	}
	// The record stays, without parents, so that the snapshots are unreachable.
	tip := "refs/belay/forgotten/" + today + "/old"
	if got := p.At(p.bare(), "rev-list", "--count", tip); got != "1" {
		t.Errorf("%s commits", got)
	}
	if text := p.At(p.bare(), "show", tip+":record.jsonl"); strings.Count(text, "\n") != 2 {
		t.Errorf("%s", text)
	}
	left, err := remote.ReadContents(context.Background(), p.url, "Old")
	if want := (remote.RemoteContents{Record: true, Forgotten: today}); err != nil || left != want {
		t.Errorf("%+v, %v", left, err)
	}
	if left, err := remote.ReadContents(context.Background(), p.url, "Gone"); err != nil || left != (remote.RemoteContents{Record: true, Snapshots: 2}) {
		t.Errorf("%+v, %v", left, err)
	}
	// Gone ended, by its record; a year later the records that were forgotten first are deleted
	// too.
	later := now.Add(370 * day)
	if out := p.forget(keep, nil, later); tasksOf(out) != "aborted old" || out.Records != 2 || out.Snapshots != 0 {
		t.Errorf("%+v", out) // Gone and Gate are the newest two
	}
	keep.KeepLast = 0
	if out := p.forget(keep, nil, later); tasksOf(out) != "gate gone" || out.Records != 0 || out.Snapshots != 4 {
		t.Errorf("%+v", out)
	}
	if left, err := remote.ReadContents(context.Background(), p.url, "Old"); err != nil || left != (remote.RemoteContents{}) {
		t.Errorf("%+v, %v", left, err)
	}
}

// TestForgetMoved: a task with a record that moves between the list and the push keeps everything,
// and does not block the others.
func TestForgetMoved(t *testing.T) {
	t.Parallel()
	p := forgetSite(t, "A", "B", "C")
	long := time.Now().Add(-99 * day)
	known := map[belay.TaskID]time.Time{"a": long, "b": long, "c": long}
	// The remote's hook moves B before git compares the first push.
	hook := filepath.Join(p.bare(), "hooks", "pre-receive")
	p.Ok(os.MkdirAll(filepath.Dir(hook), 0o755))
	p.Ok(os.WriteFile(hook, []byte("#!/bin/sh\nenv -u GIT_QUARANTINE_PATH git update-ref refs/belay/fleet/b/record "+p.terms.Base+"\n"), 0o755))
	out := p.forget(task.Retention{}, known, time.Now())
	if tasksOf(out) != "a b! c" || out.Snapshots != 4 || !strings.Contains(out.Tasks[1].KeptReason, "moved") {
		t.Errorf("%+v", out)
	}
	if got := p.At(p.bare(), "for-each-ref", "--format=%(refname)", "refs/belay/fleet/b"); strings.Count(got, "snapshots/") != 2 {
		t.Errorf("%s", got)
	}
	if got := fmt.Sprint(p.refs()); strings.Contains(got, "fleet/a") || strings.Contains(got, "fleet/c") || strings.Contains(got, "/b]") {
		t.Errorf("%s", got)
	}
}

// TestForgetAnswerLost: what the remote did is counted, although its answer was lost.
func TestForgetAnswerLost(t *testing.T) {
	t.Parallel()
	for _, ids := range [][]string{{"A"}, {"A", "B"}} {
		p := forgetSite(t, ids...)
		known := map[belay.TaskID]time.Time{}
		for _, id := range ids {
			known[belay.TaskID(strings.ToLower(id))] = time.Now().Add(-99 * day)
		}
		hook := filepath.Join(p.bare(), "hooks", "post-receive")
		p.Ok(os.MkdirAll(filepath.Dir(hook), 0o755))
		p.Ok(os.WriteFile(hook, []byte("#!/bin/sh\nkill -9 $PPID\n"), 0o755))
		want := strings.ToLower(strings.Join(ids, " "))
		if out := p.forget(task.Retention{Records: day}, known, time.Now()); tasksOf(out) != want || out.Snapshots != 2*len(ids) {
			t.Errorf("%+v", out)
		}
		if out := p.forget(task.Retention{Records: day}, known, time.Now().Add(3*day)); tasksOf(out) != want || out.Records != len(ids) {
			t.Errorf("records: %+v", out)
		}
	}
}

// TestForgetRefused: if a remote refuses to delete refs, the error names it, and nothing is changed
// or counted.
func TestForgetRefused(t *testing.T) {
	t.Parallel()
	p := forgetSite(t, "A", "B")
	hook := filepath.Join(p.bare(), "hooks", "update")
	p.Ok(os.MkdirAll(filepath.Dir(hook), 0o755))
	p.Ok(os.WriteFile(hook, []byte("#!/bin/sh\ncase $3 in *[!0]*) exit 0;; esac\nexit 1\n"), 0o755))
	before := p.At(p.bare(), "for-each-ref")
	long := time.Now().Add(-99 * day)
	out, err := remote.Forget(context.Background(), task.ForgetAsk{Remote: p.url}, map[belay.TaskID]time.Time{"a": long, "b": long}, time.Now())
	if belay.CodeOf(err) != belay.CodeRefused || !strings.Contains(err.Error(), "refuses to delete") || len(out.Tasks) != 0 || out.Snapshots != 0 {
		t.Errorf("%v, %+v", err, out)
	}
	if got := p.At(p.bare(), "for-each-ref"); got != before {
		t.Errorf("%s", got)
	}
}

// TestForgetKilled: wherever a pass is interrupted, each task has all of its refs or none, and the
// next pass does the rest.
func TestForgetKilled(t *testing.T) {
	t.Parallel()
	s := dirty(t)
	h := serve(t, s.Up, nil)
	p := newSite(s, h.URL+"/remote.git")
	var ids []string
	known := map[belay.TaskID]time.Time{}
	for i := range 30 { // more refs than one push has
		ids = append(ids, fmt.Sprint("T", i+10))
		known[belay.TaskID(fmt.Sprint("t", i+10))] = time.Now().Add(-99 * day)
	}
	p.tasks(ids...)
	cut := 0
	for room := int64(6_000); ; room += 6_000 {
		h.room.Store(room)
		_, err := remote.Forget(context.Background(), task.ForgetAsk{Remote: p.url}, known, time.Now())
		count := map[string]int{}
		for _, ref := range p.refs() {
			f := strings.Split(ref, "/")
			if f[2] == "forgotten" {
				count[f[4]] += 3
			} else {
				count[f[3]]++
			}
		}
		for id, n := range count {
			if n != 3 {
				t.Fatalf("after %d bytes %s has %d of its refs", room, id, n)
			}
		}
		if len(count) != len(ids) {
			t.Fatalf("after %d bytes the remote has %d tasks", room, len(count))
		}
		if err == nil {
			break
		}
		cut++
	}
	if cut == 0 {
		t.Error("no pass was cut off")
	}
	if got := fmt.Sprint(p.refs()); strings.Contains(got, "refs/belay/fleet/") {
		t.Errorf("%s", got)
	}
}

// TestForgetCopy: a viewer's copy keeps the record and drops the snapshots, and a new copy gets the
// record.
func TestForgetCopy(t *testing.T) {
	t.Parallel()
	ctx := context.Background()
	p := forgetSite(t, "A", "B")
	follow := func(f *remote.Follower) int {
		t.Helper()
		fresh, gone, failed, err := f.Fetch(ctx)
		p.Ok(err)
		s, err := app.Open(ctx, app.OpenOptions{Dir: f.Root, Force: true})
		p.Ok(err)
		refused, err := f.Adopt(ctx, s, fresh)
		p.Ok(errors.Join(err, refused["a"], failed["a"]))
		if _, err := s.Session.Load("A"); err != nil || len(gone) != 0 {
			t.Errorf("%v, gone: %v", err, gone)
		}
		return len(fresh)
	}
	snapshots := func(f *remote.Follower, task string) string {
		return p.At(f.Mirror.Dir, "for-each-ref", "refs/belay/fleet/"+task+"/snapshots", "refs/belay/0*")
	}
	old := remote.NewFollower(filepath.Join(p.Up, "old"), p.url)
	follow(old)
	if got := strings.Count(snapshots(old, "a"), "\n") + 1; got != 2+4 {
		t.Fatalf("%d refs", got)
	}
	now := time.Now()
	p.forget(task.Retention{}, map[belay.TaskID]time.Time{"a": now.Add(-99 * day), "b": {}}, now)
	fresh := remote.NewFollower(filepath.Join(p.Up, "fresh"), p.url)
	for _, f := range []*remote.Follower{old, fresh} {
		follow(f)
		if a, b := f.Forgotten("a"), f.Forgotten("b"); a != now.UTC().Format(time.DateOnly) || b != "" {
			t.Errorf("forgotten on %q and %q", a, b)
		}
		if got := strings.Count(snapshots(f, "a"), "\n") + 1; got != 2 { // those of B
			t.Errorf("%s: %s", f.Root, snapshots(f, "a"))
		}
		if n := follow(f); n != 0 {
			t.Errorf("%d tasks are fresh again", n)
		}
	}
}

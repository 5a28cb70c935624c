package machine_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"go.temporal.io/sdk/activity"
	"go.temporal.io/sdk/temporal"
	"go.temporal.io/sdk/testsuite"

	"errors"

	"github.com/belay-dev/belay/fleet/machine"
	"github.com/belay-dev/belay/fleet/task"
	"github.com/belay-dev/belay/internal/belay"
)

// merge runs the activity like a worker.
func (p *place) merge(m *machine.Machine, q task.MergeAsk) (out task.MergeResult, err error) {
	p.t.Helper()
	var suite testsuite.WorkflowTestSuite
	suite.SetLogger(quiet{})
	env := suite.NewTestActivityEnvironment()
	env.SetTestTimeout(2 * time.Minute)
	env.RegisterActivityWithOptions(m.Merge, activity.RegisterOptions{Name: task.MergeName})
	v, err := env.ExecuteActivity(task.MergeName, q)
	if err == nil {
		err = v.Get(&out)
	}
	return out, err
}

// work pushes a commit of changed files to a new branch, like a task's accepted work.
func (p *place) work(id, from string, files map[string]string) string {
	p.t.Helper()
	app := filepath.Join(p.dir, "app")
	p.git(app, "fetch", "-q", p.remote())
	p.git(app, "checkout", "-q", "-B", id, from)
	for path, text := range files {
		p.write("app/"+path, text)
	}
	p.git(app, "add", ".")
	p.git(app, "-c", "user.name=A", "-c", "user.email=a@example.com", "commit", "-qm", id)
	p.git(app, "push", "-q", p.remote(), id+":refs/heads/belay/"+id)
	return p.git(app, "rev-parse", "HEAD")
}

const list = "- [ ] T1 First\n- [ ] T2 Second\n"

func (p *place) ask(id, base, commit, tip string) task.MergeAsk {
	return task.MergeAsk{Like: task.Input{Remote: p.remote(), Branch: "main", Base: p.base, Feature: "003-sum", Author: "Ann <ann@example.com>",
		Settings: []task.Setting{{Key: "checks.tests.command", Value: "sh test.sh"}}},
		Task: belay.TaskID("003-sum." + id), Title: "The work of " + id, Base: base, Commit: commit, Tip: tip,
		Origin: &belay.Origin{File: "tasks.md", Dialect: "checklist", ID: id, Title: map[string]string{"T1": "First", "T2": "Second"}[id]}}
}

func (p *place) at(ref, path string) string {
	p.t.Helper()
	return p.git(p.remote(), "show", ref+":"+path)
}

// Work of two independent tasks is merged one after the other; each merge is pushed once, even if
// it is repeated.
func TestMerge(t *testing.T) {
	t.Parallel()
	p := newPlace(t)
	p.base = p.work("start", p.base, map[string]string{"tasks.md": list, "src/b.txt": "1\n2\n3\n4\n5\n"})
	one := p.work("t1", p.base, map[string]string{"src/b.txt": "one\n2\n3\n4\n5\n", "src/new.txt": "new\n"})
	two := p.work("t2", p.base, map[string]string{"src/b.txt": "1\n2\n3\n4\nfive\n"})
	m := p.machine("a")

	first, err := p.merge(m, p.ask("T1", p.base, one, ""))
	if err != nil || first.Commit == "" || first.Note != "" {
		t.Fatalf("%+v, %v", first, err)
	}
	again, err := p.merge(p.machine("b"), p.ask("T1", p.base, one, ""))
	if err != nil || again.Commit != first.Commit {
		t.Errorf("repeated: %+v, %v", again, err)
	}
	second, err := p.merge(m, p.ask("T2", p.base, two, first.Commit))
	if err != nil || second.Commit == "" {
		t.Fatalf("%+v, %v", second, err)
	}
	if got := p.git(p.remote(), "rev-parse", "belay/003-sum", "belay/003-sum^1", "belay/003-sum^2"); got != second.Commit+"\n"+first.Commit+"\n"+two {
		t.Errorf("the branch is at %s", got)
	}
	for path, want := range map[string]string{"src/b.txt": "one\n2\n3\n4\nfive", "src/new.txt": "new",
		"tasks.md": strings.ReplaceAll(strings.TrimSpace(list), "[ ]", "[x]")} {
		if got := p.at("belay/003-sum", path); got != want {
			t.Errorf("%s: %q, expected %q", path, got, want)
		}
	}
	if left, _ := os.ReadDir(filepath.Join(p.dir, "a", "merges")); len(left) > 0 {
		t.Errorf("left behind: %v", left)
	}
}

// Work that conflicts, or fails only together, is not merged, and the branch stays unchanged.
func TestMergeNot(t *testing.T) {
	t.Parallel()
	p := newPlace(t)
	p.base = p.work("start", p.base, map[string]string{"tasks.md": list, "test.sh": `test "$(cat src/*.n | wc -l)" -lt 2` + "\n", "src/b.txt": "1\n"})
	one := p.work("t1", p.base, map[string]string{"src/b.txt": "one\n", "src/1.n": "1\n"})
	other := p.work("t2", p.base, map[string]string{"src/b.txt": "two\n"})
	red := p.work("t3", p.base, map[string]string{"src/2.n": "2\n"})
	m := p.machine("a")
	first, err := p.merge(m, p.ask("T1", p.base, one, ""))
	if err != nil || first.Reason() != "" {
		t.Fatalf("%+v, %v", first, err)
	}
	if out, err := p.merge(m, p.ask("T2", p.base, other, first.Commit)); err != nil || out.Reason() != "conflicts in src/b.txt" || out.Commit != "" {
		t.Errorf("%+v, %v", out, err)
	}
	if out, err := p.merge(m, p.ask("T2", p.base, red, first.Commit)); err != nil || !strings.Contains(out.Reason(), "the combined tests fail") {
		t.Errorf("%+v, %v", out, err)
	}
	if got := p.git(p.remote(), "rev-parse", "belay/003-sum"); got != first.Commit {
		t.Errorf("the branch is at %s", got)
	}
}

// Nothing is overwritten, and nothing runs for a remote that is not trusted.
func TestMergeRefused(t *testing.T) {
	t.Parallel()
	p := newPlace(t)
	one := p.work("t1", p.base, map[string]string{"src/b.txt": "one\n"})
	mine := p.work("003-sum", p.base, map[string]string{"src/mine.txt": "mine\n"})
	for name, q := range map[string]task.MergeAsk{
		"has other work": p.ask("T1", p.base, one, ""),
		"does not run": func() task.MergeAsk {
			q := p.ask("T1", p.base, one, "")
			q.Like.Remote = "/elsewhere/app.git"
			return q
		}(),
		"is on no branch": p.ask("T1", p.base, strings.Repeat("a", 40), ""),
		"is no task id": func() task.MergeAsk {
			q := p.ask("T1", p.base, one, "")
			q.Like.Feature = "../x"
			return q
		}(),
		"does not choose its fence": func() task.MergeAsk {
			q := p.ask("T1", p.base, one, "")
			q.Like.Settings = []task.Setting{{Key: "fence.mode", Value: "off"}}
			return q
		}(),
	} {
		_, err := p.merge(p.machine("a"), q)
		var app *temporal.ApplicationError
		if !errors.As(err, &app) || app.Type() != task.ErrRefused || !app.NonRetryable() || !strings.Contains(err.Error(), name) {
			t.Errorf("%s: %v", name, err)
		}
	}
	if got := p.git(p.remote(), "rev-parse", "belay/003-sum"); got != mine {
		t.Errorf("the branch is at %s", got)
	}
}

// TestTip: a schedule's task begins where its branch is on the remote.
func TestTip(t *testing.T) {
	t.Parallel()
	p := newPlace(t)
	m := p.machine("a")
	var suite testsuite.WorkflowTestSuite
	env := suite.NewTestActivityEnvironment()
	env.RegisterActivity(m.Tip)
	tip := func(in task.Input) (s string, err error) {
		v, err := env.ExecuteActivity(m.Tip, in)
		if err == nil {
			err = v.Get(&s)
		}
		return s, err
	}
	in := p.input("deps-1", "true")
	if got, err := tip(in); err != nil || got != p.base {
		t.Errorf("%s, %v", got, err)
	}
	more := p.work("more", p.base, map[string]string{"src/b.txt": "b\n"})
	p.git(filepath.Join(p.dir, "app"), "push", "-q", p.remote(), more+":refs/heads/main")
	if got, err := tip(in); err != nil || got != more {
		t.Errorf("%s, %v", got, err)
	}
	in.Branch = "gone"
	var app *temporal.ApplicationError
	if _, err := tip(in); !errors.As(err, &app) || app.Type() != task.ErrRefused {
		t.Error(err)
	}
}

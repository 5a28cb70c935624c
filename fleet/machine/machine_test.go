package machine_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"go.temporal.io/sdk/activity"
	"go.temporal.io/sdk/temporal"
	"go.temporal.io/sdk/testsuite"

	"github.com/belay-dev/belay/fleet/machine"
	"github.com/belay-dev/belay/fleet/task"
	"github.com/belay-dev/belay/internal/agent"
	"github.com/belay-dev/belay/internal/app"
	"github.com/belay-dev/belay/internal/belay"
	"github.com/belay-dev/belay/internal/check"
	"github.com/belay-dev/belay/internal/loop"
	"github.com/belay-dev/belay/internal/session"
)

func TestMain(m *testing.M) {
	if len(os.Args) == 3 && os.Args[1] == "_run" { // the agents' shim
		os.Exit(agent.Main(os.Args[2]))
	}
	if os.Getenv("BELAY_WORK") != "" { // uses the home of the process that started it
		os.Exit(m.Run())
	}
	home, err := os.MkdirTemp("", "belay-machine-")
	if err != nil {
		panic(err)
	}
	for k, v := range map[string]string{"HOME": home, "BELAY_STATE_HOME": filepath.Join(home, "state"),
		"GIT_CONFIG_GLOBAL": filepath.Join(home, "none"), "GIT_CONFIG_NOSYSTEM": "1", "XDG_CACHE_HOME": "", "XDG_CONFIG_HOME": ""} {
		os.Setenv(k, v)
	}
	code := m.Run()
	os.RemoveAll(home)
	os.Exit(code)
}

// place is a remote with some machines.
type place struct {
	t    *testing.T
	dir  string
	base string

	heartbeats atomic.Int32 // of an activity, after it was ended
}

const script = `case $BELAY_ATTEMPT in
1) echo bad > src/a.txt; echo x > other.txt ;;
*)
	echo "good" >> src/a.txt; mkdir -p src/new; printf 'b\r\n' > "src/new/ü b.txt"; chmod +x src/new/*; ln -s a.txt src/link
	git add src/link
	;;
esac`

func newPlace(t *testing.T) *place {
	t.Helper()
	p := &place{t: t, dir: t.TempDir()}
	p.git(p.dir, "init", "-q", "--bare", "-b", "main", "app.git")
	p.git(p.dir, "init", "-q", "-b", "main", "app")
	app := filepath.Join(p.dir, "app")
	p.write("app/src/a.txt", "one\n")
	p.write("app/test.sh", "! grep -q bad src/a.txt\n")
	p.write("app/.gitignore", "*.env\nout/\n")
	p.git(app, "add", ".")
	p.git(app, "-c", "user.name=A", "-c", "user.email=a@example.com", "commit", "-qm", "one")
	p.git(app, "push", "-q", "../app.git", "main")
	p.base = p.git(app, "rev-parse", "HEAD")
	return p
}

func (p *place) remote() string { return filepath.Join(p.dir, "app.git") }

func (p *place) write(path, text string) {
	p.t.Helper()
	path = filepath.Join(p.dir, path)
	if err := errors.Join(os.MkdirAll(filepath.Dir(path), 0o755), os.WriteFile(path, []byte(text), 0o644)); err != nil {
		p.t.Fatal(err)
	}
}

func (p *place) git(dir string, args ...string) string {
	p.t.Helper()
	cmd := exec.Command("git", args...)
	cmd.Dir = dir
	out, err := cmd.CombinedOutput()
	if err != nil {
		p.t.Fatalf("git %v: %v: %s", args, err, out)
	}
	return strings.TrimSpace(string(out))
}

func (p *place) machine(name string) *machine.Machine {
	p.t.Helper()
	self, err := os.Executable()
	if err != nil {
		p.t.Fatal(err)
	}
	return machine.New(machine.Machine{Name: name, Home: filepath.Join(p.dir, name), Self: []string{self, "_run"},
		Trusted: []string{p.dir + "/"}, Version: "test"}, 2)
}

func (p *place) tree(name string, in task.Input) string {
	return filepath.Join(p.dir, name, "tasks", task.RepositoryKey(in.Remote), in.ID.Key(), "tree")
}

func (p *place) input(id, shell string) task.Input {
	return task.Input{ID: belay.TaskID(id), Remote: p.remote(), Branch: "main", Base: p.base,
		Prose: "Add a line to src/a.txt", Author: "Ann <ann@example.com>",
		Agent: []string{"sh", "-c", "cat > /dev/null\n" + shell}, Role: "sh",
		Settings: []task.Setting{{Key: "files", Value: "src/**"},
			{Key: "checks.tests.command", Value: "sh test.sh"}, {Key: "retries", Value: "1"}}}
}

// known is what a workflow knows of a task.
type known struct {
	state  loop.State
	policy belay.Policy
	head   task.Head
	pushed bool
	last   task.ActivityResult

	partial bool // only a part of the state is known
}

// call runs an activity like a worker.
func (p *place) call(m *machine.Machine, name string, q task.Ask) (task.ActivityResult, error) {
	p.t.Helper()
	var suite testsuite.WorkflowTestSuite
	suite.SetLogger(quiet{})
	env := suite.NewTestActivityEnvironment()
	env.SetTestTimeout(2 * time.Minute)
	for n, f := range map[string]any{task.BeginName: m.Begin, task.AdoptName: m.Adopt, task.DoName: m.Do, task.DecideName: m.Decide,
		task.WakeName: m.Wake} {
		env.RegisterActivityWithOptions(f, activity.RegisterOptions{Name: n})
	}
	var st task.ActivityResult
	v, err := env.ExecuteActivity(name, q)
	if err == nil {
		err = v.Get(&st)
	}
	return st, err
}

// took applies an activity's result, like the workflow.
func (p *place) took(k *known, st task.ActivityResult) {
	p.t.Helper()
	for _, s := range st.Steps {
		next, _, err := loop.Step(st.Policy, k.state, s.Event)
		if k.partial = s.Omitted != nil; s.State != nil {
			next, err = *s.State, nil
		}
		if err != nil {
			p.t.Fatal(err)
		}
		if sum, err := task.StateHash(next); err != nil || sum != s.Sum {
			p.t.Fatalf("after %s: another state than the record's (%v)", s.Event.Kind, err)
		}
		k.state = next
	}
	k.policy, k.head, k.pushed, k.last = st.Policy, st.Head, st.Pushed, st
}

// until drives a task on a machine until a command of this kind is pending, or the task has ended
// or waits.
func (p *place) until(m *machine.Machine, in task.Input, k *known, kind loop.CommandKind) {
	p.t.Helper()
	if k.head.Seq == 0 {
		st, err := p.call(m, task.BeginName, task.Ask{Task: in})
		if err != nil {
			p.t.Fatal(err)
		}
		p.took(k, st)
	}
	for k.state.Pending != nil && k.state.Pending.Kind != kind {
		st, err := p.call(m, task.DoName, task.Ask{Task: in, Head: k.head, Partial: k.partial, Command: *k.state.Pending})
		if err != nil {
			p.t.Fatal(err)
		}
		p.took(k, st)
	}
}

// print describes the files of a tree, its index and HEAD.
func (p *place) print(dir string) string {
	p.t.Helper()
	var b strings.Builder
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		rel, _ := filepath.Rel(dir, path)
		if rel == ".git" {
			return fs.SkipDir
		}
		info, err := d.Info()
		if err != nil {
			return err
		}
		text := ""
		if info.Mode()&fs.ModeSymlink != 0 {
			text, err = os.Readlink(path)
		} else if info.Mode().IsRegular() {
			var data []byte
			data, err = os.ReadFile(path)
			text = string(data)
		}
		fmt.Fprintf(&b, "%s %v %q\n", rel, info.Mode(), text)
		return err
	})
	if err != nil {
		p.t.Fatal(err)
	}
	fmt.Fprintln(&b, p.git(dir, "ls-files", "--stage"))
	fmt.Fprintln(&b, p.git(dir, "rev-parse", "HEAD"), p.git(dir, "symbolic-ref", "HEAD"))
	return b.String()
}

// A task's record is the same from a machine's loop as from belay run, except for times and names.
func TestSameRecord(t *testing.T) {
	t.Parallel()
	p := newPlace(t)
	in := p.input("T1", script)
	var k known
	p.until(p.machine("a"), in, &k, "")
	if k.state.Outcome != loop.OutcomePassed || len(k.state.Attempts) != 2 {
		t.Fatalf("%s, %d attempts", k.state.Outcome, len(k.state.Attempts))
	}

	local := filepath.Join(p.dir, "local")
	p.git(p.dir, "clone", "-q", p.remote(), local)
	self, _ := os.Executable()
	var flags []app.Flag
	for _, s := range in.Settings {
		flags = append(flags, app.Flag(s))
	}
	svc, err := app.Open(context.Background(), app.OpenOptions{Dir: local, Flags: flags, Self: []string{self, "_run"}})
	if err != nil {
		t.Fatal(err)
	}
	app.AttachPlans(svc)
	_, err = svc.Run(context.Background(), app.RunRequest{
		NewTask: app.NewTask{ID: in.ID, Text: in.Prose, Agent: in.Agent, Role: in.Role, Trust: true},
		Watch:   nobody{}, Soft: context.Background()})
	if err != nil {
		t.Fatal(err)
	}
	one, two := p.events(local), p.events(p.tree("a", in))
	if len(one) < 8 {
		t.Fatal(one)
	}
	for i := range max(len(one), len(two)) {
		if i >= len(one) || i >= len(two) || one[i] != two[i] {
			t.Fatalf("event %d of %d and %d:\n%s\n%s", i, len(one), len(two), at(one, i), at(two, i))
		}
	}
}

func at(list []string, i int) string {
	if i < len(list) {
		return list[i]
	}
	return "none"
}

// events returns the events of T1's record in a clone, without what differs between any two runs.
func (p *place) events(dir string) (list []string) {
	p.t.Helper()
	s, err := app.Open(context.Background(), app.OpenOptions{Dir: dir})
	if err != nil {
		p.t.Fatal(err)
	}
	r, err := s.Session.Load("T1")
	if err != nil {
		p.t.Fatal(err)
	}
	names := map[string]string{}
	for _, e := range r.Log.Entries {
		if e.Type != session.EntryEvent {
			continue
		}
		var data any
		if err := json.Unmarshal(e.Data, &data); err != nil {
			p.t.Fatal(err)
		}
		text, _ := json.Marshal(plain(data, names))
		list = append(list, string(text))
	}
	return list
}

// plain removes durations, and numbers the names of snapshots, trees and attachments in their
// order.
func plain(v any, names map[string]string) any {
	switch v := v.(type) {
	case map[string]any:
		delete(v, "elapsed_ns")
		delete(v, "log") // output, with times
		delete(v, "report")
		delete(v, "baseline_report")
		delete(v, "snapshots") // their trees have the time of the index
		delete(v, "added")     // bytes of the snapshots' packs
		for _, k := range slices.Sorted(keys(v)) {
			v[k] = plain(v[k], names)
		}
		return v
	case []any:
		for i := range v {
			v[i] = plain(v[i], names)
		}
		return v
	case string:
		if len(v) == 26 && strings.Trim(v, "0123456789abcdefghjkmnpqrstvwxyz") == "" {
			if names[v] == "" {
				names[v] = fmt.Sprintf("snapshot %d", len(names))
			}
			return names[v]
		}
	}
	return v
}

func keys(m map[string]any) func(func(string) bool) {
	return func(yield func(string) bool) {
		for k := range m {
			if !yield(k) {
				return
			}
		}
	}
}

// Before any command of a task, another machine can continue it with exactly the same files and
// index, and the first one cannot push any more.
func TestAdopt(t *testing.T) {
	t.Parallel()
	for _, kind := range []loop.CommandKind{loop.CmdBaseline, loop.CmdAttempt, loop.CmdCheck, loop.CmdRestore, loop.CmdClose} {
		t.Run(string(kind), func(t *testing.T) {
			t.Parallel()
			p := newPlace(t)
			in := p.input("T1", script)
			var k known
			a, b := p.machine("a"), p.machine("b")
			p.until(a, in, &k, kind)
			if k.state.Pending == nil || !k.pushed {
				t.Fatalf("%s, pushed: %v, %v", k.state.Phase, k.pushed, k.last.Notes)
			}
			want, old := p.print(p.tree("a", in)), k
			st, err := p.call(b, task.AdoptName, task.Ask{Task: in, Head: k.head})
			if err != nil {
				t.Fatal(err)
			}
			p.took(&k, st)
			if st.Worker != "b" || !st.Pushed || len(st.Steps) != 0 {
				t.Errorf("%+v", st)
			}
			if got := p.print(p.tree("b", in)); got != want {
				t.Errorf("on the other machine:\n%s\nwas:\n%s", got, want)
			}
			// The machine that seemed lost does the command anyway.
			_, err = p.call(a, task.DoName, task.Ask{Task: in, Head: old.head, Command: *old.state.Pending})
			var moved *temporal.ApplicationError
			if !errors.As(err, &moved) || moved.Type() != task.ErrMoved || !moved.NonRetryable() {
				t.Errorf("the first machine: %v", err)
			}
			p.until(b, in, &k, "")
			if k.state.Outcome != loop.OutcomePassed || !k.pushed {
				t.Errorf("%s %s", k.state.Phase, k.state.Outcome)
			}
			if got := p.git(p.remote(), "show", "belay/t1:src/a.txt"); got != "one\ngood" {
				t.Errorf("delivered: %q", got)
			}
			p.verified(p.tree("b", in))
		})
	}
}

// A task that ended just as its worker was lost is not delivered again.
func TestAdoptEnded(t *testing.T) {
	t.Parallel()
	p := newPlace(t)
	in := p.input("T1", script)
	var k, end known
	a := p.machine("a")
	p.until(a, in, &k, loop.CmdClose)
	end = k
	p.until(a, in, &end, "") // its answer is lost
	delivered := p.git(p.remote(), "rev-parse", "belay/t1")
	for _, gone := range []bool{false, true} {
		if gone { // merged, and deleted
			p.git(p.remote(), "branch", "-D", "belay/t1")
		}
		st, err := p.call(p.machine(fmt.Sprint("b", gone)), task.AdoptName, task.Ask{Task: in, Head: k.head})
		if err != nil {
			t.Fatal(err)
		}
		now := k
		p.took(&now, st)
		if now.state.Outcome != loop.OutcomePassed || st.Commit != delivered || !st.Pushed {
			t.Errorf("%s, %+v", now.state.Phase, st)
		}
		heads := "main"
		if !gone {
			heads = "belay/t1\nmain"
			if got := p.git(p.remote(), "rev-parse", "belay/t1"); got != delivered {
				t.Errorf("delivered again: %s", got)
			}
		}
		if got := p.git(p.remote(), "for-each-ref", "--format=%(refname:short)", "refs/heads"); got != heads {
			t.Errorf("branches: %s", got)
		}
	}
}

// verified verifies the record of T1 in a clone.
func (p *place) verified(dir string) {
	p.t.Helper()
	s, err := app.Open(context.Background(), app.OpenOptions{Dir: dir})
	if err != nil {
		p.t.Fatal(err)
	}
	v, err := s.Session.Journal.Verify("T1", nil)
	if err != nil || len(v.Broken()) > 0 {
		p.t.Errorf("%v %v", err, v.Broken())
	}
}

// An activity of which the answer was lost does nothing twice.
func TestAgain(t *testing.T) {
	t.Parallel()
	p := newPlace(t)
	in := p.input("T1", "echo x >> ../../ran; "+script)
	var k known
	m := p.machine("a")
	p.until(m, in, &k, loop.CmdAttempt)
	ask := task.Ask{Task: in, Head: k.head, Command: *k.state.Pending}
	for range 3 {
		st, err := p.call(m, task.DoName, ask)
		if err != nil {
			t.Fatal(err)
		}
		if n := len(st.Steps); n != 1 || st.Steps[0].Event.Kind != loop.EvAttempted {
			t.Errorf("%+v", st.Steps)
		}
	}
}

// If two machines both have a task and both end it, only one delivers.
func TestBranchTaken(t *testing.T) {
	t.Parallel()
	p := newPlace(t)
	in := p.input("T1", script)
	var k known
	m := p.machine("a")
	p.until(m, in, &k, loop.CmdClose)
	other := p.git(p.remote(), "-c", "user.name=A", "-c", "user.email=a@example.com", "commit-tree", "-m", "other", "main^{tree}")
	p.git(p.remote(), "update-ref", "refs/heads/belay/t1", other)
	ask := task.Ask{Task: in, Head: k.head, Command: *k.state.Pending}
	if _, err := p.call(m, task.DoName, ask); err == nil || !strings.Contains(err.Error(), "belay/t1 is on the remote already") {
		t.Fatal(err)
	}
	if got := p.git(p.remote(), "rev-parse", "belay/t1"); got != other {
		t.Errorf("the branch was moved to %s", got)
	}
	p.git(p.remote(), "branch", "-m", "belay/t1", "theirs")
	st, err := p.call(m, task.DoName, ask)
	if err != nil {
		t.Fatal(err)
	}
	if got := p.git(p.remote(), "rev-parse", "belay/t1"); got != st.Commit || !st.Pushed {
		t.Errorf("%s, %+v", got, st)
	}
}

// Ignored files stay on their machine, and the task's notes list them.
func TestIgnoredStay(t *testing.T) {
	t.Parallel()
	p := newPlace(t)
	in := p.input("T1", `echo good >> src/a.txt; echo "KEY=very-secret" > src/local.env`)
	in.Settings = append(in.Settings, task.Setting{Key: "snapshot.include", Value: "**/*.env"})
	var k known
	p.until(p.machine("a"), in, &k, loop.CmdCheck)
	if k.pushed || !strings.Contains(fmt.Sprint(k.last.Notes), "src/local.env") {
		t.Errorf("pushed: %v, %q", k.pushed, k.last.Notes)
	}
	if out, err := exec.Command("grep", "-rla", "very-secret", p.remote()).CombinedOutput(); err == nil {
		t.Errorf("on the remote: %s", out)
	}
	for _, ref := range strings.Fields(p.git(p.remote(), "for-each-ref", "--format=%(refname)")) {
		if strings.Contains(p.git(p.remote(), "ls-tree", "-r", "--name-only", ref), ".env") {
			t.Errorf("%s has it", ref)
		}
	}
}

// An agent's commits, stashes and branches survive the loss of its worker. Shared ignored files are
// pushed too.
func TestAdoptCommits(t *testing.T) {
	t.Parallel()
	p := newPlace(t)
	in := p.input("T1", `echo good >> src/a.txt; git commit -qam "by the agent"; git branch side
echo stashed >> src/a.txt; git stash -q; echo more >> src/a.txt; echo cached > src/local.env`)
	in.Settings = append(in.Settings, task.Setting{Key: "snapshot.include", Value: "**/*.env"})
	in.Shared = []string{"src/*.env"}
	var k known
	p.until(p.machine("a"), in, &k, loop.CmdCheck)
	if !k.pushed {
		t.Fatal(k.last.Notes)
	}
	tree := func(name string) string {
		dir := p.tree(name, in)
		// The order of commits of the same second varies, so the objects are sorted.
		objects := strings.Split(p.git(dir, "rev-list", "--branches", "refs/stash", "--objects", "--no-object-names"), "\n")
		slices.Sort(objects)
		return p.print(dir) + p.git(dir, "for-each-ref", "refs/heads", "refs/stash") + p.git(dir, "stash", "list") + strings.Join(objects, "\n")
	}
	want := tree("a")
	if err := os.RemoveAll(filepath.Join(p.dir, "a")); err != nil {
		t.Fatal(err)
	}
	st, err := p.call(p.machine("b"), task.AdoptName, task.Ask{Task: in, Head: k.head})
	if err != nil || !st.Pushed {
		t.Fatal(err, st.Notes)
	}
	if got := tree("b"); got != want {
		t.Errorf("on the other machine:\n%s\nwas:\n%s", got, want)
	}
}

// A remote that refuses pushes does not stop the work.
func TestPushRefused(t *testing.T) {
	t.Parallel()
	p := newPlace(t)
	in := p.input("T1", script)
	var k known
	m := p.machine("a")
	p.until(m, in, &k, loop.CmdAttempt)
	hook := filepath.Join(p.remote(), "hooks", "pre-receive")
	if err := os.WriteFile(hook, []byte("#!/bin/sh\necho 'frozen for the release' >&2; exit 1\n"), 0o755); err != nil {
		t.Fatal(err)
	}
	p.until(m, in, &k, loop.CmdClose)
	if k.pushed || !strings.Contains(fmt.Sprint(k.last.Notes), "frozen for the release") {
		t.Errorf("pushed: %v, %q", k.pushed, k.last.Notes)
	}
	_, err := p.call(p.machine("b"), task.AdoptName, task.Ask{Task: in, Head: k.head})
	if err == nil || !strings.Contains(err.Error(), "entries") {
		t.Errorf("another machine: %v", err)
	}
	if err := os.Remove(hook); err != nil {
		t.Fatal(err)
	}
	p.until(m, in, &k, "")
	if k.state.Outcome != loop.OutcomePassed || !k.pushed {
		t.Errorf("%s, pushed: %v, %v", k.state.Outcome, k.pushed, k.last.Notes)
	}
}

// The end of an abandoned task must reach the remote, like that of an accepted one: afterwards
// nobody asks the worker for more, and the record on the remote would stay open.
func TestEndArrives(t *testing.T) {
	t.Parallel()
	p := newPlace(t)
	in := p.input("T1", "echo bad > src/a.txt")
	var k known
	m := p.machine("a")
	p.until(m, in, &k, "")
	if k.state.Gate == nil {
		t.Fatalf("%+v", k.state)
	}
	skip := loop.Event{Kind: loop.EvDecided, Gate: k.state.Gate.Number, Decision: loop.DecideSkip, By: "ann"}
	st, err := p.call(m, task.DecideName, task.Ask{Task: in, Head: k.head, Decision: skip})
	if err != nil {
		t.Fatal(err)
	}
	p.took(&k, st)
	p.until(m, in, &k, loop.CmdClose)
	hook := filepath.Join(p.remote(), "hooks", "pre-receive")
	if err := os.WriteFile(hook, []byte("#!/bin/sh\nexit 1\n"), 0o755); err != nil {
		t.Fatal(err)
	}
	end := task.Ask{Task: in, Head: k.head, Command: *k.state.Pending}
	if _, err := p.call(m, task.DoName, end); err == nil {
		t.Error("the end was not pushed, and is reported as done")
	}
	if err := os.Remove(hook); err != nil {
		t.Fatal(err)
	}
	st, err = p.call(m, task.DoName, end)
	if err != nil {
		t.Fatal(err)
	}
	p.took(&k, st)
	if k.state.Outcome != loop.OutcomeSkipped || !k.pushed {
		t.Errorf("%s, pushed: %v", k.state.Outcome, k.pushed)
	}
}

// A record on the remote that somebody changed or rewound is not continued.
func TestForeignRecord(t *testing.T) {
	t.Parallel()
	for name, change := range map[string]func(p *place, ref string){
		"rewound": func(p *place, ref string) {
			p.git(p.remote(), "update-ref", ref, p.git(p.remote(), "rev-parse", ref+"~2"))
		},
		"gone": func(p *place, ref string) { p.git(p.remote(), "update-ref", "-d", ref) },
		"changed": func(p *place, ref string) {
			text := strings.Replace(p.git(p.remote(), "cat-file", "blob", ref+":record.jsonl")+"\n", "Add a line", "Add a lime", 1)
			cmd := exec.Command("git", "hash-object", "-w", "--stdin")
			cmd.Dir, cmd.Stdin = p.remote(), strings.NewReader(text)
			blob, err := cmd.Output()
			if err != nil {
				p.t.Fatal(err)
			}
			cmd = exec.Command("git", "mktree")
			cmd.Dir, cmd.Stdin = p.remote(), bytes.NewReader(fmt.Appendf(nil, "100644 blob %s\trecord.jsonl\n", bytes.TrimSpace(blob)))
			tree, err := cmd.Output()
			if err != nil {
				p.t.Fatal(err)
			}
			p.git(p.remote(), "update-ref", ref, p.git(p.remote(), "-c", "user.name=A", "-c", "user.email=a@example.com", "commit-tree", "-m", "x",
				strings.TrimSpace(string(tree))))
		},
	} {
		p := newPlace(t)
		in := p.input("T1", script)
		var k known
		p.until(p.machine("a"), in, &k, loop.CmdCheck)
		change(p, "refs/belay/fleet/t1/record")
		st, err := p.call(p.machine("b"), task.AdoptName, task.Ask{Task: in, Head: k.head})
		if err == nil {
			t.Errorf("%s: %+v", name, st)
		}
		var app *temporal.ApplicationError
		if errors.As(err, &app) && !app.NonRetryable() {
			t.Errorf("%s: is tried again: %v", name, err)
		}
	}
}

// A worker runs only tasks of remotes that its owner listed.
func TestTrust(t *testing.T) {
	t.Parallel()
	p := newPlace(t)
	in := p.input("T1", "touch "+filepath.Join(p.dir, "ran"))
	for _, trusted := range [][]string{nil, {p.dir}, {p.remote() + "/"}, {"https://example.com/"}, {strings.TrimSuffix(p.remote(), "t")}} {
		m := p.machine("a")
		m.Trusted = trusted
		for _, name := range []string{task.BeginName, task.AdoptName} {
			if _, err := p.call(m, name, task.Ask{Task: in}); err == nil || !strings.Contains(err.Error(), "does not run tasks of") {
				t.Errorf("%v: %v", trusted, err)
			}
		}
	}
	for _, leaves := range []string{"/none/../evil.git", "/.", "/%2E%2e/evil.git", "/none%2f..%2fevil.git", `/none\..\evil.git`} {
		in.Remote = p.dir + leaves
		if _, err := p.call(p.machine("a"), task.BeginName, task.Ask{Task: in}); err == nil || !strings.Contains(err.Error(), "does not run tasks of") {
			t.Errorf("%s: %v", leaves, err)
		}
	}
	if _, err := os.Stat(filepath.Join(p.dir, "a")); err == nil {
		t.Error("something was cloned")
	}
}

// A task does not choose its own fence.
func TestFence(t *testing.T) {
	t.Parallel()
	p := newPlace(t)
	in := p.input("T1", script)
	in.Settings = append(in.Settings, task.Setting{Key: "fence.enabled", Value: "off"})
	if _, err := p.call(p.machine("a"), task.BeginName, task.Ask{Task: in}); err == nil || !strings.Contains(err.Error(), "does not choose its fence") {
		t.Error(err)
	}
}

// An ID is part of paths: one that leads out of the worker's folder is rejected, and so is a commit
// that was not pushed, at once.
func TestOddTasks(t *testing.T) {
	t.Parallel()
	p := newPlace(t)
	keep := filepath.Join(p.dir, "a", "tasks", "kept", "tree")
	if err := os.MkdirAll(keep, 0o755); err != nil {
		t.Fatal(err)
	}
	for _, id := range []string{"../kept", "..", ".", "", "a/b", "x\x00", "T1 ", "-T1", strings.Repeat("x", 300)} {
		in := p.input(id, script)
		for _, name := range []string{task.BeginName, task.AdoptName, task.DoName, task.DecideName, task.WakeName} {
			_, err := p.call(p.machine("a"), name, task.Ask{Task: in})
			var refused *temporal.ApplicationError
			if !errors.As(err, &refused) || refused.Type() != task.ErrRefused {
				t.Errorf("%q, %s: %v", id, name, err)
			}
		}
	}
	if _, err := os.Stat(keep); err != nil {
		t.Error(err)
	}
	in := p.input("T1", script)
	in.Base = strings.Repeat("4f", 20)
	_, err := p.call(p.machine("a"), task.BeginName, task.Ask{Task: in})
	var refused *temporal.ApplicationError
	if !errors.As(err, &refused) || !refused.NonRetryable() || !strings.Contains(err.Error(), "is on no branch of") {
		t.Error(err)
	}
}

// A remote that git would read as an option is rejected.
func TestOddRemotes(t *testing.T) {
	t.Parallel()
	p := newPlace(t)
	for _, remote := range []string{"--upload-pack=touch ran", "ext::sh -c 'touch ran'", "", p.dir + "/none.git"} {
		in := p.input("T1", script)
		in.Remote = remote
		m := p.machine("a")
		m.Trusted = []string{"*"}
		if _, err := p.call(m, task.BeginName, task.Ask{Task: in}); err == nil {
			t.Errorf("%q was accepted", remote)
		}
	}
}

// quiet is a logger that prints nothing.
type quiet struct{}

func (quiet) Debug(string, ...any) {}
func (quiet) Info(string, ...any)  {}
func (quiet) Warn(string, ...any)  {}
func (quiet) Error(string, ...any) {}

// nobody is an observer that ignores everything.
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

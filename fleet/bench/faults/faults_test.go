// Package faults tests the fleet with real processes: the server, workers, agents and git. make
// fleet-faults runs it.
package faults

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"
)

// fleet is a server, workers and a remote for one test.
type fleet struct {
	t              *testing.T
	dir            string
	fleet, server  string // programs
	address        string
	env            []string
	serving        *exec.Cmd
	workers        map[string]*exec.Cmd
	remote, origin string
}

// newFleet prepares folders without any process. It skips the test if the programs are not given.
func newFleet(t *testing.T) *fleet {
	t.Helper()
	f := &fleet{t: t, fleet: os.Getenv("BELAY_FLEET"), server: os.Getenv("BELAY_TEMPORAL"), workers: map[string]*exec.Cmd{}}
	if f.fleet == "" || f.server == "" {
		t.Skip("make fleet-faults gives the programs")
	}
	f.dir = t.TempDir()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	f.address = l.Addr().String()
	l.Close()
	for _, e := range os.Environ() {
		if !strings.HasPrefix(e, "TEMPORAL_") && !strings.HasPrefix(e, "BELAY_") && !strings.HasPrefix(e, "GIT_") {
			f.env = append(f.env, e)
		}
	}
	f.env = append(f.env, "HOME="+f.dir, "TEMPORAL_ADDRESS="+f.address, "GIT_CONFIG_GLOBAL="+filepath.Join(f.dir, "none"), "USER=ann",
		"STORY="+f.dir, "BELAY_FENCE=off") // agents here write files outside their clone, and kill workers
	f.remote, f.origin = filepath.Join(f.dir, "git", "app.git"), filepath.Join(f.dir, "app")
	f.git(f.dir, "init", "-q", "--bare", "-b", "main", f.remote)
	f.git(f.dir, "init", "-q", "-b", "main", f.origin)
	f.write("app/src/readme.txt", "app\n")
	f.write("app/test.sh", "! grep -q wrong src/*.txt\n")
	f.write("app/tasks.md", "- [ ] T001 Add one\n- [ ] T002 [P] Add two\n- [ ] T003 [P] Add three\n")
	f.git(f.origin, "config", "user.name", "Ann")
	f.git(f.origin, "config", "user.email", "ann@example.com")
	f.git(f.origin, "add", ".")
	f.git(f.origin, "commit", "-qm", "First")
	f.git(f.origin, "remote", "add", "origin", f.remote)
	f.git(f.origin, "push", "-q", "origin", "main")
	t.Cleanup(func() {
		for _, w := range f.workers {
			kill(w)
		}
		kill(f.serving)
		if t.Failed() {
			logs, _ := filepath.Glob(filepath.Join(f.dir, "*.log"))
			for _, l := range logs {
				text, _ := os.ReadFile(l)
				t.Logf("--- %s\n%s", l, text)
			}
		}
	})
	return f
}

func kill(c *exec.Cmd) {
	if c != nil && c.ProcessState == nil {
		_ = c.Process.Kill()
		_ = c.Wait()
	}
}

func (f *fleet) write(path, text string) {
	f.t.Helper()
	path = filepath.Join(f.dir, path)
	if err := errors.Join(os.MkdirAll(filepath.Dir(path), 0o755), os.WriteFile(path, []byte(text), 0o755)); err != nil {
		f.t.Fatal(err)
	}
}

func (f *fleet) read(path string) string {
	text, _ := os.ReadFile(filepath.Join(f.dir, path))
	return string(text)
}

func (f *fleet) git(dir string, args ...string) string {
	f.t.Helper()
	c := exec.Command("git", args...)
	c.Dir, c.Env = dir, f.env
	out, err := c.CombinedOutput()
	if err != nil {
		f.t.Fatalf("git %v: %v: %s", args, err, out)
	}
	return strings.TrimSpace(string(out))
}

// start starts a program, with its output in a file.
func (f *fleet) start(name string, env []string, args ...string) *exec.Cmd {
	f.t.Helper()
	out, err := os.OpenFile(filepath.Join(f.dir, name+".log"), os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600)
	if err != nil {
		f.t.Fatal(err)
	}
	defer out.Close()
	c := exec.Command(args[0], args[1:]...)
	c.Env, c.Stdout, c.Stderr, c.Dir = append(f.env[:len(f.env):len(f.env)], env...), out, out, f.dir
	if err := c.Start(); err != nil {
		f.t.Fatal(err)
	}
	return c
}

// serve starts the server at its former address, with its former database.
func (f *fleet) serve() {
	f.t.Helper()
	_, port, _ := net.SplitHostPort(f.address)
	f.serving = f.start("server", nil, f.server, "-port", port, "-file", filepath.Join(f.dir, "temporal.db"))
	f.until("the server", func() bool { _, err := f.run("list"); return err == nil })
}

// work starts a worker without waiting for it.
func (f *fleet) work(name string, env []string, args ...string) {
	f.t.Helper()
	f.workers[name] = f.start(name, append(env, "BELAY_STATE_HOME="+filepath.Join(f.dir, "state-"+name)),
		append([]string{f.fleet, "worker", "--name", name, "--home", filepath.Join(f.dir, name), "--slots", "2", "--trust",
			f.dir + "/git/"}, args...)...)
	f.write(name+".pid", strconv.Itoa(f.workers[name].Process.Pid))
}

func (f *fleet) ready(names ...string) {
	f.t.Helper()
	for _, n := range names {
		f.until(n, func() bool { return strings.Contains(f.read(n+".log"), "ready") })
	}
}

// until waits until done returns true.
func (f *fleet) until(what string, done func() bool) {
	f.t.Helper()
	for began := time.Now(); !done(); time.Sleep(100 * time.Millisecond) {
		if time.Since(began) > 3*time.Minute {
			f.t.Fatalf("waited three minutes for %s", what)
		}
	}
}

// run runs belay-fleet in a user's clone.
func (f *fleet) run(args ...string) (string, error) {
	c := exec.Command(f.fleet, args...)
	c.Dir, c.Env = f.origin, f.env
	out, err := c.CombinedOutput()
	return string(out), err
}

func (f *fleet) must(args ...string) string {
	f.t.Helper()
	out, err := f.run(args...)
	if err != nil {
		f.t.Fatalf("belay-fleet %v: %v: %s", args, err, out)
	}
	return out
}

// refused checks that belay-fleet fails with this exit status and text.
func (f *fleet) refused(exit int, says string, args ...string) {
	f.t.Helper()
	out, err := f.run(args...)
	var e *exec.ExitError
	if !errors.As(err, &e) || e.ExitCode() != exit || !strings.Contains(out, says) || !strings.Contains(out, "try: ") {
		f.t.Errorf("belay-fleet %.200s: %v, expected exit %d and %q: %s", args, err, exit, says, out)
	}
}

// submit submits a task with a script as its agent.
func (f *fleet) submit(id, script string) {
	f.t.Helper()
	f.must("submit", "Add "+id, "--task", id, "--files", "src/**", "--test", "sh test.sh", "--retries", "1", "--lost-after", "3s", "--",
		"sh", "-c", "cat > /dev/null\n"+script)
}

// standing is the output of show for a task or feature.
type standing struct {
	Phase    string
	Outcome  string
	Attempts int
	Moves    int
	Unpushed bool
	Waits    string
	Failed   string
	Parts    []struct{ Stage, Commit string }
	Gates    []struct{ Number int }
	Gate     *struct{ Why string }
}

func (f *fleet) show(id string) (st standing) {
	out, err := f.run("--json", "show", id)
	if err == nil {
		err = json.Unmarshal([]byte(out), &struct{ Data *standing }{&st})
	}
	if err != nil {
		st.Failed = fmt.Sprintf("%v: %s", err, out)
	}
	return st
}

// shows waits until show prints a text.
func (f *fleet) shows(id, text string) {
	f.t.Helper()
	var last string
	defer func() {
		if f.t.Failed() {
			f.t.Logf("belay-fleet show %s: %s", id, last)
		}
	}()
	f.until(id+" to show "+text, func() bool { last, _ = f.run("show", id); return strings.Contains(last, text) })
}

// ends waits until a task or feature has ended.
func (f *fleet) ends(id, outcome string) standing {
	f.t.Helper()
	var st standing
	defer func() {
		if f.t.Failed() {
			f.t.Logf("belay-fleet show %s: %+v", id, st)
			out, _ := f.run("show", id)
			all, _ := f.run("list")
			f.t.Log(out, all)
		}
	}()
	f.until(id+" to end", func() bool { st = f.show(id); return st.Outcome != "" || st.Phase == "quarantined" })
	if st.Outcome != outcome {
		out, _ := f.run("show", id)
		f.t.Errorf("%s ended %s: %s", id, st.Outcome, out)
	}
	return st
}

func (f *fleet) file(path string) func() bool {
	return func() bool { _, err := os.Stat(filepath.Join(f.dir, path)); return err == nil }
}

// patient is an agent that waits for a file, counts its starts, and does its work.
const patient = `echo x >> $STORY/ran.$BELAY_TASK; touch $STORY/began.$BELAY_TASK
until [ -e $STORY/end ]; do sleep 0.1; done
echo done > src/$BELAY_TASK.txt; touch $STORY/did.$BELAY_TASK`

// Clients wait for a server that is down at the start. If it is down later, agents continue, and
// their results are reported afterwards.
func TestServerDown(t *testing.T) {
	f := newFleet(t)
	f.work("w1", nil)
	f.until("w1 to say that it waits", func() bool { return strings.Contains(f.read("w1.log"), "no Temporal server answers") })
	f.refused(2, "no Temporal server answers", "show", "T1")
	f.serve()
	f.ready("w1")
	f.submit("T1", patient)
	f.until("the agent", f.file("began.T1"))
	kill(f.serving)
	f.write("end", "")
	f.until("the agent's end", f.file("did.T1"))
	f.refused(2, "no Temporal server answers", "show", "T1")
	f.serve()
	if st := f.ends("T1", "passed"); st.Attempts != 1 || f.read("ran.T1") != "x\n" {
		t.Errorf("%+v, the agent ran %q", st, f.read("ran.T1"))
	}

	// The same task again is an error.
	f.refused(5, "T1 was submitted before", "submit", "Add T1", "--task", "T1", "--", "sh", "-c", "true")
	// What the server would reject is rejected before it is sent.
	f.write("large.md", "Add "+strings.Repeat("\"a\"\n", 200_000)) // a third more in JSON
	large, err := os.Open(filepath.Join(f.dir, "large.md"))
	if err != nil {
		t.Fatal(err)
	}
	defer large.Close()
	c := exec.Command(f.fleet, "submit", "-", "--task", "T2", "--", "sh", "-c", "true")
	c.Dir, c.Env, c.Stdin = f.origin, f.env, large
	if out, err := c.CombinedOutput(); err == nil || !bytes.Contains(out, []byte("larger than 1024 KiB")) {
		t.Errorf("%v: %s", err, out)
	}
	f.refused(6, "no task T2", "show", "T2")
}

// killer is a git that kills its worker after it pushed the branch of a feature, before the result
// is reported.
const killer = `#!/bin/sh
"$STORY_GIT" "$@"
code=$?
case " $* " in *" push "*:refs/heads/belay/f" ")
	[ -e "$STORY/killed" ] || { touch "$STORY/killed"; kill -9 $PPID; }
esac
exit $code
`

// If a worker is killed after the push of a merge, before it reports the result, another worker
// recognises the merge, and the branch has it once.
func TestKilledMerge(t *testing.T) {
	f := newFleet(t)
	git, err := exec.LookPath("git")
	if err != nil {
		t.Fatal(err)
	}
	f.write("killer/git", killer)
	f.serve()
	for _, w := range []string{"w1", "w2"} { // whichever merges first is killed
		f.work(w, []string{"STORY_GIT=" + git, "PATH=" + filepath.Join(f.dir, "killer") + ":" + os.Getenv("PATH")})
	}
	f.ready("w1", "w2")
	f.must("submit", "tasks.md", "--feature", "f", "--test", "sh test.sh", "--lost-after", "3s", "--", "sh", "-c",
		`cat > /dev/null; echo done > src/$BELAY_TASK.txt`)
	st := f.ends("f", "passed")
	if !f.file("killed")() {
		t.Fatal("no worker was killed")
	}
	f.git(f.origin, "fetch", "-q", "origin")
	if got := strings.Fields(f.git(f.origin, "log", "--merges", "--first-parent", "--format=%H", "origin/main..origin/belay/f")); len(got) != 3 {
		t.Errorf("the branch has %d merges", len(got))
	}
	if n := strings.Count(f.git(f.origin, "show", "origin/belay/f:tasks.md"), "[x]"); n != 3 || len(st.Parts) != 3 {
		t.Errorf("%d tasks are ticked: %+v", n, st)
	}
}

// Workers take tasks only for free slots: with all agents busy, each worker has as many tasks as
// slots, and the others wait.
func TestSpread(t *testing.T) {
	f := newFleet(t)
	f.serve()
	for _, w := range []string{"w1", "w2", "w3"} {
		f.work(w, nil)
	}
	f.ready("w1", "w2", "w3")
	const tasks = 9
	for i := range tasks {
		f.submit(fmt.Sprintf("T%d", i), patient)
	}
	agents := func() []string { all, _ := filepath.Glob(filepath.Join(f.dir, "began.*")); return all }
	f.until("six agents", func() bool { return len(agents()) == 6 })
	for _, w := range []string{"w1", "w2", "w3"} {
		if all, _ := filepath.Glob(filepath.Join(f.dir, w, "tasks", "*", "*")); len(all) != 2 {
			t.Errorf("%s has %d tasks", w, len(all))
		}
	}
	f.until("the workers to say that they are full", func() bool { return strings.Count(f.must("workers"), "2 used, 0 free") == 3 })
	if out := f.must("top"); strings.Count(out, "2 used, 0 free") != 3 || !strings.Contains(out, "3 new") {
		t.Error(out)
	}
	for i := range tasks {
		id := fmt.Sprintf("T%d", i)
		if f.file("began." + id)() {
			continue
		}
		f.shows(id, "waiting: for a worker with a free slot")
		f.must("cancel", id)
		f.shows(id, "quarantined: cancelled before it began")
		f.must("decide", id, "resume")
	}
	f.write("end", "")
	for i := range tasks {
		f.ends(fmt.Sprintf("T%d", i), "passed")
	}
}

// A task of a team without budget waits, and continues when the limit is raised.
func TestBudgetRaised(t *testing.T) {
	f := newFleet(t)
	f.serve()
	limits := func(cost string) {
		f.write("limits.yaml", "teams:\n  - name: app\n    remotes: [\""+f.dir+"/git/\"]\n    cost_per_day: "+cost+"\n    unknown_cost: 0.50\n")
	}
	limits("0.50")
	f.work("w1", nil, "--limits", filepath.Join(f.dir, "limits.yaml"))
	f.ready("w1")
	f.write("end", "")
	f.submit("T1", patient)
	f.ends("T1", "passed")
	f.submit("T2", patient)
	f.shows("T2", "waiting: budget of team app for today is used, $0.50 of $0.50")
	if out := f.must("limits"); !strings.Contains(out, "/t2: waiting: budget of team app") {
		t.Error(out)
	}
	kill(f.workers["w1"])
	limits("5")
	f.work("w1", nil, "--limits", filepath.Join(f.dir, "limits.yaml"))
	f.ends("T2", "passed")
	if f.read("ran.T2") != "x\n" {
		t.Errorf("the agent ran %q", f.read("ran.T2"))
	}
}

// A feature that is cancelled and at once resumed continues, although its agents are still being
// stopped. A stopped feature asks no more questions.
func TestFeatureStopped(t *testing.T) {
	f := newFleet(t)
	f.serve()
	f.work("w1", nil)
	f.work("w2", nil)
	f.ready("w1", "w2")
	// The agent ignores signals: it ends when it is killed, or the test ends.
	stubborn := "cat > /dev/null; trap '' TERM INT\n" + patient
	for _, name := range []string{"f", "g"} {
		f.must("submit", "tasks.md", "--feature", name, "--test", "sh test.sh", "--lost-after", "3s", "--", "sh", "-c", stubborn)
	}
	f.until("the agent of f", f.file("began.f.T001"))
	f.until("the agent of g", f.file("began.g.T001"))
	f.must("cancel", "f")
	f.must("decide", "f", "resume")
	f.must("cancel", "g")
	f.must("decide", "g", "stop")
	st := f.ends("g", "aborted")
	for _, p := range st.Parts {
		if p.Stage != "dropped" {
			t.Errorf("%+v", st)
		}
	}
	if len(st.Gates) > 0 {
		t.Errorf("it asks: %+v", st.Gates)
	}
	f.write("end", "")
	if st := f.ends("f", "passed"); len(st.Gates) > 0 {
		t.Errorf("%+v", st)
	}
}

// An agent that ignores SIGTERM is killed, with its child processes, and its task waits at a gate.
func TestSigtermIgnored(t *testing.T) {
	f := newFleet(t)
	f.serve()
	f.work("w1", nil)
	f.ready("w1")
	f.submit("T1", "trap '' TERM INT HUP\nsleep 3600 & echo $! > $STORY/child\necho $$ > $STORY/agent\n"+patient)
	f.until("the agent", f.file("began.T1"))
	f.must("cancel", "T1")
	f.shows("T1", "waits for a person at gate 1")
	for _, name := range []string{"agent", "child"} {
		pid, err := strconv.Atoi(strings.TrimSpace(f.read(name)))
		if err != nil {
			t.Fatal(err)
		}
		f.until("the end of the "+name, func() bool { return gone(pid) })
	}
	f.must("decide", "T1", "abort")
	f.ends("T1", "aborted")
}

// If a worker is lost while it stops an agent, no other worker starts that agent again until a
// person resumes the task.
func TestLostWhileStopped(t *testing.T) {
	f := newFleet(t)
	f.serve()
	f.work("w1", nil)
	f.ready("w1")
	f.submit("T1", "trap '' TERM INT\n"+patient)
	f.until("the agent", f.file("began.T1"))
	f.must("cancel", "T1")
	kill(f.workers["w1"])
	f.work("w2", nil)
	f.shows("T1", "quarantined: cancelled before its agent began")
	if ran := f.read("ran.T1"); ran != "x\n" {
		t.Errorf("the agent ran %q", ran)
	}
	f.write("end", "")
	f.must("decide", "T1", "resume")
	f.ends("T1", "passed")
}

// gone reports whether a process has ended; a zombie has.
func gone(pid int) bool {
	if errors.Is(syscall.Kill(pid, 0), syscall.ESRCH) {
		return true
	}
	stat, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	_, state, _ := strings.Cut(string(stat), ") ")
	return err != nil || strings.HasPrefix(state, "Z")
}

// A task that kills each worker that runs it is quarantined after three; the other tasks end.
func TestPoisoned(t *testing.T) {
	f := newFleet(t)
	f.serve()
	for _, w := range []string{"w1", "w2", "w3", "w4"} {
		f.work(w, nil)
	}
	f.ready("w1", "w2", "w3", "w4")
	// The shim survives the worker, so the script ends it too, like a crash of the machine.
	f.submit("T1", `for w in w1 w2 w3 w4; do case $PWD in $STORY/$w/*) echo $w >> $STORY/poisoned; kill -9 $(cat $STORY/$w.pid) $PPID ;; esac; done`)
	f.shows("T1", "quarantined: 3 workers were lost with it")
	if n := strings.Count(f.read("poisoned"), "\n"); n != 3 {
		t.Errorf("%d workers were killed", n)
	}
	f.write("end", "")
	f.submit("T2", patient)
	f.ends("T2", "passed")
	if out := f.must("list", "--waiting"); !strings.Contains(out, "quarantined") {
		t.Error(out)
	}
}

// A worker with a full disk reports it, and begins the task when there is space.
func TestWorkersDiskFull(t *testing.T) {
	f := newFleet(t)
	home := filepath.Join(f.dir, "w1")
	if err := os.Mkdir(home, 0o700); err != nil {
		t.Fatal(err)
	}
	if out, err := exec.Command("mount", "-t", "tmpfs", "-o", "size=4m", "none", home).CombinedOutput(); err != nil {
		t.Skipf("SKIPPED, NOT TESTED: a full disk needs the right to mount one: %v %s", err, out)
	}
	t.Cleanup(func() { kill(f.workers["w1"]); _ = exec.Command("umount", "-l", home).Run() })
	f.serve()
	f.work("w1", nil)
	f.ready("w1")
	filler := filepath.Join(home, "filler")
	if err := os.WriteFile(filler, make([]byte, 8<<20), 0o600); !errors.Is(err, syscall.ENOSPC) {
		t.Fatal("the disk does not fill up: ", err)
	}
	f.write("end", "")
	f.submit("T1", patient)
	f.shows("T1", "No space left on device")
	if err := os.Remove(filler); err != nil {
		t.Fatal(err)
	}
	f.ends("T1", "passed")
}

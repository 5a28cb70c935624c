package main

import (
	"bufio"
	"bytes"
	"fmt"
	"io"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/belay-dev/belay/internal/agent"
	"github.com/belay-dev/belay/internal/fence"
	"github.com/belay-dev/belay/internal/fsroot"
	"github.com/belay-dev/belay/internal/journal"
)

// waiting is a reason for belay to wait.
type waiting struct {
	name  string
	args  []string
	ready func(d *world) bool                 // it waits now; nil: some time after the start
	set   func(t *testing.T, d *world) func() // makes it wait; the result ends that
	says  string
}

// slowGit makes git read its config slowly, as from a disk that does not answer. The config
// includes another one, so belay must ask git instead of reading it itself.
func slowGit(t *testing.T, d *world) func() {
	git, err := exec.LookPath("git")
	d.must(err)
	d.git("config", "include.path", "more")
	d.must(os.MkdirAll(filepath.Join(d.up, "bin"), 0o755))
	script := fmt.Sprintf("#!/bin/sh\ncase \"$*\" in *\" config --list\"*) : > %q; exec sleep 300;; esac\nexec %q \"$@\"\n", filepath.Join(d.up, "began"), git)
	d.must(os.WriteFile(filepath.Join(d.up, "bin", "git"), []byte(script), 0o755))
	give(t, d.up)
	return func() {}
}

func startedIn(name string) func(d *world) bool {
	return func(d *world) bool {
		_, err := os.Stat(filepath.Join(d.up, name))
		return err == nil
	}
}

func waits() []waiting {
	stubborn := []string{"--", "sh", "-c", `trap '' TERM INT HUP; : > "$UP/began"; sleep 300 & wait; sleep 300`}
	return []waiting{
		{name: "a git process", args: []string{"snapshot", "take"}, set: slowGit, ready: startedIn("began")},
		{name: "a git process of a check", args: []string{"check", "--before", "HEAD"}, set: slowGit, ready: startedIn("began")},
		{name: "a lock", args: []string{"task", "start", "T9"}, set: func(t *testing.T, d *world) func() {
			if r := d.belay("", "task", "add", "do it", "--as-it-is", "--task", "T9"); r.code != 0 {
				t.Fatal(r)
			}
			locks, _ := filepath.Glob(filepath.Join(d.repo, ".git", "belay", "tasks", "*.lock"))
			if len(locks) == 0 {
				t.Fatal("there is no lock")
			}
			var held []*fsroot.Lock
			for _, path := range locks {
				l := fsroot.NewLock(path)
				if ok, err := l.TryLock(); err != nil || !ok {
					t.Fatal(path, ok, err)
				}
				held = append(held, l)
			}
			return func() {
				for _, l := range held {
					_ = l.Unlock()
				}
			}
		}},
		{name: "an agent that hears no TERM", args: append([]string{"run", "do it", "--as-it-is", "--task", "T1", "--files", "**"}, stubborn...),
			ready: startedIn("began"), says: "belay run --resume T1"},
		{name: "the tests", args: []string{"run", "do it", "--as-it-is", "--task", "T1", "--files", "**", "--test", `trap '' TERM; : > "$UP/began"; sleep 300`, "--", "sh", "-c", "date > new"},
			ready: startedIn("began"), says: "belay run --resume T1"},
		{name: "the tests of a check", args: []string{"check", "--before", "HEAD", "--test", `trap '' TERM; : > "$UP/began"; sleep 300`}, ready: startedIn("began")},
		{name: "its input", args: []string{"run", "-", "--", "true"}},
	}
}

// TestTermEndsBelay: TERM, a hang-up, and TERM twice at once, as GNU timeout sends it, end belay
// although it would wait for minutes, or an hour: with status 130, a message about how to continue,
// an unbroken record, and nothing left running except an agent.
func TestTermEndsBelay(t *testing.T) {
	t.Parallel()
	w := quietWorld(t, map[string]string{"a.txt": "one\n", "sub/b.txt": "two\n"})
	for i, wait := range waits() {
		for name, signals := range map[string][]syscall.Signal{"TERM": {syscall.SIGTERM}, "HUP": {syscall.SIGHUP}, "TERM twice": {syscall.SIGTERM, syscall.SIGTERM}} {
			if testing.Short() && name != "TERM twice" {
				continue
			}
			t.Run(wait.name+", "+name, func(t *testing.T) {
				t.Parallel() // mostly waiting
				if name == "HUP" && signal.Ignored(syscall.SIGHUP) {
					t.Skip("the tests run under nohup")
				}
				d := w.another(t, filepath.Join(folder(t), "w"))
				mark := fmt.Sprintf("%d-%d-%s", os.Getpid(), i, strings.ReplaceAll(name, " ", ""))
				c, said, free := d.waitingFor(t, wait, mark)
				for _, sig := range signals {
					d.must(c.Process.Signal(sig))
				}
				hasToLeave(t, c, said, nil)
				free()
				if wait.says != "" {
					endAgent(mark)
				}
				if code := c.ProcessState.ExitCode(); code != 130 {
					t.Errorf("it ended with %d\n%s", code, said)
				}
				if !strings.Contains(said.String(), "try: ") || !strings.Contains(said.String(), wait.says) {
					t.Errorf("the output lacks %q, how to continue:\n%s", wait.says, said)
				}
				if r := d.belay("", "log", "--verify"); r.code != 0 && r.code != 6 {
					t.Errorf("the record: %s", r)
				}
				nothingLeft(t, t.Name(), mark)
			})
		}
	}
}

// TestNohup: a run that nohup started does not end when its terminal closes.
func TestNohup(t *testing.T) {
	t.Parallel()
	w := quietWorld(t, map[string]string{"a.txt": "one\n"})
	c := exec.Command("sh", "-c", `trap '' HUP; exec belay run "do it" --as-it-is --task T1 --files '**' -- sh -c '
		: > "$UP/began"; until [ -e "$UP/heard" ]; do sleep 0.05; done; sleep 1; date > new'`)
	c.Dir, c.Env = w.repo, w.env("UP="+w.up, "PATH="+os.Getenv("PATH"))
	var said bytes.Buffer
	c.Stdout, c.Stderr = &said, &said
	asUser(c)
	w.must(c.Start())
	for began := time.Now(); !startedIn("began")(w) && time.Since(began) < patience; {
		time.Sleep(50 * time.Millisecond)
	}
	w.must(c.Process.Signal(syscall.SIGHUP))
	w.must(os.WriteFile(filepath.Join(w.up, "heard"), nil, 0o644))
	err := c.Wait()
	if _, missing := os.Stat(filepath.Join(w.repo, "new")); missing != nil || strings.Contains(said.String(), "paused") {
		t.Errorf("%v, %v\n%s", err, missing, said.String())
	}
}

// TestKilledBelayLeavesNoGit: after a SIGKILL no git process of belay is alive.
func TestKilledBelayLeavesNoGit(t *testing.T) {
	w := quietWorld(t, map[string]string{"a.txt": "one\n", "sub/b.txt": "two\n"})
	mark := fmt.Sprintf("%d-killed", os.Getpid())
	c, said, _ := w.waitingFor(t, waits()[0], mark)
	if left := marked("BELAY_ODD=" + mark); len(left) < 2 {
		t.Fatalf("git does not run yet: %v\n%s", left, said)
	}
	w.must(c.Process.Kill())
	_ = c.Wait()
	nothingLeft(t, "killed", mark)
}

// TestSecondCtrlC: the first one gives the agent its time, a second one later exits with a message
// about what is still running.
func TestSecondCtrlC(t *testing.T) {
	w := quietWorld(t, map[string]string{"a.txt": "one\n", "sub/b.txt": "two\n"})
	mark := fmt.Sprintf("%d-ctrlc", os.Getpid())
	c, said, _ := w.waitingFor(t, waits()[3], mark)
	w.must(c.Process.Signal(os.Interrupt))
	w.must(c.Process.Signal(os.Interrupt))
	ended := make(chan error, 1)
	go func() { ended <- c.Wait() }()
	select {
	case <-ended:
		t.Fatalf("it did not wait for the agent:\n%s", said)
	case <-time.After(same + 200*time.Millisecond):
	}
	// Belay counts from the time when it got the first one, which can be late on a busy machine.
	hasToLeave(t, c, said, ended)
	endAgent(mark)
	if code := c.ProcessState.ExitCode(); code != 130 || !strings.Contains(said.String(), "the agent of T1 may still be running") {
		t.Errorf("it ended with %d\n%s", code, said)
	}
	nothingLeft(t, "Ctrl-C", mark)
}

// hasToLeave waits for the end of belay, and with ended not nil presses Ctrl-C until then. What
// belay waits for takes longer than this waits.
func hasToLeave(t *testing.T, c *exec.Cmd, said *bytes.Buffer, ended chan error) {
	t.Helper()
	interrupt := func() { _ = c.Process.Signal(os.Interrupt) }
	if ended == nil {
		ended, interrupt = make(chan error, 1), func() {}
		go func() { ended <- c.Wait() }()
	}
	for end := time.Now().Add(patience); ; interrupt() {
		select {
		case <-ended:
			return
		case <-time.After(500 * time.Millisecond):
		}
		if time.Now().After(end) {
			_ = c.Process.Kill()
			<-ended
			t.Fatalf("it does not exit:\n%s", said)
		}
	}
}

// graceVar is how long a tested belay waits for an agent after TERM, and for a locked record.
const graceVar = "BELAY_TEST_AGENT_GRACE"

func longGrace() {
	if d, err := time.ParseDuration(os.Getenv(graceVar)); err == nil {
		agent.DefaultGrace, journal.LockWait = d, d
	}
}

// endAgent kills the agent that belay left running, which has an hour to end after TERM.
func endAgent(mark string) {
	for _, pid := range withEnv([]byte("BELAY_ODD=" + mark + "\x00")) {
		if line, _ := os.ReadFile(fmt.Sprintf("/proc/%d/cmdline", pid)); bytes.HasPrefix(line, []byte("sh\x00")) || bytes.HasPrefix(line, []byte("sleep\x00")) {
			_ = syscall.Kill(pid, syscall.SIGKILL)
		}
	}
}

// waitingFor starts belay and returns once it waits.
func (w *world) waitingFor(t *testing.T, wait waiting, mark string) (c *exec.Cmd, said *bytes.Buffer, free func()) {
	t.Helper()
	free = func() {}
	if wait.set != nil {
		free = wait.set(t, w)
	}
	said = &bytes.Buffer{}
	c = exec.Command("belay", wait.args...)
	c.Dir, c.Env = w.repo, w.env("BELAY_ODD="+mark, graceVar+"=1h", "UP="+w.up, "PATH="+filepath.Join(w.up, "bin")+":"+os.Getenv("PATH"))
	in, err := c.StdinPipe() // stays open
	w.must(err)
	t.Cleanup(func() { _ = in.(io.Closer).Close() })
	c.Stdout, c.Stderr, c.WaitDelay = said, said, 5*time.Second
	asUser(c)
	w.must(c.Start())
	asleep := 0
	for began := time.Now(); time.Since(began) < patience; {
		time.Sleep(100 * time.Millisecond)
		if allAsleep(c.Process.Pid) { // not while it starts; a process that waits for a lock polls
			asleep++
		}
		if wait.ready != nil && wait.ready(w) || wait.ready == nil && asleep >= 10 {
			return c, said, free
		}
	}
	t.Fatalf("%s: it does not get to the wait:\n%s", wait.name, said)
	return nil, nil, nil
}

// allAsleep reports whether all threads of a process sleep.
func allAsleep(pid int) bool {
	tasks, _ := filepath.Glob(fmt.Sprintf("/proc/%d/task/*/stat", pid))
	for _, f := range tasks {
		text, err := os.ReadFile(f)
		if _, state, ok := strings.Cut(string(text), ") "); err == nil && (!ok || state[0] != 'S') {
			return false
		}
	}
	return len(tasks) > 0
}

// nothingLeft waits for the end of all processes with a mark.
func nothingLeft(t *testing.T, what, mark string) {
	t.Helper()
	for end := time.Now().Add(2 * patience); ; time.Sleep(50 * time.Millisecond) {
		left := marked("BELAY_ODD=" + mark)
		switch {
		case len(left) == 0:
			return
		case time.Now().After(end):
			t.Errorf("%s: it left %v", what, left)
			return
		}
		for _, l := range left {
			if _, line, _ := strings.Cut(l, " "); strings.HasPrefix(filepath.Base(line), "git ") && time.Until(end) < patience {
				t.Errorf("%s: git still runs: %s", what, l)
				return
			}
		}
	}
}

// TestReaderGone: when the reader of its output exits (belay run … 2>&1 | head -1), a run ends as
// after Ctrl-C: no process of the agent survives, its work is captured, and the task can be
// resumed. A command that runs no task is ended by SIGPIPE, as by default.
func TestReaderGone(t *testing.T) {
	w := quietWorld(t, map[string]string{"a.txt": "one\n"})
	mark := fmt.Sprintf("%d-reader", os.Getpid())
	agent := `echo more > new.txt; touch "$HOME/outside"; sleep 60 & while :; do echo working; sleep 0.2; done`
	wanted, fenced := []string{`"ended":"stopped"`, `"snapshot":"`, `"then":"continue"`}, "--fence=off"
	if fence.Probe() == nil {
		wanted, fenced = append(wanted, `"kind":"fence"`), "--fence=on"
	}
	c, out := w.readBy(mark, "run", "do it", fenced, "--as-it-is", "--task", "T1", "--files", "**", "--test", "true", "--", "sh", "-c", agent)
	lines := bufio.NewScanner(out)
	for lines.Scan() && lines.Text() != "working" {
	}
	w.must(out.Close())
	hasToLeave(t, c, &bytes.Buffer{}, nil)
	if code := c.ProcessState.ExitCode(); code != 130 {
		t.Errorf("it ended with %d", code)
	}
	if left := marked("BELAY_ODD=" + mark); len(left) > 0 {
		t.Errorf("it left %v", left)
	}
	shown := w.belay("", "show", "T1", "--json")
	for _, want := range wanted {
		if !strings.Contains(shown.out, want) {
			t.Errorf("the record has no %s:\n%s", want, shown.out)
		}
	}
	if r := w.belay("", "run", "--resume", "T1", "--", "sh", "-c", "date > a.txt"); r.code != 0 || !w.there("new.txt") {
		t.Errorf("resumed: %s", r)
	}

	c, out = w.readBy(mark, "log", "T1")
	w.must(out.Close())
	_ = c.Wait()
	if ws, ok := c.ProcessState.Sys().(syscall.WaitStatus); !ok || ws.Signal() != syscall.SIGPIPE {
		t.Errorf("belay log ended with %s", c.ProcessState)
	}
}

// TestOtherPipeBroken: a SIGPIPE of another pipe, such as to a git process that died while belay
// wrote to it, does not pause a run.
func TestOtherPipeBroken(t *testing.T) {
	w := quietWorld(t, map[string]string{"a.txt": "one\n"})
	agent := `echo more > new.txt; echo working; while [ ! -e ../go ]; do sleep 0.05; done`
	c, out := w.readBy(fmt.Sprintf("%d-pipe", os.Getpid()), "run", "do it", "--as-it-is", "--task", "T1", "--files", "**", "--test", "true",
		"--", "sh", "-c", agent)
	lines := bufio.NewScanner(out)
	for lines.Scan() && lines.Text() != "working" {
	}
	w.must(c.Process.Signal(syscall.SIGPIPE))
	w.must(os.WriteFile(filepath.Join(w.up, "go"), nil, 0o644))
	rest, _ := io.ReadAll(out)
	if err := c.Wait(); err != nil {
		t.Errorf("%v: %s", err, rest)
	}
}

// readBy starts belay with all its output in a pipe.
func (w *world) readBy(mark string, args ...string) (*exec.Cmd, *os.File) {
	w.t.Helper()
	r, out, err := os.Pipe()
	w.must(err)
	c := exec.Command("belay", args...)
	c.Dir, c.Env, c.Stdout, c.Stderr = w.repo, w.env("BELAY_ODD="+mark), out, out
	asUser(c)
	w.must(c.Start())
	w.must(out.Close())
	return c, r
}

package main

import (
	"bytes"
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/creack/pty"
)

// TestGateOnATerminal answers a gate at a real terminal, like a person: the question comes with the
// attempts and the options, an unknown word is asked again, and the text after guide reaches the
// agent. Nothing that the agent prints moves the cursor.
func TestGateOnATerminal(t *testing.T) {
	t.Parallel()
	w := quietWorld(t, nil)
	agent := `printf '\033[2J\033]0;title\007hello\n'; cat > prompt; grep -q forty-two prompt && echo 42 > answer || echo 0 > answer`
	s := w.sit("run", "add a file named answer with the number in it", "--retries", "0", "--test", "grep -q 42 answer", "--", "sh", "-c", agent)
	s.press("xy") // before the question: it must not count
	s.await("decide: ")
	s.press("z")
	s.await("press one of: ")
	s.awaits("decide: ", 2)
	s.press("v")
	s.await("+++ b/answer")
	for i, key := range []string{"s", "x"} { // decisions that roll back need a confirmation
		s.awaits("decide: ", 3+i)
		s.press(key)
		s.awaits("roll back and end the task? [y/N]", 1+i)
		s.press("n")
	}
	s.awaits("decide: ", 5)
	s.press("g")
	s.await("what should it do differently?")
	s.say("the answer is forty-two")
	s.ends(0)
	text := s.String()
	for _, bad := range []string{"\x1b[2J", "\x1b]0;"} {
		if strings.Contains(text, bad) {
			t.Errorf("%q reached the terminal", bad)
		}
	}
	for _, want := range []string{`\x1b]0;title`, "hello", "belay decide T1", "passed"} {
		if !strings.Contains(text, want) {
			t.Errorf("%q is not on the screen:\n%s", want, text)
		}
	}
}

// TestCheckOnATerminal: during the checks the terminal shows which are running, how many have
// ended, and which failed; at the end all are listed.
func TestCheckOnATerminal(t *testing.T) {
	t.Parallel()
	w := quietWorld(t, nil)
	w.succeed("task", "add", "write a", "--task", "T1", "--protect", "b.txt", "--test", "test ! -e b.txt || until test -e ../go; do sleep 0.1; done")
	w.succeed("task", "start", "T1")
	w.change(map[string]string{"a.txt": "x\n", "b.txt": "x\n"})
	s := w.sit("check", "T1")
	s.await("checking: tests (")
	s.await("done, protect failed)")
	w.must(os.WriteFile(filepath.Join(w.up, "go"), nil, 0o644))
	s.await("1 blocking finding") // the last line: everything before it was read
	s.ends(1)
	text := s.String()
	for _, name := range []string{"change", "scope", "protect", "rules", "size", "secrets", "tests"} {
		if !strings.Contains(text[strings.LastIndex(text, "done, protect"):], name) {
			t.Errorf("%s is not reported:\n%s", name, text)
		}
	}
}

// TestTrustOnATerminal: a check asks whether the repository's commands may run, and the time until
// the answer does not count towards its time limit.
func TestTrustOnATerminal(t *testing.T) {
	t.Parallel()
	w := quietWorld(t, map[string]string{".belay/config.yaml": "checks: {tests: {command: \"touch ../ran\"}}\n", "a.txt": "a\n"})
	w.change(map[string]string{"a.txt": "x\n"})
	s := w.sit("check", "--before", "HEAD", "--timeout", "20s")
	s.await("touch ../ran")
	s.await("allow them?")
	time.Sleep(21 * time.Second)
	if _, err := os.Stat(filepath.Join(w.up, "ran")); err == nil {
		t.Error("the tests ran before anybody let them")
	}
	if _, after, _ := strings.Cut(s.String(), "allow them?"); strings.Contains(after, "\x1b[K") {
		t.Errorf("the question was overwritten: %q", after)
	}
	s.say("y")
	s.ends(0)
	if _, err := os.Stat(filepath.Join(w.up, "ran")); err != nil {
		t.Errorf("the tests did not run: %v\n%s", err, s)
	}
	w.succeed("check", "--before", "HEAD") // it does not ask again
}

// TestReviewWakesTheRun: a run that waits at a terminal for a person's review continues when a
// review is recorded elsewhere: it fixes what is rejected, and ends with the approval.
func TestReviewWakesTheRun(t *testing.T) {
	t.Parallel()
	w := quietWorld(t, map[string]string{".belay/config.yaml": "reviewers: {tester: {kind: person}}\n"})
	s := w.sit("run", "write a", "--task", "T1", "--test", "true", "--", "sh", "-c", "cat >> ../prompts; echo $BELAY_ATTEMPT > a.txt")
	s.await("T1 waits for you at gate 1")
	s.await("decide: ")
	w.succeed("review", "record", "T1", "--verdict", "reject", "-m", "`a.txt` line 1 must say more")
	s.await("T1 waits for you at gate 2")
	w.succeed("review", "record", "T1", "--verdict", "approve", "-m", "fine")
	s.await("closed: accepted")
	s.ends(0)
	text, err := os.ReadFile(filepath.Join(w.up, "prompts"))
	if err != nil || !strings.Contains(string(text), "must say more") {
		t.Errorf("%v\n%s\n%s", err, text, s)
	}
}

// TestArbiterOnATerminal: a person who accepts rejected work at a terminal is asked five questions
// and for the reason; the category follows from them, and the review cycle's file has all of it.
func TestArbiterOnATerminal(t *testing.T) {
	t.Parallel()
	w := quietWorld(t, nil)
	if r := w.belay("", "run", "write a", "--task", "T1", "--retries", "0", "--test", "false", "--", "sh", "-c", "echo a > a.txt"); r.code != 3 {
		t.Fatal(r)
	}
	s := w.sit("task", "move", "T1", "--to", "approved", "--force")
	for _, asked := range []struct{ question, answer string }{
		{"fail without the change", "n"}, {"this feature and this task", "y"}, {"within the task's scope", "y"}, {"the machine or the environment", "y"}, {"a task of its own", "n"},
		{"why may it be accepted", "the disk of the runner is full"},
	} {
		s.await(asked.question)
		s.say(asked.answer)
	}
	s.await("T1 is accepted")
	s.ends(0)
	text, err := os.ReadFile(filepath.Join(w.repo, ".belay", "reviews", "_", "T1", "review-cycle-1.md"))
	for _, want := range []string{"category: infra_environmental", "rationale: the disk of the runner is full", "by: tester", "environmental: true", "pre_existing: false"} {
		if err != nil || !strings.Contains(string(text), want) {
			t.Errorf("%v: no %q in\n%s", err, want, text)
		}
	}
}

// TestStatusIsWatched: on a terminal the status is redrawn as it changes, and Ctrl-C ends it with
// success.
func TestStatusIsWatched(t *testing.T) {
	t.Parallel()
	w := quietWorld(t, nil)
	s := w.sit("status", "--watch")
	s.await("no open tasks")
	w.succeed("task", "add", "write a", "--task", "T1")
	s.await("T1  ")
	s.press("\x03")
	s.ends(0)
	if text := s.String(); strings.Contains(text, "interrupted") {
		t.Errorf("it ended with a complaint:\n%s", text)
	}
}

// TestPager: output that does not fit on a terminal goes through the pager, with its colours;
// shorter output does not, and --no-color is plain. Leaving a pager early is no error.
func TestPager(t *testing.T) {
	t.Parallel()
	w := quietWorld(t, map[string]string{"long.txt": "a\n"})
	w.succeed("snapshot", "take")
	w.change(map[string]string{"long.txt": strings.Repeat("line\n", 100)})
	id := strings.Fields(w.belay("", "snapshot", "list").out)[0]
	s := w.sitWith([]string{"GIT_PAGER=sed s/^/through:/", "PAGER=false"}, "diff", id)
	s.await("through:\x1b[32m+line")
	s.ends(0)
	for _, args := range [][]string{{"diff", id, "--no-color", "--", "long.txt"}, {"config", "--no-color"}} {
		s = w.sitWith([]string{"GIT_PAGER=sed s/^/through:/"}, args...)
		s.await("through:")
		s.ends(0)
		if text := s.String(); strings.Contains(text, "\x1b") {
			t.Errorf("%v: colours in %q", args, text)
		}
	}
	s = w.sitWith([]string{"PAGER=sed 1q"}, "diff", id)
	s.ends(0)
	s = w.sitWith([]string{"PAGER=no-such-program"}, "diff", id)
	s.ends(0)
	if n := strings.Count(s.String(), "+line"); n != 100 {
		t.Errorf("%d lines without a pager:\n%s", n, s)
	}
	s = w.sitWith([]string{"PAGER=sed s/^/through:/"}, "version")
	s.ends(0)
	if strings.Contains(s.String(), "through:") {
		t.Errorf("one line was paged: %s", s)
	}
}

// sitting is belay running at a terminal, with somebody who reads the screen and types.
type sitting struct {
	t   testing.TB
	cmd *exec.Cmd
	tty *os.File

	mu     sync.Mutex
	screen bytes.Buffer
	more   chan struct{} // new output since the last read; closed at the end
}

// patience is the time limit for expected output, and for the end of belay.
const patience = time.Minute

// sit starts belay at its own terminal in the world's repository.
func (w *world) sit(args ...string) *sitting {
	w.t.Helper()
	return w.sitWith(nil, args...)
}

// sitWith is sit with more environment variables.
func (w *world) sitWith(env []string, args ...string) *sitting {
	w.t.Helper()
	ctx, cancel := context.WithCancel(context.Background())
	s := &sitting{t: w.t, cmd: exec.CommandContext(ctx, "belay", args...), more: make(chan struct{}, 1)}
	s.cmd.Dir, s.cmd.Env = w.repo, append(w.env("TERM=xterm", "NO_COLOR=", "PAGER=cat"), env...)
	asUser(s.cmd)
	tty, err := pty.StartWithSize(s.cmd, &pty.Winsize{Rows: 40, Cols: 100})
	w.must(err)
	s.tty = tty
	w.t.Cleanup(func() { cancel(); tty.Close() })
	go s.read()
	return s
}

func (s *sitting) read() {
	defer close(s.more)
	buf := make([]byte, 4096)
	for {
		n, err := s.tty.Read(buf)
		s.mu.Lock()
		s.screen.Write(buf[:n])
		s.mu.Unlock()
		select {
		case s.more <- struct{}{}:
		default:
		}
		if err != nil {
			return
		}
	}
}

// press types keys without a line end.
func (s *sitting) press(keys string) {
	s.t.Helper()
	if _, err := s.tty.WriteString(keys); err != nil {
		s.t.Fatal(err)
	}
}

// String is all output so far.
func (s *sitting) String() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.screen.String()
}

// insist presses a key until the text was printed times times: again after a long silence, because
// a key that is read together with the one before is dropped.
func (s *sitting) insist(key, text string, times int) {
	s.t.Helper()
	for range 3 {
		s.press(key)
		if s.within(text, times, patience/6) {
			return
		}
	}
	s.t.Fatalf("%q did not come:\n%s", text, s)
}

// await reads the screen until the text was printed.
func (s *sitting) await(text string) { s.t.Helper(); s.awaits(text, 1) }

// awaits reads the screen until the text was printed times times.
func (s *sitting) awaits(text string, times int) {
	s.t.Helper()
	if !s.within(text, times, patience) {
		s.t.Fatalf("%q did not come:\n%s", text, s)
	}
}

func (s *sitting) within(text string, times int, most time.Duration) bool {
	s.t.Helper()
	late, open := time.After(most), true
	for strings.Count(s.String(), text) < times {
		if !open {
			s.t.Fatalf("belay left, and %q did not come:\n%s", text, s)
		}
		select {
		case _, open = <-s.more:
		case <-late:
			return false
		}
	}
	return true
}

// say types a line.
func (s *sitting) say(line string) {
	s.t.Helper()
	if _, err := s.tty.WriteString(line + "\n"); err != nil {
		s.t.Fatal(err)
	}
}

// ends waits for belay to end with this status, and reads the rest of its output.
func (s *sitting) ends(status int) {
	s.t.Helper()
	late := time.AfterFunc(patience, func() { _ = s.cmd.Process.Kill(); s.tty.Close() })
	defer late.Stop()
	for range s.more {
	}
	if _ = s.cmd.Wait(); s.cmd.ProcessState.ExitCode() != status {
		s.t.Fatalf("%v, and status %d was due\n%s", s.cmd.ProcessState, status, s)
	}
}

// TestPhaseOnATerminal: belay asks about a skipped phase, and about one that was started and not
// completed.
func TestPhaseOnATerminal(t *testing.T) {
	t.Parallel()
	w := quietWorld(t, map[string]string{"specs/001-a/spec.md": "# S\n"})
	w.succeed("feature", "start", "001-a")
	s := w.sit("phase", "start", "design")
	s.await("skips specify. Continue? [y/N]")
	s.say("n")
	s.ends(1)
	w.succeed("phase", "start", "specify")
	for answer, want := range map[string]string{"": "add --continue, --afresh or --review", "c": "specify continued", "afresh": "specify started"} {
		s := w.sit("phase", "start", "specify")
		s.await("[c]ontinue, start [a]fresh or [r]eview it?")
		s.say(answer)
		s.await(want)
		s.ends(map[string]int{"": 3}[answer])
	}
}

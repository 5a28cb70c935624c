package main

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/creack/pty"
)

// TestGateOnATerminal answers a gate as a person does, at a real terminal: the question
// comes with the attempts and the options, a wrong word is asked about again, and the
// words after guide reach the agent. Nothing the agent prints moves the cursor.
func TestGateOnATerminal(t *testing.T) {
	t.Parallel()
	belay := built(t)
	home, dir := t.TempDir(), t.TempDir()
	env := append(os.Environ(), "HOME="+home, "XDG_CONFIG_HOME="+home, "GIT_CONFIG_NOSYSTEM=1", "TERM=xterm")
	git := func(args ...string) {
		cmd := exec.Command("git", append([]string{"-C", dir, "-c", "user.name=a", "-c", "user.email=a@example.com"}, args...)...)
		cmd.Env = env
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Fatalf("git %v: %v\n%s", args, err, out)
		}
	}
	if err := os.WriteFile(filepath.Join(dir, "a.txt"), []byte("a\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	git("init", "-q")
	git("add", ".")
	git("commit", "-qm", "x")

	agent := `printf '\033[2J\033]0;title\007hello\n'; cat > prompt; grep -q forty-two prompt && echo 42 > answer || echo 0 > answer`
	cmd := exec.Command(belay, "run", "add a file named answer with the number in it", "--retries", "0", "--test", "grep -q 42 answer", "--", "sh", "-c", agent)
	cmd.Dir, cmd.Env = dir, env
	tty, err := pty.Start(cmd)
	if err != nil {
		t.Fatal(err)
	}
	defer tty.Close()
	seen := &screenText{}
	go seen.read(tty)
	seen.await(t, "decide: ")
	write(t, tty, "sing\n")
	seen.await(t, "one of:")
	write(t, tty, "guide the answer is forty-two\n")
	if err := cmd.Wait(); err != nil {
		t.Fatalf("%v\n%s", err, seen.String())
	}
	text := seen.String()
	for _, bad := range []string{"\x1b[2J", "\x1b]0;"} {
		if strings.Contains(text, bad) {
			t.Errorf("%q reached the terminal", bad)
		}
	}
	for _, want := range []string{`\x1b]0;title`, "hello", "belay gate decide T1", "passed"} {
		if !strings.Contains(text, want) {
			t.Errorf("%q is not on the screen:\n%s", want, text)
		}
	}
}

// TestCheckOnATerminal: while a judgement goes on, the terminal says which checks are under
// way, how many have ended, and which failed; at the end every one is reported.
func TestCheckOnATerminal(t *testing.T) {
	t.Parallel()
	belay := built(t)
	home, dir := t.TempDir(), t.TempDir()
	env := append(os.Environ(), "HOME="+home, "XDG_CONFIG_HOME="+home, "GIT_CONFIG_NOSYSTEM=1", "TERM=xterm", "USER=ana")
	run := func(name string, args ...string) {
		cmd := exec.Command(name, args...)
		cmd.Dir, cmd.Env = dir, env
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Fatalf("%s %v: %v\n%s", name, args, err, out)
		}
	}
	run("git", "init", "-q")
	run("git", "-c", "user.name=a", "-c", "user.email=a@example.com", "commit", "-q", "--allow-empty", "-m", "x")
	run(belay, "task", "add", "write a", "--task", "T1", "--protect", "b.txt", "--test", "until test -e ../"+filepath.Base(home)+"/go; do sleep 0.1; done")
	run(belay, "task", "start", "T1")
	for _, name := range []string{"a.txt", "b.txt"} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte("x\n"), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	cmd := exec.Command(belay, "check", "T1")
	cmd.Dir, cmd.Env = dir, env
	tty, err := pty.Start(cmd)
	if err != nil {
		t.Fatal(err)
	}
	defer tty.Close()
	seen := &screenText{}
	go seen.read(tty)
	seen.await(t, "checking: tests (")
	seen.await(t, "done, protect failed)")
	if err := os.WriteFile(filepath.Join(home, "go"), nil, 0o644); err != nil {
		t.Fatal(err)
	}
	seen.await(t, "refuse the work") // the last line: all before it has been read
	if err := cmd.Wait(); err == nil {
		t.Error("a protected file changed, and it passed")
	}
	for _, name := range []string{"change", "scope", "protect", "rules", "size", "secrets", "tests"} {
		if text := seen.String(); !strings.Contains(text[strings.LastIndex(text, "done, protect"):], name) {
			t.Errorf("%s is not reported:\n%s", name, text)
		}
	}
}

// TestReviewWakesTheRun: a run that waits at a terminal for a person's review goes on by
// what is recorded from elsewhere: it mends what is rejected, and ends with the approval.
func TestReviewWakesTheRun(t *testing.T) {
	t.Parallel()
	belay := built(t)
	home, dir := t.TempDir(), t.TempDir()
	env := append(os.Environ(), "HOME="+home, "XDG_CONFIG_HOME="+home, "GIT_CONFIG_NOSYSTEM=1", "TERM=xterm", "USER=ana")
	run := func(name string, args ...string) {
		cmd := exec.Command(name, args...)
		cmd.Dir, cmd.Env = dir, env
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Errorf("%s %v: %v\n%s", name, args, err, out)
		}
	}
	run("git", "init", "-q")
	if err := os.MkdirAll(filepath.Join(dir, ".belay"), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, ".belay", "config.yaml"), []byte("reviewers: {ana: {kind: person}}\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	run("git", "add", ".")
	run("git", "-c", "user.name=a", "-c", "user.email=a@example.com", "commit", "-q", "-m", "x")
	cmd := exec.Command(belay, "run", "write a", "--task", "T1", "--test", "true", "--", "sh", "-c", "cat >> ../"+filepath.Base(home)+"/prompts; echo $BELAY_ATTEMPT > a.txt")
	cmd.Dir, cmd.Env = dir, env
	tty, err := pty.Start(cmd)
	if err != nil {
		t.Fatal(err)
	}
	defer tty.Close()
	seen := &screenText{}
	go seen.read(tty)
	seen.await(t, "T1 waits for you at gate 1")
	seen.await(t, "decide: ")
	run(belay, "review", "record", "T1", "--verdict", "reject", "-m", "`a.txt` line 1 must say more")
	seen.await(t, "T1 waits for you at gate 2")
	run(belay, "review", "record", "T1", "--verdict", "approve", "-m", "fine")
	seen.await(t, "closed: passed")
	if err := cmd.Wait(); err != nil {
		t.Fatalf("%v\n%s", err, seen.String())
	}
	text, err := os.ReadFile(filepath.Join(home, "prompts"))
	if err != nil || !strings.Contains(string(text), "must say more") {
		t.Errorf("%v\n%s\n%s", err, text, seen.String())
	}
}

// TestArbiterOnATerminal: whoever accepts refused work at a terminal is asked five
// questions and for the reason; the category follows, and all of it stands in the review
// cycle's file.
func TestArbiterOnATerminal(t *testing.T) {
	t.Parallel()
	belay := built(t)
	home, dir := t.TempDir(), t.TempDir()
	env := append(os.Environ(), "HOME="+home, "XDG_CONFIG_HOME="+home, "GIT_CONFIG_NOSYSTEM=1", "TERM=xterm", "USER=ana")
	run := func(want int, name string, args ...string) {
		cmd := exec.Command(name, args...)
		cmd.Dir, cmd.Env = dir, env
		if out, _ := cmd.CombinedOutput(); cmd.ProcessState.ExitCode() != want {
			t.Fatalf("%s %v: %d\n%s", name, args, cmd.ProcessState.ExitCode(), out)
		}
	}
	run(0, "git", "init", "-q")
	run(0, "git", "-c", "user.name=a", "-c", "user.email=a@example.com", "commit", "-q", "--allow-empty", "-m", "x")
	run(3, belay, "run", "write a", "--task", "T1", "--retries", "0", "--test", "false", "--", "sh", "-c", "echo a > a.txt")
	cmd := exec.Command(belay, "task", "move", "T1", "--to", "approved", "--force")
	cmd.Dir, cmd.Env = dir, env
	tty, err := pty.Start(cmd)
	if err != nil {
		t.Fatal(err)
	}
	defer tty.Close()
	seen := &screenText{}
	go seen.read(tty)
	for _, asked := range []struct{ question, answer string }{
		{"fail without the change", "n"}, {"this feature and this task", "y"}, {"within the task's scope", "y"}, {"the machine or the environment", "y"}, {"a task of its own", "n"},
		{"why may it be accepted", "the disk of the runner is full"},
	} {
		seen.await(t, asked.question)
		write(t, tty, asked.answer+"\n")
	}
	seen.await(t, "T1 is accepted")
	if err := cmd.Wait(); err != nil {
		t.Fatalf("%v\n%s", err, seen.String())
	}
	text, err := os.ReadFile(filepath.Join(dir, ".belay", "reviews", "_", "T1", "review-cycle-1.md"))
	for _, want := range []string{"category: infra_environmental", "rationale: the disk of the runner is full", "by: ana", "environmental: true", "pre_existing: false"} {
		if err != nil || !strings.Contains(string(text), want) {
			t.Errorf("%v: no %q in\n%s", err, want, text)
		}
	}
}

// built is a copy of the test binary under belay's name, which makes it act as belay. A
// link would not do: the shim is started by the program's real name.
func built(t *testing.T) string {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	program, err := os.ReadFile(self)
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(t.TempDir(), "belay")
	if err := os.WriteFile(path, program, 0o755); err != nil {
		t.Fatal(err)
	}
	return path
}

func write(t *testing.T, f *os.File, s string) {
	t.Helper()
	if _, err := f.WriteString(s); err != nil {
		t.Fatal(err)
	}
}

type screenText struct {
	mu sync.Mutex
	b  bytes.Buffer
}

func (s *screenText) read(f *os.File) {
	buf := make([]byte, 4096)
	for {
		n, err := f.Read(buf)
		s.mu.Lock()
		s.b.Write(buf[:n])
		s.mu.Unlock()
		if err != nil {
			return
		}
	}
}

func (s *screenText) String() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.b.String()
}

func (s *screenText) await(t *testing.T, want string) {
	t.Helper()
	for deadline := time.Now().Add(20 * time.Second); time.Now().Before(deadline); time.Sleep(10 * time.Millisecond) {
		if strings.Contains(s.String(), want) {
			return
		}
	}
	t.Fatalf("%q did not come:\n%s", want, s.String())
}

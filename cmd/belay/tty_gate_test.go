package main

import (
	"os"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/creack/pty"
)

// rejected starts a run at a terminal with only one attempt, which is rejected, and waits for the
// gate. The second attempt is right. Keys typed before the gate must not count.
func rejected(t *testing.T, args ...string) (*world, *sitting) {
	t.Helper()
	w := quietWorld(t, nil)
	agent := `test "$BELAY_ROLE" = debugger && echo the number is wrong && exit; printf 'I wrote\n\033[1mthe answer\033[0m\n'; cat > ../prompt$BELAY_ATTEMPT; test $BELAY_ATTEMPT = 1 && echo 0 > answer || echo 42 > answer`
	s := w.sit(append([]string{"run", "add a file named answer with the number in it", "--retries", "0", "--test", "grep -q 42 answer"},
		append(args, "--", "sh", "-c", agent)...)...)
	s.press("xysya\rq")
	s.await("decide: ")
	return w, s
}

// TestGateKeys presses each key of the gate at a real terminal.
func TestGateKeys(t *testing.T) {
	t.Parallel()
	for name, one := range map[string]struct {
		press  func(w *world, s *sitting)
		status int
		says   string
	}{
		"t retries": {func(_ *world, s *sitting) { s.press("t") }, 0, "passed"},
		"T, like t": {func(_ *world, s *sitting) { s.press("T") }, 0, "passed"},
		"r rechecks": {func(w *world, s *sitting) {
			w.write("answer", "42\n")
			s.press("r")
		}, 0, "passed"},
		"d diagnoses": {func(w *world, s *sitting) {
			s.press("d")
			s.await("closed: accepted")
			text, err := os.ReadFile(filepath.Join(w.up, "prompt2"))
			if err != nil || !strings.Contains(string(text), "the number is wrong") {
				t.Errorf("the diagnosis did not reach the agent: %v\n%s", err, text)
			}
		}, 0, "passed"},
		"s skips, with a yes": {func(_ *world, s *sitting) {
			s.press("s")
			s.await("roll back and end the task? [y/N]")
			s.press("y")
		}, 1, "skipped"},
		"x aborts, with a yes": {func(_ *world, s *sitting) {
			s.press("x")
			s.await("roll back and end the task? [y/N]")
			s.press("Y")
		}, 1, "aborted"},
		"a approves, with reasons": {func(_ *world, s *sitting) {
			s.press("a")
			for _, question := range []string{"fail without the change", "this feature and this task", "within the task's scope",
				"the machine or the environment", "a task of its own"} {
				s.await(question)
				s.say(map[bool]string{true: "y", false: "n"}[strings.Contains(question, "machine") || strings.Contains(question, "this") ||
					strings.Contains(question, "within")])
			}
			s.await("why may it be accepted?")
			s.say("the disk is full")
		}, 0, "closed: accepted"},
		"others add to the record": {func(w *world, s *sitting) {
			if r := w.belay("", "task", "edit", "T1", "--test", "true"); r.code != 0 {
				t.Error(r)
			}
			s.awaits("decide: ", 2)
			s.press("q")
		}, 3, "T1 waits for a person"},
		"q leaves":          {func(_ *world, s *sitting) { s.press("q") }, 3, "T1 waits for a person"},
		"Ctrl-D leaves":     {func(_ *world, s *sitting) { s.press("\x04") }, 3, "T1 waits for a person"},
		"Ctrl-C interrupts": {func(_ *world, s *sitting) { s.press("\x03") }, 130, "belay run --resume T1"},
		"guide with a pasted text": {func(_ *world, s *sitting) {
			s.press("g")
			s.await("what should it do differently?")
			s.press("first line\nsecond line\nthird line\n")
		}, 0, "passed"},
		"g, and nothing said": {func(_ *world, s *sitting) {
			s.press("g")
			s.await("what should it do differently?")
			s.press("\n")
			s.awaits("decide: ", 2)
			s.press("q")
		}, 3, "T1 waits for a person"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w, s := rejected(t)
			one.press(w, s)
			s.ends(one.status)
			if !strings.Contains(s.String(), one.says) {
				t.Errorf("the output lacks %q:\n%s", one.says, s)
			}
			if strings.Contains(name, "pasted") {
				text, err := os.ReadFile(filepath.Join(w.up, "prompt2"))
				for _, line := range []string{"first line", "second line", "third line"} {
					if err != nil || !strings.Contains(string(text), line) {
						t.Errorf("%q did not reach the agent: %v\n%s", line, err, text)
					}
				}
			}
		})
	}
}

// TestGateShowsItsKeys: the menu of each kind of gate shows the keys that work, and no others.
func TestGateShowsItsKeys(t *testing.T) {
	t.Parallel()
	shown := regexp.MustCompile(`(?m)^  (\S)  [a-z]`)
	_, s := rejected(t)
	other := quietWorld(t, nil).sit("run", "add many files", "--clarify", "--", "false")
	other.await("decide: ")
	for _, s := range []*sitting{s, other} {
		var keys []string
		for _, m := range shown.FindAllStringSubmatch(s.String(), -1) {
			keys = append(keys, m[1])
		}
		s.press("\r")
		s.awaits("decide: ", 2)
		text := s.String()
		_, listed, _ := strings.Cut(strings.ReplaceAll(text, "\r\n    ", " "), "press one of: ")
		listed, _, _ = strings.Cut(listed, "\r\n")
		var works []string
		for _, one := range strings.Split(listed, ", ") {
			works = append(works, one[:1])
		}
		if len(keys) < 5 || !slices.Equal(keys, works) {
			t.Errorf("shown %q, and %q work:\n%s", keys, works, text)
		}
		s.press("q")
		s.ends(3)
	}
}

// TestNotify: a program and the bell announce a waiting task, once for each gate.
func TestNotify(t *testing.T) {
	t.Parallel()
	w := quietWorld(t, map[string]string{".belay/config.yaml": `
notify: {bell: true, desktop: true, command: [sh, -c, 'echo "$BELAY_TASK: $BELAY_TITLE: $BELAY_REASON" >> ../told']}
`})
	w.write("../bin/notify-send", "#!/bin/sh\nprintf '%s\\n' \"$@\" >> ../shown\n")
	w.must(os.Chmod(filepath.Join(w.up, "bin", "notify-send"), 0o755))
	s := w.sitWith([]string{"PATH=" + filepath.Join(w.up, "bin") + ":" + os.Getenv("PATH")},
		"run", "--trust", "write -- a", "--retries", "0", "--test", "false", "--", "sh", "-c", "echo $BELAY_ATTEMPT > a.txt")
	said := func(times int) { // an earlier answer makes a message needless
		t.Helper()
		for end := time.Now().Add(time.Minute); ; time.Sleep(10 * time.Millisecond) {
			told, _ := os.ReadFile(filepath.Join(w.up, "told"))
			shown, _ := os.ReadFile(filepath.Join(w.up, "shown"))
			if strings.Count(string(told), "\n") >= times && (runtime.GOOS != "linux" || strings.Count(string(shown), "write -- a") >= times) {
				return
			}
			if time.Now().After(end) {
				t.Fatalf("not notified %d times: %q, %q", times, told, shown)
			}
		}
	}
	s.await("decide: ")
	said(1)
	s.press("z")
	s.awaits("decide: ", 2)
	s.press("t")
	s.await("waits for you at gate 2")
	s.awaits("decide: ", 3)
	said(2)
	s.press("q")
	s.ends(3)
	if n := strings.Count(s.String(), "\a"); n != 2 {
		t.Errorf("the bell rang %d times:\n%q", n, s)
	}
	told, err := os.ReadFile(filepath.Join(w.up, "told"))
	if n := strings.Count(string(told), "T1: write -- a: attempt "); err != nil || n != 2 {
		t.Errorf("%d lines: %v\n%s", n, err, told)
	}
	shown, err := os.ReadFile(filepath.Join(w.up, "shown"))
	if n := strings.Count(string(shown), "--\nT1 waits for you\nwrite -- a: "); runtime.GOOS == "linux" && (err != nil || n != 2) {
		t.Errorf("%d notifications: %v\n%s", n, err, shown)
	}
}

// TestGateNoKeys: input that is no answer ends and changes nothing, and the gate asks again:
// unknown keys, Enter, arrows, pasted text that starts with a key of the menu, a no, a resized
// terminal.
func TestGateNoKeys(t *testing.T) {
	t.Parallel()
	w, s := rejected(t)
	if want := "the agent said last"; !strings.Contains(s.String(), want) || strings.Count(s.String(), "the answer") < 2 {
		t.Errorf("the agent's message is not shown:\n%s", s)
	}
	asked := 1
	for _, keys := range []string{"z", "\r", "ü", "therefore it is right\nand so on\nx\ny\n", "xy", strings.Repeat("try again ", 200)} {
		s.press(keys)
		asked++
		s.awaits("decide: ", asked)
	}
	if got := strings.Count(s.String(), "press one of: d diagnose, g guide,"); got != asked-1 {
		t.Errorf("the keys are listed %d times, not %d:\n%s", got, asked-1, s)
	}
	s.press("\x1b[A") // an arrow is skipped, with a key that is read together with it
	if err := pty.Setsize(s.tty, &pty.Winsize{Rows: 10, Cols: 40}); err != nil {
		t.Fatal(err)
	}
	time.Sleep(300 * time.Millisecond)
	for i, key := range []string{"s", "x", "x"} {
		s.insist(key, "roll back and end the task? [y/N]", 1+i)
		asked++
		if i == 2 {
			s.press("\x1b[B")
			time.Sleep(300 * time.Millisecond)
		}
		s.insist([]string{"n", "\r", "n"}[i], "decide: ", asked)
	}
	if r := w.belay("", "status"); !strings.Contains(r.out, "gate") {
		t.Errorf("the task does not wait any more: %v", r)
	}
	if _, err := os.Stat(filepath.Join(w.repo, "answer")); err != nil {
		t.Errorf("the rejected work is missing: %v", err)
	}
	s.insist("v", "decide: ", asked+1) // a key that is pressed before the question is printed again may be dropped
	if !strings.Contains(s.String(), "+++ b/answer") {
		t.Errorf("the change is not shown:\n%s", s)
	}
	s.press("q")
	s.ends(3)
}

// TestGateTwoTerminals: a task has one runner. A second terminal gets a message, and its decision
// continues the run in the first one, even while somebody types there.
func TestGateTwoTerminals(t *testing.T) {
	t.Parallel()
	w, s := rejected(t)
	if r := w.belay("", "run", "--resume", "T1"); r.code != 5 {
		t.Errorf("a second runner: %v", r)
	}
	s.press("g")
	s.await("what should it do differently?")
	s.press("half of a sen")
	other := w.sit("decide", "T1", "retry")
	other.ends(0)
	s.ends(0)
	if !strings.Contains(s.String(), "passed") {
		t.Errorf("the first one did not continue:\n%s", s)
	}
}

// TestGateTerminalKept: however the gate ends, the terminal echoes input again.
func TestGateTerminalKept(t *testing.T) {
	t.Parallel()
	for name, end := range map[string]func(*sitting){
		"q":      func(s *sitting) { s.press("q") },
		"Ctrl-C": func(s *sitting) { s.press("\x03") },
		"TERM":   func(s *sitting) { _ = s.cmd.Process.Signal(syscall.SIGTERM) },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			_, s := rejected(t)
			time.Sleep(200 * time.Millisecond) // until it reads keys
			end(s)
			late := time.AfterFunc(patience, func() { _ = s.cmd.Process.Kill() })
			defer late.Stop()
			_ = s.cmd.Wait()
			s.press("typed")
			s.await("typed")
		})
	}
}

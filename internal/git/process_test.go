package git

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"github.com/belay-dev/belay/internal/fsroot"
	"github.com/belay-dev/belay/internal/testutil"
)

// quickly sets short limits of silence.
func quickly(c *Cmd, answer, work time.Duration) *Cmd {
	c.limits = SilenceLimits{Answer: answer, Work: work}
	return c
}

func fifo(t *testing.T, path string) {
	t.Helper()
	_ = os.Remove(path)
	if err := unix.Mkfifo(path, 0o644); err != nil {
		t.Fatal(err)
	}
}

// within fails a test that takes too long.
func within(t *testing.T, do func()) {
	t.Helper()
	began := time.Now()
	do()
	if took := time.Since(began); took > testutil.Patience {
		t.Errorf("it took %s", took)
	}
}

// TestHeld checks that a git process that waits for a FIFO's writer is terminated at the first
// check, although it might work for an hour.
func TestHeld(t *testing.T) {
	t.Parallel()
	s := newSandbox(t)
	r := s.open()
	blob := strings.TrimSpace(s.git("hash-object", "-w", "--", "/dev/null"))
	path := filepath.Join(s.dir, ".git", "objects", blob[:2], blob[2:])
	fifo(t, path)
	within(t, func() {
		c := r.Command(t.Context(), "cat-file", "blob", blob)
		c.limits = SilenceLimits{FIFOCheck: 100 * time.Millisecond, Answer: time.Hour, Work: time.Hour}
		_, err := c.Output()
		var silence *SilenceError
		if !errors.As(err, &silence) || silence.Path != path || silence.FileKind != "a FIFO" {
			t.Errorf("%v", err)
		}
	})
}

// TestSilence checks that a git process blocked by a FIFO is terminated long before the limit for
// work, and that the error names the file.
func TestSilence(t *testing.T) {
	t.Parallel()
	s := newSandbox(t)
	r := s.open()
	s.write("sub/x", "x")
	path := filepath.Join(s.dir, "sub", ".gitignore")
	fifo(t, path)
	for name, ask := range map[string]func() error{
		"a command": func() error {
			_, err := quickly(r.Command(t.Context(), "ls-files", "--others", "--exclude-standard"), 200*time.Millisecond, time.Hour).Output()
			return err
		},
		"a question": func() error {
			g := NewIgnorer(func(GitDirAndTree, io.Writer) Process {
				return quickly(r.checkIgnore(t.Context(), nil), 200*time.Millisecond, time.Hour)
			})
			defer g.Close()
			_, err := g.Ask(t.Context(), []string{"sub/x"})
			return err
		},
	} {
		within(t, func() {
			var silence *SilenceError
			err := ask()
			if !errors.As(err, &silence) {
				t.Fatalf("%s: %v", name, err)
			}
			if runtime.GOOS == "linux" && (silence.Path != path || silence.FileKind != "a FIFO") {
				t.Errorf("%s: %v, want %s named", name, err, path)
			}
		})
	}
}

// TestWorkIsNotSilence checks that a working process is not terminated for printing nothing, but
// has a limit too.
func TestWorkIsNotSilence(t *testing.T) {
	t.Parallel()
	run := func(answer, work time.Duration, args ...string) error {
		_, err := quickly(newCmd(t.Context(), "sh", args...), answer, work).Output()
		return err
	}
	if err := run(500*time.Millisecond, time.Hour, "-c", "sleep 1.3; echo done"); err != nil {
		t.Errorf("ended while it was working: %v", err)
	}
	// It prints ten times in five quarters of the limit. On a busy machine one step may take all of
	// that.
	var err error
	for limit := time.Second; limit <= 16*time.Second; limit *= 4 {
		script := fmt.Sprintf("for i in 1 2 3 4 5 6 7 8 9 10; do echo $i; sleep %f; done", (limit / 8).Seconds())
		if err = run(limit, limit, "-c", script); err == nil {
			break
		}
	}
	if err != nil {
		t.Errorf("ended although it printed: %v", err)
	}
	within(t, func() {
		var silence *SilenceError
		if err := run(500*time.Millisecond, 700*time.Millisecond, "-c", "while :; do :; done"); !errors.As(err, &silence) || silence.Path != "" {
			t.Errorf("work without end: %v", err)
		}
	})
}

// TestReadLate checks that output is read completely even if that is late, as on a busy machine.
func TestReadLate(t *testing.T) {
	t.Parallel()
	late := lateWriter{}
	c := newCmd(t.Context(), "sh", "-c", "echo one; echo two")
	c.Stdout = &late
	if err := c.Run(); err != nil || late.String() != "one\ntwo\n" {
		t.Errorf("%v, %q", err, late.String())
	}
}

// lateWriter writes late, like a process that gets no processor for a while.
type lateWriter struct{ bytes.Buffer }

func (w *lateWriter) Write(p []byte) (int, error) {
	time.Sleep(1200 * time.Millisecond)
	return w.Buffer.Write(p)
}

// TestEndedWithAll checks that children are terminated too, even if they ignore TERM.
func TestEndedWithAll(t *testing.T) {
	t.Parallel()
	note := filepath.Join(t.TempDir(), "pid")
	ctx, cancel := context.WithCancel(t.Context())
	c := newCmd(ctx, "sh", "-c", "trap '' TERM; (trap '' TERM; sh -c 'echo $PPID' > "+note+"; sleep 600) & wait; sleep 600")
	if err := c.Start(); err != nil {
		t.Fatal(err)
	}
	pid := numberIn(t, note)
	cancel()
	within(t, func() {
		if err := c.Wait(); err == nil {
			t.Error("it ended well")
		}
	})
	gone(t, pid)
}

func numberIn(t *testing.T, note string) int {
	t.Helper()
	for end := time.Now().Add(testutil.Patience); time.Now().Before(end); {
		text, _ := os.ReadFile(note)
		if pid, err := strconv.Atoi(strings.TrimSpace(string(text))); err == nil {
			return pid
		}
		time.Sleep(10 * time.Millisecond)
	}
	t.Fatalf("nothing in %s", note)
	return 0
}

func gone(t *testing.T, pid int) {
	t.Helper()
	for end := time.Now().Add(testutil.Patience); time.Now().Before(end); {
		if stat, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid)); err != nil && syscall.Kill(pid, 0) != nil || strings.Contains(string(stat), ") Z ") {
			return
		}
		time.Sleep(10 * time.Millisecond)
	}
	t.Errorf("process %d is still running", pid)
	_ = syscall.Kill(pid, syscall.SIGKILL)
}

// childEnv makes the test binary run child.
const childEnv = "BELAY_GIT_TEST_CHILD"

// child starts a process that ends only by a signal, prints its pid, and waits to be killed.
func child() {
	c := newCmd(context.Background(), "sleep", "600")
	err := c.Start()
	// Threads are started and end: the process must not end with the thread that started it.
	for range 50 {
		go func() { runtime.LockOSThread() }() // the thread ends with the goroutine
	}
	time.Sleep(200 * time.Millisecond)
	if err = errors.Join(err, syscall.Kill(c.Process.Pid, 0)); err == nil {
		fmt.Println(c.Process.Pid)
		time.Sleep(time.Hour) // an empty select would be a deadlock: no other goroutine runs
	}
	fmt.Println(err)
	os.Exit(1)
}

// TestDiesWithBelay checks that no git process survives a SIGKILL of belay, and none ends before
// it.
func TestDiesWithBelay(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("the kernel does not do it here; a git whose input ends does end by itself")
	}
	t.Parallel()
	belay := exec.Command(os.Args[0])
	belay.Env = append(os.Environ(), childEnv+"=1")
	out, err := belay.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := belay.Start(); err != nil {
		t.Fatal(err)
	}
	var line [64]byte
	n, err := out.Read(line[:])
	pid, nerr := strconv.Atoi(strings.TrimSpace(string(line[:n])))
	if err != nil || nerr != nil {
		t.Fatalf("%v: %s", err, line[:n])
	}
	if stat, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid)); err != nil || strings.Contains(string(stat), ") Z ") {
		t.Fatalf("it died before belay did: %s %v", stat, err)
	}
	if err := belay.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	_ = belay.Wait()
	gone(t, pid)
}

// TestCheckInputs checks that every file that git processes read is checked before the first one.
func TestCheckInputs(t *testing.T) {
	t.Parallel()
	elsewhere := t.TempDir()
	places := []string{
		".git/HEAD", ".git/config", ".git/config.worktree", ".git/index", ".git/packed-refs", ".git/commondir", ".git/info/exclude",
		".git/info/attributes", ".git/info/grafts", ".git/shallow", ".git/objects/info/alternates", ".git/refs/heads/main", "excludes", "included",
	}
	odd := map[string]func(path string) error{
		"FIFO":   func(path string) error { return unix.Mkfifo(path, 0o644) },
		"device": func(path string) error { return os.Symlink("/dev/zero", path) },
		"sparse": func(path string) error {
			return errors.Join(os.WriteFile(path, nil, 0o644), os.Truncate(path, 4<<30))
		},
	}
	for _, place := range places {
		for kind, make := range odd {
			s := newSandbox(t)
			s.write("x", "x")
			s.in(s.dir, nil, "add", "-A")
			s.in(s.dir, nil, "commit", "-q", "-m", "x")
			path := filepath.Join(s.dir, place)
			switch place {
			case "excludes":
				s.in(s.dir, nil, "config", "core.excludesFile", path)
			case "included":
				if err := os.WriteFile(filepath.Join(elsewhere, "more"), []byte("[Include]\n\tpath = \""+path+"\" ; odd\n"), 0o644); err != nil {
					t.Fatal(err)
				}
				s.in(s.dir, nil, "config", "include.path", filepath.Join(elsewhere, "more"))
			}
			_ = os.Remove(path)
			if err := make(path); err != nil {
				t.Fatal(err)
			}
			within(t, func() {
				_, err := Open(t.Context(), s.dir, true)
				var wrongType *fsroot.TypeError
				var tooLarge *fsroot.SizeError
				var link *fsroot.LinkError
				switch {
				case kind == "sparse" && !errors.As(err, &tooLarge), kind != "sparse" && !errors.As(err, &wrongType) && !errors.As(err, &link):
					t.Errorf("%s as a %s: %v", place, kind, err)
				case !strings.Contains(err.Error(), path):
					t.Errorf("%s as a %s is not named: %v", place, kind, err)
				}
			})
		}
	}
}

// TestInputsThatAreFine uses the null device, with which people turn such a file off.
func TestInputsThatAreFine(t *testing.T) {
	t.Parallel()
	s := newSandbox(t)
	s.in(s.dir, nil, "config", "core.excludesFile", os.DevNull)
	s.in(s.dir, nil, "config", "include.path", filepath.Join(s.dir, "not-there"))
	s.in(s.dir, nil, "config", "core.attributesFile", s.dir)
	if err := s.open().CheckInputs(); err != nil {
		t.Error(err)
	}
}

func TestEachSetting(t *testing.T) {
	t.Parallel()
	text := "[core] excludesFile = a b  ; said\n\tattributesFile=\"x # y\" z\n# no\n[includeIf \"gitdir:~/a]b/\"]\n path = c\\\n d\n[include \"x\"] PATH=\\\"e\\t\n" +
		"[remote.old]\nurl = u\nbare\n[broken\n[include]\npath=last"
	var got []string
	eachSetting(text, func(section, key, value string) { got = append(got, fmt.Sprintf("%s.%s=%s", section, key, value)) })
	want := []string{"core.excludesfile=a b", "core.attributesfile=x # y z", "includeif.path=c d", "include.path=\"e\t",
		"remote.url=u", "remote.bare=", "include.path=last"}
	if fmt.Sprintf("%q", got) != fmt.Sprintf("%q", want) {
		t.Errorf("got  %q\nwant %q", got, want)
	}
}

// FuzzEachSetting checks that it ends for any file.
func FuzzEachSetting(f *testing.F) {
	f.Add("[a \"b\"]\nc = d\\\n\"e;f\" ; g\n")
	f.Fuzz(func(t *testing.T, text string) {
		eachSetting(text, func(_, _, _ string) {})
	})
}

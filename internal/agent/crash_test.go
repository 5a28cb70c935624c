package agent

import (
	"context"
	"errors"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/belay-dev/belay/internal/belay"
)

func itoa(n int) string { return strconv.Itoa(n) }

// TestBelayKilled: the agent does not notice, and whoever comes next gets the result.
func TestBelayKilled(t *testing.T) {
	t.Parallel()
	b := newBench(t, "echo ready; read x <go; echo done; exit 3")
	if err := exec.Command("mkfifo", filepath.Join(b.work, "go")).Run(); err != nil {
		t.Fatal(err)
	}
	first := b.other()
	b.ready("ready", 1)
	if err := first.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	_ = first.Wait()
	b.attach()
	if b.run.State() != Running {
		t.Fatalf("state is %s", b.run.State())
	}
	// Starting the same run again attaches too.
	if err := b.start().run.intactOr(); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(b.work, "go"), []byte("x\n"), 0); err != nil {
		t.Fatal(err)
	}
	if res := b.wait(); res.Ended != EndedExit || res.Exit != 3 || b.output() != "ready\ndone\n" {
		t.Errorf("%+v %q", res, b.output())
	}
	// Finished, it stays what it was.
	if res := b.start().wait(); res.Exit != 3 || b.output() != "ready\ndone\n" {
		t.Errorf("started again: %+v", res)
	}
}

// TestInheritedFiles: what belay's parents left open is held neither by the agent nor
// by guard and shim, which may outlive them all.
func TestInheritedFiles(t *testing.T) {
	t.Parallel()
	b := newBench(t, "echo ready; ls /proc/$$/fd | tr '\\n' ' '; read x <go")
	if err := exec.Command("mkfifo", filepath.Join(b.work, "go")).Run(); err != nil {
		t.Fatal(err)
	}
	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	first := b.other(w, w)
	w.Close()
	b.ready("2 ", 1)
	_ = first.Process.Kill()
	_ = first.Wait()
	if n, err := r.Read(make([]byte, 1)); n != 0 || !errors.Is(err, io.EOF) { // waits as long as anybody holds it
		t.Errorf("%d %v", n, err)
	}
	if err := os.WriteFile(filepath.Join(b.work, "go"), []byte("x\n"), 0); err != nil {
		t.Fatal(err)
	}
	if b.attach().wait(); b.output() != "ready\n0 1 2 " {
		t.Errorf("the agent has %q", b.output())
	}
}

func (r *Run) intactOr() error {
	if !r.intact() {
		return errors.New("another folder")
	}
	return nil
}

// crowd is an agent with children of every kind that try to escape; all are "ready".
const crowd = `deaf & setsid deaf & env -i setsid deaf & (setsid deaf &) ; env -i deaf`

// TestShimKilled kills every combination of those who look after the run. Where one of
// guard and shim is left, it ends the rest before the lock is free.
func TestShimKilled(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name        string
		guard, shim bool
		belay       bool
		line        string
		children    int
		ended       string
	}{
		{"shim", false, true, false, crowd, 5, EndedLost},
		{"belay and shim", false, true, true, crowd, 5, EndedLost},
		{"guard", true, false, false, crowd, 5, EndedTimeout},
		// With both gone nobody adopts: who clears its environment and leaves both
		// session and folder is out of reach.
		{"guard and shim", true, true, false, `deaf & setsid deaf & (setsid deaf &) ; env -i deaf`, 4, EndedLost},
		{"all three", true, true, true, `deaf & setsid deaf & (setsid deaf &) ; env -i deaf`, 4, EndedLost},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			b := newBench(t, c.line)
			if c.ended == EndedTimeout {
				b.spec.Timeout = 3 * time.Second
			}
			first := b.other()
			b.ready("ready", c.children)
			rec := b.begun()
			b.attach()
			if c.belay {
				_ = first.Process.Kill()
				_ = first.Wait()
			}
			if c.guard {
				kill(t, rec.Guard, syscall.SIGKILL)
			}
			if c.shim {
				kill(t, rec.Shim, syscall.SIGKILL)
			}
			res := b.wait()
			if res.Ended != c.ended || c.ended == EndedLost && (res.Exit != -1 || res.Error != "its shim died") {
				t.Errorf("got %+v", res)
			}
			if res.OutputBytes == 0 || !strings.Contains(b.output(), "ready") {
				t.Errorf("the output was lost: %+v", res)
			}
			if got := b.attach().run.State(); c.ended == EndedLost && got != Lost {
				t.Errorf("state is %s", got)
			}
			// A lost run is never started again under its name.
			if again := b.start().wait(); again.Ended != c.ended {
				t.Errorf("again: %+v", again)
			}
		})
	}
}

// TestStopStubborn: a shim that was itself stopped is woken; one that cannot answer is
// passed over, and nothing of its tree lives on.
func TestStopStubborn(t *testing.T) {
	t.Parallel()
	t.Run("suspended", func(t *testing.T) {
		t.Parallel()
		b := newBench(t, crowd)
		b.start().ready("ready", 5)
		rec := b.begun()
		kill(t, rec.Guard, syscall.SIGSTOP)
		kill(t, rec.Shim, syscall.SIGSTOP)
		if err := b.run.Stop(t.Context()); err != nil {
			t.Fatal(err)
		}
		if res := b.wait(); res.Ended != EndedStopped {
			t.Errorf("got %+v", res)
		}
	})
	t.Run("not answering", func(t *testing.T) {
		t.Parallel()
		b := newBench(t, crowd)
		b.start().ready("ready", 5)
		rec := b.begun()
		kill(t, rec.Guard, syscall.SIGSTOP)
		kill(t, rec.Shim, syscall.SIGSTOP)
		if err := b.run.end(t.Context(), rec, true); err != nil {
			t.Fatal(err)
		}
		if res := b.wait(); res.Ended != EndedLost {
			t.Errorf("got %+v", res)
		}
	})
	t.Run("gone", func(t *testing.T) {
		t.Parallel()
		b := newBench(t, "deaf & setsid deaf & wait")
		b.start().ready("ready", 2)
		rec := b.begun()
		kill(t, rec.Guard, syscall.SIGKILL)
		kill(t, rec.Shim, syscall.SIGKILL)
		b.await("the lock", func() bool { return b.run.State() == Lost })
		if err := b.run.Stop(t.Context()); err != nil {
			t.Fatal(err)
		}
		b.noSurvivors()
	})
	t.Run("signalled", func(t *testing.T) {
		t.Parallel()
		b := newBench(t, "deaf")
		b.start().ready("ready", 1)
		kill(t, b.begun().Guard, syscall.SIGHUP) // means nothing
		kill(t, b.begun().Guard, syscall.SIGTERM)
		if res := b.wait(); res.Ended != EndedStopped {
			t.Errorf("got %+v", res)
		}
	})
}

func TestFolderRemoved(t *testing.T) {
	t.Parallel()
	for name, line := range map[string]string{
		"removed":  `deaf & setsid deaf & echo go; rm -rf "$(dirname "$BELAY_PROMPT_FILE")"; wait`,
		"replaced": `deaf & d=$(dirname "$BELAY_PROMPT_FILE"); mv $d $d.old; cp -r $d.old $d; echo '{"ended":"exit"}' >$d/result.json; wait`,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b := newBench(t, line)
			b.spec.Grace = time.Hour
			res := b.start().wait()
			if res.Ended != EndedLost || !strings.Contains(res.Error, "was removed while it ran") {
				t.Errorf("got %+v", res)
			}
		})
	}
}

// TestForgedResult: a result that lies there while the run lasts is not believed.
func TestForgedResult(t *testing.T) {
	t.Parallel()
	b := newBench(t, `echo '{"ended":"exit","exit":0}' >"$(dirname "$BELAY_PROMPT_FILE")/result.json"; echo ready; deaf`)
	b.start().ready("ready", 2)
	if got := b.attach().run.State(); got != Running {
		t.Errorf("state is %s", got)
	}
	if err := b.run.Stop(t.Context()); err != nil {
		t.Fatal(err)
	}
	if res := b.wait(); res.Ended != EndedStopped {
		t.Errorf("got %+v", res)
	}
}

// TestStartOnce: however many start the same run at once, the command runs once.
func TestStartOnce(t *testing.T) {
	t.Parallel()
	b := newBench(t, "echo once >>count; echo ready; exit 0")
	var wg sync.WaitGroup
	for range 3 {
		wg.Add(1)
		go func() { defer wg.Done(); _ = b.other().Wait() }()
	}
	for range 8 {
		wg.Go(func() {
			r, err := Start(t.Context(), b.dir, self(), b.spec)
			if err != nil {
				t.Error(err)
				return
			}
			if res, err := r.Wait(t.Context(), nil); err != nil || res.Ended != EndedExit || res.Exit != 0 {
				t.Errorf("%+v %v", res, err)
			}
		})
		wg.Go(func() { // those who only ask must not be taken for a run
			if r, err := Attach(b.dir); err == nil {
				r.State()
			}
		})
	}
	wg.Wait()
	if got, err := os.ReadFile(filepath.Join(b.work, "count")); err != nil || string(got) != "once\n" {
		t.Errorf("ran %q %v", got, err)
	}
}

// TestStartKilled: a Start that died before the agent could begin left one of these;
// there is no run yet, and the next Start makes it.
func TestStartKilled(t *testing.T) {
	t.Parallel()
	for _, files := range []string{"", "lock", "lock prompt", "lock prompt .spec.json-1", "lock prompt spec.json", "lock prompt spec.json stop kill shim.log out/"} {
		b := newBench(t, "echo ran")
		d, err := b.spec.complete()
		if err != nil {
			t.Fatal(err)
		}
		if err := os.MkdirAll(b.dir, 0o755); err != nil {
			t.Fatal(err)
		}
		for _, name := range strings.Fields(files) {
			path := filepath.Join(b.dir, name)
			switch {
			case name == "spec.json":
				err = writeJSON(path, d)
			case name == "out/":
				err = os.Mkdir(path, 0o700)
			default:
				err = os.WriteFile(path, []byte("old"), 0o600)
			}
			if err != nil {
				t.Fatal(err)
			}
		}
		if _, err := Attach(b.dir); !errors.Is(err, fs.ErrNotExist) {
			t.Errorf("%s: attached: %v", files, err)
		}
		if res := b.start().wait(); res.Exit != 0 || b.output() != "ran\n" {
			t.Errorf("%s: %+v", files, res)
		}
		if info, err := os.Stat(b.dir); err != nil || info.Mode().Perm() != 0o700 {
			t.Errorf("others can read the folder: %v %v", info.Mode(), err)
		}
	}
}

func TestShimNeverBegins(t *testing.T) {
	t.Parallel()
	b := newBench(t, "echo ran")
	if err := os.MkdirAll(b.dir, 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(b.dir, "out"), nil, 0o600); err != nil { // in the way
		t.Fatal(err)
	}
	if res := b.start().wait(); res.Ended != EndedLost || !strings.Contains(res.Error, "before the agent began: making room for the output") {
		t.Errorf("got %+v", res)
	}
	if err := os.Remove(filepath.Join(b.dir, "out")); err != nil {
		t.Fatal(err)
	}
	if res := b.start().wait(); res.Exit != 0 || b.output() != "ran\n" {
		t.Errorf("again: %+v", res)
	}
	r, err := Start(t.Context(), filepath.Join(t.TempDir(), "r"), []string{"/no/such/belay"}, b.spec)
	if err == nil || r != nil {
		t.Errorf("a shim that does not exist: %v", err)
	}
}

func TestStartWaitsForStarter(t *testing.T) {
	t.Parallel()
	b := newBench(t, "echo ran")
	lock, err := claim(t.Context(), b.dir)
	if err != nil || lock == nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
	defer cancel()
	if _, err := Start(ctx, b.dir, self(), b.spec); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("two prepare one run: %v", err)
	}
	lock.Close()
	if res := b.start().wait(); res.Exit != 0 {
		t.Errorf("%+v", res)
	}
}

func TestRebooted(t *testing.T) {
	t.Parallel()
	b := newBench(t, "deaf")
	b.start().ready("ready", 1)
	rec := b.begun()
	kill(t, rec.Shim, syscall.SIGKILL)
	b.wait()
	rec.Boot, rec.Guard = "another", ident{PID: os.Getpid()}
	rec.Guard, _ = identify(os.Getpid()) // an innocent under an old number
	if err := writeJSON(filepath.Join(b.dir, "begun.json"), rec); err != nil {
		t.Fatal(err)
	}
	if res := b.attach().wait(); res.Ended != EndedLost || res.Error != "the machine was started anew" {
		t.Errorf("got %+v", res)
	}
}

func TestMainRefusesPeople(t *testing.T) {
	t.Parallel()
	b := newBench(t, "echo ran")
	b.start().wait()
	free, err := os.OpenFile(filepath.Join(b.dir, "lock"), os.O_RDWR, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer free.Close()
	for name, files := range map[string][]*os.File{"no lock": nil, "another file": {os.Stderr}, "a lock that is not held": {free}} {
		cmd := exec.Command(exe(), "_run", b.dir)
		cmd.ExtraFiles = files
		out, _ := cmd.CombinedOutput()
		if cmd.ProcessState.ExitCode() != 2 || !strings.Contains(string(out), "not for people") {
			t.Errorf("%s: %v %s", name, cmd.ProcessState, out)
		}
	}
}

func TestRefusals(t *testing.T) {
	t.Parallel()
	good := Spec{Argv: []string{"true"}, Dir: "/"}
	for name, change := range map[string]func(*Spec){
		"no command":      func(s *Spec) { s.Argv = nil },
		"empty command":   func(s *Spec) { s.Argv = []string{""} },
		"relative folder": func(s *Spec) { s.Dir = "x" },
		"negative limit":  func(s *Spec) { s.Timeout = -1 },
		"NUL in a word":   func(s *Spec) { s.Argv = []string{"true", "a\x00b"} },
		"NUL in the env":  func(s *Spec) { s.Env = []string{"A=a\x00b"} },
	} {
		s, dir := good, filepath.Join(t.TempDir(), "run")
		change(&s)
		if _, err := Start(t.Context(), dir, self(), s); belay.CodeOf(err) != belay.CodeUsage {
			t.Errorf("%s: %v", name, err)
		}
		if _, err := os.Stat(dir); !errors.Is(err, fs.ErrNotExist) {
			t.Errorf("%s: a refusal left a trace", name)
		}
	}
	if _, err := Attach(filepath.Join(t.TempDir(), "none")); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("attach to nothing: %v", err)
	}
	dir := t.TempDir()
	for _, text := range []string{"", "{", `{"version":99,"token":"x","argv":["eA=="]}`, `{"version":1}`} {
		if err := os.WriteFile(filepath.Join(dir, "spec.json"), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		if _, err := Attach(dir); err == nil || errors.Is(err, fs.ErrNotExist) {
			t.Errorf("spec %q: %v", text, err)
		}
	}
}

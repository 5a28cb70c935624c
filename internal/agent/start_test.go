package agent

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/belay-dev/belay/internal/belay"
	"github.com/belay-dev/belay/internal/config"
)

// TestStartOnce: many concurrent Starts of one run execute the command once.
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
		wg.Go(func() { // queries of the lock must not look like a run
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

// TestStartKilled: files left by a Start that was killed before the agent could begin; there is no
// run yet, and the next Start begins it.
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
				err = writeJSON(path, d, true)
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
	if res := b.start().wait(); res.Ended != EndedLost || !strings.Contains(res.Error, "before the agent started: preparing the output") {
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
	lock, err := lockRun(t.Context(), b.dir)
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
		if cmd.ProcessState.ExitCode() != 2 || !strings.Contains(string(out), "for belay's internal use") {
			t.Errorf("%s: %v %s", name, cmd.ProcessState, out)
		}
	}
}

func TestRefusals(t *testing.T) {
	t.Parallel()
	good := Spec{Command: config.TypedCommand([]string{"true"}), Dir: "/"}
	for name, change := range map[string]func(*Spec){
		"no command":      func(s *Spec) { s.Command = config.Command{} },
		"empty command":   func(s *Spec) { s.Command = config.TypedCommand([]string{""}) },
		"relative folder": func(s *Spec) { s.Dir = "x" },
		"negative limit":  func(s *Spec) { s.Timeout = -1 },
		"NUL in a word":   func(s *Spec) { s.Command = config.TypedCommand([]string{"true", "a\x00b"}) },
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

// TestGuardGone: a shim without its guard does not begin; above all it does not record its new
// parent, an unrelated process, as part of the run.
func TestGuardGone(t *testing.T) {
	t.Parallel()
	b := newBench(t, "echo ran")
	lock, err := lockRun(t.Context(), b.dir)
	if err != nil {
		t.Fatal(err)
	}
	defer lock.Close()
	d, err := b.spec.complete()
	if err == nil {
		err = prepare(b.dir, nil, d)
	}
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(exe(), "_run", b.dir)
	cmd.Env = append(os.Environ(), roleName+"=1")
	cmd.ExtraFiles = []*os.File{lock}
	out, _ := cmd.CombinedOutput()
	if cmd.ProcessState.ExitCode() != 1 || !strings.Contains(string(out), "the guard died") || hasBegun(b.dir) {
		t.Errorf("%v %s", cmd.ProcessState, out)
	}
}

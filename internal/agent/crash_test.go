package agent

import (
	"errors"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/belay-dev/belay/internal/proc"
	"github.com/belay-dev/belay/internal/testutil"
)

func itoa(n int) string { return strconv.Itoa(n) }

// TestBelayKilled: the agent is not affected, and the next belay gets the result.
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
	if got := b.start().run.State(); got != Running { // starting the same run again attaches too
		t.Fatalf("state is %s", got)
	}
	if err := os.WriteFile(filepath.Join(b.work, "go"), []byte("x\n"), 0); err != nil {
		t.Fatal(err)
	}
	if res := b.wait(); res.Ended != EndedExit || res.Exit != 3 || b.output() != "ready\ndone\n" {
		t.Errorf("%+v %q", res, b.output())
	}
	// A finished run does not change.
	if res := b.start().wait(); res.Exit != 3 || b.output() != "ready\ndone\n" {
		t.Errorf("started again: %+v", res)
	}
}

// TestInheritedFiles: descriptors that belay's parents left open are inherited neither by the agent
// nor by guard and shim, which may outlive the parents.
func TestInheritedFiles(t *testing.T) {
	t.Parallel()
	b := newBench(t, "files; echo ready; read x <go")
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
	b.ready("ready", 1)
	_ = first.Process.Kill()
	_ = first.Wait()
	if err := r.SetReadDeadline(time.Now().Add(testutil.Patience)); err != nil {
		t.Fatal(err)
	}
	if n, err := r.Read(make([]byte, 1)); n != 0 || !errors.Is(err, io.EOF) { // blocks while any process has the descriptor open
		t.Errorf("%d %v", n, err)
	}
	if err := os.WriteFile(filepath.Join(b.work, "go"), []byte("x\n"), 0); err != nil {
		t.Fatal(err)
	}
	if b.attach().wait(); b.output() != threeFiles+"ready\n" {
		t.Errorf("the agent has %q", b.output())
	}
}

// crowd is an agent with children of every kind that try to escape; all print "ready". A child that
// clears its environment and leaves its session is only found where orphans are adopted; elsewhere
// another kind of child replaces it.
var crowd = map[bool]string{
	true:  `deaf & setsid deaf & env -i setsid deaf & (setsid deaf &) ; env -i deaf`,
	false: `deaf & setsid deaf & setsid setsid deaf & (setsid deaf &) ; deaf`,
}[proc.Adopts]

// TestShimKilled kills every combination of guard, shim and agent. A remaining guard or shim kills
// the other processes before the lock is free.
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
		// Without guard and shim, orphans are not adopted: a child that clears its environment and
		// leaves both session and folder is out of reach.
		{"guard and shim", true, true, false, `deaf & setsid deaf & (setsid deaf &) ; env -i deaf`, 4, EndedLost},
		{"all three", true, true, true, `deaf & setsid deaf & (setsid deaf &) ; env -i deaf`, 4, EndedLost},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			b, first := newBench(t, c.line), (*exec.Cmd)(nil)
			for limit := 3 * time.Second; first == nil; limit *= 4 {
				if c.ended == EndedTimeout {
					b.spec.Timeout = limit
				}
				first = b.other()
				b.attach().await("its children", func() bool { return b.said("ready") >= c.children || b.run.State() == Finished })
				if b.run.State() == Finished { // busy machine: the run ended before there was anything to kill
					b, first = newBench(t, c.line), nil
				}
			}
			rec := b.begun()
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
			// A lost run is never started again in its folder.
			if again := b.start().wait(); again.Ended != c.ended {
				t.Errorf("again: %+v", again)
			}
		})
	}
}

// TestStopStubborn: a stopped shim is resumed; a shim that does not respond is bypassed, and no
// process of its tree survives.
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
	t.Run("slow", func(t *testing.T) { // on a busy disk, say
		t.Parallel()
		b := newBench(t, crowd)
		b.spec.Grace = 3 * time.Second // the shim is still there when it is stopped
		b.start().ready("ready", 5)
		rec, stopped := b.begun(), make(chan error, 1)
		go func() { stopped <- b.run.Stop(t.Context()) }()
		b.await("the request", func() bool { _, err := os.Stat(b.run.file("stop")); return err == nil })
		time.Sleep(2 * lookInterval) // Stop resumes it first
		kill(t, rec.Shim, syscall.SIGSTOP)
		time.Sleep(b.spec.Grace + 4*time.Second)
		kill(t, rec.Shim, syscall.SIGCONT)
		if err := <-stopped; err != nil {
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
		if err := b.run.killLeftovers(t.Context(), rec, rec.Guard, rec.Shim); err != nil {
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
		kill(t, b.begun().Guard, syscall.SIGHUP) // is ignored
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

// TestForgedResult: a result that exists while the run lasts is ignored.
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

func TestRebooted(t *testing.T) {
	t.Parallel()
	b := newBench(t, "deaf")
	b.start().ready("ready", 1)
	rec := b.begun()
	kill(t, rec.Shim, syscall.SIGKILL)
	b.wait()
	rec.Boot, rec.Guard = "another", proc.ID{PID: os.Getpid()}
	rec.Guard, _ = proc.Identify(os.Getpid()) // an unrelated process with a reused ID
	if err := writeJSON(filepath.Join(b.dir, "begun.json"), rec, true); err != nil {
		t.Fatal(err)
	}
	if res := b.attach().wait(); res.Ended != EndedLost || res.Error != "the machine was restarted" {
		t.Errorf("got %+v", res)
	}
}

// TestKilledAnywhere kills guard and shim at every moment of a short run. The command has then run
// once, or is known not to have run.
func TestKilledAnywhere(t *testing.T) {
	t.Parallel()
	seen := map[string]int{}
	for delay := time.Duration(0); delay < 80*time.Millisecond; delay += 4 * time.Millisecond {
		b := newBench(t, "echo once >>count; sleep 0.01")
		b.start()
		time.Sleep(delay) // the delay is what is tested
		for _, p := range b.keepers() {
			_ = p.Signal(syscall.SIGKILL)
		}
		r, err := Attach(b.dir)
		if errors.Is(err, fs.ErrNotExist) {
			seen["never began"]++
			if _, err := os.Stat(filepath.Join(b.work, "count")); !errors.Is(err, fs.ErrNotExist) {
				t.Errorf("killed after %v: it had begun", delay)
			}
			if res := b.start().wait(); res.Ended != EndedExit || res.Exit != 0 {
				t.Errorf("killed after %v, again: %+v", delay, res)
			}
		} else if err != nil {
			t.Fatal(err)
		} else {
			b.run = r
			res := b.wait()
			seen[res.Ended+" "+res.Error]++
			b.start().wait()
		}
		if got, _ := os.ReadFile(filepath.Join(b.work, "count")); len(got) > len("once\n") {
			t.Errorf("killed after %v: ran %q", delay, got)
		}
	}
	t.Logf("%v", seen)
}

package agent

import (
	"bytes"
	"context"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/belay-dev/belay/internal/config"
	"github.com/belay-dev/belay/internal/proc"
	"github.com/belay-dev/belay/internal/testutil"
)

// TestEnds runs agents that end, or hang, in all the ways seen in practice. Each bench checks that
// no process survives.
func TestEnds(t *testing.T) {
	t.Parallel()
	daemon := `setsid sleeper >/dev/null 2>&1 <&- &`
	for _, c := range []struct {
		name, line string
		set        func(*Spec)
		ended      string
		exit       int
		signal     string
	}{
		{"exits 0", "exit 0", nil, EndedExit, 0, ""},
		{"exits 3", "exit 3", nil, EndedExit, 3, ""},
		{"dies of a signal", "kill -SEGV $$", nil, EndedExit, 139, "SIGSEGV"},
		{"kills itself", "kill -KILL $$", nil, EndedExit, 137, "SIGKILL"},
		{"ends with a child", "sleeper & exit 4", nil, EndedExit, 4, ""},
		{"ends with a deaf child", "deaf & exit 4", nil, EndedExit, 4, ""},
		{"setsid daemon", daemon + " exit 0", nil, EndedExit, 0, ""},
		{"double fork", "(" + daemon + ") & wait; exit 5", nil, EndedExit, 5, ""},
		{"env -i daemon", "env -i setsid deaf >/dev/null 2>&1 <&- & exit 0", nil, EndedExit, 0, ""},
		{"stopped child", "sleeper & kill -STOP $!; exit 0", nil, EndedExit, 0, ""},
		{"timeout", "sleeper", limit, EndedTimeout, 143, "SIGTERM"},
		{"timeout, pipeline", "sleeper | cat; true", limit, EndedTimeout, 143, "SIGTERM"},
		{"timeout, deaf", "exec deaf", hurry, EndedTimeout, 137, "SIGKILL"},
		{"timeout, deaf daemons", "deaf & setsid deaf & env -i setsid deaf & deaf", hurry, EndedTimeout, -2, ""},
		{"timeout, stopped by itself", "kill -STOP $$", limit, EndedTimeout, 143, "SIGTERM"},
		{"timeout, polite", "trap 'exit 9' TERM; echo ready; sleeper & wait", limit, EndedTimeout, 9, ""},
		{"timeout, forks when told", "trap 'deaf & exit 9' TERM; echo ready; sleeper & wait", limit, EndedTimeout, 9, ""},
		{"quiet", "echo hello; sleeper", quiet, EndedQuiet, 143, "SIGTERM"},
		{"closes its descriptors", "exec <&- >&- 2>&-; exit 6", nil, EndedExit, 6, ""},
		{"closes them and stays", "exec <&- >&- 2>&-; sleeper", limit, EndedTimeout, 143, "SIGTERM"},
		{"deletes its folder", `rm -rf "$PWD"; exit 7`, nil, EndedExit, 7, ""},
		{"own group", "setsid -f sh -c 'sleeper; :' ; exit 0", nil, EndedExit, 0, ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			if !proc.Adopts && strings.Contains(c.line, "env -i setsid") {
				t.Skip("who clears its environment and leaves its session is only found where orphans are adopted")
			}
			b, began := newBench(t, c.line), time.Now()
			var res Result
			for times := time.Duration(1); ; times *= 4 {
				if c.set != nil {
					c.set(&b.spec)
				}
				b.spec.Timeout *= times
				res = b.start().wait()
				// On a busy machine the time can be up before the agent handles or ignores TERM:
				// such a run shows nothing.
				if !strings.Contains(c.line, "ready") && c.line != "exec deaf" || strings.Contains(b.output(), "ready") || times > 100 {
					break
				}
				b, began = newBench(t, c.line), time.Now()
			}
			if res.Ended != c.ended || c.exit != -2 && res.Exit != c.exit || c.signal != "" && res.Signal != c.signal || res.Error != "" {
				t.Errorf("got %+v", res)
			}
			if res.Finished.Sub(res.Started) != res.Elapsed || res.Elapsed <= 0 || res.Elapsed > time.Since(began)+time.Second {
				t.Errorf("times do not agree: %+v", res)
			}
			if b.run.State() != Finished {
				t.Errorf("state is %s", b.run.State())
			}
		})
	}
}

// limit sets a short timeout and a long grace for ending on TERM.
func limit(s *Spec) { s.Timeout, s.Grace = 500*time.Millisecond, testutil.Patience }

// hurry sets a short timeout and keeps the short grace.
func hurry(s *Spec) { s.Timeout = 500 * time.Millisecond }

func quiet(s *Spec) { s.Quiet, s.Grace = 500*time.Millisecond, testutil.Patience }

func TestNotStarted(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	write := func(name, text string, mode os.FileMode) string {
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, []byte(text), mode); err != nil {
			t.Fatal(err)
		}
		return path
	}
	for _, c := range []struct {
		name, argv0 string
		set         func(*Spec)
		exit        int
		says        string
	}{
		{"missing", "no-such-agent", nil, 127, "no-such-agent cannot be run: no such program"},
		{"missing path", dir + "/none", nil, 127, "no such program"},
		{"folder", dir, nil, 126, "is a folder"},
		{"not executable", write("plain", "#!/bin/sh\n", 0o644), nil, 126, "is not executable"},
		{"no program", write("text", "hello\n", 0o755), nil, 126, "is not a program for this machine"},
		{"no interpreter", write("script", "#!/no/such/sh\n", 0o755), nil, 127, "interpreter"},
		{"only in the working folder", "plain", func(s *Spec) { s.Dir = dir; s.Env = []string{"PATH=:.:bin"} }, 127, "plain cannot be run: no such program"},
		{"no working folder", "/bin/sh", func(s *Spec) { s.Dir = dir + "/gone" }, 126, "working folder"},
		{"too long", "/bin/sh", func(s *Spec) { s.Command = config.TypedCommand(append(s.Command.Argv(), strings.Repeat("x", 200<<10))) }, 126, "too long"},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			b := newBench(t, "")
			b.spec.Command = config.TypedCommand([]string{c.argv0})
			if c.set != nil {
				c.set(&b.spec)
			}
			res := b.start().wait()
			if res.Ended != EndedExit || res.Exit != c.exit || !strings.Contains(res.Error, c.says) {
				t.Errorf("got %+v", res)
			}
		})
	}
}

// TestSees checks what an agent gets: arguments byte for byte, folder, environment, prompt.
func TestSees(t *testing.T) {
	t.Parallel()
	b := newBench(t, `printf '%s|%s|%s|' "$0" "$1" "$2"; pwd; cat; echo; cat "$BELAY_PROMPT_FILE"; echo; env | grep -c '^BELAY_RUN'`)
	b.spec.Command = config.TypedCommand(append(b.spec.Command.Argv()[:3], "zero", "na\xefve \"x\"\n", "-rf"))
	b.spec.Prompt = []byte("do \x00 it\xff")
	b.spec.Env = append(b.spec.Env, roleName+"=7", markerName+"=outer")
	res := b.start().wait()
	work, _ := filepath.EvalSymlinks(b.work)
	want := "zero|na\xefve \"x\"\n|-rf|" + work + "\ndo \x00 it\xff\ndo \x00 it\xff\n1\n"
	if got := b.output(); got != want || res.OutputBytes != int64(len(want)) {
		t.Errorf("got %q\nwant %q\n%+v", got, want, res)
	}
	if b.live.String() != want {
		t.Errorf("live %q", b.live.String())
	}
}

const threeFiles = "0 blocks\n1 blocks\n2 blocks\n"

// TestDescriptors: the agent has its three descriptors, and they block, as programs expect. If it
// inherited the run's lock, the lock would never be free.
func TestDescriptors(t *testing.T) {
	t.Parallel()
	b := newBench(t, "exec files")
	b.spec.Prompt = []byte("x")
	b.start().wait()
	if got := b.output(); got != threeFiles {
		t.Errorf("the agent has:\n%s", got)
	}
}

// TestPrompt: a prompt larger than any pipe reaches an agent that reads it, and never delays one
// that does not.
func TestPrompt(t *testing.T) {
	t.Parallel()
	prompt := bytes.Repeat([]byte("prompt\n"), 5<<20/7)
	for line, want := range map[string]string{
		"cksum <&0 | cmp - /dev/fd/3 3<<E && echo same\n$(cksum <$BELAY_PROMPT_FILE)\nE": "same\n",
		"echo unread":               "unread\n",
		"exec <&-; echo closed":     "closed\n",
		"head -c 7; exec sleep 0.2": "prompt\n",
	} {
		b := newBench(t, line)
		b.spec.Prompt = prompt
		if res := b.start().wait(); res.Ended != EndedExit || res.Exit != 0 || b.output() != want {
			t.Errorf("%s: %+v %q", line, res, b.output())
		}
	}
	b := newBench(t, "sleeper")
	b.spec.Prompt = prompt
	limit(&b.spec)
	if res := b.start().wait(); res.Ended != EndedTimeout {
		t.Errorf("unread and slow: %+v", res)
	}
}

// TestFlood: output of any size and shape needs bounded memory and disk, and is counted exactly.
func TestFlood(t *testing.T) {
	t.Parallel()
	const total = 200 << 20
	b := newBench(t, "echo first; head -c 209715200 /dev/zero; echo last >&2")
	res := b.start().wait()
	if res.OutputBytes != total+11 || res.Cut != total+11-2*DefaultLimit || res.Exit != 0 {
		t.Errorf("got %+v", res)
	}
	out := b.output()
	if !strings.HasPrefix(out, "first\n\x00") || !strings.HasSuffix(out, "\x00last\n") || len(out) > 2*DefaultLimit+100 {
		t.Errorf("kept %d bytes", len(out))
	}
	var disk int64
	entries, _ := os.ReadDir(filepath.Join(b.dir, "out"))
	for _, e := range entries {
		info, _ := e.Info()
		disk += info.Size()
	}
	if disk > 4<<20 {
		t.Errorf("%d bytes on disk", disk)
	}
}

func TestLongLine(t *testing.T) {
	t.Parallel()
	b := newBench(t, "head -c 70000000 /dev/zero | tr '\\0' x")
	b.spec.HeadLimit, b.spec.TailLimit = 10, 20
	res := b.start().wait()
	want := strings.Repeat("x", 10) + "\n… 69999970 bytes cut …\n" + strings.Repeat("x", 20)
	if res.OutputBytes != 70000000 || res.Cut != 69999970 || b.output() != want {
		t.Errorf("%+v %q", res, b.output())
	}
}

// TestLateWriter: a process that outlives the agent and ignores TERM may write until the run is
// reported finished, but never after. Otherwise work would be lost.
func TestLateWriter(t *testing.T) {
	t.Parallel()
	b := newBench(t, `setsid sh -c 'trap "" TERM HUP; while :; do date +%N >late; done' $MARK >/dev/null 2>&1 & 
		until test -s late; do :; done; exit 0`)
	if res := b.start().wait(); res.Ended != EndedExit || res.Exit != 0 {
		t.Errorf("got %+v", res)
	}
	path := filepath.Join(b.work, "late")
	if err := os.Remove(path); err != nil {
		t.Fatal(err)
	}
	b.noSurvivors()
	if _, err := os.Stat(path); !os.IsNotExist(err) {
		t.Errorf("somebody wrote after the end: %v", err)
	}
}

// TestOutputHeldElsewhere: a process outside the tree that has the output open does not delay the
// end.
func TestOutputHeldElsewhere(t *testing.T) {
	t.Parallel()
	b := newBench(t, "echo ready; sleeper & wait")
	b.start().ready("ready", 1)
	// Opening it again imitates a server that was passed the descriptor.
	w, err := os.OpenFile("/proc/"+itoa(b.begun().Agent.PID)+"/fd/1", os.O_WRONLY, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer w.Close()
	if err := b.run.Stop(t.Context()); err != nil {
		t.Fatal(err)
	}
	if res := b.wait(); res.Ended != EndedStopped {
		t.Errorf("got %+v", res)
	}
}

func TestForkStorm(t *testing.T) {
	t.Parallel()
	if !proc.Adopts {
		t.Skip("a chain of processes is only caught where orphans are adopted")
	}
	// Each link of the chain starts the next one and ends: no process listing ever shows all of
	// them.
	b := newBench(t, `cat >link <<'E'
trap "" TERM
sh ./link "$1" &
E
		setsid sh ./link $MARK >/dev/null 2>&1; exit 0`)
	if res := b.start().wait(); res.Ended != EndedExit {
		t.Errorf("got %+v", res)
	}
}

func TestStop(t *testing.T) {
	t.Parallel()
	t.Run("polite", func(t *testing.T) {
		t.Parallel()
		b := newBench(t, "trap 'echo bye; exit 8' TERM; echo ready; while :; do sleep 0.01; done")
		b.spec.Grace = 20 * time.Second
		b.start().ready("ready", 1)
		if err := b.run.Stop(t.Context()); err != nil {
			t.Fatal(err)
		}
		if res := b.wait(); res.Ended != EndedStopped || res.Exit != 8 || !strings.HasSuffix(b.output(), "bye\n") {
			t.Errorf("%+v %q", res, b.output())
		}
		if err := b.run.Stop(t.Context()); err != nil {
			t.Errorf("stopping what has ended: %v", err)
		}
	})
	t.Run("deaf", func(t *testing.T) {
		t.Parallel()
		b := newBench(t, "deaf & setsid deaf & wait")
		b.start().ready("ready", 2)
		began := time.Now()
		if err := b.run.Stop(t.Context()); err != nil {
			t.Fatal(err)
		}
		if took := time.Since(began); took > b.spec.Grace+testutil.Patience {
			t.Errorf("took %v", took)
		}
		if res := b.wait(); res.Ended != EndedStopped {
			t.Errorf("%+v", res)
		}
	})
	t.Run("twice is at once", func(t *testing.T) {
		t.Parallel()
		b := newBench(t, "deaf")
		b.spec.Grace = time.Hour
		b.start().ready("ready", 1)
		ctx, cancel := context.WithCancel(t.Context())
		cancel()
		if err := b.run.Stop(ctx); !errors.Is(err, context.Canceled) {
			t.Errorf("a stop that is not waited for: %v", err)
		}
		if b.run.State() != Running {
			t.Errorf("the grace was not kept")
		}
		if err := b.run.Stop(t.Context()); err != nil {
			t.Fatal(err)
		}
		if res := b.wait(); res.Ended != EndedStopped || res.Signal == "" {
			t.Errorf("%+v", res)
		}
	})
	t.Run("from another process", func(t *testing.T) {
		t.Parallel()
		b := newBench(t, "deaf")
		b.start().ready("ready", 1)
		if out, err := exec.Command(exe(), "_belay", "stop", b.dir).CombinedOutput(); err != nil {
			t.Fatalf("%v\n%s", err, out)
		}
		if b.run.State() != Finished {
			t.Errorf("stop returned before the end")
		}
		if res := b.wait(); res.Ended != EndedStopped {
			t.Errorf("%+v", res)
		}
	})
}

func TestWaitOnlyWaits(t *testing.T) {
	t.Parallel()
	b := newBench(t, "echo ready; read x <go; echo went")
	if err := exec.Command("mkfifo", filepath.Join(b.work, "go")).Run(); err != nil {
		t.Fatal(err)
	}
	b.start().ready("ready", 1)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := b.run.Wait(ctx, nil); !errors.Is(err, context.Canceled) {
		t.Errorf("wait: %v", err)
	}
	if b.run.State() != Running {
		t.Errorf("the agent ended with the waiting")
	}
	if err := os.WriteFile(filepath.Join(b.work, "go"), []byte("x\n"), 0); err != nil {
		t.Fatal(err)
	}
	if res := b.wait(); res.Ended != EndedExit || b.live.String() != "ready\nwent\n" {
		t.Errorf("%+v %q", res, b.live.String())
	}
}

type failing struct{ n int }

func (f *failing) Write(p []byte) (int, error) { f.n++; return 0, os.ErrClosed }

func TestLiveFails(t *testing.T) {
	t.Parallel()
	b := newBench(t, "echo one; sleep 0.1; echo two")
	f := &failing{}
	if res, err := b.start().run.Wait(t.Context(), f); err != nil || res.Exit != 0 || f.n != 1 {
		t.Errorf("%+v %v, %d writes", res, err, f.n)
	}
}

//go:build !portable

package proc

import (
	"context"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/belay-dev/belay/internal/config"
	"github.com/belay-dev/belay/internal/testutil"
)

// escape is a program that tries to leave a process behind. All its processes keep its working
// folder, by which survivors are found even if they changed their environment, session or parents.
type escape struct {
	name, line string
	cut        bool // it never ends by itself
	lost       bool // it kills its holder
}

var escapes = []escape{
	{name: "never ends", line: "echo ready; sleep 300", cut: true},
	{name: "never ends, with a child", line: "echo ready; sleep 300; true", cut: true},
	{name: "ignores TERM", line: "trap '' TERM INT HUP; echo ready; while :; do sleep 1; done", cut: true},
	{name: "background child", line: "sleep 300 & echo ready"},
	{name: "background child with closed files", line: "sleep 300 >&- 2>&- <&- & echo ready"},
	{name: "nohup", line: "nohup sleep 300 & echo ready"},
	{name: "own session", line: "setsid sleep 300 & echo ready"},
	{name: "daemon", line: "setsid sh -c 'sleep 300 >/dev/null 2>&1 </dev/null & sh -c \"sleep 300 &\"' >/dev/null 2>&1 & echo ready"},
	{name: "daemon without environment", line: "env -i setsid sh -c 'sleep 300 </dev/null >/dev/null 2>&1 &' & echo ready; wait"},
	{name: "daemon, never ends", line: "setsid env -i sh -c 'trap \"\" TERM; while :; do sleep 1; done' </dev/null >/dev/null 2>&1 & echo ready; sleep 300", cut: true},
	{name: "background writer", line: "(while :; do echo x >> left; echo y; sleep 0.01; done) & echo ready"},
	{name: "many children", line: "for i in $(seq 60); do sleep 300 & done; echo ready; wait", cut: true},
	{name: "forks for ever", line: "f() { sleep 0.01; f & }; f; f; echo ready; sleep 300", cut: true},
	{name: "writes for ever", line: "echo ready; exec yes", cut: true},
	{name: "stopped child", line: "sh -c 'kill -STOP $$' & echo ready; wait", cut: true},
	{name: "stops its holder", line: "kill -STOP $PPID; echo ready; sleep 300", cut: true, lost: true},
	{name: "kills its holder", line: "sleep 300 & setsid sleep 300 & echo ready; kill -KILL $PPID; sleep 300", lost: true},
}

func TestNothingSurvives(t *testing.T) {
	t.Parallel()
	const grace = 300 * time.Millisecond
	for _, e := range escapes {
		t.Run(e.name, func(t *testing.T) {
			t.Parallel()
			ctx, cancel := context.WithCancel(t.Context())
			defer cancel()
			var out watched
			var ready time.Time
			out.seen = func() {
				if ready.IsZero() && strings.Contains(out.Last(1<<20), "ready") {
					if ready = time.Now(); e.cut {
						cancel()
					}
				}
			}
			dir := t.TempDir()
			end := Program{
				Command: config.TypedCommand([]string{"sh", "-c", e.line}), Dir: dir, Env: os.Environ(),
				Stdout: &out, Stderr: io.Discard, Grace: grace,
			}.Run(ctx)
			// A process left behind would run for five minutes.
			if took := time.Since(ready); took > testutil.Patience+grace {
				t.Errorf("it took %s", took)
			}
			if end.Left != 0 || end.Cut != e.cut || (end.Failed != nil) != e.lost {
				t.Errorf("ended %+v", end)
			}
			if alive := survivors(t, dir); len(alive) > 0 {
				t.Errorf("survivors: %v", alive)
			}
		})
	}
}

// survivors returns the command lines of the living processes with the working folder dir.
func survivors(t *testing.T, dir string) []string {
	t.Helper()
	dir, err := filepath.EvalSymlinks(dir)
	if err != nil {
		t.Fatal(err)
	}
	var alive []string
	links, _ := filepath.Glob("/proc/[0-9]*/cwd")
	for _, link := range links {
		if at, err := os.Readlink(link); err == nil && at == dir {
			line, _ := os.ReadFile(filepath.Join(filepath.Dir(link), "cmdline"))
			alive = append(alive, strings.ReplaceAll(string(line), "\x00", " "))
		}
	}
	return alive
}

// TestDiesWithBelay: when belay is killed, its programs die with it. This test's own executable
// plays belay.
func TestDiesWithBelay(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	cmd := exec.Command("/proc/self/exe", "-test.run=^TestPlayBelay$", "-test.v")
	cmd.Env = append(os.Environ(), "PLAY_BELAY="+dir)
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	buf, seen := make([]byte, 1000), ""
	for !strings.Contains(seen, "ready") {
		n, err := out.Read(buf)
		if err != nil {
			t.Fatalf("%v after %q", err, seen)
		}
		seen += string(buf[:n])
	}
	if len(survivors(t, dir)) == 0 {
		t.Fatal("nothing runs that could die")
	}
	cmd.Process.Kill()
	cmd.Wait()
	for over := time.Now().Add(testutil.Patience); ; time.Sleep(10 * time.Millisecond) {
		alive := survivors(t, dir)
		if len(alive) == 0 {
			return
		}
		if time.Now().After(over) {
			t.Fatalf("survivors: %v", alive)
		}
	}
}

func TestPlayBelay(t *testing.T) {
	dir := os.Getenv("PLAY_BELAY")
	if dir == "" {
		return // only the test above runs this one, in a separate process
	}
	Program{
		Command: config.TypedCommand([]string{"sh", "-c", "trap '' TERM; setsid sh -c 'trap \"\" TERM; sleep 300; true' & echo ready; sleep 300; true"}),
		Dir:     dir, Env: os.Environ(), Stdout: os.Stdout, Stderr: io.Discard, Grace: 100 * time.Millisecond,
	}.Run(t.Context())
}

// TestHolderKeepsNothingOpen: a program inherits its three files and none of belay's or the
// holder's.
func TestHolderKeepsNothingOpen(t *testing.T) {
	t.Parallel()
	end, out, _ := run(t, t.Context(), time.Second, "ls /proc/self/fd | tr '\\n' ' '")
	// ls itself opens the folder it lists as 3.
	if got := strings.TrimSpace(out.Last(1000)); end.Code != 0 || got != "0 1 2 3" {
		t.Errorf("open files %q, ended %+v", got, end)
	}
}

func TestSignalsAreNotIgnored(t *testing.T) {
	t.Parallel()
	// The last eight digits except the first are signals 1 to 28; 32 and 33 belong to the C
	// library, and the parent of the tests may ignore them.
	end, out, _ := run(t, t.Context(), time.Second, "grep -E '^Sig(Ign|Blk)' /proc/self/status | tr -d '\\t' | sed 's/:.*\\(.......\\)$/:\\1/' | tr -d '\\n'")
	if got := out.Last(1000); end.Code != 0 || got != "SigBlk:0000000SigIgn:0000000" {
		t.Errorf("signals %q, ended %+v", got, end)
	}
}

// TestParentSignalled: a program that signals its parent signals the holder, which ignores that.
func TestParentSignalled(t *testing.T) {
	t.Parallel()
	end, _, _ := run(t, t.Context(), time.Second, "kill -TERM $PPID; kill -INT $PPID; kill -HUP $PPID; exit 5")
	if end != (Ending{Code: 5}) {
		t.Errorf("ended %+v", end)
	}
}

func FuzzParseStatus(f *testing.F) {
	for _, s := range []string{"", "exit 0\n", "cut\nsignal 9\nleft 2\n", "unstarted no such file\n", "exit", "exit x\nexit 99999999999999999999\n"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		if end, told := parseStatus(s); !told && end.Failed == nil {
			t.Errorf("%q: nothing was told, yet it ended %+v", s, end)
		}
	})
}

func BenchmarkTrue(b *testing.B) {
	for b.Loop() {
		end := Program{Command: config.TypedCommand([]string{"true"}), Dir: b.TempDir(), Env: os.Environ(), Stdout: io.Discard, Stderr: io.Discard, Grace: time.Second}.Run(b.Context())
		if end.Code != 0 {
			b.Fatal(end)
		}
	}
}

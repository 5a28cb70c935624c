package agent

import (
	"bytes"
	"context"
	"crypto/rand"
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/belay-dev/belay/internal/config"
	"github.com/belay-dev/belay/internal/proc"
	"github.com/belay-dev/belay/internal/testutil"
)

// The test binary is also the shim, a belay that can be killed, and the agents that a shell cannot
// play.
func TestMain(m *testing.M) {
	os.Setenv("GORACE", "atexit_sleep_ms=0") // or every shim takes a second to exit under -race
	if len(os.Args) > 2 {
		switch os.Args[1] {
		case "_run":
			os.Exit(Main(os.Args[2]))
		case "_belay":
			os.Exit(belayMain(os.Args[2:]))
		case "_agent":
			agentMain(os.Args[2])
		}
	}
	// The tests wait for processes nearly all the time.
	flag.Parse()
	if err := flag.Set("test.parallel", "8"); err != nil {
		panic(err)
	}
	os.Exit(m.Run())
}

func exe() string {
	path, err := os.Executable()
	if err != nil {
		panic(err)
	}
	return path
}

func self() []string { return []string{exe(), "_run"} }

// said is a spec as it is passed to another process.
type said struct {
	Spec
	Argv []string
}

// belayMain is another belay: "run DIR SPEC" starts and waits, "stop DIR" stops.
func belayMain(args []string) int {
	ctx := context.Background()
	var s Spec
	var told said
	var err error
	var r *Run
	switch args[0] {
	case "run":
		if err = json.Unmarshal([]byte(args[2]), &told); err == nil {
			s = told.Spec
			s.Command = config.TypedCommand(told.Argv)
			if r, err = Start(ctx, args[1], self(), s); err == nil {
				fmt.Println("started")
				_, err = r.Wait(ctx, nil)
			}
		}
	case "stop":
		if r, err = Attach(args[1]); err == nil {
			err = r.Stop(ctx)
		}
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	return 0
}

// agentMain plays an agent; what follows its mode only marks the process.
func agentMain(mode string) {
	switch mode {
	case "sleep":
		time.Sleep(10 * time.Minute)
	case "deaf": // prints this once it ignores TERM
		signal.Ignore(syscall.SIGTERM, syscall.SIGINT, syscall.SIGHUP)
		fmt.Println("ready")
		time.Sleep(10 * time.Minute)
	case "root": // the file must belong to root and have the setuid bit
		if err := syscall.Setreuid(0, 0); err != nil {
			panic(err)
		}
		fmt.Println("ready")
		time.Sleep(10 * time.Minute)
	case "files": // the inherited descriptors: open, and not opened by Go itself
		for fd := range 1000 {
			flags, _, e := syscall.Syscall(syscall.SYS_FCNTL, uintptr(fd), syscall.F_GETFD, 0)
			if e != 0 || flags&syscall.FD_CLOEXEC != 0 {
				continue
			}
			status, _, _ := syscall.Syscall(syscall.SYS_FCNTL, uintptr(fd), syscall.F_GETFL, 0)
			fmt.Print(fd, map[bool]string{true: " does not block", false: " blocks"}[status&syscall.O_NONBLOCK != 0], "\n")
		}
	}
	os.Exit(0)
}

// bench is one run with all that a test asks about it.
type bench struct {
	t    testing.TB
	dir  string // the run's folder
	work string // the agent's working folder
	mark string // in the arguments of every process that would outlive a careless belay
	spec Spec
	run  *Run
	live bytes.Buffer
}

// newBench prepares a run of a shell line. In the line, "sleeper" and "deaf" are commands that
// never end, "files" lists descriptors, and $MARK is the bench's mark.
func newBench(t testing.TB, line string) *bench {
	t.Helper()
	b := &bench{t: t, dir: filepath.Join(t.TempDir(), "run"), work: t.TempDir(), mark: "mark-" + rand.Text()}
	line = strings.NewReplacer("files", exe()+" _agent files "+b.mark, "sleeper", exe()+" _agent sleep "+b.mark, "deaf", exe()+" _agent deaf "+b.mark).Replace(line)
	b.spec = Spec{
		Command: config.TypedCommand([]string{"/bin/sh", "-c", line, b.mark}), Dir: b.work,
		Env:   BuildEnviron(os.Environ(), nil, map[string]string{"MARK": b.mark}),
		Grace: 300 * time.Millisecond,
	}
	t.Cleanup(b.noSurvivors)
	return b
}

func (b *bench) start() *bench {
	b.t.Helper()
	r, err := Start(b.t.Context(), b.dir, self(), b.spec)
	if err != nil {
		b.t.Fatal(err)
	}
	b.run = r
	return b
}

// wait returns the result and fails the test if a process of the run is still alive.
func (b *bench) wait() Result {
	b.t.Helper()
	ctx, cancel := context.WithTimeout(b.t.Context(), 2*testutil.Patience)
	defer cancel()
	res, err := b.run.Wait(ctx, &b.live)
	if err != nil {
		b.t.Fatalf("wait: %v", err)
	}
	b.noSurvivors()
	return res
}

func (b *bench) output() string {
	b.t.Helper()
	var out bytes.Buffer
	if _, err := b.run.Output(&out); err != nil {
		b.t.Fatal(err)
	}
	return out.String()
}

// noSurvivors kills and reports everything that carries the run's token or mark.
func (b *bench) noSurvivors() {
	b.t.Helper()
	for _, p := range b.survivors() {
		b.t.Errorf("still alive: %v", p)
		_ = syscall.Kill(p.PID, syscall.SIGKILL)
	}
}

func (b *bench) survivors() []proc.Process {
	all, err := proc.List()
	if err != nil {
		b.t.Fatal(err)
	}
	var found []proc.Process
	for _, p := range all {
		args, _ := os.ReadFile(fmt.Sprintf("/proc/%d/cmdline", p.PID))
		marked := bytes.Contains(args, []byte(b.mark)) || b.run != nil && p.Carries(b.run.spec.marker())
		if marked && !p.Dead && p.PID != os.Getpid() && !looksAfter(args) {
			found = append(found, p)
		}
	}
	return found
}

// looksAfter reports whether args are those of a guard, a shim on its last steps, or another belay,
// not of an agent.
func looksAfter(args []byte) bool {
	return bytes.Contains(args, []byte("\x00_run\x00")) || bytes.Contains(args, []byte("\x00_belay\x00"))
}

// begun waits until the run is recorded with its agent.
func (b *bench) begun() beginRecord {
	b.t.Helper()
	var rec beginRecord
	b.await("the agent to begin", func() bool {
		return readJSON(filepath.Join(b.dir, "begun.json"), &rec) == nil && rec.Agent.PID != 0
	})
	return rec
}

func (b *bench) await(what string, done func() bool) {
	b.t.Helper()
	for end := time.Now().Add(testutil.Patience); !done(); time.Sleep(2 * time.Millisecond) {
		if time.Now().After(end) {
			b.t.Fatalf("waited in vain for %s", what)
		}
	}
}

// ready waits until the agent's output contains word n times.
func (b *bench) ready(word string, n int) {
	b.t.Helper()
	b.await(word, func() bool { return b.said(word) >= n })
}

// said counts a word in the agent's output.
func (b *bench) said(word string) int {
	out, _ := os.ReadFile(filepath.Join(b.dir, "out", "000000"))
	return bytes.Count(out, []byte(word))
}

func kill(t testing.TB, id proc.ID, sig syscall.Signal) {
	t.Helper()
	if err := id.Signal(sig); err != nil {
		t.Fatalf("signal %v to %d: %v", sig, id.PID, err)
	}
}

// other runs another belay and returns once it has started the run.
func (b *bench) other(extra ...*os.File) *exec.Cmd {
	b.t.Helper()
	spec, err := json.Marshal(said{b.spec, b.spec.Command.Argv()})
	if err != nil {
		b.t.Fatal(err)
	}
	cmd := exec.Command(exe(), "_belay", "run", b.dir, string(spec))
	cmd.Stderr = os.Stderr
	cmd.ExtraFiles = extra
	out, err := cmd.StdoutPipe()
	if err != nil {
		b.t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		b.t.Fatal(err)
	}
	b.t.Cleanup(func() { _ = cmd.Process.Kill(); _ = cmd.Wait() })
	if _, err := out.Read(make([]byte, 64)); err != nil {
		b.t.Fatalf("the other belay: %v", err)
	}
	return cmd
}

func (b *bench) attach() *bench {
	b.t.Helper()
	r, err := Attach(b.dir)
	if err != nil {
		b.t.Fatal(err)
	}
	b.run = r
	return b
}

// keepers returns the guard and the shim, found by their arguments.
func (b *bench) keepers() []proc.Process {
	all, err := proc.List()
	if err != nil {
		b.t.Fatal(err)
	}
	return slices.DeleteFunc(all, func(p proc.Process) bool {
		args, _ := os.ReadFile(fmt.Sprintf("/proc/%d/cmdline", p.PID))
		return !bytes.Contains(args, []byte("\x00_run\x00"+b.dir+"\x00"))
	})
}

// BenchmarkRun is the cost of a run around an agent that does nothing.
func BenchmarkRun(b *testing.B) {
	for b.Loop() {
		r := newBench(b, "exit 0").start()
		if res, err := r.run.Wait(context.Background(), nil); err != nil || res.Exit != 0 {
			b.Fatal(res, err)
		}
	}
}

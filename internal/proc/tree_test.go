package proc

import (
	"bufio"
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"os/signal"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/belay-dev/belay/internal/testutil"
)

const (
	markerName = "PROCS_TEST"
	patience   = testutil.Patience
)

// The test binary is also the root of a tree, which reaps all its children and so cannot run the
// tests itself.
func TestMain(m *testing.M) {
	os.Setenv("GORACE", "atexit_sleep_ms=0") // or every root of a tree takes a second to exit under -race
	if len(os.Args) > 2 && os.Args[1] == "_tree" {
		if err := playTree(os.Args[2], os.Args[3:]); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		os.Exit(0)
	}
	os.Exit(m.Run())
}

// playTree runs argv and, once that printed a line, handles its tree according to mode: it ends it
// ("end", or "hurry" with a short grace), waits for its main process first ("ended"), kills it
// ("kill"), or does nothing ("wait"). It prints the result.
func playTree(mode string, argv []string) error {
	if err := Adopt(); err != nil {
		return err
	}
	child := make(chan os.Signal, 1)
	signal.Notify(child, syscall.SIGCHLD)
	r, w, err := os.Pipe()
	if err != nil {
		return err
	}
	pid, err := Launch(argv, os.ProcAttr{Env: os.Environ(), Files: []*os.File{nil, w, os.Stderr}}, nil)
	if err != nil {
		return err
	}
	w.Close()
	said, err := bufio.NewReader(r).ReadString('\n')
	if err != nil {
		return err
	}
	fmt.Print(said)
	t := NewTree(pid, markerName+"="+os.Getenv(markerName))
	var left []Process
	switch mode {
	case "kill":
		left = t.Kill(patience)
	case "end", "hurry", "ended":
		grace := patience // it ends on TERM, however long that takes
		if mode == "hurry" {
			grace = 300 * time.Millisecond
		}
		for mode == "ended" && !t.Ended() {
			<-child
		}
		left = t.End(TreeEnding{
			Grace: grace, Orphans: 200 * time.Millisecond, Patience: patience,
			Hurry: func() bool { return false },
			Sleep: func(d time.Duration) {
				select {
				case <-child:
				case <-time.After(d):
				}
			},
		})
	case "wait":
		select {}
	}
	ws, known := t.Status()
	fmt.Println(known, ws.Exited(), ws.ExitStatus(), int(ws.Signal()), left)
	return nil
}

// marked returns a marker and an environment with it, and fails the test if a process still carries
// it at the end.
func marked(t *testing.T) (marker string, env []string) {
	marker = markerName + "=" + rand.Text()
	t.Cleanup(func() {
		left, err := Trace{Marker: marker}.Find()
		if err != nil {
			t.Error(err)
		}
		for _, p := range left {
			t.Errorf("still alive: %v", p)
			_ = p.Signal(syscall.SIGKILL)
		}
	})
	return marker, append(os.Environ(), marker)
}

func TestTree(t *testing.T) {
	t.Parallel()
	const deaf = `trap "" TERM HUP; echo deaf; while :; do sleep 1; done`
	for _, c := range []struct{ name, mode, line, want string }{
		{"ends when asked", "end", `trap "exit 7" TERM; echo ready; while :; do sleep 0.01; done`, "true true 7 -1 []"},
		{"has ended", "ended", "echo ready; exit 3", "true true 3 -1 []"},
		{"deaf", "hurry", deaf, "true false -1 9 []"},
		{"stopped", "end", "echo ready; kill -STOP $$", "true false -1 15 []"},
		{"deaf orphan", "ended", "setsid sh -c '" + deaf + "' & exit 4", "true true 4 -1 []"},
		{"killed at once", "kill", `trap "exit 7" TERM; echo ready; while :; do sleep 1; done`, "true false -1 9 []"},
		{"many, killed", "kill", `for i in 1 2 3 4 5 6; do setsid sleep 600 & done; echo ready; wait`, "true false -1 9 []"},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			_, env := marked(t)
			cmd := exec.Command(os.Args[0], "_tree", c.mode, "sh", "-c", c.line)
			var said strings.Builder // dash prints there that a process was terminated
			cmd.Env, cmd.Stderr = env, &said
			out, err := cmd.Output()
			_, got, _ := strings.Cut(string(out), "\n")
			if err != nil || got != c.want+"\n" {
				t.Errorf("it went %q, %v; want %q\n%s", got, err, c.want, said.String())
			}
		})
	}
}

// TestLaunchedDiesWithUs kills the parent of a launched process.
func TestLaunchedDiesWithUs(t *testing.T) {
	t.Parallel()
	if !Adopts {
		t.Skip("only Linux tells a process of its parent's death")
	}
	_, env := marked(t)
	cmd := exec.Command(os.Args[0], "_tree", "wait", "sh", "-c", "echo $$; exec sleep 600")
	cmd.Env, cmd.Stderr = env, os.Stderr
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	line, err := bufio.NewReader(out).ReadString('\n')
	if err != nil {
		t.Fatal(err)
	}
	pid, err := strconv.Atoi(strings.TrimSpace(line))
	if err != nil {
		t.Fatal(err)
	}
	id, err := Identify(pid)
	if err != nil {
		t.Fatal(err)
	}
	_ = cmd.Process.Kill()
	_ = cmd.Wait()
	await(t, "its death", func() bool { return !alive(id) })
}

func alive(id ID) bool {
	all, err := List()
	for _, p := range all {
		if p.ID == id {
			return !p.Dead
		}
	}
	return err != nil
}

func await(t *testing.T, what string, done func() bool) {
	t.Helper()
	for end := time.Now().Add(patience); !done(); time.Sleep(2 * time.Millisecond) {
		if time.Now().After(end) {
			t.Fatalf("waited in vain for %s", what)
		}
	}
}

// sleeper starts a shell line with this marker; it must print a line when ready.
func sleeper(t *testing.T, env []string, line string) *exec.Cmd {
	t.Helper()
	cmd := exec.Command("sh", "-c", line)
	cmd.Env = env
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = cmd.Process.Kill(); _ = cmd.Wait() })
	if _, err := bufio.NewReader(out).ReadString('\n'); err != nil {
		t.Fatal(err)
	}
	return cmd
}

// TestSweep: processes that carry the marker are killed, and so are their descendants without it.
func TestSweep(t *testing.T) {
	t.Parallel()
	marker, env := marked(t)
	sleeper(t, env, "trap '' TERM; setsid sleep 600 & env -i sleep 600 & env -i setsid sleep 600 & echo ready; wait")
	await(t, "all of it", func() bool {
		found, err := Trace{Marker: marker}.Find()
		bare := 0
		for _, p := range found {
			if !p.Carries(marker) {
				bare++
			}
		}
		return err == nil && len(found) >= 4 && bare >= 2
	})
	found, _ := Trace{Marker: marker}.Find()
	if left, err := (Trace{Boot: "another", Marker: marker}).Sweep(t.Context(), patience); err != nil || left != nil {
		t.Errorf("before a reboot: %v %v", left, err)
	}
	if left, err := (Trace{Marker: marker, Boot: BootID()}).Sweep(t.Context(), patience); err != nil || left != nil {
		t.Errorf("left %v %v", left, err)
	}
	for _, p := range found {
		if alive(p.ID) {
			t.Errorf("still alive: %v", p)
		}
	}
}

// TestSweepLast: the processes of last live until no others are left.
func TestSweepLast(t *testing.T) {
	t.Parallel()
	marker, env := marked(t)
	cmd := sleeper(t, env, "sleep 600 & echo ready; wait; sleep 600")
	keeper, err := Identify(cmd.Process.Pid)
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel() // one round only
	left, err := Trace{Marker: marker}.Sweep(ctx, patience, keeper)
	if !errors.Is(err, context.Canceled) || len(left) == 0 {
		t.Errorf("one round: %v %v", left, err)
	}
	for _, p := range left {
		if p.ID == keeper {
			t.Error("the last was killed first")
		}
	}
	if !alive(keeper) {
		t.Error("the last died first")
	}
	if left, err := (Trace{Marker: marker}).Sweep(t.Context(), patience, keeper); err != nil || left != nil || alive(keeper) {
		t.Errorf("left %v %v, the last lives: %v", left, err, alive(keeper))
	}
}

// TestSweepInVain: a sweep ends with patience, and returns the survivors.
func TestSweepInVain(t *testing.T) {
	t.Parallel()
	marker, env := marked(t)
	sleeper(t, env, "echo ready; exec sleep 600")
	left, err := Trace{Marker: marker}.Sweep(t.Context(), 1)
	if err != nil || len(left) != 1 {
		t.Errorf("left %v %v", left, err)
	}
	if left, err := (Trace{Marker: marker}).Sweep(t.Context(), patience); err != nil || left != nil {
		t.Errorf("left %v %v", left, err)
	}
}

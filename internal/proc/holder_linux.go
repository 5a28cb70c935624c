//go:build !portable

package proc

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"os/signal"
	"strconv"
	"strings"
	"syscall"
	"time"

	"golang.org/x/sys/unix"

	"github.com/belay-dev/belay/internal/fence"
)

// On Linux a test command is run by a holder: this executable, started under the name below. It is
// a subreaper, so all processes of the command stay below it even if they fork, change their
// session or clear their environment. It ends them when the command has ended, when it is asked to,
// and when belay dies.
//
// This needs a separate process: if belay itself were the subreaper, orphans of the command could
// not be distinguished from belay's other children.
const holderName = "belay-check-holder"

// The holder's extra files.
const (
	lifelineFD = 3 // end of file: end everything
	statusFD   = 4 // how the command ended, see parseStatus
)

func init() {
	if len(os.Args) > 2 && os.Args[0] == holderName {
		// Not os.Exit: belay's exit hooks must not run in this process.
		syscall.Exit(runHolder(os.Args[1], os.Args[2:]))
	}
}

func (p Program) start(stdout, stderr *os.File) (*heldProgram, error) {
	lifeR, lifeW, err := os.Pipe()
	if err != nil {
		return nil, fmt.Errorf("opening a pipe: %w", err)
	}
	defer lifeR.Close()
	statusR, statusW, err := os.Pipe()
	if err != nil {
		lifeW.Close()
		return nil, fmt.Errorf("opening a pipe: %w", err)
	}
	defer statusW.Close()
	cmd := &exec.Cmd{
		Path:   "/proc/self/exe", // the running program, even if its file was replaced
		Args:   append([]string{holderName, p.Grace.String()}, p.Command.Argv()...),
		Dir:    p.Dir,
		Env:    p.Env,
		Stdout: stdout, Stderr: stderr,
		ExtraFiles:  []*os.File{lifeR, statusW},
		SysProcAttr: &syscall.SysProcAttr{Setsid: true},
	}
	if p.Stdin != nil {
		cmd.Stdin = p.Stdin
	}
	if cmd, err = p.launch(cmd); err != nil {
		lifeW.Close()
		statusR.Close()
		return nil, err
	}
	h := &heldProgram{
		ended: make(chan Ending, 1),
		stop:  func() { lifeW.Close() },
		kill: func() { // the command may have stopped the holder
			strike(cmd.Process.Pid, unix.SIGKILL)
			cmd.Process.Kill()
		},
	}
	go func() {
		text, _ := io.ReadAll(io.LimitReader(statusR, 1<<16))
		statusR.Close()
		cmd.Wait()
		end, told := parseStatus(string(text))
		end.Writable = p.Fence == nil && (end.Writable || len(p.ReadOnly) > 0 && cmd.SysProcAttr.Cloneflags == 0)
		if !told { // the holder was killed: its processes are orphans
			end.Left = p.sweep()
		}
		lifeW.Close()
		h.ended <- end
	}()
	return h, nil
}

// parseStatus parses what the holder wrote: lines of a word and its value. told is false if the
// holder did not report how the command ended.
func parseStatus(text string) (end Ending, told bool) {
	end = Ending{Code: -1, Failed: errors.New("its holder process was killed")}
	for line := range strings.Lines(text) {
		word, value, _ := strings.Cut(strings.TrimSuffix(line, "\n"), " ")
		n, _ := strconv.Atoi(value)
		switch word {
		case "exit":
			end.Code, end.Failed, told = n, nil, true
		case "signal":
			end.Signal, end.Failed, told = syscall.Signal(n), nil, true
		case "unstarted":
			end.Failed, told = errors.New(value), true
		case "cut":
			end.Cut = true
		case "left":
			end.Left = n
		case "writable":
			end.Writable = true
		}
	}
	return end, told
}

// runHolder is the main function of a holder.
func runHolder(grace string, args []string) int {
	status := os.NewFile(statusFD, "status")
	lifeline := os.NewFile(lifelineFD, "lifeline")
	unix.CloseOnExec(statusFD)
	unix.CloseOnExec(lifelineFD)
	// The command must not inherit files that belay's own parents left open. Kernels before 5.11
	// lack this call; there such files are inherited.
	unix.CloseRange(lifelineFD, 1<<31-1, unix.CLOSE_RANGE_CLOEXEC)
	wait, err := time.ParseDuration(grace)
	if err == nil {
		err = Adopt()
	}
	// Caught, not ignored: an ignored signal would be ignored in the command, too. Only the
	// lifeline ends the holder.
	signal.Notify(make(chan os.Signal, 1), unix.SIGINT, unix.SIGTERM, unix.SIGHUP, unix.SIGQUIT,
		unix.SIGUSR1, unix.SIGUSR2, unix.SIGALRM, unix.SIGPIPE, unix.SIGTSTP)
	if closeFolders() != nil {
		fmt.Fprintln(status, "writable")
	}
	pid := 0
	var fenced *fence.Fence
	if err == nil {
		fenced, err = fenceOf()
	}
	if err == nil {
		pid, err = spawn(args, fenced)
	}
	if err != nil {
		fmt.Fprintf(status, "unstarted %s\n", strings.ReplaceAll(err.Error(), "\n", " "))
		return 1
	}
	stop := make(chan struct{})
	go func() {
		io.Copy(io.Discard, lifeline)
		close(stop)
	}()
	return watch(pid, wait, stop, status)
}

// spawn starts the command in its own session and closes the holder's copies of the output pipes.
func spawn(args []string, fenced *fence.Fence) (int, error) {
	path, err := exec.LookPath(args[0])
	if err != nil {
		return 0, err
	}
	null, err := os.OpenFile(os.DevNull, os.O_RDWR, 0)
	if err != nil {
		return 0, err
	}
	defer null.Close()
	attr := &syscall.ProcAttr{Env: os.Environ(), Files: []uintptr{0, 1, 2}, Sys: &syscall.SysProcAttr{Setsid: true}}
	pid := 0
	start := func() (err error) {
		pid, err = syscall.ForkExec(path, args, attr)
		return err
	}
	if fenced == nil {
		err = start()
	} else {
		err = fenced.Start(start)
	}
	if err != nil {
		return 0, fmt.Errorf("starting %s: %w", args[0], err)
	}
	unix.Dup3(int(null.Fd()), 0, 0)
	unix.Dup3(int(null.Fd()), 1, 0)
	unix.Dup3(int(null.Fd()), 2, 0)
	return pid, nil
}

// watch waits for the command, ends the processes that it left, and then reports.
func watch(pid int, grace time.Duration, stop <-chan struct{}, status io.Writer) int {
	ended, empty := reap(pid)
	select {
	case ws := <-ended:
		left := endAll(min(grace, 300*time.Millisecond), empty)
		writeStatus(status, ws, left)
	case <-stop:
		left := endAll(grace, empty)
		fmt.Fprintln(status, "cut")
		select {
		case ws := <-ended:
			writeStatus(status, ws, left)
		default:
			writeStatus(status, syscall.WaitStatus(syscall.SIGKILL), left)
		}
	}
	return 0
}

func writeStatus(status io.Writer, ws syscall.WaitStatus, left int) {
	if ws.Signaled() {
		fmt.Fprintf(status, "signal %d\n", int(ws.Signal()))
	} else {
		fmt.Fprintf(status, "exit %d\n", ws.ExitStatus())
	}
	if left > 0 {
		fmt.Fprintf(status, "left %d\n", left)
	}
}

// reap reaps all children of this process. empty is closed when none is left.
func reap(pid int) (ended chan syscall.WaitStatus, empty chan struct{}) {
	ended, empty = make(chan syscall.WaitStatus, 1), make(chan struct{})
	go func() {
		defer close(empty)
		for {
			var ws syscall.WaitStatus
			got, err := syscall.Wait4(-1, &ws, 0, nil)
			switch {
			case err == syscall.EINTR:
			case err != nil:
				return
			case got == pid:
				ended <- ws
			}
		}
	}()
	return ended, empty
}

// endAll sends TERM to everything below this process, and after the grace KILL, repeatedly because
// it may fork meanwhile. It returns how many processes survived.
func endAll(grace time.Duration, empty <-chan struct{}) int {
	if waitEmpty(empty, 2*time.Millisecond) {
		return 0
	}
	strike(os.Getpid(), unix.SIGTERM)
	if waitEmpty(empty, grace) {
		return 0
	}
	for over := time.Now().Add(Slack - inTime); time.Now().Before(over); {
		strike(os.Getpid(), unix.SIGKILL)
		// On a busy machine, a process that forks all the time has forked again before a listing of
		// all processes is complete. Its orphans become children of this process, which are found
		// at once.
		for range 20 {
			for _, p := range children() {
				_ = p.Signal(unix.SIGKILL)
			}
		}
		if waitEmpty(empty, 5*time.Millisecond) {
			return 0
		}
	}
	return strike(os.Getpid(), unix.SIGKILL)
}

func waitEmpty(empty <-chan struct{}, wait time.Duration) bool {
	select {
	case <-empty:
		return true
	case <-time.After(wait):
		return false
	}
}

// strike sends a signal to every living process below root and returns their number. It returns 1
// if the processes cannot be listed, so that an error does not look like none.
func strike(root int, sig syscall.Signal) int {
	all, err := List()
	if err != nil {
		return 1
	}
	below := Below(all, root)
	for _, p := range below {
		_ = p.Signal(sig)
	}
	return len(below)
}

// sweep kills the processes that carry the program's token, and their descendants: no others can be
// found after the holder has died. It returns how many survived.
func (p Program) sweep() int {
	left, err := Trace{Marker: Marker + "=" + p.token}.Sweep(context.Background(), Slack-inTime)
	if err != nil {
		return max(1, len(left))
	}
	return len(left)
}

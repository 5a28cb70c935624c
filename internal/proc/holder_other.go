//go:build !linux || portable

package proc

import (
	"errors"
	"os"
	"os/exec"
	"syscall"
	"time"
)

// start runs the command in its own session, and ends that process group with it. A process that
// leaves the group is not ended here.
func (p Program) start(stdout, stderr *os.File) (*heldProgram, error) {
	argv := p.Command.Argv()
	cmd := exec.Command(argv[0], argv[1:]...)
	cmd.Dir, cmd.Env = p.Dir, p.Env
	cmd.Stdout, cmd.Stderr = stdout, stderr
	if p.Stdin != nil {
		cmd.Stdin = p.Stdin
	}
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
	if err := cmd.Start(); err != nil {
		return nil, err
	}
	group := -cmd.Process.Pid
	stopped, over := make(chan struct{}), make(chan struct{})
	h := &heldProgram{
		ended: make(chan Ending, 1),
		stop:  func() { close(stopped) },
		kill:  func() { syscall.Kill(group, syscall.SIGKILL) },
	}
	go func() {
		select {
		case <-over:
			return
		case <-stopped:
		}
		syscall.Kill(group, syscall.SIGTERM)
		select {
		case <-over:
		case <-time.After(p.Grace):
			syscall.Kill(group, syscall.SIGKILL)
		}
	}()
	go func() {
		err := cmd.Wait()
		close(over)
		syscall.Kill(group, syscall.SIGKILL) // processes that the command left
		end := ended(cmd, err)
		end.Writable = len(p.ReadOnly) > 0
		select {
		case <-stopped:
			end.Cut = true
		default:
		}
		h.ended <- end
	}()
	return h, nil
}

func ended(cmd *exec.Cmd, err error) Ending {
	var exit *exec.ExitError
	if err != nil && !errors.As(err, &exit) {
		return Ending{Code: -1, Failed: err}
	}
	end := Ending{Code: cmd.ProcessState.ExitCode()}
	if ws, ok := cmd.ProcessState.Sys().(syscall.WaitStatus); ok && ws.Signaled() {
		end.Signal = ws.Signal()
	}
	return end
}

package main

import (
	"os"
	"os/exec"
	"os/signal"
	"syscall"
	"testing"
	"time"
)

// Closing the terminal hangs up a program that prints nothing.
func TestHangUp(t *testing.T) {
	t.Parallel()
	signal.Notify(make(chan os.Signal, 1), syscall.SIGHUP) // under nohup the program would ignore it
	k := &killing{cmd: exec.Command("sleep", "600"), said: &locked{}}
	if err := k.start(ending{tty: true}); err != nil {
		t.Fatal(err)
	}
	defer time.AfterFunc(time.Minute, func() { _ = k.cmd.Process.Kill() }).Stop()
	time.Sleep(200 * time.Millisecond) // until the read is pending
	if err := k.hangUp(); err != nil {
		t.Error(err)
		_ = k.cmd.Process.Kill()
	}
	_ = k.cmd.Wait()
	if s, ok := k.cmd.ProcessState.Sys().(syscall.WaitStatus); !ok || s.Signal() != syscall.SIGHUP {
		t.Errorf("it ended by %v", k.cmd.ProcessState)
	}
}

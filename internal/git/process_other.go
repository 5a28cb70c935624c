//go:build !linux || portable

package git

import "syscall"

// processAttr puts a process into a group of its own, so that belay handles Ctrl-C and git does
// not die of it in the middle of a transaction.
func processAttr() *syscall.SysProcAttr { return &syscall.SysProcAttr{Setpgid: true} }

func limitMemory(int) {}

func blockedOnFIFO(int, string) (path, is string) { return "", "" }

// blockedOn cannot tell here what a process waits for.
func blockedOn(int, string) (path, is string) { return "", "" }

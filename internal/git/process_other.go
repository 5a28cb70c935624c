//go:build !linux || portable

package git

import "syscall"

// processAttr starts a process in a group of its own, so that belay handles Ctrl-C and git is not
// killed in the middle of a transaction.
func processAttr() *syscall.SysProcAttr { return &syscall.SysProcAttr{Setpgid: true} }

func limitMemory(int) {}

func blockedOnFIFO(int, string) (path, is string) { return "", "" }

// blockedOn is unknown on this system.
func blockedOn(int, string) (path, is string) { return "", "" }

//go:build !linux || portable || !(amd64 || arm64)

package fence

import (
	"errors"
	"runtime"
)

// Fence is empty: there are no fences on this system.
type Fence struct{}

var errNone = errors.New("this system has no Landlock")

// Probe returns why this system cannot fence programs.
func Probe() error { return errNone }

// New always fails.
func New(Policy) (*Fence, error) { return nil, errNone }

// Close does nothing.
func (f *Fence) Close() {}

// Start runs start on a thread that keeps running, without a fence.
func (f *Fence) Start(start func() error) error {
	done := make(chan error)
	go func() {
		runtime.LockOSThread()
		err := start()
		failed := err != nil
		done <- err
		if !failed {
			select {}
		}
	}()
	return <-done
}

// Denied returns nothing.
func (f *Fence) Denied() []Denial { return nil }

// Gaps returns nothing, because there is no fence.
func Gaps() []string { return nil }

// Version is 0: no Landlock.
func Version() int { return 0 }

//go:build !linux || portable || !(amd64 || arm64)

package fence

import (
	"errors"
	"runtime"
)

// Fence is a policy that one program can be started under: not here.
type Fence struct{}

var errNone = errors.New("this system has no Landlock")

// Probe says why this system cannot fence programs.
func Probe() error { return errNone }

// New fails.
func New(Policy) (*Fence, error) { return nil, errNone }

// Close does nothing.
func (f *Fence) Close() {}

// Start runs start on a thread that lives on, without a fence.
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

// Denied gives nothing.
func (f *Fence) Denied() []Denial { return nil }

// Gaps lists nothing: there is no fence that could have any.
func Gaps() []string { return nil }

// Version is 0: no Landlock.
func Version() int { return 0 }

//go:build !linux || portable || !(amd64 || arm64)

package fence

import (
	"errors"
	"os"
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

// Command gives the program's arguments.
func (f *Fence) Command(_ string, argv []string) []string { return argv }

// Files gives none.
func (f *Fence) Files() []*os.File { return nil }

// Started fails.
func (f *Fence) Started() error { return errNone }

// Denied gives nothing.
func (f *Fence) Denied() []Denial { return nil }

// Gaps lists nothing: there is no fence that could have any.
func Gaps() []string { return nil }

// Version is 0: no Landlock.
func Version() int { return 0 }

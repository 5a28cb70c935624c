package snapshot

import "github.com/belay-dev/belay/internal/fsroot"

// Fault lets the crash tests fail or kill at every step that writes. The hook is fsroot.Fault,
// shared by both packages.
func Fault(op, path string) error {
	if fsroot.Fault == nil {
		return nil
	}
	return fsroot.Fault(op, path)
}

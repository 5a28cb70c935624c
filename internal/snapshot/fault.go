package snapshot

import "github.com/belay-dev/belay/internal/fsroot"

// Fault lets the crash suite fail or kill at every step that writes: the hook is
// fsroot.Fault, one for both packages.
func Fault(op, path string) error {
	if fsroot.Fault == nil {
		return nil
	}
	return fsroot.Fault(op, path)
}

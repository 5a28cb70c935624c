package snapshot

import "github.com/belay-dev/belay/internal/fsroot"

// Fault lets the crash tests fail or kill belay at every step that writes. It calls the hook
// fsroot.Fault, which both packages share.
func Fault(op, path string) error {
	if fsroot.Fault == nil {
		return nil
	}
	return fsroot.Fault(op, path)
}

package capture

import "github.com/belay-dev/belay/internal/worktree"

// Fault lets the crash suite fail or kill at every step that writes: the hook is
// worktree.Fault, one for both rooms.
func Fault(op, path string) error {
	if worktree.Fault == nil {
		return nil
	}
	return worktree.Fault(op, path)
}

// Package worktree creates git worktrees for tasks and temporary checkouts of a snapshot, reads
// commits as snapshots, and merges three states path by path. It removes a worktree only when the
// caller asks for it.
package worktree

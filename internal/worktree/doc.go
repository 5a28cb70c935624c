// Package worktree creates git worktrees for tasks and temporary checkouts of a state, reads commits as
// snapshots, and merges three states path by path. It never deletes a worktree by its own decision.
package worktree

// Package worktree makes git's linked worktrees for tasks, and throwaway checkouts of a state; reads commits
// as snapshots; and merges three states path by path.
package worktree

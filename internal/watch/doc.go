// Package watch tracks file changes with inotify in a background process, so that snapshots of
// large trees read only changed files. It never writes to the worktree or moves refs.
package watch

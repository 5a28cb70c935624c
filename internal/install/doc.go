// Package install writes belay's hooks and skill into the settings of coding agents, and removes them. It changes only
// its own entries, by their position: every other byte of a file stays. It never decides what a hook does.
package install

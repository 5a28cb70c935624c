// Package install adds belay's hooks and skill to the settings of coding agents, and removes them.
// It edits only its own entries, in place; all other bytes of a file stay the same. What a hook
// does is decided elsewhere.
package install

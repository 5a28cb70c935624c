// Package loop decides what happens next in a task: Step takes a state and an event and returns the
// next state and the pending command. It has no side effects; package runner runs the commands.
package loop

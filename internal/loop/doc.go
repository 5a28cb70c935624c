// Package loop decides what follows what in a task: Step takes a state and an event and gives the next state,
// with the command that is pending. It is a function; all else is done by package runner.
package loop

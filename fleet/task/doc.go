// Package task is the Temporal workflow of one task: loop.Step decides what comes next, as on one
// machine, and each command is an activity of the worker that has the task's working tree.
//
// Nothing here reads a clock, a file or the network: the same history gives the same state.
package task

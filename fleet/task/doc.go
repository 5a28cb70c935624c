// Package task is the workflow of one task on Temporal: loop.Step decides what follows what, as it does on
// one machine, and the commands are activities of the machine that has the task's working tree.
//
// Nothing here reads a clock, a file or the network: the same history gives the same state.
package task

// Package restore brings a state back: it plans, takes a rescue, writes down what it is about to do, does it,
// compares, and records it for undo and redo. A restore that was interrupted can be finished or reversed.
package restore

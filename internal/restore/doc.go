// Package restore restores snapshots: it makes a plan, takes a rescue snapshot, writes down what it is
// about to do, does it, verifies the result, and records it for undo and redo. An interrupted restore can
// be finished or reversed.
package restore

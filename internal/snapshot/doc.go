// Package snapshot takes, finds, compares and drops snapshots: everything that a working tree and its git
// folder hold, named and stored below refs/belay.
package snapshot

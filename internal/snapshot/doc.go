// Package snapshot takes, finds, compares and drops snapshots. A snapshot contains everything in a working
// tree and its git folder and is stored below refs/belay, as a tag of a tree: lists of commits do
// not show it. It never changes the user's files, index or refs.
package snapshot

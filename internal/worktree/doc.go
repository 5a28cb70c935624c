// Package worktree reads and writes the paths of a working tree byte for byte: Root
// looks at them and puts bytes back, passing through no link. Listing and the opening
// of single paths are what a scan is made of.
//
// It never walks a whole tree, runs git, reads the index or an object, or opens a
// FIFO, socket or device, and decides nothing about what is worth keeping. Paths are
// bytes with slashes, relative to the root, never assumed to be UTF-8.
package worktree

// Package worktree reads and writes a working tree byte for byte: Scan says what
// every path is and what its bytes hash to, Root puts bytes back.
//
// It never runs git, never reads the index or an object, follows no link, opens no
// FIFO, socket or device, and decides nothing about what is worth keeping. Paths
// are bytes with slashes, relative to the root, never assumed to be UTF-8.
package worktree

// Package scan walks a working tree with many hands: Scan says what every path is and
// what its bytes hash to, and reads again only what the stat cache does not vouch for.
//
// It never changes the tree, runs git, reads the index or an object, follows a link,
// opens a FIFO, socket or device, and decides nothing about what is worth keeping.
// Paths are bytes with slashes, relative to the root, never assumed to be UTF-8.
package scan

// Package git runs git and reads git's files directly: index, refs, packs, config and state. It inspects
// every file that a git process would read first, so that git never blocks on a FIFO or follows a link.
// Belay's own packs are stored where git gc does not delete them.
package git

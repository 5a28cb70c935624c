// Package foreign makes what other programs wrote readable, however it is encoded,
// broken or hostile: bytes as text, text as lines, XML as tokens, terminal output as
// plain words, and the places in files that a text names.
//
// It holds a bounded part of a stream at a time. What the words mean is not its
// business, and it opens nothing.
package foreign

// Bounds on a message that is kept.
const (
	MessageLines = 40  // lines
	LineBytes    = 500 // bytes of one
)

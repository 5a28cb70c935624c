package testreport

// It holds a bounded part of a stream at a time. What the words mean is not its
// business, and it opens nothing.

// Bounds on a message that is kept.
const (
	MessageLines = 40  // lines
	LineBytes    = 500 // bytes of one
)

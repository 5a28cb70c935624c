package testreport

// Only a bounded part of a stream is in memory at a time.

// Bounds on a message that is kept.
const (
	MessageLines = 40  // lines
	LineBytes    = 500 // bytes of one
)

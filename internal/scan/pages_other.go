//go:build !linux

package scan

// inLargePages does nothing: elsewhere the system decides by itself.
func inLargePages([]byte) {}

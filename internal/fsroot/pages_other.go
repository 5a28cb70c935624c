//go:build !linux

package fsroot

// inLargePages does nothing: elsewhere the system decides by itself.
func inLargePages([]byte) {}

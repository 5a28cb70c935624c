//go:build !linux

package fsroot

// adviseLargePages does nothing: elsewhere the system decides by itself.
func adviseLargePages([]byte) {}

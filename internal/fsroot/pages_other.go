//go:build !linux

package fsroot

// adviseLargePages does nothing on this system.
func adviseLargePages([]byte) {}

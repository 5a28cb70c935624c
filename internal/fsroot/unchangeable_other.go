//go:build !linux && !darwin

package fsroot

// unchangeableReason finds no reasons on this system.
func unchangeableReason(int, string) (string, error) { return "", nil }

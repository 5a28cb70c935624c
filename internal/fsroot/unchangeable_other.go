//go:build !linux && !darwin

package fsroot

// unchangeableReason knows nothing here: trying shows it.
func unchangeableReason(int, string) (string, error) { return "", nil }

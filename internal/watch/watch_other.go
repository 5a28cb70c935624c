//go:build !linux

package watch

func newQueue() (source, error) { return nil, ErrElsewhere }

func trusted(int) error { return ErrElsewhere }

func deviceOf(int) (uint64, error) { return 0, ErrElsewhere }

// Mounts returns ErrElsewhere.
func Mounts(string) (string, error) { return "", ErrElsewhere }

// Written returns ErrElsewhere.
func Written(string) (map[string]bool, error) { return nil, ErrElsewhere }

//go:build !linux

package watch

func newQueue() (source, error) { return nil, ErrElsewhere }

func trusted(int) error { return ErrElsewhere }

func deviceOf(int) (uint64, error) { return 0, ErrElsewhere }

// Mounts returns what is mounted in, on or above a tree.
func Mounts(string) (string, error) { return "", ErrElsewhere }

// Written returns the files below root that a process may write through a mapping.
func Written(string) (map[string]bool, error) { return nil, ErrElsewhere }

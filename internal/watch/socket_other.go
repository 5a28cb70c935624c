//go:build !linux

package watch

func available() bool { return false }

func peer(int) (int, error) { return -1, ErrElsewhere }

func shortPath(string, string) (string, func(), error) { return "", nil, ErrElsewhere }

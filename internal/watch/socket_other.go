//go:build !linux

package watch

import "github.com/belay-dev/belay/internal/ear"

func available() bool { return false }

func peer(int) (int, error) { return -1, ear.ErrElsewhere }

func shortPath(string, string) (string, func(), error) { return "", nil, ear.ErrElsewhere }

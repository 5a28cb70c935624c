package app

import (
	"fmt"
	"hash/fnv"
	"strconv"

	"github.com/belay-dev/belay/internal/belay"
	"github.com/belay-dev/belay/internal/fsroot"
)

// RecordsStamp returns a text that differs after the records change: those of all tasks, or of one
// task and its agent's output. Pages poll it. It costs a stat for each file.
func (s *Service) RecordsStamp(task belay.TaskID) (string, error) {
	if task == "" {
		return s.Session.Journal.Stamps(), nil
	}
	h := fnv.New64a()
	fmt.Fprintln(h, s.Session.Journal.Stamp(task))
	outputs, err := fsroot.Glob(s.Session.Scratch("run", task.Key()), "*/out/*")
	if err != nil {
		return "", err
	}
	for _, path := range outputs {
		if info, err := fsroot.Lstat(path); err == nil {
			fmt.Fprintln(h, path, info.Size())
		}
	}
	return strconv.FormatUint(h.Sum64(), 16), nil
}

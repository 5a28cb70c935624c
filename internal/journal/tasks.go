package journal

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"sort"
	"strings"
	"time"

	"github.com/belay-dev/belay/internal/belay"
	"github.com/belay-dev/belay/internal/fsroot"
)

// Tasks lists the tasks that have a record, in the order of creation (the time of their first
// entry). A record with a damaged first line is listed last under its key, so that reading it
// reports the damage. Without a store there are no tasks.
func (s *Store) Tasks() ([]belay.TaskID, error) {
	names, err := fsroot.ReadDir(s.tasksDir())
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("list tasks: %w", err)
	}
	type created struct {
		id  belay.TaskID
		bad bool
		at  time.Time
	}
	var all []created
	for _, e := range names {
		key, ok := strings.CutSuffix(e.Name(), suffix)
		if !ok || fileKey(belay.TaskID(key)) != key {
			continue
		}
		l, exists, err := firstLine(filepath.Join(s.tasksDir(), e.Name()), belay.TaskID(key))
		switch {
		case err != nil:
			all = append(all, created{id: belay.TaskID(key), bad: true})
		case exists:
			all = append(all, created{id: l.Task, at: l.Time})
		}
	}
	sort.SliceStable(all, func(i, j int) bool {
		if all[i].bad != all[j].bad {
			return all[j].bad
		}
		return all[i].at.Before(all[j].at)
	})
	ids := make([]belay.TaskID, len(all))
	for i, c := range all {
		ids[i] = c.id
	}
	return ids, nil
}

// firstLine reads the entry that created a task. exists is false for a file that a crash left
// without a complete entry.
func firstLine(path string, task belay.TaskID) (l Line, exists bool, err error) {
	f, err := openRecord(path, os.O_RDONLY)
	if err != nil {
		return l, false, err
	}
	defer f.Close()
	return firstLineOf(f, path, task)
}

func firstLineOf(f *os.File, path string, task belay.TaskID) (l Line, exists bool, err error) {
	raw, _, err := ReadLine(bufio.NewReader(f))
	if err != nil {
		return l, false, err
	}
	if l, err = Next(raw, Line{}, task); err == nil {
		return l, true, nil
	}
	if _, err = f.Seek(0, io.SeekStart); err != nil {
		return l, false, err
	}
	found, err := scanRecord(f, path, task)
	return l, false, errors.Join(err, found.damage)
}

// Mentioning lists the tasks with records that contain text, without parsing them. Unreadable ones
// are left out.
func (s *Store) Mentioning(text string) (ids []belay.TaskID) {
	names, err := fsroot.ReadDir(s.tasksDir())
	if err != nil {
		return nil
	}
	for _, e := range names {
		key, ok := strings.CutSuffix(e.Name(), suffix)
		if !ok || fileKey(belay.TaskID(key)) != key {
			continue
		}
		raw, err := fsroot.ReadFile(filepath.Join(s.tasksDir(), e.Name()), mostRecord)
		if err == nil && bytes.Contains(raw, []byte(text)) {
			ids = append(ids, belay.TaskID(key))
		}
	}
	return ids
}

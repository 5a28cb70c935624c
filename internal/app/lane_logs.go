package app

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"

	"github.com/belay-dev/belay/internal/tasklist"
)

// laneLogs are the logs of features by path, each read once.
type laneLogs map[string]map[string]tasklist.LanePosition

// setLane sets the state of a file's work package to the one in its feature's log, which overrides
// the lane in the package's own file. Without a log, or an entry for the package, nothing changes.
func (l laneLogs) setLane(q ImportQuery, p string, f *ImportFile) error {
	if f.Dialect != tasklist.SpecKitty || len(f.reading.Tasks) != 1 || f.reading.Tasks[0].ID == "" {
		return nil
	}
	dir := filepath.Dir(p)
	if filepath.Base(dir) != "tasks" { // older versions have a folder for each lane
		dir = filepath.Dir(dir)
	}
	if filepath.Base(dir) != "tasks" {
		return nil
	}
	log := filepath.Join(filepath.Dir(dir), tasklist.LaneLog)
	if _, known := l[log]; !known {
		if err := l.read(q, log, f); err != nil {
			return err
		}
	}
	t := &f.reading.Tasks[0]
	at, moved := l[log][t.ID]
	if !moved {
		return nil
	}
	state := tasklist.StateOf(at.Lane)
	notes := slices.DeleteFunc(f.reading.Notes,
		func(n tasklist.Note) bool { return n.Why == tasklist.NoLane || n.Why == tasklist.GivenUp })
	if t.State != state && t.State != tasklist.Open {
		notes = append(notes, tasklist.Note{Line: t.Line, Text: t.Title, Source: f.Path,
			Why: fmt.Sprintf("line %d of %s says %s, which overrides the lane here", at.Line, tasklist.LaneLog, at.Lane)})
	}
	if state == tasklist.Unclear {
		notes = append(notes, tasklist.Note{Line: t.Line, Text: t.Title, Why: tasklist.GivenUp, Source: f.Path})
	}
	t.State, t.Done, f.reading.Notes = state, state == tasklist.Done, notes
	return nil
}

// read reads a log. Unreadable lines become notes of the first package.
func (l laneLogs) read(q ImportQuery, log string, f *ImportFile) error {
	l[log] = nil
	if _, err := os.Lstat(log); errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	data, err := readRegular(log)
	if err != nil {
		return err
	}
	at, bad := tasklist.ReadLanes(data)
	l[log] = at
	for _, b := range bad[:min(len(bad), 20)] {
		f.reading.Notes = append(f.reading.Notes, tasklist.Note{Line: b.Line, Text: b.Text, Why: b.Why, Source: q.displayPath(log)})
	}
	if more := len(bad) - 20; more > 0 {
		f.reading.Notes = append(f.reading.Notes,
			tasklist.Note{Line: bad[20].Line, Text: bad[20].Text,
				Why: fmt.Sprintf("%s, as %d more lines", bad[20].Why, more-1), Source: q.displayPath(log)})
	}
	return nil
}

package main

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
)

// list is the table of one agent's recordings.
type list struct {
	Name, Package, Version string
	dir                    string // "": do not write
	rows                   []string
}

// add writes a recording.
func (l *list) add(s Script, r result) error {
	if l.dir == "" {
		return nil
	}
	file := s.Name + "." + l.Name + ".jsonl"
	l.rows = append(l.rows, fmt.Sprintf("%s\t%d\t%d", file, r.shown, r.stall))
	if err := os.MkdirAll(l.dir, 0o755); err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(l.dir, file), r.text, 0o644)
}

// close writes the table of an agent: the package, and for each recording the number of its calls
// and of the call that completes the third repetition, 0 for none.
func (l *list) close() error {
	if l.dir == "" {
		return nil
	}
	table := fmt.Sprintf("# %s %s\n%s\n", l.Package, l.Version, strings.Join(l.rows, "\n"))
	return os.WriteFile(filepath.Join(l.dir, l.Name+".tsv"), []byte(table), 0o644)
}

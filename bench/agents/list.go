package main

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
)

// list is what was recorded of one agent.
type list struct {
	Name, Package, Version string
	rows                   []string
	texts                  map[string][]byte
}

// add takes a recording in.
func (l *list) add(s Script, r result) {
	if l.texts == nil {
		l.texts = map[string][]byte{}
	}
	file := s.Name + "." + l.Name + ".jsonl"
	l.texts[file] = r.text
	l.rows = append(l.rows, fmt.Sprintf("%s\t%d\t%d", file, r.shown, r.stall))
}

// write puts the recordings into a folder, with a table for the agent: who printed them,
// and for each its number of calls and the one that ends the third round, 0 for work. Only a table of
// all scripts is written.
func (l *list) write(dir string, all bool) error {
	if dir == "" {
		return nil
	}
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return err
	}
	for file, text := range l.texts {
		if err := os.WriteFile(filepath.Join(dir, file), text, 0o644); err != nil {
			return err
		}
	}
	if !all {
		return nil
	}
	table := fmt.Sprintf("# %s %s\n%s\n", l.Package, l.Version, strings.Join(l.rows, "\n"))
	return os.WriteFile(filepath.Join(dir, l.Name+".tsv"), []byte(table), 0o644)
}

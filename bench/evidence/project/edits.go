package project

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
)

// Edit changes a tree.
type Edit func(dir string) error

// Write creates a file.
func Write(path, text string) Edit {
	return func(dir string) error {
		file := filepath.Join(dir, path)
		if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
			return err
		}
		return os.WriteFile(file, []byte(text), 0o644)
	}
}

// change rewrites a file with f. An unchanged file is an error: the case would test nothing.
func change(path string, f func(string) (string, error)) Edit {
	return func(dir string) error {
		file := filepath.Join(dir, path)
		data, err := os.ReadFile(file)
		if err != nil {
			return err
		}
		text, err := f(string(data))
		if err != nil || text == string(data) {
			return fmt.Errorf("edit %s: nothing changed (%w)", path, err)
		}
		return os.WriteFile(file, []byte(text), 0o644)
	}
}

// swap replaces the first old by new.
func swap(path, old, new string) Edit {
	return change(path, func(text string) (string, error) {
		if !strings.Contains(text, old) {
			return "", fmt.Errorf("it does not have %q", old)
		}
		return strings.Replace(text, old, new, 1), nil
	})
}

// cut removes the text between the first from and the next to.
func cut(path, from, to string) Edit {
	return change(path, func(text string) (string, error) {
		before, rest, ok := strings.Cut(text, from)
		_, after, found := strings.Cut(rest, to)
		if !ok || !found {
			return "", fmt.Errorf("it does not have %q … %q", from, to)
		}
		return before + to + after, nil
	})
}

// Add appends to a file.
func Add(path, more string) Edit {
	return change(path, func(text string) (string, error) { return text + more, nil })
}

// remove deletes a file.
func remove(path string) Edit {
	return func(dir string) error { return os.Remove(filepath.Join(dir, path)) }
}

// Edits makes several edits in order.
func Edits(all ...Edit) Edit {
	return func(dir string) error {
		for _, e := range all {
			if err := e(dir); err != nil {
				return err
			}
		}
		return nil
	}
}

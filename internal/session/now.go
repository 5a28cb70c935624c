package session

import (
	"fmt"
	"io"
	"path/filepath"

	"github.com/belay-dev/belay/internal/fsroot"
)

// Write writes one file whole or not at all. Its bytes go to the folder tmp first, where
// that is on the same device: whoever sweeps there removes what a killed write leaves.
func Write(tree, tmp, name, text string) error {
	root, err := fsroot.OpenRoot(tree)
	if err != nil {
		return err
	}
	defer root.Close()
	if _, err := root.Lstat(".belay/.gitignore"); err != nil {
		return nil
	}
	err = root.Mkdir(".belay/now", 0o755)
	if err == nil {
		err = root.WriteFile(".belay/now/"+name, 0o644, tmp, func(w io.Writer) error {
			_, err := io.WriteString(w, text)
			return err
		})
	}
	if err != nil {
		return fmt.Errorf("write .belay/now/%s: %w", name, err)
	}
	return nil
}

// Start makes a clean start for a task: its words and the lines of earlier tasks are there,
// what was said about another task and what an agent said of it are not. A plan stays.
func Start(tree, tmp, task, history string) error {
	for _, f := range []struct{ name, text string }{
		{"feedback.md", ""}, {"summary.md", ""}, {"last.diff", ""}, {"findings.md", ""}, {"history.md", history}, {"task.md", task},
	} {
		if err := Write(tree, tmp, f.name, f.text); err != nil {
			return err
		}
	}
	return nil
}

// most is how much of a summary is read.
const mostSummary = 64 << 10

// Summary gives what an agent wrote of its work into summary.md, up to 64 KiB; "" where there
// is none, or where belay does not empty it when a task starts.
func Summary(tree string) string {
	if _, err := fsroot.Lstat(filepath.Join(tree, ".belay", ".gitignore")); err != nil {
		return ""
	}
	text, ok := Reader(tree, mostSummary)(".belay/now/summary.md")
	if !ok {
		return ""
	}
	return string(text)
}

// Reader gives files of a working tree as they are now, each up to so many bytes.
func Reader(tree string, limit int64) func(path string) ([]byte, bool) {
	return func(path string) ([]byte, bool) {
		root, err := fsroot.OpenRoot(tree)
		if err != nil {
			return nil, false
		}
		defer root.Close()
		f, err := root.Open(path)
		if err != nil {
			return nil, false
		}
		defer f.Close()
		text, err := io.ReadAll(io.LimitReader(f, limit))
		return text, err == nil
	}
}

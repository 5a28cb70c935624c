package session

import (
	"fmt"
	"io"
	"path/filepath"

	"github.com/belay-dev/belay/internal/fsroot"
)

// WriteNowFile writes one file atomically. It is first written to the folder tmp, if that is on the
// same device: the sweep of that folder removes what a killed write leaves.
func WriteNowFile(tree, tmp, name, text string) error {
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

// StartNowFolder prepares .belay/now for a task: it writes the task and the history, and
// removes the feedback and the agent's summary of another task. A plan stays.
func StartNowFolder(tree, tmp, task, history string) error {
	for _, f := range []struct{ name, text string }{
		{"feedback.md", ""}, {"summary.md", ""}, {"last.diff", ""}, {"findings.md", ""}, {"history.md", history}, {"task.md", task},
	} {
		if err := WriteNowFile(tree, tmp, f.name, f.text); err != nil {
			return err
		}
	}
	return nil
}

// maxSummary is the maximum number of bytes that are read of a summary.
const maxSummary = 64 << 10

// ReadSummary reads summary.md, which an agent writes about its work, up to 64 KiB. It returns ""
// if there is none, or if belay does not empty it when a task starts.
func ReadSummary(tree string) string {
	if _, err := fsroot.Lstat(filepath.Join(tree, ".belay", ".gitignore")); err != nil {
		return ""
	}
	text, ok := FileReader(tree, maxSummary)(".belay/now/summary.md")
	if !ok {
		return ""
	}
	return string(text)
}

// FileReader returns a function that reads the current files of a worktree, each up to limit
// bytes.
func FileReader(tree string, limit int64) func(path string) ([]byte, bool) {
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

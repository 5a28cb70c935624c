package app

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/belay-dev/belay/internal/belay"
	"github.com/belay-dev/belay/internal/config"
	"github.com/belay-dev/belay/internal/fsroot"
	"github.com/belay-dev/belay/internal/prompt"
	"github.com/belay-dev/belay/internal/testrun"
)

// ConfigInitResult lists the files that init wrote and those that existed, relative to the root.
type ConfigInitResult struct {
	Wrote []string          `json:"wrote"`
	Left  []string          `json:"left"`
	Tests belay.TestCommand `json:"tests"` // the detected test command
}

// Init writes .belay/config.yaml with the detected settings, and .belay/.gitignore; with template
// also a template for pull requests. It does not change existing files. specs are patterns of task
// files that were found, for a comment in the config.
func (s *Service) Init(template bool, specs ...string) (ConfigInitResult, error) {
	tests, _ := testrun.DetectTests(s.Session.Repo.Root)
	m := ConfigInitResult{Tests: tests, Wrote: []string{}, Left: []string{}}
	files := []struct{ name, text string }{
		{".belay/config.yaml", string(config.Template(tests, specs...))},
		{".belay/.gitignore", "/now/\n"},
	}
	if template {
		files = append(files, struct{ name, text string }{".github/PULL_REQUEST_TEMPLATE/forensic.md", prompt.PullTemplate()})
	}
	for _, f := range files {
		wrote, err := createFile(filepath.Join(s.Session.Repo.Root, filepath.FromSlash(f.name)), f.text)
		switch {
		case err != nil:
			return m, fmt.Errorf("write %s: %w", f.name, err)
		case wrote:
			m.Wrote = append(m.Wrote, f.name)
		default:
			m.Left = append(m.Left, f.name)
		}
	}
	return m, nil
}

// createFile creates a file and the folders above it; wrote is false when the path exists.
func createFile(path, text string) (wrote bool, err error) {
	if err := fsroot.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		return false, err
	}
	file, err := fsroot.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o644)
	var link *fsroot.LinkError
	if errors.Is(err, fs.ErrExist) || errors.As(err, &link) && link.Path == path {
		return false, nil
	}
	if err != nil {
		return false, err
	}
	_, err = file.WriteString(text)
	return true, errors.Join(err, file.Close())
}

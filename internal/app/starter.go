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
	"github.com/belay-dev/belay/internal/testrun"
)

// Made is what init wrote, as paths from the root, and what it left as it was.
type Made struct {
	Wrote []string          `json:"wrote"`
	Left  []string          `json:"left"`
	Tests belay.TestCommand `json:"tests"` // what was detected
}

// Init writes .belay/config.yaml with what it can detect, and .belay/.gitignore. A
// file that is there already is left alone. specs are patterns of task files that were
// found, for a comment in the config.
func (d *Desk) Init(specs ...string) (Made, error) {
	tests, _ := testrun.Tests(d.Repo.Root)
	m := Made{Tests: tests, Wrote: []string{}, Left: []string{}}
	dir := filepath.Join(d.Repo.Root, ".belay")
	if err := fsroot.MkdirAll(dir, 0o755); err != nil {
		return m, fmt.Errorf("make .belay: %w", err)
	}
	for _, f := range []struct{ name, text string }{
		{"config.yaml", string(config.Template(tests, specs...))},
		{".gitignore", "/now/\n"},
	} {
		path := filepath.Join(dir, f.name)
		file, err := fsroot.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o644)
		var link *fsroot.LinkError
		if errors.Is(err, fs.ErrExist) || errors.As(err, &link) && link.Path == path {
			m.Left = append(m.Left, ".belay/"+f.name)
			continue
		}
		if err != nil {
			return m, fmt.Errorf("write .belay/%s: %w", f.name, err)
		}
		_, err = file.WriteString(f.text)
		if cerr := file.Close(); err == nil {
			err = cerr
		}
		if err != nil {
			return m, fmt.Errorf("write .belay/%s: %w", f.name, err)
		}
		m.Wrote = append(m.Wrote, ".belay/"+f.name)
	}
	return m, nil
}

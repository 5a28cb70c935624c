package app

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/belay-dev/belay/internal/belay"
	"github.com/belay-dev/belay/internal/fsroot"
	"github.com/belay-dev/belay/internal/tasklist"
)

// TaskFile is a file with tasks, recognised by its path.
type TaskFile struct {
	Path    string           `json:"path"` // from the root, with slashes
	Dialect tasklist.Dialect `json:"dialect"`
}

// skippedFolders are folders of dependencies or generated files.
var skippedFolders = map[string]bool{".git": true, "node_modules": true, "vendor": true, ".belay": true, "target": true,
	"dist": true, ".venv": true, "site-packages": true, "__pycache__": true}

// FindTaskFiles returns the task files below root, sorted by path: those that match the patterns,
// or without patterns those in the known places. It skips a layout's templates and archives and
// folders of installed or built files, and follows no link.
func FindTaskFiles(root string, patterns []string) ([]TaskFile, error) {
	var list []TaskFile
	err := filepath.WalkDir(root, func(path string, e fs.DirEntry, err error) error {
		if err != nil {
			if e != nil && e.IsDir() && path != root {
				return filepath.SkipDir // an unreadable folder
			}
			return err
		}
		if e.IsDir() && skippedFolders[e.Name()] && path != root {
			return filepath.SkipDir
		}
		if !e.Type().IsRegular() {
			return nil
		}
		rel := filepath.ToSlash(strings.TrimPrefix(strings.TrimPrefix(path, root), string(filepath.Separator)))
		if d, ok := dialectFor(rel, patterns); ok {
			list = append(list, TaskFile{Path: rel, Dialect: d})
		}
		return nil
	})
	if err != nil {
		return nil, fmt.Errorf("look for task files: %w", err)
	}
	slices.SortFunc(list, func(a, b TaskFile) int { return strings.Compare(a.Path, b.Path) })
	return list, nil
}

// ImportPlace is a place where tools keep task files, and the number of files there.
type ImportPlace struct {
	Glob    string           `json:"glob"`
	Dialect tasklist.Dialect `json:"dialect"`
	Files   int              `json:"files"`
}

// ImportPlaces returns the places below root that have task files.
func ImportPlaces(root string) ([]ImportPlace, error) {
	found, err := FindTaskFiles(root, nil)
	list := []ImportPlace{}
	for _, p := range tasklist.TaskFilePlaces {
		n := 0
		for _, f := range found {
			if f.Dialect == p.Dialect && belay.Match([]string{p.Glob}, f.Path) {
				n++
			}
		}
		if n > 0 {
			list = append(list, ImportPlace{Glob: p.Glob, Dialect: p.Dialect, Files: n})
		}
	}
	return list, err
}

func dialectFor(path string, patterns []string) (tasklist.Dialect, bool) {
	if belay.Match(patterns, path) {
		return tasklist.DialectOf(path, nil), true
	}
	if len(patterns) > 0 || tasklist.IsIgnored(path) {
		return "", false
	}
	for _, p := range tasklist.TaskFilePlaces {
		if belay.Match([]string{p.Glob}, path) {
			return p.Dialect, true
		}
	}
	return "", false
}

// readRegular reads a regular file that is not too large.
func readRegular(path string) ([]byte, error) {
	info, err := os.Stat(path)
	name := belay.VisibleLine(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil, belay.Refuse(belay.CodeNotFound, "belay task import --all searches the usual places",
			"there is no file %s", name)
	case err != nil:
		return nil, &belay.Error{Code: belay.CodeCannot, What: "cannot read " + name, Try: "check its permissions", Err: err}
	case !info.Mode().IsRegular():
		return nil, belay.Refuse(belay.CodeCannot, "give a file", "%s is not a file", name)
	case info.Size() > tasklist.MaxTaskFile:
		return nil, belay.Refuse(belay.CodeCannot, "split it into several files", "%s is larger than %d MiB", name,
			tasklist.MaxTaskFile>>20)
	}
	f, err := fsroot.OpenUserFile(path)
	if err != nil {
		return nil, &belay.Error{Code: belay.CodeCannot, What: "cannot read " + name, Try: "check its permissions", Err: err}
	}
	defer f.Close()
	return readLimited(f, name)
}

func readLimited(f io.Reader, name string) ([]byte, error) {
	data, err := io.ReadAll(io.LimitReader(f, tasklist.MaxTaskFile+1))
	if err == nil && len(data) > tasklist.MaxTaskFile {
		return nil, belay.Refuse(belay.CodeCannot, "split it into several files", "%s is larger than %d MiB", name,
			tasklist.MaxTaskFile>>20)
	}
	if err != nil {
		err = fmt.Errorf("read %s: %w", name, err)
	}
	return data, err
}

package app

import (
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

// ImportQuery selects the task files to read.
type ImportQuery struct {
	Dir   string    // paths are relative to it
	Root  string    // of the repository; "" outside of one
	Paths []string  // files, folders, or "-"
	All   bool      // all files in the known places, or those that match Specs
	Specs []string  // patterns from the config
	Stdin io.Reader // for "-"
}

// ImportFile is a task file with its tasks.
type ImportFile struct {
	Path    string           `json:"path"`
	Dialect tasklist.Dialect `json:"dialect"`
	Tasks   int              `json:"tasks"`
	Lines   tasklist.Lines   `json:"lines"`
	Problem string           `json:"problem,omitempty"` // why it could not be read; set only with All

	reading tasklist.Reading
	outside bool
}

// ReadTaskFiles reads the task files of a query. With All, an unreadable file has its Problem set,
// and the others are read; otherwise it is an error.
func ReadTaskFiles(q ImportQuery) ([]ImportFile, error) {
	paths := slices.Clip(q.Paths) // append must not change the caller's array
	if q.All {
		found, err := FindTaskFiles(q.Root, q.Specs)
		if err != nil {
			return nil, err
		}
		for _, f := range found {
			paths = append(paths, filepath.Join(q.Root, filepath.FromSlash(f.Path)))
		}
		if len(paths) == 0 {
			return nil, belay.Refuse(belay.CodeNotFound, "belay task import FILE, or specs: in .belay/config.yaml",
				"no task file in the usual places")
		}
	}
	var files []ImportFile
	logs := laneLogs{}
	for _, p := range paths {
		more, err := q.readPath(p, logs)
		if err != nil && q.All {
			more, err = []ImportFile{{Path: q.displayPath(p), Problem: err.Error()}}, nil
		}
		if err != nil {
			return nil, err
		}
		files = append(files, more...)
	}
	return files, nil
}

// readPath reads a file, or the task files of a folder.
func (q ImportQuery) readPath(p string, logs laneLogs) ([]ImportFile, error) {
	if p == "-" {
		data, err := readLimited(q.Stdin, "standard input")
		if err != nil {
			return nil, err
		}
		return readTasks("-", true, data)
	}
	p = fsroot.From(q.Dir, p)
	info, err := os.Stat(p)
	if err != nil || !info.IsDir() {
		return q.readFile(p, logs)
	}
	var files []ImportFile
	err = filepath.WalkDir(p, func(path string, e fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case e.IsDir() && skippedFolders[e.Name()]:
			return filepath.SkipDir
		case !e.Type().IsRegular() || !hasTaskFileName(path):
			return nil
		}
		more, err := q.readFile(path, logs)
		files = append(files, more...)
		return err
	})
	if err == nil && len(files) == 0 {
		err = belay.Refuse(belay.CodeNotFound, "give a file", "no task file in %s", belay.VisibleLine(p))
	}
	return files, err
}

// readFile reads one file and applies its feature's log.
func (q ImportQuery) readFile(p string, logs laneLogs) ([]ImportFile, error) {
	data, err := readRegular(p)
	if err != nil {
		return nil, err
	}
	files, err := readTasks(q.displayPath(p), q.isOutside(p), data)
	if err != nil {
		return nil, err
	}
	return files, logs.setLane(q, p, &files[0])
}

// hasTaskFileName reports whether a file in a given folder has the name of a task file.
func hasTaskFileName(path string) bool {
	base := filepath.Base(path)
	d := tasklist.DialectOf(filepath.ToSlash(path), nil)
	return !tasklist.IsIgnored(filepath.ToSlash(path)) &&
		(base == "tasks.md" || strings.HasSuffix(base, ".task.yaml") || d == tasklist.SpecKitty ||
			d == tasklist.TaskMaster || d == tasklist.Backlog)
}

func readTasks(name string, outside bool, data []byte) ([]ImportFile, error) {
	r, err := tasklist.ReadTasks(name, data)
	if err != nil {
		return nil, err
	}
	return []ImportFile{{Path: name, Dialect: r.Dialect, Tasks: len(r.Tasks), Lines: r.Lines, reading: r, outside: outside}}, nil
}

// displayPath returns the path of a file relative to the root, or unchanged for a file outside.
func (q ImportQuery) displayPath(p string) string {
	if rel, ok := q.repoPath(p); ok {
		return rel
	}
	return filepath.ToSlash(p)
}

func (q ImportQuery) isOutside(p string) bool { _, ok := q.repoPath(p); return !ok }

// repoPath returns the path of a file relative to the root, with links resolved; false for a file
// outside.
func (q ImportQuery) repoPath(p string) (string, bool) {
	if q.Root == "" {
		return "", false
	}
	abs, err := filepath.Abs(p)
	if err != nil {
		return "", false
	}
	if real, err := filepath.EvalSymlinks(abs); err == nil {
		abs = real
	}
	root := q.Root
	if real, err := filepath.EvalSymlinks(root); err == nil {
		root = real
	}
	rel := fsroot.RelativeTo(root, abs)
	return filepath.ToSlash(rel), rel != ""
}

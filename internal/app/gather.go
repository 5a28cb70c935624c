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

// Query says which files are to be read.
type Query struct {
	Dir   string    // where the paths start from
	Root  string    // of the repository; "" outside of one
	Paths []string  // files, folders, or "-"
	All   bool      // every file in the places that tools use, or of Specs
	Specs []string  // patterns from the config
	Stdin io.Reader // for "-"
}

// File is one file that was read.
type File struct {
	Path    string           `json:"path"`
	Dialect tasklist.Dialect `json:"dialect"`
	Tasks   int              `json:"tasks"`
	Lines   tasklist.Lines   `json:"lines"`
	Problem string           `json:"problem,omitempty"` // why it could not be read; only with All

	reading tasklist.Reading
	outside bool
}

// Gather reads the files. With All a file that cannot be read is named in its Problem, and
// the others are read; a path that was given and cannot be read is an error.
func Gather(q Query) ([]File, error) {
	paths := slices.Clip(q.Paths) // what lies behind them is the caller's
	if q.All {
		found, err := Find(q.Root, q.Specs)
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
	var files []File
	logs := lanes{}
	for _, p := range paths {
		more, err := q.path(p, logs)
		if err != nil && q.All {
			more, err = []File{{Path: q.name(p), Problem: err.Error()}}, nil
		}
		if err != nil {
			return nil, err
		}
		files = append(files, more...)
	}
	return files, nil
}

// path reads a file, or the task files of a folder.
func (q Query) path(p string, logs lanes) ([]File, error) {
	if p == "-" {
		data, err := limited(q.Stdin, "standard input")
		if err != nil {
			return nil, err
		}
		return one("-", true, data)
	}
	p = fsroot.From(q.Dir, p)
	info, err := os.Stat(p)
	if err != nil || !info.IsDir() {
		return q.file(p, logs)
	}
	var files []File
	err = filepath.WalkDir(p, func(path string, e fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case e.IsDir() && skipped[e.Name()]:
			return filepath.SkipDir
		case !e.Type().IsRegular() || !ours(path):
			return nil
		}
		more, err := q.file(path, logs)
		files = append(files, more...)
		return err
	})
	if err == nil && len(files) == 0 {
		err = belay.Refuse(belay.CodeNotFound, "give a file", "no task file in %s", belay.VisibleLine(p))
	}
	return files, err
}

// file reads one file, and what its feature's log says of it.
func (q Query) file(p string, logs lanes) ([]File, error) {
	data, err := read(p)
	if err != nil {
		return nil, err
	}
	files, err := one(q.name(p), q.outside(p), data)
	if err != nil {
		return nil, err
	}
	return files, logs.tell(q, p, &files[0])
}

// ours reports a file whose name, in a folder that was given, says that it holds tasks.
func ours(path string) bool {
	base := filepath.Base(path)
	d := tasklist.Of(filepath.ToSlash(path), nil)
	return !tasklist.Ignored(filepath.ToSlash(path)) &&
		(base == "tasks.md" || strings.HasSuffix(base, ".task.yaml") || d == tasklist.SpecKitty ||
			d == tasklist.TaskMaster || d == tasklist.Backlog)
}

func one(name string, outside bool, data []byte) ([]File, error) {
	r, err := tasklist.ReadTasks(name, data)
	if err != nil {
		return nil, err
	}
	return []File{{Path: name, Dialect: r.Dialect, Tasks: len(r.Tasks), Lines: r.Lines, reading: r, outside: outside}}, nil
}

// name is the path of a file from the root, or as it was given where it lies outside.
func (q Query) name(p string) string {
	if rel, ok := q.inside(p); ok {
		return rel
	}
	return filepath.ToSlash(p)
}

func (q Query) outside(p string) bool { _, ok := q.inside(p); return !ok }

// inside gives the path from the root of a file in the repository. A file that is reached
// through a link is where the link leads.
func (q Query) inside(p string) (string, bool) {
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

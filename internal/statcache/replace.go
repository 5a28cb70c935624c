package statcache

import (
	"os"
	"path/filepath"

	"github.com/belay-dev/belay/internal/worktree"
)

// Replace writes a file beside path and renames it over path.
func Replace(path string, parts [][]byte) error {
	if err := worktree.Step("create", path); err != nil {
		return err
	}
	f, err := os.CreateTemp(filepath.Dir(path), worktree.TempPrefix+"*")
	if err != nil {
		return err
	}
	for _, p := range parts {
		if err == nil {
			err = worktree.Step("write", path)
		}
		if err == nil {
			_, err = f.Write(p)
		}
	}
	if cerr := f.Close(); err == nil {
		err = cerr
	}
	if err == nil {
		err = worktree.Step("rename", path)
	}
	if err == nil {
		err = os.Rename(f.Name(), path)
	}
	if err != nil {
		_ = os.Remove(f.Name())
	}
	return err
}

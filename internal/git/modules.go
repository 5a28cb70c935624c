package git

import (
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"slices"
	"strings"

	"github.com/belay-dev/belay/internal/fsroot"
)

// IsAddedLater reports whether early snapshots did not record a file of AdminFiles: if a snapshot
// without meta/worktrees lacks it, it may have existed.
func IsAddedLater(name string) bool {
	return name == AlternatesFile || strings.HasPrefix(name, "remotes/") || strings.HasPrefix(name, "branches/") || ModuleDir(name) != ""
}

// AlternatesFile is the list of further object folders.
const AlternatesFile = "objects/info/alternates"

// ModuleDir returns the folder of the submodule that a file of AdminFiles belongs to, "" for
// none.
func ModuleDir(name string) string {
	if !strings.HasPrefix(name, "modules/") {
		return ""
	}
	for _, end := range []string{"/config", "/hooks"} {
		if at := strings.LastIndex(name, end); at > 0 && (at+len(end) == len(name) || name[at+len(end)] == '/') {
			return name[:at]
		}
	}
	return ""
}

// maxModules limits the number of folders below modules/ that are read.
const maxModules = 2000

// ReadModules reads the configs and hooks of submodules' repositories, because git starts the
// programs that they name when it enters a submodule. Nothing else of them is read.
func ReadModules(dir string) ([]StateFile, error) {
	names, left := []string{}, maxModules
	if err := findModules(dir, "modules", &names, &left); err != nil {
		return nil, err
	}
	return ReadStateFiles(dir, names)
}

func findModules(dir, at string, names *[]string, left *int) error {
	if *left--; *left < 0 {
		return nil
	}
	list, err := fsroot.ReadDir(filepath.Join(dir, filepath.FromSlash(at)))
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return fmt.Errorf("read git's state: %w", err)
	}
	repository := slices.ContainsFunc(list, func(d fs.DirEntry) bool { return d.Name() == "HEAD" && !d.IsDir() })
	if repository {
		*names = append(*names, at+"/config", at+"/hooks/")
	}
	for _, d := range list {
		if d.IsDir() && (!repository || d.Name() == "modules") {
			if err := findModules(dir, at+"/"+d.Name(), names, left); err != nil {
				return err
			}
		}
	}
	return nil
}

// ListWorktrees returns a line for each linked worktree of a repository, by name: the name, a tab,
// and its folder. Those that belay created for tasks are left out.
func ListWorktrees(common string) ([]byte, error) {
	at := filepath.Join(common, "worktrees")
	list, err := fsroot.ReadDir(at)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("read git's state: %w", err)
	}
	var all []byte
	for _, d := range list {
		if _, err := fsroot.Lstat(filepath.Join(at, d.Name(), "belay", "tree.json")); err == nil {
			continue
		}
		text, err := fsroot.ReadFile(filepath.Join(at, d.Name(), "gitdir"), fsroot.MaxSmallFile)
		if err != nil {
			continue // git considers it prunable
		}
		folder := filepath.Dir(strings.TrimSpace(string(text)))
		if !strings.ContainsAny(d.Name()+folder, "\n\t") {
			all = fmt.Appendf(all, "%s\t%s\n", d.Name(), folder)
		}
	}
	return all, nil
}

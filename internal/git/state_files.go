package git

import (
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"slices"
	"strings"
	"syscall"

	"github.com/belay-dev/belay/internal/fsroot"
)

// stateFiles are the files in the git folder that belong to an operation in progress, with the
// operation's name. A name that ends in "/" is a folder.
var stateFiles = []struct{ name, operation string }{
	{"rebase-merge/", "rebase"}, {"rebase-apply/", "rebase"}, {"MERGE_HEAD", "merge"}, {"CHERRY_PICK_HEAD", "cherry-pick"},
	{"REVERT_HEAD", "revert"}, {"sequencer/", ""}, {"BISECT_LOG", "bisect"}, {"BISECT_START", ""}, {"BISECT_TERMS", ""},
	{"BISECT_NAMES", ""}, {"BISECT_ANCESTORS_OK", ""}, {"BISECT_EXPECTED_REV", ""}, {"BISECT_FIRST_PARENT", ""}, {"BISECT_RUN", ""},
	{"MERGE_MSG", ""}, {"MERGE_MODE", ""}, {"MERGE_RR", ""}, {"MERGE_AUTOSTASH", ""}, {"AUTO_MERGE", ""}, {"SQUASH_MSG", ""},
	{"REBASE_HEAD", ""}, {"ORIG_HEAD", ""}, {"NOTES_MERGE_PARTIAL", ""}, {"NOTES_MERGE_REF", ""}, {"NOTES_MERGE_WORKTREE/", ""},
}

// AdminFiles are the files that configure git. A change to one affects every later command.
var AdminFiles = []string{"config", "info/exclude", "info/attributes", "info/grafts", "shallow", "hooks/", AlternatesFile,
	"remotes/", "branches/"}

// WorktreeFiles are such files of one worktree.
var WorktreeFiles = []string{"config.worktree", "info/sparse-checkout"}

// maxStateFile limits the size of one file of git's own state.
const maxStateFile = 64 << 20

// StateFile is a file of a git folder: its name relative to the folder, its bytes and mode.
type StateFile struct {
	Name string
	Data []byte // the target of a link
	Perm uint16
	Link bool
}

// DefaultPerm is the mode of git's own files for which none is recorded.
const DefaultPerm = 0o644

// ReadStateFiles reads files and folders of a git folder; missing ones are left out.
func ReadStateFiles(dir string, names []string) ([]StateFile, error) {
	var all []StateFile
	for _, name := range names {
		path := filepath.Join(dir, filepath.FromSlash(name))
		if !strings.HasSuffix(name, "/") {
			f, err := readStateFile(path, name)
			if err != nil {
				return nil, err
			}
			all = append(all, f...)
			continue
		}
		err := fsroot.WalkDir(path, func(p string, d fs.DirEntry, err error) error {
			if errors.Is(err, fs.ErrNotExist) {
				return nil
			}
			if err != nil || d.IsDir() {
				return err
			}
			rel, err := filepath.Rel(dir, p)
			if err != nil {
				return err
			}
			if strings.HasSuffix(name, "hooks/") && strings.HasSuffix(p, ".sample") {
				return nil // git's own examples, never run
			}
			f, err := readStateFile(p, filepath.ToSlash(rel))
			all = append(all, f...)
			return err
		})
		if err != nil {
			return nil, fmt.Errorf("read git's state: %w", err)
		}
	}
	slices.SortFunc(all, func(a, b StateFile) int { return strings.Compare(a.Name, b.Name) })
	return all, nil
}

func readStateFile(path, name string) ([]StateFile, error) {
	info, err := fsroot.Lstat(path)
	if err == nil && info.Mode()&fs.ModeSymlink != 0 {
		target, err := fsroot.Readlink(path)
		return []StateFile{{Name: name, Data: []byte(target), Link: true}}, err
	}
	if errors.Is(err, fs.ErrNotExist) || errors.Is(err, syscall.ENOTDIR) || err == nil && !info.Mode().IsRegular() {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("read git's state: %w", err)
	}
	if info.Size() > maxStateFile {
		return nil, fmt.Errorf("read git's state: %s is %d bytes long", path, info.Size())
	}
	data, err := fsroot.ReadFile(path, fsroot.MaxSmallFile)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("read git's state: %w", err)
	}
	return []StateFile{{Name: name, Data: data, Perm: uint16(info.Mode().Perm())}}, nil
}

// OperationFiles returns the names of the files of an operation in progress.
func OperationFiles() []string {
	var names []string
	for _, f := range stateFiles {
		names = append(names, f.name)
	}
	return names
}

// Operation names the operation in progress, "" when there is none.
func Operation(files []StateFile) string {
	for _, want := range stateFiles {
		if want.operation == "" {
			continue
		}
		for _, f := range files {
			if f.Name == "rebase-apply/applying" {
				return "am"
			}
			if f.Name == want.name || strings.HasSuffix(want.name, "/") && strings.HasPrefix(f.Name, want.name) {
				return want.operation
			}
		}
	}
	return ""
}

// CommitsIn returns everything in the files that looks like an object name, for gc to keep.
func CommitsIn(files []StateFile) []string {
	var oids []string
	for _, f := range files {
		for word := range strings.FieldsSeq(string(f.Data)) {
			if (len(word) == 40 || len(word) == 64) && strings.Trim(word, "0123456789abcdef") == "" && strings.Trim(word, "0") != "" {
				oids = append(oids, word)
			}
		}
	}
	return oids
}

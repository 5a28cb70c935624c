package snapshot

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

// An inner snapshot is in the object store of its repository, and is lost when an agent deletes
// that. So the outer repository keeps hard links to the inner objects: they take no extra space
// while the repository exists, and are enough to recreate its object store. The inner snapshot
// itself contains the rest of the git folder.

// mirrorDir is the folder with the hard links to the objects of the repository at a path.
func (s *Store) mirrorDir(path string) string {
	return filepath.Join(s.Worktree.Dir, "inner", s.Repo.HashObject("blob", []byte(path))[:32])
}

// mirrorObjects creates hard links to all objects that the repository at path has now. anew removes
// links to objects that it no longer has; it is set only while no snapshot can need them. Where
// links cannot be made (another file system), what is mirrored already stays.
func (s *Store) mirrorObjects(path string, inner *Store, anew bool) error {
	if inner.Repo.UsesReftable {
		return nil // its refs would be lost: a snapshot has them, but not in that form
	}
	from, to := filepath.Join(inner.Repo.Common, "objects"), filepath.Join(s.mirrorDir(path), "objects")
	if err := fsroot.MkdirAll(to, 0o700); err != nil {
		return err
	}
	err := linkObjects(from, to, anew)
	for _, known := range []error{fs.ErrNotExist, // git is repacking; the next snapshot has the new packs
		fs.ErrPermission, syscall.EXDEV, syscall.EMLINK, errors.ErrUnsupported} {
		if errors.Is(err, known) {
			return nil
		}
	}
	format := filepath.Join(s.mirrorDir(path), "format")
	if old, _ := fsroot.ReadFile(format, fsroot.MaxSmallFile); err != nil || string(old) == inner.Repo.Format {
		return err
	}
	return fsroot.AtomicWrite(format, fsroot.AtomicOptions{}, []byte(inner.Repo.Format))
}

// linkObjects links every object of one objects folder into another and, with alone, removes all
// others there. Objects never change, so existing names are kept.
func linkObjects(from, to string, alone bool) error {
	dirs, err := fsroot.ReadDir(from)
	if err != nil {
		return err
	}
	keep := map[string]bool{}
	for _, d := range dirs {
		// Folders of loose objects, packs, and info for the alternates.
		if !d.IsDir() || len(d.Name()) != 2 && d.Name() != "pack" && d.Name() != "info" {
			continue
		}
		keep[d.Name()] = true
		if err := linkFiles(filepath.Join(from, d.Name()), filepath.Join(to, d.Name()), alone); err != nil {
			return err
		}
	}
	if !alone {
		return nil
	}
	there, err := fsroot.ReadDir(to)
	if err != nil {
		return err
	}
	for _, d := range there {
		if !keep[d.Name()] {
			if err := fsroot.RemoveAll(filepath.Join(to, d.Name())); err != nil {
				return err
			}
		}
	}
	return nil
}

// mutableFiles are files in an objects folder whose content changes under the same name.
var mutableFiles = map[string]bool{"alternates": true, "commit-graph": true, "packs": true, "multi-pack-index": true}

// linkFiles is linkObjects for one folder of files. Files that are still being written have
// temporary names and are skipped.
func linkFiles(from, to string, alone bool) error {
	if err := fsroot.MkdirAll(to, 0o700); err != nil {
		return err
	}
	list, err := fsroot.ReadDir(from)
	if err != nil {
		return err
	}
	have, err := fsroot.ReadDir(to)
	if err != nil {
		return err
	}
	names := func(list []fs.DirEntry) (all []string) {
		for _, d := range list {
			if d.Type().IsRegular() && !strings.HasPrefix(d.Name(), "tmp") {
				all = append(all, d.Name())
			}
		}
		return all
	}
	now, was := names(list), names(have)
	for _, n := range was {
		_, found := slices.BinarySearch(now, n)
		if found && mutableFiles[n] || !found && alone {
			if err := fsroot.Remove(filepath.Join(to, n)); err != nil {
				return err
			}
		}
	}
	for _, n := range now {
		if err := fsroot.Link(filepath.Join(from, n), filepath.Join(to, n)); err != nil && !errors.Is(err, fs.ErrExist) {
			return err
		}
	}
	return nil
}

// restoreObjects links the mirrored objects back into the repository at a path. Its own index files
// of objects stay: git works without the mirrored ones.
func (s *Store) restoreObjects(path string, inner *Store) error {
	from := filepath.Join(s.mirrorDir(path), "objects")
	if !s.CanRecreate(path) {
		return nil
	}
	return linkObjects(from, filepath.Join(inner.Repo.Common, "objects"), false)
}

// CanRecreate reports whether the git folder of a repository inside the tree can be recreated
// with everything that its snapshot needs.
func (s *Store) CanRecreate(path string) bool {
	_, err := fsroot.Lstat(filepath.Join(s.mirrorDir(path), "format"))
	return err == nil
}

// Recreate recreates the git folder of a repository inside the tree at gitDir, with its objects and
// nothing else; a restore of its snapshot does the rest. The folder appears by one rename.
// fs.ErrExist when something is there.
func (s *Store) Recreate(in InnerSnapshot, gitDir string) (err error) {
	format, err := fsroot.ReadFile(filepath.Join(s.mirrorDir(in.Path), "format"), fsroot.MaxSmallFile)
	if err != nil {
		return err
	}
	tmp, err := s.Worktree.MakeScratchDir("tmp")
	if err != nil {
		return err
	}
	dir, err := fsroot.MkdirTemp(tmp, "inner-")
	if err != nil {
		return err
	}
	defer func() {
		if err != nil {
			err = errors.Join(err, fsroot.RemoveAll(dir))
		}
	}()
	for _, d := range []string{"objects", "refs/heads", "refs/tags"} {
		if err := fsroot.MkdirAll(filepath.Join(dir, filepath.FromSlash(d)), 0o755); err != nil {
			return err
		}
	}
	if err := linkObjects(filepath.Join(s.mirrorDir(in.Path), "objects"), filepath.Join(dir, "objects"), true); err != nil {
		return err
	}
	config := "[core]\n\trepositoryformatversion = 0\n\tbare = false\n"
	if string(format) == "sha256" {
		config = "[core]\n\trepositoryformatversion = 1\n\tbare = false\n[extensions]\n\tobjectFormat = sha256\n"
	}
	if in.Link != "" { // a submodule: its config names its working tree
		rel, err := filepath.Rel(gitDir, filepath.Join(s.Repo.Root, filepath.FromSlash(in.Path)))
		if err != nil {
			return err
		}
		config = strings.Replace(config, "\tbare", fmt.Sprintf("\tworktree = %q\n\tbare", rel), 1)
	}
	for name, text := range map[string]string{"HEAD": "ref: refs/heads/main\n", "config": config} {
		if err := fsroot.WriteFile(filepath.Join(dir, name), []byte(text), 0o644); err != nil {
			return err
		}
	}
	if err := fsroot.Chmod(dir, 0o755); err != nil {
		return err
	}
	if err := fsroot.MkdirAll(filepath.Dir(gitDir), 0o755); err != nil {
		return err
	}
	if err := Fault("rename", gitDir); err != nil {
		return err
	}
	if err := fsroot.RenameNew(dir, gitDir); err != nil {
		return err
	}
	return fsroot.SyncDir(filepath.Dir(gitDir))
}

package journal

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"syscall"

	"github.com/belay-dev/belay/internal/belay"
	"github.com/belay-dev/belay/internal/fsroot"
)

// step calls the Fault hook before a change of the disk.
func (s *Store) step(op, path string) error {
	if s.Fault == nil {
		return nil
	}
	return s.Fault(op, path)
}

// couldNot adds the operation and the path to err, and what a person can try.
func couldNot(doing, path string, err error) error {
	cannot := func(what, try string) error {
		return &belay.Error{Code: belay.CodeCannot, What: fmt.Sprintf("cannot %s %s: %s", doing, path, what), Try: try, Err: err}
	}
	var told *belay.Error
	switch {
	case errors.As(err, &told):
		return err
	case errors.Is(err, syscall.ENOSPC), errors.Is(err, syscall.EDQUOT):
		return cannot("the disk is full", "free some space and try again; nothing recorded is lost")
	case errors.Is(err, syscall.EROFS), errors.Is(err, fs.ErrPermission):
		return cannot("it is not writable", "check its owner and permissions")
	}
	return fmt.Errorf("%s %s: %w", doing, path, err)
}

// makeDirs creates dir and its missing parents, and syncs each parent, so that a power cut does not
// lose a synced file in dir with its folder.
func (s *Store) makeDirs(dir string) error {
	if info, err := fsroot.Lstat(dir); err == nil && info.IsDir() {
		return nil
	}
	parent := filepath.Dir(dir)
	if parent != dir {
		if err := s.makeDirs(parent); err != nil {
			return err
		}
	}
	if err := s.step("mkdir", dir); err != nil {
		return couldNot("make the folder", dir, err)
	}
	if err := fsroot.Mkdir(dir, 0o700); err != nil && !errors.Is(err, fs.ErrExist) {
		return couldNot("make the folder", dir, err)
	}
	return s.syncDir(parent)
}

// syncDir syncs the names in dir, so that they survive a power cut.
func (s *Store) syncDir(dir string) error {
	if err := s.step("syncdir", dir); err != nil {
		return couldNot("sync", dir, err)
	}
	d, err := fsroot.OpenDir(dir)
	if err != nil {
		return couldNot("sync", dir, err)
	}
	defer d.Close()
	if err := d.Sync(); err != nil && !errors.Is(err, syscall.EINVAL) { // EINVAL: this file system cannot sync folders
		return couldNot("sync", dir, err)
	}
	return nil
}

// writeNew creates the file path, which must not exist, with the bytes of r, synced. After an error
// it tries to remove the file.
func (s *Store) writeNew(path string, r io.Reader) (err error) {
	if err := s.step("create", path); err != nil {
		return couldNot("write", path, err)
	}
	f, err := fsroot.OpenFile(path, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o600)
	if err != nil {
		return couldNot("write", path, err)
	}
	defer func() {
		if err != nil {
			f.Close()
			fsroot.Remove(path)
		}
	}()
	return s.fill(f, r)
}

// fill writes the bytes of r to f, syncs it and closes it.
func (s *Store) fill(f *os.File, r io.Reader) error {
	if _, err := io.Copy(stepWriter{s, f}, r); err != nil {
		return couldNot("write", f.Name(), err)
	}
	if err := s.sync(f); err != nil {
		return err
	}
	if err := f.Close(); err != nil {
		return couldNot("write", f.Name(), err)
	}
	return nil
}

func (s *Store) sync(f *os.File) error {
	err := s.step("sync", f.Name())
	if err == nil {
		err = f.Sync()
	}
	if err != nil {
		return couldNot("sync", f.Name(), err)
	}
	return nil
}

// stepWriter calls the Fault hook before each write. It hides the file's ReadFrom, which would
// bypass it.
type stepWriter struct {
	s *Store
	f *os.File
}

func (w stepWriter) Write(p []byte) (int, error) {
	if err := w.s.step("write", w.f.Name()); err != nil {
		return 0, err
	}
	return w.f.Write(p)
}

func (s *Store) remove(path string) error {
	err := s.step("remove", path)
	if err == nil {
		err = fsroot.Remove(path)
	}
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return couldNot("remove", path, err)
	}
	return nil
}

// moveNew renames from to to, which must not exist (fs.ErrExist), and syncs the folder.
func (s *Store) moveNew(from, to string) error {
	err := s.step("rename", to)
	if err == nil {
		err = fsroot.RenameNew(from, to)
	}
	if err != nil {
		return couldNot("write", to, err)
	}
	return s.syncDir(filepath.Dir(to))
}

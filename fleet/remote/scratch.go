package remote

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"time"
)

// MakeScratch makes a folder for work that its process may leave behind when it is killed. Done removes it; Sweep removes those
// whose process is gone.
func MakeScratch(above, pattern string) (dir string, done func() error, err error) {
	if err := os.MkdirAll(above, 0o700); err != nil {
		return "", nil, err
	}
	for range 100 {
		if dir, err = os.MkdirTemp(above, pattern); err != nil {
			return "", nil, err
		}
		free, err := lockFolder(dir, syscall.LOCK_EX|syscall.LOCK_NB)
		if err == nil {
			if _, err = os.Lstat(dir); err == nil {
				return dir, func() error { defer free(); return os.RemoveAll(dir) }, nil
			}
			free()
		}
		if !errors.Is(err, syscall.EWOULDBLOCK) && !errors.Is(err, os.ErrNotExist) { // else it was swept before it was locked
			return "", nil, errors.Join(err, os.RemoveAll(dir))
		}
	}
	return "", nil, fmt.Errorf("make a folder in %s: each is removed at once", above)
}

// SweepScratch removes what Scratch made by processes that are gone, and says how much. What is another user's stays.
func SweepScratch(above, pattern string) (n int, err error) {
	all, err := filepath.Glob(filepath.Join(above, pattern))
	if err != nil {
		return 0, err
	}
	var problems []error
	for _, dir := range all {
		free, err := lockFolder(dir, syscall.LOCK_EX|syscall.LOCK_NB)
		if errors.Is(err, syscall.EWOULDBLOCK) || errors.Is(err, os.ErrNotExist) || errors.Is(err, os.ErrPermission) {
			continue
		}
		if err == nil {
			err = os.RemoveAll(dir)
			free()
			n++
		}
		problems = append(problems, err)
	}
	return n, errors.Join(problems...)
}

// RemoveRefLocks removes the locks of refs in the mirrors below a folder that a killed git left: without it, no fetch succeeds any more.
// Git has them for a moment only; those that are older than a minute are nobody's.
func RemoveRefLocks(above string) error {
	mirrors, err := filepath.Glob(filepath.Join(above, "*.git"))
	if err != nil {
		return err
	}
	var problems []error
	for _, mirror := range mirrors {
		places := []string{filepath.Join(mirror, "packed-refs.lock"), filepath.Join(mirror, "HEAD.lock"), filepath.Join(mirror, "refs")}
		for _, place := range places {
			problems = append(problems, filepath.WalkDir(place, func(path string, d fs.DirEntry, err error) error {
				if errors.Is(err, fs.ErrNotExist) || err == nil && (d.IsDir() || !strings.HasSuffix(path, ".lock")) {
					return nil
				}
				if err != nil {
					return err
				}
				info, err := d.Info()
				if err == nil && time.Since(info.ModTime()) > time.Minute {
					err = os.Remove(path)
				}
				if errors.Is(err, fs.ErrNotExist) {
					return nil
				}
				return err
			}))
		}
	}
	return errors.Join(problems...)
}

// lockFolder locks a folder. The kernel lets go of it when the process ends, however it does.
func lockFolder(dir string, how int) (unlock func(), err error) {
	f, err := os.Open(dir)
	if err != nil {
		return nil, err
	}
	for {
		if err = syscall.Flock(int(f.Fd()), how); !errors.Is(err, syscall.EINTR) {
			break
		}
	}
	if err != nil {
		return nil, errors.Join(&os.PathError{Op: "lock", Path: dir, Err: err}, f.Close())
	}
	return func() { _ = f.Close() }, nil
}

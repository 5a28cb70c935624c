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

	"github.com/belay-dev/belay/internal/fsroot"
)

// MakeScratch creates a temporary folder, locked by this process. done removes it; SweepScratch
// removes those of processes that were killed.
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
		if !errors.Is(err, syscall.EWOULDBLOCK) && !errors.Is(err, os.ErrNotExist) { // otherwise it was swept before it was locked
			return "", nil, errors.Join(err, os.RemoveAll(dir))
		}
	}
	return "", nil, fmt.Errorf("make a folder in %s: each is removed at once", above)
}

// SweepScratch removes the folders that MakeScratch created in processes that have ended, and
// counts them. It skips those of other users.
func SweepScratch(above, pattern string) (n int, err error) {
	all, err := fsroot.Glob(above, pattern)
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

// RemoveRefLocks removes ref locks that a killed git left in the mirrors below a folder; with them
// no fetch succeeds. Git needs a lock for a moment only, so one older than a minute is stale.
func RemoveRefLocks(above string) error {
	mirrors, err := fsroot.Glob(above, "*.git")
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

// lockFolder locks a folder. The kernel releases the lock when the process ends, even if it is
// killed.
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

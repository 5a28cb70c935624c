package restore

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"github.com/belay-dev/belay/internal/belay"
	"github.com/belay-dev/belay/internal/capture"
)

// writeIndex puts the index back through a file of our own that becomes index.lock by
// a link: if a kill leaves that lock behind, its inode says that it is ours. The old
// modification time is set, because git tells from it which entries to look at twice.
func (s *Store) writeIndex(ctx context.Context, j *intent, g *gitPlan) error {
	index, lock := filepath.Join(s.Repo.Dir, "index"), filepath.Join(s.Repo.Dir, "index.lock")
	for name, data := range g.indexFiles {
		if name == "main" {
			continue
		}
		path := filepath.Join(s.Repo.Dir, name)
		if now, err := os.ReadFile(path); err != nil || !bytes.Equal(now, data) {
			if err := capture.WriteWhole(path, data, true); err != nil {
				return err
			}
		}
	}
	tmp, err := s.Scratch("tmp")
	if err != nil {
		return err
	}
	f, err := os.CreateTemp(tmp, "index-")
	if err != nil {
		return fmt.Errorf("put back the index: %w", err)
	}
	defer os.Remove(f.Name())
	_, err = f.Write(g.indexFiles["main"])
	if err = errors.Join(err, f.Chmod(fs.FileMode(g.indexPerm)), f.Sync()); err != nil {
		f.Close()
		return fmt.Errorf("put back the index: %w", err)
	}
	info, err := f.Stat()
	if err = errors.Join(err, f.Close()); err != nil {
		return err
	}
	then := time.Unix(0, g.indexMtime)
	if err := os.Chtimes(f.Name(), then, then); err != nil {
		return err
	}
	j.IndexInode = inode(info)
	if err := s.writeIntent(j); err != nil {
		return err
	}
	return s.swapIndex(ctx, f.Name(), index, lock, g.noIndex)
}

func (s *Store) swapIndex(ctx context.Context, tmp, index, lock string, gone bool) error {
	if err := s.indexFree(ctx); err != nil {
		return err
	}
	if err := capture.Fault("link", lock); err != nil {
		return err
	}
	if err := os.Link(tmp, lock); err != nil {
		return fmt.Errorf("lock the index: %w", err)
	}
	if err := capture.Fault("rename", index); err != nil {
		return errors.Join(err, os.Remove(lock))
	}
	if gone {
		err := os.Remove(index)
		if errors.Is(err, fs.ErrNotExist) {
			err = nil
		}
		return errors.Join(err, os.Remove(lock))
	}
	if err := os.Rename(lock, index); err != nil {
		return errors.Join(fmt.Errorf("put back the index: %w", err), os.Remove(lock))
	}
	return nil
}

// indexFree waits a moment for git's index lock to go; it is never removed.
func (s *Store) indexFree(ctx context.Context) error {
	path := filepath.Join(s.Repo.Dir, "index.lock")
	for deadline := time.Now().Add(2 * time.Second); ; {
		if _, err := os.Lstat(path); errors.Is(err, fs.ErrNotExist) {
			return nil
		}
		if time.Now().After(deadline) {
			return belay.Refuse(belay.CodeBusy, "wait for it; if no git runs, remove that file", "another git process holds %s", belay.VisibleLine(path))
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-time.After(20 * time.Millisecond):
		}
	}
}

package snapshot

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"slices"
	"strings"
	"syscall"

	"github.com/belay-dev/belay/internal/git"
	"github.com/belay-dev/belay/internal/worktree"
)

// applyFiles does a plan's steps on the working tree. Each may have been done already.
// What is not as the rescue holds it is left: somebody changed it since, and the
// comparison at the end says so.
func (s *Store) applyFiles(ctx context.Context, root *worktree.Root, p *plan, held *worktree.Result) error {
	for _, r := range p.Remove {
		if free, err := s.unchanged(root, string(r), held); err != nil {
			return fmt.Errorf("look at %q: %w", r, err)
		} else if !free {
			continue
		}
		err := root.Remove(string(r))
		// A folder in the place of what was to go, or a link in a parent's: somebody
		// else was here. The comparison at the end says so; nothing is forced.
		if err != nil && !errors.Is(err, fs.ErrNotExist) && !errors.Is(err, worktree.ErrNotFolder) && !errors.Is(err, worktree.ErrFolder) {
			return fmt.Errorf("remove %q: %w", r, err)
		}
	}
	for _, d := range p.Rmdir {
		err := root.Rmdir(string(d))
		keep := errors.Is(err, syscall.ENOTEMPTY) || errors.Is(err, syscall.EEXIST) || errors.Is(err, fs.ErrNotExist) || errors.Is(err, worktree.ErrNotFolder)
		if err != nil && !keep {
			return fmt.Errorf("remove folder %q: %w", d, err)
		}
	}
	for _, d := range p.Mkdir {
		if err := root.Mkdir(string(d.Path), d.Perm|0o700); err != nil {
			return fmt.Errorf("make folder %q: %w", d.Path, err)
		}
	}
	tmp, err := s.scratch("tmp")
	if err != nil {
		return err
	}
	if err := s.writeFiles(ctx, root, p, tmp, held); err != nil {
		return err
	}
	for _, c := range p.Chmod {
		if err := root.Chmod(string(c.Path), c.Perm); err != nil && !errors.Is(err, fs.ErrNotExist) && !errors.Is(err, worktree.ErrNotFolder) {
			return fmt.Errorf("set the mode of %q: %w", c.Path, err)
		}
	}
	return nil
}

// writeFiles writes a plan's files and links. What is right already is not touched and
// keeps its times.
func (s *Store) writeFiles(ctx context.Context, root *worktree.Root, p *plan, tmp string, held *worktree.Result) error {
	if len(p.Writes) == 0 {
		return nil
	}
	rd, err := s.repo.Reader(ctx)
	if err != nil {
		return err
	}
	defer rd.Close()
	for _, w := range p.Writes {
		if err := ctx.Err(); err != nil {
			return err
		}
		if err := s.writeOne(root, rd, w, tmp, held); err != nil {
			return fmt.Errorf("write %q: %w", w.Path, err)
		}
	}
	return nil
}

func (s *Store) writeOne(root *worktree.Root, rd *git.Reader, w write, tmp string, held *worktree.Result) error {
	path := string(w.Path)
	if done, err := s.alreadyRight(root, w); done || err != nil {
		return err
	}
	if free, err := s.unchanged(root, path, held); !free || err != nil {
		return err
	}
	if err := s.parents(root, path); err != nil {
		return err
	}
	if w.Mode == 0o120000 {
		o, err := rd.Read(w.OID)
		if err != nil {
			return err
		}
		return root.Symlink(path, string(o.Data))
	}
	err := root.WriteFile(path, w.Perm, tmp, func(out io.Writer) error {
		o, err := rd.Copy(w.OID, out)
		if err == nil && o.OID != w.OID {
			err = fmt.Errorf("git gave object %s for %s", o.OID, w.OID)
		}
		if err != nil {
			return err
		}
		// Writing took its time: look again, as late as can be.
		free, err := s.unchanged(root, path, held)
		if err == nil && !free {
			err = errSaved
		}
		return err
	})
	if errors.Is(err, errSaved) {
		return nil
	}
	return err
}

// errSaved says that somebody saved a file while its older content was put back. His
// stays; the comparison at the end names it.
var errSaved = errors.New("somebody saved it meanwhile")

// unchanged reports whether a path is free to be overwritten: nothing is there, or
// what is there is what the rescue holds.
func (s *Store) unchanged(root *worktree.Root, path string, held *worktree.Result) (bool, error) {
	info, err := root.Lstat(path)
	switch {
	case errors.Is(err, fs.ErrNotExist), errors.Is(err, worktree.ErrNotFolder):
		return true, nil
	case err != nil:
		return false, err
	case info.Kind == worktree.Folder:
		return true, nil // writing over it fails, and removing it too
	}
	e, ok := find(held, path)
	if !ok {
		return false, nil
	}
	return root.Same(path, info.Kind, info.Perm, e.OID, s.repo.NewHash)
}

// find looks a path up among the captured ones.
func find(r *worktree.Result, path string) (worktree.Entry, bool) {
	i, ok := slices.BinarySearchFunc(r.Entries, path, func(e worktree.Entry, p string) int { return strings.Compare(e.Path, p) })
	if !ok {
		return worktree.Entry{}, false
	}
	return r.Entries[i], true
}

// alreadyRight compares bytes, and sets a mode that alone is wrong.
func (s *Store) alreadyRight(root *worktree.Root, w write) (bool, error) {
	path, oid := string(w.Path), worktree.OID(raw(w.OID))
	if w.Mode == 0o120000 {
		return root.Same(path, worktree.Link, 0, oid, s.repo.NewHash)
	}
	info, err := root.Lstat(path)
	if err != nil || info.Kind != worktree.File && info.Kind != worktree.Exec {
		return false, nil // whatever is wrong with the path, writing will say
	}
	same, err := root.Same(path, info.Kind, info.Perm, oid, s.repo.NewHash)
	if err != nil || !same {
		return false, err
	}
	return true, root.Chmod(path, w.Perm)
}

// parents makes the folders above a path; their modes are set at the end.
func (s *Store) parents(root *worktree.Root, path string) error {
	dir := parent(path)
	if dir == "" {
		return nil
	}
	if info, err := root.Lstat(dir); err == nil && info.Kind == worktree.Folder {
		return nil
	}
	if err := s.parents(root, dir); err != nil {
		return err
	}
	return root.Mkdir(dir, 0o755)
}

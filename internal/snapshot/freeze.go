package snapshot

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"

	"github.com/belay-dev/belay/internal/fsroot"
	"github.com/belay-dev/belay/internal/scan"
)

// Freeze copies every file that was read in this capture, and hashes and stores the copies: the
// snapshot is consistent although the tree keeps changing.
func (s Objects) Freeze(ctx context.Context, c *Capture, seal ExtraObjects) (st StoredObjects, err error) {
	dir, err := s.worktree.MakeScratchDir("tmp")
	if err != nil {
		return st, err
	}
	if dir, err = fsroot.MkdirTemp(dir, "frozen-"); err != nil {
		return st, err
	}
	defer fsroot.RemoveAll(dir)
	root, err := fsroot.OpenRoot(s.worktree.Repo.Root)
	if err != nil {
		return st, err
	}
	defer root.Close()
	copies := map[string]string{} // oid → copy
	for i := range c.Scan.Entries {
		e := &c.Scan.Entries[i]
		if _, wanted := c.Blobs[e.OID.String()]; !wanted {
			continue
		}
		path := filepath.Join(dir, fmt.Sprint(i))
		if err := s.copyFile(root, e, path); errors.Is(err, fs.ErrNotExist) {
			e.Path = "" // it was deleted again
			continue
		} else if err != nil {
			return st, err
		}
		copies[e.OID.String()] = path
	}
	c.Scan.Entries = slices.DeleteFunc(c.Scan.Entries, func(e scan.Entry) bool { return e.Path == "" })
	c.Unstable, c.Scan.Unstable, c.Blobs = true, true, map[string]*BlobSource{}
	if err := s.worktree.HashObjects(ctx, c); err != nil {
		return st, err
	}
	objects := candidateObjects(root, c)
	for i, o := range objects {
		if path, ok := copies[o.OID]; ok {
			objects[i].Open = func() (io.ReadCloser, error) { return fsroot.Open(path) }
		}
	}
	more, err := seal(c)
	if err != nil {
		return st, err
	}
	st.packPath, err = s.putForCapture(ctx, c, append(objects, more...))
	return st, err
}

func (s Objects) copyFile(root *fsroot.Root, e *scan.Entry, path string) error {
	if e.Kind == fsroot.SymbolicLink {
		target, err := root.ReadLink(e.Path)
		if err != nil {
			return err
		}
		e.OID, e.Size, e.Fresh = fsroot.OID(RawOID(s.worktree.Repo.HashObject("blob", []byte(target)))), int64(len(target)), true
		return fsroot.WriteFile(path, []byte(target), 0o600)
	}
	in, err := root.Open(e.Path)
	if err != nil {
		return err
	}
	defer in.Close()
	out, err := fsroot.OpenFile(path, os.O_RDWR|os.O_CREATE|os.O_TRUNC, 0o600)
	if err != nil {
		return err
	}
	n, err := io.Copy(out, in)
	if err = errors.Join(err, out.Close()); err != nil {
		return err
	}
	f, err := fsroot.Open(path)
	if err != nil {
		return err
	}
	defer f.Close()
	h := s.worktree.Repo.NewHash()
	fmt.Fprintf(h, "blob %d\x00", n)
	if _, err := io.Copy(h, f); err != nil {
		return err
	}
	e.OID, e.Size, e.Fresh = fsroot.OID(h.Sum(nil)), n, true
	return nil
}

package git

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"path/filepath"
	"slices"
	"syscall"

	"github.com/belay-dev/belay/internal/fsroot"
)

// Packs are belay's packs in a repository.
type Packs struct {
	Repo    *Repo
	Scratch string // a folder for temporary files
}

// Store writes objects into the repository's own store, synced, as one pack. No gc removes it,
// whichever refs it knows, until CleanUp releases it. Objects that already exist may be passed and
// are stored again, because an unnamed object can be pruned at any moment.
//
// A failure leaves nothing behind; a kill leaves files in Scratch, or a pack that CleanUp knows. It
// returns the path of the pack's files without extensions, "" without objects. CodeCannot when the
// disk is full.
func (s *Packs) Store(ctx context.Context, objects []NewObject) (string, error) {
	if len(objects) == 0 || ctx.Err() != nil {
		return "", ctx.Err()
	}
	objects = uniqueObjects(objects)
	pack, err := s.store(true, func(w io.Writer) (*Index, error) { return WritePack(w, s.Repo.NewHash, objects) })
	return pack, RefuseIfFull(err)
}

// uniqueObjects removes duplicates.
func uniqueObjects(objects []NewObject) []NewObject {
	seen := map[string]bool{}
	return slices.DeleteFunc(slices.Clone(objects), func(o NewObject) bool {
		again := seen[o.OID]
		seen[o.OID] = true
		return again
	})
}

// store writes a pack in Scratch and moves it into the repository's store.
func (s *Packs) store(keep bool, write func(io.Writer) (*Index, error)) (string, error) {
	if err := fsroot.MkdirAll(s.Scratch, 0o700); err != nil {
		return "", err
	}
	var x *Index
	pack, err := writePending(s.Scratch, "pack-*.pack", func(w io.Writer) (err error) { x, err = write(w); return err })
	if err != nil {
		return "", fmt.Errorf("store objects: %w", err)
	}
	defer pack.discard()
	idx, err := writePending(s.Scratch, "pack-*.idx", func(w io.Writer) error { _, err := w.Write(x.Encode(s.Repo.NewHash)); return err })
	if err != nil {
		return "", fmt.Errorf("store objects: %w", err)
	}
	defer idx.discard()
	if err = errors.Join(pack.wait(), idx.wait()); err != nil {
		return "", fmt.Errorf("store objects: %w", err)
	}
	to := filepath.Join(s.folder(), x.Name())
	if err := s.install(to, pack.path, idx.path, keep); err != nil {
		return "", fmt.Errorf("store objects: %w", err)
	}
	return to, nil
}

// install moves a pack into the store: first the .keep file, then the pack, last the index, by
// which git finds packs. Before that it adds the pack to the list.
func (s *Packs) install(to, pack, idx string, keep bool) error {
	if err := fsroot.MkdirAll(s.folder(), 0o755); err != nil {
		return err
	}
	if err := s.addToList(filepath.Base(to)); err != nil {
		return err
	}
	var err error
	if keep {
		if err = fsroot.Step("keep", to); err == nil {
			err = fsroot.WriteFile(to+".keep", []byte(keepNote), 0o600)
		}
	}
	for _, part := range [][2]string{{pack, to + ".pack"}, {idx, to + ".idx"}} {
		if err == nil {
			err = fsroot.Step("rename", part[1])
		}
		if err == nil {
			err = moveFile(part[0], part[1])
		}
	}
	if err == nil {
		if err = fsroot.Step("syncdir", s.folder()); err == nil {
			return fsroot.SyncDir(s.folder())
		}
		return err
	}
	if _, there := fsroot.Lstat(to + ".idx"); there != nil { // the same pack may have existed before
		_ = fsroot.Remove(to + ".pack")
		_ = fsroot.Remove(to + ".keep")
	}
	return err
}

func (s *Packs) folder() string { return filepath.Join(s.Repo.Common, "objects", "pack") }

// pendingFile is a written read-only file that is being synced: disks sync several files in about
// the time of one.
type pendingFile struct {
	path   string
	synced chan error // closed after the one result
	err    error
}

// writePending writes a file completely, or not at all.
func writePending(dir, pattern string, fill func(io.Writer) error) (*pendingFile, error) {
	if err := fsroot.Step("create", filepath.Join(dir, pattern)); err != nil {
		return nil, err
	}
	f, err := fsroot.CreateTemp(dir, pattern)
	if err != nil {
		return nil, err
	}
	b := bufio.NewWriterSize(f, 64<<10)
	err = errors.Join(fill(b), b.Flush(), f.Chmod(0o444))
	if err == nil {
		err = fsroot.Step("sync", f.Name())
	}
	if err != nil {
		_ = f.Close()
		_ = fsroot.Remove(f.Name())
		return nil, err
	}
	n := &pendingFile{path: f.Name(), synced: make(chan error, 1)}
	go func() {
		n.synced <- errors.Join(f.Sync(), f.Close())
		close(n.synced)
	}()
	return n, nil
}

// wait returns once the file is synced. It must not be moved before.
func (n *pendingFile) wait() error {
	if err, first := <-n.synced; first {
		n.err = err
	}
	return n.err
}

// discard removes the file.
func (n *pendingFile) discard() {
	_ = n.wait()
	_ = fsroot.Remove(n.path)
}

// moveFile renames a file, or copies it if the object store is on another device. After a kill
// git's own gc removes the partial copy, by its name.
func moveFile(from, to string) error {
	err := fsroot.Rename(from, to)
	if !errors.Is(err, syscall.EXDEV) {
		return err
	}
	in, err := fsroot.Open(from)
	if err != nil {
		return err
	}
	defer in.Close()
	beside, err := writePending(filepath.Dir(to), "tmp_belay_*", func(w io.Writer) error { _, err := io.Copy(w, in); return err })
	if err != nil {
		return err
	}
	if err = beside.wait(); err == nil {
		err = fsroot.Rename(beside.path, to)
	}
	if err != nil {
		beside.discard()
		return err
	}
	return fsroot.Remove(from)
}

// PackExists reports whether a pack that Store wrote still exists.
func PackExists(pack string) (bool, error) {
	for _, end := range []string{".idx", ".pack"} {
		if _, err := fsroot.Lstat(pack + end); errors.Is(err, fs.ErrNotExist) {
			return false, nil
		} else if err != nil {
			return false, err
		}
	}
	return true, nil
}

package fsroot

import (
	"fmt"
	"io"
	"io/fs"
	"os"

	"golang.org/x/sys/unix"

	"github.com/belay-dev/belay/internal/belay"
)

// WriteFile makes path a regular file with exactly the mode perm (07777 bits) and the bytes that
// fill writes; its io.Writer also has a Sync method. A file or link at path is replaced, never
// followed; a folder is ErrFolder. The bytes are written to a temporary file in the folder tmp if
// that is on the same device, otherwise beside path, and renamed in one step: a failure or a kill
// leaves path unchanged. Nothing is synced, see Sync. A read-only folder is made writable
// meanwhile.
func (r *Root) WriteFile(path string, perm uint16, tmp string, fill func(w io.Writer) error) error {
	p, err := r.at(path)
	if err != nil {
		return err
	}
	return p.close(p.writeFile(perm, tmp, nil, fill))
}

func (p *pathRef) writeFile(perm uint16, tmp string, expected *Expected, fill func(w io.Writer) error) error {
	t := tempFile{place: p, fd: p.fd}
	if folder := p.root.tempFolder(tmp, p.fd); folder >= 0 {
		t.fd = folder
	}
	if err := t.create(); err != nil {
		return WrapPathError("create a temporary file for", p.path, err)
	}
	defer t.remove()
	if err := fill(&t); err != nil {
		return fmt.Errorf("writing %s: %w", belay.VisibleLine(p.path), err)
	}
	if err := t.finish(perm); err != nil {
		return WrapPathError("write", p.path, err)
	}
	err := t.rename(expected)
	if err == unix.EXDEV && t.fd != p.fd { // one device, but different mounts or quotas
		if err = t.recreateBesideTarget(perm); err == nil {
			err = t.rename(expected)
		}
	}
	return WrapPathError("rename to", p.path, err)
}

// asErrFolder converts the kernel's error about a folder in the target's place to ErrFolder.
func asErrFolder(err error) error {
	if err == unix.EISDIR || err == unix.ENOTEMPTY || err == unix.EEXIST {
		return ErrFolder
	}
	return err
}

// tempFolder returns the folder tmp if it is on the same device as the folder beside, otherwise -1.
func (r *Root) tempFolder(tmp string, beside int) int {
	if tmp == "" {
		return -1
	}
	var st unix.Stat_t
	if unix.Fstat(beside, &st) != nil {
		return -1
	}
	dev := uint64(st.Dev)
	r.tempsMu.Lock()
	defer r.tempsMu.Unlock()
	t := r.tempIn[tmp]
	if t == nil && r.tempIn != nil {
		t = &tempFolder{fd: -1}
		if fd, err := unix.Open(tmp, OpenPath, 0); err == nil {
			if unix.Fstat(fd, &st) == nil {
				t.fd, t.dev = fd, uint64(st.Dev)
			}
		}
		r.tempIn[tmp] = t
	}
	if t == nil || t.dev != dev {
		return -1
	}
	return t.fd
}

// tempFile is the temporary file of one WriteFile.
type tempFile struct {
	place *pathRef
	fd    int // the folder it is in
	name  string
	f     *os.File
}

func (t *tempFile) create() error {
	if err := Step("create", t.place.path); err != nil {
		return err
	}
	if t.fd != t.place.fd && t.open() == nil {
		return nil
	}
	t.fd = t.place.fd // no other folder, or none that accepts files
	return t.place.withRights(t.open)
}

func (t *tempFile) open() error { return t.openAs(TempName()) }

func (t *tempFile) openAs(name string) error {
	fd, err := unix.Openat(t.fd, name, unix.O_RDWR|unix.O_CREAT|unix.O_EXCL|unix.O_NOFOLLOW|unix.O_CLOEXEC, 0o600)
	if err != nil {
		return err
	}
	t.name, t.f = name, os.NewFile(uintptr(fd), t.place.path)
	return nil
}

// Write implements io.Writer for fill.
func (t *tempFile) Write(b []byte) (int, error) {
	if err := Step("write", t.place.path); err != nil {
		return 0, err
	}
	return t.f.Write(b)
}

// Sync syncs the bytes written so far, for a fill that needs it.
func (t *tempFile) Sync() error {
	if err := Step("sync", t.place.path); err != nil {
		return err
	}
	return t.f.Sync()
}

// finish sets the file's mode, after the last write, because writing clears set-user-id bits.
func (t *tempFile) finish(perm uint16) error {
	if err := Step("chmod", t.place.path); err != nil {
		return err
	}
	err := unix.Fchmod(int(t.f.Fd()), uint32(perm))
	if cerr := t.f.Close(); err == nil {
		err = cerr
	}
	return err
}

// CreateFile creates a file at path with exactly the mode perm and the bytes that fill writes;
// fs.ErrExist when something is there. It writes under the final name, which takes half the time of
// WriteFile, but a kill leaves a partial file: use it only in a folder that is not used before it
// is complete.
func (r *Root) CreateFile(path string, perm uint16, fill func(w io.Writer) error) error {
	p, err := r.at(path)
	if err != nil {
		return err
	}
	return p.close(p.createFile(perm, fill))
}

func (p *pathRef) createFile(perm uint16, fill func(w io.Writer) error) error {
	t := tempFile{place: p, fd: p.fd}
	err := Step("create", p.path)
	if err == nil {
		err = p.withRights(func() error { return t.openAs(p.name) })
	}
	if err != nil {
		return WrapPathError("create", p.path, err)
	}
	defer t.remove()
	if err := fill(&t); err != nil {
		return fmt.Errorf("writing %s: %w", belay.VisibleLine(p.path), err)
	}
	if err := t.finish(perm); err != nil {
		return WrapPathError("write", p.path, err)
	}
	t.name = ""
	return nil
}

func (t *tempFile) rename(expected *Expected) error {
	return t.place.withRights(func() error { return t.place.moveIntoPlace(t.fd, &t.name, expected) })
}

// recreateBesideTarget writes the file again beside its target.
func (t *tempFile) recreateBesideTarget(perm uint16) error {
	from, err := unix.Openat(t.fd, t.name, unix.O_RDONLY|unix.O_NOFOLLOW|unix.O_CLOEXEC, 0)
	if err != nil {
		return err
	}
	old := os.NewFile(uintptr(from), t.place.path)
	defer old.Close()
	t.remove()
	t.fd = t.place.fd
	if err := t.create(); err != nil {
		return err
	}
	if _, err := io.Copy(struct{ io.Writer }{t}, old); err != nil {
		return err
	}
	return t.finish(perm)
}

// remove removes the temporary file unless it was renamed.
func (t *tempFile) remove() {
	if t.name == "" {
		return
	}
	_ = t.f.Close()
	_ = unix.Unlinkat(t.fd, t.name, 0)
	t.name = ""
}

// Symlink makes path a link to target. A file or another link at path is replaced in one step; a
// folder is ErrFolder.
func (r *Root) Symlink(path, target string) error {
	p, err := r.at(path)
	if err != nil {
		return err
	}
	err = p.withRights(func() error { return p.symlink(target) })
	return p.close(WrapPathError("symlink", path, err))
}

func (p *pathRef) symlink(target string) error {
	if err := Step("symlink", p.path); err != nil {
		return err
	}
	err := unix.Symlinkat(target, p.fd, p.name)
	if err != unix.EEXIST {
		return err
	}
	var st unix.Stat_t
	if err := StatAt(p.fd, p.name, &st); err == nil && st.Mode&unix.S_IFMT == unix.S_IFDIR {
		return ErrFolder
	}
	name := TempName()
	if err := unix.Symlinkat(target, p.fd, name); err != nil {
		return err
	}
	if err = Step("rename", p.path); err == nil {
		err = asErrFolder(unix.Renameat(p.fd, name, p.fd, p.name))
	}
	if err != nil {
		_ = unix.Unlinkat(p.fd, name, 0)
	}
	return err
}

// Mkdir makes path a folder with exactly the mode perm. An existing folder only gets the mode;
// anything else in its place is ErrNotFolder.
func (r *Root) Mkdir(path string, perm uint16) error {
	p, err := r.at(path)
	if err != nil {
		return err
	}
	err = p.withRights(func() error {
		if err := Step("mkdir", path); err != nil {
			return err
		}
		return unix.Mkdirat(p.fd, p.name, 0o700)
	})
	if err == nil || err == unix.EEXIST {
		err = p.chmod(perm, Folder)
	}
	return p.close(WrapPathError("mkdir", path, err))
}

// Chmod sets the mode of the file or folder at path to exactly perm, if it differs. A link is an
// error, because the mode would be its target's. Path "" is the root.
func (r *Root) Chmod(path string, perm uint16) error {
	if path == "" {
		err := Step("chmod", path)
		if err == nil {
			err = unix.Fchmod(r.fd, uint32(perm))
		}
		return WrapPathError("chmod", r.path, err)
	}
	p, err := r.at(path)
	if err != nil {
		return err
	}
	return p.close(WrapPathError("chmod", path, p.chmod(perm, 0)))
}

// chmod changes the mode if the kind is want; 0 means any file or folder.
func (p *pathRef) chmod(perm uint16, want PathKind) error {
	return p.withRights(func() error {
		var st unix.Stat_t
		if err := StatAt(p.fd, p.name, &st); err != nil {
			return err
		}
		f := FactsOf(&st)
		switch k := f.Kind(); {
		case want == Folder && k != Folder:
			return ErrNotFolder
		case k == SymbolicLink || k == Other:
			return errNotFile
		case f.Perm() == perm:
			return nil
		}
		if err := Step("chmod", p.path); err != nil {
			return err
		}
		err := chmodNoLink(p.fd, p.name, uint32(perm))
		if err == unix.EOPNOTSUPP { // it became a link
			return errNotFile
		}
		return err
	})
}

// Remove removes the file or link at path. A folder is ErrFolder; a FIFO, socket or device is an
// error, because no snapshot could restore it.
func (r *Root) Remove(path string) error {
	p, err := r.at(path)
	if err != nil {
		return err
	}
	err = p.withRights(func() error {
		if err := p.checkRemovable(); err != nil {
			return err
		}
		if err := Step("unlink", path); err != nil {
			return err
		}
		return unix.Unlinkat(p.fd, p.name, 0)
	})
	return p.close(WrapPathError("remove", path, err))
}

// checkRemovable returns an error for a path that must not be removed.
func (p *pathRef) checkRemovable() error {
	var st unix.Stat_t
	if err := StatAt(p.fd, p.name, &st); err != nil {
		return err
	}
	f := FactsOf(&st)
	switch f.Kind() {
	case Folder:
		return ErrFolder
	case Other:
		return fmt.Errorf("it is a %s: %w", f.SpecialName(), fs.ErrInvalid)
	}
	return nil
}

// Rmdir removes the empty folder at path. For any other folder the error is syscall.ENOTEMPTY, for
// a file or link ErrNotFolder.
func (r *Root) Rmdir(path string) error {
	p, err := r.at(path)
	if err != nil {
		return err
	}
	err = p.withRights(func() error {
		if err := Step("rmdir", path); err != nil {
			return err
		}
		return unix.Unlinkat(p.fd, p.name, unix.AT_REMOVEDIR)
	})
	if err == unix.EEXIST {
		err = unix.ENOTEMPTY
	}
	return p.close(WrapPathError("rmdir", path, asNotFolder(err)))
}

// Sync syncs the file system of the tree, so that everything written so far survives a power loss.
func (r *Root) Sync() error {
	if err := Step("sync", r.path); err != nil {
		return err
	}
	return WrapPathError("sync", r.path, syncTree(r.fd))
}

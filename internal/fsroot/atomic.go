package fsroot

import (
	"cmp"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
)

// AtomicWrite writes the new content beside the file and renames it. It is for folders that only
// belay writes to, never for a path in the user's tree, where a link may be in the way.

// AtomicTempPrefix starts the names of temporary files when AtomicOptions sets no prefix. A
// killed process leaves one behind; the owner of the folder removes it.
const AtomicTempPrefix = ".tmp-"

// AtomicOptions are the options of AtomicWrite. The zero value is for a private file that need not
// survive a power loss.
type AtomicOptions struct {
	Synced bool        // bytes and name survive a power loss
	Perm   fs.FileMode // 0 is 0600
	Prefix string      // prefix of the temporary file's name; "" is AtomicTempPrefix
	// FixedName uses path.new as the temporary file, overwriting an existing one. The caller has a
	// lock.
	FixedName bool
	Step      func(name, path string) error // called before each step, for tests that fail or kill there
}

// AtomicWrite replaces the content of the file at path by the parts, one after the other. Its
// folder must exist. After an error the file is unchanged.
func AtomicWrite(path string, how AtomicOptions, parts ...[]byte) (err error) {
	if err := how.step("create", path); err != nil {
		return err
	}
	f, err := how.openTemp(path)
	if err != nil {
		return err
	}
	defer func() {
		if err != nil {
			_ = Remove(f.Name())
		}
	}()
	if err = errors.Join(how.writeParts(f, path, parts), f.Close()); err != nil {
		return err
	}
	if err = how.step("rename", path); err != nil {
		return err
	}
	if err = Rename(f.Name(), path); err != nil || !how.Synced {
		return err
	}
	if err = how.step("syncdir", filepath.Dir(path)); err != nil {
		return err
	}
	return SyncDir(filepath.Dir(path))
}

// openTemp opens the temporary file, which only the user may read.
func (h AtomicOptions) openTemp(path string) (*os.File, error) {
	if !h.FixedName {
		return CreateTemp(filepath.Dir(path), cmp.Or(h.Prefix, AtomicTempPrefix)+"*")
	}
	temp := path + ".new"
	if err := Remove(temp); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, err
	}
	return OpenFile(temp, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o600) // never through a link
}

func (h AtomicOptions) step(name, path string) error {
	if h.Step == nil {
		return nil
	}
	return h.Step(name, path)
}

func (h AtomicOptions) writeParts(f *os.File, path string, parts [][]byte) error {
	for _, p := range parts {
		if err := h.step("write", path); err != nil {
			return err
		}
		if _, err := f.Write(p); err != nil {
			return err
		}
	}
	if h.Perm != 0 {
		if err := f.Chmod(h.Perm); err != nil {
			return err
		}
	}
	if !h.Synced {
		return nil
	}
	return f.Sync()
}

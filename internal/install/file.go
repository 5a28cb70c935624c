package install

import (
	"bytes"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"

	"golang.org/x/sys/unix"

	"github.com/belay-dev/belay/internal/belay"
	"github.com/belay-dev/belay/internal/fsroot"
)

// maxFile is the size limit for a settings file.
const maxFile = 4 << 20

// settingsFile is an agent's file as it was read.
type settingsFile struct {
	path     string // as shown to people
	realPath string // with links resolved
	text     []byte
	perm     uint16
	exists   bool // the file exists
}

// openFile reads a file that belay may then replace. It follows links; in a project, only if they
// stay within it. Errors say why the file may not be replaced: it is read-only, belongs to another
// user, or has several names.
func openFile(path, within string) (settingsFile, error) {
	f := settingsFile{path: path, realPath: path, perm: 0o644}
	real, err := filepath.EvalSymlinks(path)
	if _, lerr := os.Lstat(path); errors.Is(err, fs.ErrNotExist) && lerr == nil {
		return f, belay.Refuse(belay.CodeCannot, "remove the link, or create its target", "%s is a link that leads nowhere", path)
	}
	if errors.Is(err, fs.ErrNotExist) {
		real, err = resolveLinks(path)
	}
	if err != nil {
		return f, fmt.Errorf("read %s: %w", path, err)
	}
	f.realPath = real
	if within != "" && real != within && !strings.HasPrefix(real, within+string(filepath.Separator)) {
		return f, belay.Refuse(belay.CodeCannot, "replace the link by a file, or use --user",
			"%s leads out of the repository, to %s", path, real)
	}
	info, err := os.Stat(real)
	if errors.Is(err, fs.ErrNotExist) {
		return f, nil
	}
	if err == nil {
		err = checkReplaceable(path, info)
	}
	if err == nil {
		f.text, err = fsroot.ReadUserFile(real, maxFile)
	}
	if err != nil {
		return f, err
	}
	if f.text == nil {
		f.text = []byte{} // nil means no file
	}
	f.exists, f.perm = true, uint16(info.Mode().Perm())
	return f, nil
}

// checkReplaceable returns the error if a file may not be replaced.
func checkReplaceable(path string, info fs.FileInfo) error {
	st, ok := info.Sys().(*syscall.Stat_t)
	switch {
	case info.Mode().Perm()&0o200 == 0:
		return belay.Refuse(belay.CodeCannot, "chmod u+w "+path, "%s is read-only", path)
	case ok && int(st.Uid) != os.Geteuid():
		return belay.Refuse(belay.CodeCannot, "run belay as that user", "%s belongs to another user (%d)", path, st.Uid)
	case ok && info.Mode().IsRegular() && st.Nlink > 1:
		return belay.Refuse(belay.CodeCannot, "replace it by a copy or a symbolic link",
			"%s has %d names (hard links), which replacing it would separate", path, st.Nlink)
	}
	return nil
}

// resolveLinks resolves the links in the existing part of a path.
func resolveLinks(path string) (string, error) {
	dir := filepath.Dir(path)
	real, err := filepath.EvalSymlinks(dir)
	if errors.Is(err, fs.ErrNotExist) && dir != path {
		if _, lerr := os.Lstat(dir); lerr == nil {
			return "", belay.Refuse(belay.CodeCannot, "remove the link, or create its target", "%s is a link that leads nowhere", dir)
		}
		real, err = resolveLinks(dir)
	}
	return filepath.Join(real, filepath.Base(path)), err
}

// replace writes a new text to the file, or removes it if text is nil. If the file was saved since
// it was read, the error is a *fsroot.SavedError, and the saved content is kept.
func (f settingsFile) replace(text []byte) (err error) {
	dir := filepath.Dir(f.realPath)
	if unix.Access(dir, unix.W_OK) != nil {
		return belay.Refuse(belay.CodeCannot, "chmod u+w "+dir, "%s is read-only", dir)
	}
	root, err := fsroot.OpenRoot(dir)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, root.Close()) }()
	held := fsroot.Expected{NewHash: sha256.New, New: blobID(text)}
	if f.exists {
		held.OID = blobID(f.text)
	}
	name := filepath.Base(f.realPath)
	if text == nil {
		return root.RemoveExpected(name, held)
	}
	err = root.ReplaceFile(name, f.perm, "", held, func(w io.Writer) error {
		if _, err := w.Write(text); err != nil {
			return err
		}
		return w.(interface{ Sync() error }).Sync() // before the file gets its name
	})
	if err == nil {
		err = fsroot.SyncDir(dir)
	}
	return err
}

// blobID returns fsroot's ID for content.
func blobID(text []byte) fsroot.OID {
	h := sha256.New()
	fmt.Fprintf(h, "blob %d\x00", len(text))
	h.Write(text)
	return fsroot.OID(h.Sum(nil))
}

// removeLeftovers removes temporary files that a killed belay left next to a file. One whose
// content is not in the record may be the only copy of something saved; it gets a visible name,
// which is returned.
func removeLeftovers(dir string, rec *installRecord) (kept []string) {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return nil
	}
	root, err := fsroot.OpenRoot(dir)
	if err != nil {
		return nil
	}
	defer root.Close()
	for _, e := range entries {
		switch {
		case strings.HasPrefix(e.Name(), fsroot.TempPrefix):
			_ = root.Remove(e.Name())
		case strings.HasPrefix(e.Name(), fsroot.SwapPrefix):
			text, err := fsroot.ReadUserFile(filepath.Join(dir, e.Name()), maxFile)
			if sum := digest(text); err == nil && rec != nil && (sum == rec.Original || sum == rec.Result) {
				_ = root.Remove(e.Name())
			} else if name, err := root.Reveal(e.Name()); err == nil {
				kept = append(kept, filepath.Join(dir, name))
			}
		}
	}
	return kept
}

// makeFolders creates a folder and its missing parents, and returns those it created, the outermost
// first.
func makeFolders(dir string) (made []string, err error) {
	var lacking []string
	for at := dir; ; at = filepath.Dir(at) {
		if _, err := os.Stat(at); !errors.Is(err, fs.ErrNotExist) || filepath.Dir(at) == at {
			break
		}
		lacking = append([]string{at}, lacking...)
	}
	for _, at := range lacking {
		if err := os.Mkdir(at, 0o755); err != nil && !errors.Is(err, fs.ErrExist) {
			return made, err
		}
		made = append(made, at)
	}
	return made, nil
}

// sameText reports whether two texts are equal. nil means no file.
func sameText(a, b []byte) bool { return (a == nil) == (b == nil) && bytes.Equal(a, b) }

package git

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"golang.org/x/sys/unix"

	"github.com/belay-dev/belay/internal/fsroot"
)

// Ref is one reference.
type Ref struct {
	Name   string // refs/heads/main
	OID    string // the object, in hex
	Symref string // of a symbolic reference: the last one in the chain
}

// ErrUnsupportedRefs reports references that only git can read.
var ErrUnsupportedRefs = errors.New("references that belay leaves to git")

// perWorktreeRefs are the references that each worktree has on its own.
var perWorktreeRefs = []string{"refs/bisect", "refs/rewritten", "refs/worktree"}

// BrokenRef is a file in the place of a reference that contains no name: it is empty, as after a
// power loss, or contains garbage. git skips it, reads no packed reference of the same name, and
// refuses to overwrite it.
type BrokenRef struct {
	Name string
	Data []byte
}

// readRefs returns the references, by name, as git for-each-ref lists them, without symbolic ones
// to missing references. common is the folder shared by all worktrees, dir the one of this
// worktree, which is the same unless it is linked. The error is ErrUnsupportedRefs if git has to be
// asked; the list then still contains the broken ones, as far as they can be read.
func (r *refReader) readRefs(common, dir string) ([]Ref, error) {
	// Loose references first: git writes packed-refs before it deletes the files of packed ones, so
	// none is missed in between.
	if err := r.readFolder(common, "refs", dir != common); err != nil {
		return nil, err
	}
	if dir != common {
		for _, name := range perWorktreeRefs {
			if !r.hasWantedBelow(name) {
				continue
			}
			if err := r.readFolder(dir, name, false); err != nil {
				return nil, err
			}
		}
	}
	text, err := fsroot.ReadFile(filepath.Join(common, "packed-refs"), fsroot.MaxSmallFile)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("read references: %w", err)
	}
	if err := r.readPacked(string(text), dir != common); err != nil {
		return nil, err
	}
	if r.unsupported != nil {
		return nil, r.unsupported
	}
	for _, ref := range r.found {
		// The target has to be read too.
		if ref.Symref != "" && (r.isGlanced != nil && r.isGlanced(ref.Symref) || !r.isWanted(ref.Symref)) {
			full := newRefReader(r.width)
			refs, err := full.readRefs(common, dir)
			r.list = full.list
			return refs, err
		}
	}
	return r.resolveAll(), nil
}

// maxRefFile is the size limit in bytes of the file of a loose reference.
const maxRefFile = 1 << 20

// CheckLooseRefs checks the files of all loose references before a git process reads them: git
// would wait for a FIFO, and read a device or a large file completely. The error is a
// *fsroot.TypeError or a *fsroot.SizeError.
func CheckLooseRefs(common, dir string) error {
	for _, base := range slices.Compact([]string{common, dir}) {
		err := filepath.WalkDir(filepath.Join(base, "refs"), func(path string, e fs.DirEntry, err error) error {
			if err != nil || e.IsDir() {
				return nil // what cannot be read is left to git
			}
			return fsroot.CheckReadable(path, maxRefFile)
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// ListLooseRefs returns the names of all files below a prefix of references, which ends in a slash,
// whatever they contain: git's own lists omit broken ones.
func ListLooseRefs(common, prefix string) ([]string, error) {
	top := filepath.Join(common, filepath.FromSlash(strings.TrimSuffix(prefix, "/")))
	var names []string
	err := fsroot.WalkDir(top, func(path string, e fs.DirEntry, err error) error {
		if err != nil || e.IsDir() || strings.HasPrefix(e.Name(), ".") || strings.HasSuffix(e.Name(), ".lock") {
			return err
		}
		rel, err := filepath.Rel(top, path)
		names = append(names, prefix+filepath.ToSlash(rel))
		return err
	})
	if errors.Is(err, fs.ErrNotExist) {
		err = nil
	}
	return names, err
}

// newRefReader returns a reader of references to objects with names of width hex digits.
func newRefReader(width int) *refReader {
	return &refReader{width: width, found: map[string]Ref{}, broken: map[string]bool{}}
}

type refReader struct {
	width       int
	isGlanced   func(name string) bool // reports the names of files that are only checked, not read; nil: all are read
	seen        []Ref                  // sorted by name: references of isGlanced that need no second check
	prefixes    []string               // prefixes of the names to read; none: all
	found       map[string]Ref
	broken      map[string]bool
	list        []BrokenRef
	unsupported error // the first ErrUnsupportedRefs; the rest is still checked for files that git must not open
}

// isWanted reports whether a reference is to be read.
func (r *refReader) isWanted(name string) bool {
	return len(r.prefixes) == 0 || slices.ContainsFunc(r.prefixes, func(p string) bool { return strings.HasPrefix(name, p) })
}

// hasWantedBelow reports whether references below a folder may have to be read.
func (r *refReader) hasWantedBelow(name string) bool {
	return r.isWanted(name+"/") || slices.ContainsFunc(r.prefixes, func(p string) bool { return strings.HasPrefix(p, name+"/") })
}

// readFolder reads the loose references below a folder, in a linked worktree without those of the
// main worktree only.
func (r *refReader) readFolder(base, name string, linked bool) error {
	dir, err := fsroot.OpenDir(filepath.Join(base, filepath.FromSlash(name)))
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return fmt.Errorf("read references: %w", err)
	}
	defer dir.Close()
	list, err := fsroot.Entries(dir)
	if err != nil {
		return fmt.Errorf("read references: %w", err)
	}
	for _, e := range list {
		full := name + "/" + e.Name()
		switch {
		case !r.isWanted(full) && !(e.IsDir() && r.hasWantedBelow(full)):
			continue
		case linked && slices.Contains(perWorktreeRefs, full), strings.HasPrefix(e.Name(), "."), strings.HasSuffix(e.Name(), ".lock"):
			continue
		case !isPlainName(e.Name()):
			if err = fsroot.CheckReadable(filepath.Join(base, filepath.FromSlash(full)), maxRefFile); err == nil {
				err = fmt.Errorf("%w: %q", ErrUnsupportedRefs, full)
			}
		case e.IsDir():
			err = r.readFolder(base, full, linked)
		case r.isGlanced != nil && r.isGlanced(full) && (r.isKnownFile(full, e) || r.hasRefSize(dir, e.Name())):
			r.found[full] = Ref{Name: full}
		case e.Type()&fs.ModeSymlink == 0:
			err = r.readLoose(dir, full) // refuses anything but a file: git would wait for a FIFO
		default:
			if err = checkOddFile(base, full, e.Type()); errors.Is(err, ErrUnsupportedRefs) {
				err = cmp.Or(fsroot.CheckReadable(filepath.Join(base, filepath.FromSlash(full)), maxRefFile), err)
			}
		}
		if errors.Is(err, ErrUnsupportedRefs) {
			r.unsupported, err = cmp.Or(r.unsupported, err), nil // continue to find broken ones
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// isKnownFile reports whether a name was seen before and is still a file.
func (r *refReader) isKnownFile(name string, e fs.DirEntry) bool {
	_, seen := slices.BinarySearchFunc(r.seen, name, func(a Ref, name string) int { return strings.Compare(a.Name, name) })
	return seen && e.Type().IsRegular()
}

// hasRefSize reports whether a file has the size of a reference to an object.
func (r *refReader) hasRefSize(dir *os.File, name string) bool {
	var st unix.Stat_t
	err := fsroot.StatAt(int(dir.Fd()), name, &st)
	return err == nil && st.Mode&unix.S_IFMT == unix.S_IFREG && st.Size == int64(r.width)+1
}

// namesObject reports whether git reads the beginning of a line as an object name
// (refs/files-backend.c, parse_loose_ref_contents).
func (r *refReader) namesObject(line string) bool {
	if len(line) < r.width || len(line) > r.width && strings.IndexByte(" \t\n\v\f\r", line[r.width]) < 0 {
		return false
	}
	name := line[:r.width]
	return strings.Trim(name, "0123456789abcdefABCDEF") == "" && strings.Trim(name, "0") != ""
}

// checkOddFile returns the error for a path that is neither a file nor a folder. A link to refs/…
// is a symbolic reference as git's first versions wrote them, which git reads. Any other link git
// would follow anywhere, to read and to write, and for a FIFO it would wait forever.
func checkOddFile(base, name string, mode fs.FileMode) error {
	path := filepath.Join(base, filepath.FromSlash(name))
	if mode&fs.ModeSymlink == 0 {
		return fmt.Errorf("read references: %w", fsroot.NewTypeError(path, mode, "a file"))
	}
	if target, err := fsroot.Readlink(path); err == nil && strings.HasPrefix(target, "refs/") {
		return fmt.Errorf("%w: %q is a link", ErrUnsupportedRefs, name)
	}
	if target, err := fsroot.Readlink(path); err == nil && target == filepath.Base(target) {
		return fmt.Errorf("%w: %q is a link", ErrUnsupportedRefs, name) // to a ref in the same folder, existing or not
	}
	if real, err := filepath.EvalSymlinks(path); err == nil && strings.HasPrefix(real, filepath.Join(base, "refs")+"/") {
		return fmt.Errorf("%w: %q is a link", ErrUnsupportedRefs, name)
	}
	return fmt.Errorf("read references: %w", &fsroot.LinkError{Path: path})
}

// isPlainName reports whether git certainly allows a part of a name.
func isPlainName(part string) bool {
	for _, c := range []byte(part) {
		if !isLetter(c) && !isDigit(c) && c < 0x80 && strings.IndexByte("-_.+=,#%!", c) < 0 {
			return false
		}
	}
	return part != "" && part[0] != '.' && part[len(part)-1] != '.' && !strings.Contains(part, "..") && !strings.HasSuffix(part, ".lock")
}

func (r *refReader) readLoose(dir *os.File, name string) error {
	text, err := fsroot.ReadFileIn(dir, path.Base(name), maxRefFile)
	if errors.Is(err, fs.ErrNotExist) {
		return nil // packed or deleted meanwhile
	}
	if err != nil {
		return fmt.Errorf("read references: %w", err)
	}
	line := strings.TrimRight(string(text), " \t\r\n")
	if target, symbolic := strings.CutPrefix(line, "ref:"); symbolic {
		target = strings.TrimLeft(target, " \t")
		if !strings.HasPrefix(target, "refs/") || !isFullName(target) {
			return fmt.Errorf("%w: %s contains %q", ErrUnsupportedRefs, name, line)
		}
		r.found[name] = Ref{Name: name, Symref: target}
		return nil
	}
	if !r.namesObject(line) {
		r.broken[name] = true
		r.list = append(r.list, BrokenRef{Name: name, Data: text})
		return nil
	}
	if !r.isOID(line) {
		return fmt.Errorf("%w: %s contains %q", ErrUnsupportedRefs, name, line)
	}
	r.found[name] = Ref{Name: name, OID: line}
	return nil
}

func isFullName(name string) bool {
	for part := range strings.SplitSeq(name, "/") {
		if !isPlainName(part) {
			return false
		}
	}
	return true
}

// isOID reports whether s is an object name other than the null one.
func (r *refReader) isOID(s string) bool {
	return len(s) == r.width && strings.Trim(s, "0123456789abcdef") == "" && strings.Trim(s, "0") != ""
}

// readPacked parses the file of packed references (Documentation/git-pack-refs). A loose reference
// of the same name takes precedence.
func (r *refReader) readPacked(text string, linked bool) error {
	for line := range strings.Lines(text) {
		line, ended := strings.CutSuffix(line, "\n")
		if ended && (line == "" || line[0] == '#' || line[0] == '^') {
			continue
		}
		oid, name, ok := strings.Cut(line, " ")
		if !ended || !ok || !r.isOID(oid) || !strings.HasPrefix(name, "refs/") || !isFullName(name) {
			return fmt.Errorf("%w: packed-refs contains %q", ErrUnsupportedRefs, line)
		}
		mine := slices.ContainsFunc(perWorktreeRefs, func(o string) bool { return strings.HasPrefix(name, o+"/") })
		if _, loose := r.found[name]; !loose && !r.broken[name] && !(linked && mine) && r.isWanted(name) {
			r.found[name] = Ref{Name: name, OID: oid}
		}
	}
	return nil
}

// resolveAll resolves symbolic references, to the same depth as git, and sorts.
func (r *refReader) resolveAll() []Ref {
	list := make([]Ref, 0, len(r.found))
	for _, ref := range r.found {
		at := ref
		for depth := 0; at.Symref != "" && depth < 5; depth++ {
			ref.Symref, at = at.Symref, r.found[at.Symref]
		}
		if ref.OID = at.OID; ref.OID != "" || ref.Symref == "" {
			list = append(list, ref)
		}
	}
	slices.SortFunc(list, func(a, b Ref) int { return strings.Compare(a.Name, b.Name) })
	return list
}

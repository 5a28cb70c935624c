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
	OID    string // what it names, in hex
	Symref string // for a symbolic reference, the one it leads to in the end
}

// ErrForeign says that there is something that is read by asking git.
var ErrForeignRefs = errors.New("references that belay leaves to git")

// own are the references that each working tree has for itself.
var own = []string{"refs/bisect", "refs/rewritten", "refs/worktree"}

// Broken is a file in the place of a reference that names nothing: it is empty, as after a
// power loss, or holds rubbish. git passes it over, reads no packed reference of its name,
// and refuses to write one.
type BrokenRef struct {
	Name string
	Data []byte
}

// read gives the references, by name, as git for-each-ref lists them: those that lead
// nowhere are left out. common is the folder shared by all working trees, dir the one of
// this tree, which is the same unless it is linked. The error is ErrForeignRefs where git
// has to be asked; the broken ones are in the list also then, as far as they can be read.
func (r *reader) read(common, dir string) ([]Ref, error) {
	// The loose ones first: git writes packed-refs before it deletes the files of what it
	// packed, so that none is missed in between.
	if err := r.folder(common, "refs", dir != common); err != nil {
		return nil, err
	}
	if dir != common {
		for _, name := range own {
			if !r.within(name) {
				continue
			}
			if err := r.folder(dir, name, false); err != nil {
				return nil, err
			}
		}
	}
	text, err := fsroot.ReadFile(filepath.Join(common, "packed-refs"), fsroot.Usual)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("read references: %w", err)
	}
	if err := r.packed(string(text), dir != common); err != nil {
		return nil, err
	}
	if r.foreign != nil {
		return nil, r.foreign
	}
	for _, ref := range r.found {
		// Then what it leads to has to be read.
		if ref.Symref != "" && (r.glance != nil && r.glance(ref.Symref) || !r.wanted(ref.Symref)) {
			full := newReader(r.width)
			refs, err := full.read(common, dir)
			r.list = full.list
			return refs, err
		}
	}
	return r.all(), nil
}

// mostRef is what the file of a loose reference may have, in bytes.
const mostRef = 1 << 20

// Check looks at the files of all loose references, for a git that reads them by itself: it
// would wait for a FIFO, and read a device or a large file whole. The error is a
// *fsroot.TypeError or a *fsroot.SizeError.
func CheckRefs(common, dir string) error {
	for _, base := range slices.Compact([]string{common, dir}) {
		err := filepath.WalkDir(filepath.Join(base, "refs"), func(path string, e fs.DirEntry, err error) error {
			if err != nil || e.IsDir() {
				return nil // what cannot be looked at is left to git
			}
			return fsroot.Usable(path, mostRef)
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// Loose returns the names of all files below a prefix of references, which ends in a slash,
// whatever they hold: git's own lists leave out what names nothing.
func Loose(common, prefix string) ([]string, error) {
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

// newReader reads references to objects with names of this length, in hex.
func newReader(width int) *reader {
	return &reader{width: width, found: map[string]Ref{}, broken: map[string]bool{}}
}

type reader struct {
	width   int
	glance  func(name string) bool // nil: all are read
	seen    []Ref                  // by name: of those that glance picks, these need no second look
	only    []string               // prefixes of the names that are read; none: all are
	found   map[string]Ref
	broken  map[string]bool
	list    []BrokenRef
	foreign error // the first ErrForeign: the rest is looked at first, for what git must not open
}

// wanted reports whether the reference name is to be read.
func (r *reader) wanted(name string) bool {
	return len(r.only) == 0 || slices.ContainsFunc(r.only, func(p string) bool { return strings.HasPrefix(name, p) })
}

// within reports whether there may be wanted ones below the folder name.
func (r *reader) within(name string) bool {
	return r.wanted(name+"/") || slices.ContainsFunc(r.only, func(p string) bool { return strings.HasPrefix(p, name+"/") })
}

// folder reads the loose references below a folder. Without the own ones of the main
// tree when this is a linked one.
func (r *reader) folder(base, name string, linked bool) error {
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
		case !r.wanted(full) && !(e.IsDir() && r.within(full)):
			continue
		case linked && slices.Contains(own, full), strings.HasPrefix(e.Name(), "."), strings.HasSuffix(e.Name(), ".lock"):
			continue
		case !plain(e.Name()):
			if err = fsroot.Usable(filepath.Join(base, filepath.FromSlash(full)), mostRef); err == nil {
				err = fmt.Errorf("%w: %q", ErrForeignRefs, full)
			}
		case e.IsDir():
			err = r.folder(base, full, linked)
		case r.glance != nil && r.glance(full) && (r.sawFile(full, e) || r.fits(dir, e.Name())):
			r.found[full] = Ref{Name: full}
		case e.Type()&fs.ModeSymlink == 0:
			err = r.loose(dir, full) // refuses what is not a file: git would wait for it
		default:
			if err = odd(base, full, e.Type()); errors.Is(err, ErrForeignRefs) {
				err = cmp.Or(fsroot.Usable(filepath.Join(base, filepath.FromSlash(full)), mostRef), err)
			}
		}
		if errors.Is(err, ErrForeignRefs) {
			r.foreign, err = cmp.Or(r.foreign, err), nil // the broken ones are still looked for
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// sawFile reports whether a name was seen before and is still a file.
func (r *reader) sawFile(name string, e fs.DirEntry) bool {
	_, seen := slices.BinarySearchFunc(r.seen, name, func(a Ref, name string) int { return strings.Compare(a.Name, name) })
	return seen && e.Type().IsRegular()
}

// fits reports whether a file has the size of one that names an object.
func (r *reader) fits(dir *os.File, name string) bool {
	var st unix.Stat_t
	err := fsroot.StatAt(int(dir.Fd()), name, &st)
	return err == nil && st.Mode&unix.S_IFMT == unix.S_IFREG && st.Size == int64(r.width)+1
}

// names reports whether a line starts with something that git takes for the name of an
// object (refs/files-backend.c, parse_loose_ref_contents).
func (r *reader) names(line string) bool {
	if len(line) < r.width || len(line) > r.width && strings.IndexByte(" \t\n\v\f\r", line[r.width]) < 0 {
		return false
	}
	name := line[:r.width]
	return strings.Trim(name, "0123456789abcdefABCDEF") == "" && strings.Trim(name, "0") != ""
}

// odd is for what is neither a file nor a folder. A link that says refs/… is a symbolic
// reference as git's first versions wrote them, one to another reference is read by git.
// Any other, git would follow to wherever it leads, to read and to write; and of a FIFO it
// would wait forever.
func odd(base, name string, mode fs.FileMode) error {
	path := filepath.Join(base, filepath.FromSlash(name))
	if mode&fs.ModeSymlink == 0 {
		return fmt.Errorf("read references: %w", fsroot.WrongType(path, mode, "a file"))
	}
	if target, err := fsroot.Readlink(path); err == nil && strings.HasPrefix(target, "refs/") {
		return fmt.Errorf("%w: %q is a link", ErrForeignRefs, name)
	}
	if target, err := fsroot.Readlink(path); err == nil && target == filepath.Base(target) {
		return fmt.Errorf("%w: %q is a link", ErrForeignRefs, name) // to its neighbour, there or not
	}
	if real, err := filepath.EvalSymlinks(path); err == nil && strings.HasPrefix(real, filepath.Join(base, "refs")+"/") {
		return fmt.Errorf("%w: %q is a link", ErrForeignRefs, name)
	}
	return fmt.Errorf("read references: %w", &fsroot.LinkError{Path: path})
}

// plain reports whether a part of a name is surely one that git allows.
func plain(part string) bool {
	for _, c := range []byte(part) {
		if !letter(c) && !digit(c) && c < 0x80 && strings.IndexByte("-_.+=,#%!", c) < 0 {
			return false
		}
	}
	return part != "" && part[0] != '.' && part[len(part)-1] != '.' && !strings.Contains(part, "..") && !strings.HasSuffix(part, ".lock")
}

func (r *reader) loose(dir *os.File, name string) error {
	text, err := fsroot.ReadFileIn(dir, path.Base(name), mostRef)
	if errors.Is(err, fs.ErrNotExist) {
		return nil // packed or deleted meanwhile
	}
	if err != nil {
		return fmt.Errorf("read references: %w", err)
	}
	line := strings.TrimRight(string(text), " \t\r\n")
	if target, symbolic := strings.CutPrefix(line, "ref:"); symbolic {
		target = strings.TrimLeft(target, " \t")
		if !strings.HasPrefix(target, "refs/") || !whole(target) {
			return fmt.Errorf("%w: %s contains %q", ErrForeignRefs, name, line)
		}
		r.found[name] = Ref{Name: name, Symref: target}
		return nil
	}
	if !r.names(line) {
		r.broken[name] = true
		r.list = append(r.list, BrokenRef{Name: name, Data: text})
		return nil
	}
	if !r.isOID(line) {
		return fmt.Errorf("%w: %s contains %q", ErrForeignRefs, name, line)
	}
	r.found[name] = Ref{Name: name, OID: line}
	return nil
}

func whole(name string) bool {
	for part := range strings.SplitSeq(name, "/") {
		if !plain(part) {
			return false
		}
	}
	return true
}

// isOID takes the name of an object but for the one that stands for none.
func (r *reader) isOID(s string) bool {
	return len(s) == r.width && strings.Trim(s, "0123456789abcdef") == "" && strings.Trim(s, "0") != ""
}

// packed reads the file of packed references (Documentation/git-pack-refs): a loose one
// of the same name counts more.
func (r *reader) packed(text string, linked bool) error {
	for line := range strings.Lines(text) {
		line, ended := strings.CutSuffix(line, "\n")
		if ended && (line == "" || line[0] == '#' || line[0] == '^') {
			continue
		}
		oid, name, ok := strings.Cut(line, " ")
		if !ended || !ok || !r.isOID(oid) || !strings.HasPrefix(name, "refs/") || !whole(name) {
			return fmt.Errorf("%w: packed-refs contains %q", ErrForeignRefs, line)
		}
		mine := slices.ContainsFunc(own, func(o string) bool { return strings.HasPrefix(name, o+"/") })
		if _, loose := r.found[name]; !loose && !r.broken[name] && !(linked && mine) && r.wanted(name) {
			r.found[name] = Ref{Name: name, OID: oid}
		}
	}
	return nil
}

// all resolves symbolic references, as deep as git does, and sorts.
func (r *reader) all() []Ref {
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

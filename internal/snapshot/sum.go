package snapshot

import (
	"encoding/hex"
	"hash"
	"strconv"
	"strings"

	"github.com/belay-dev/belay/internal/git"

	"github.com/belay-dev/belay/internal/fsroot"
	"github.com/belay-dev/belay/internal/scan"
)

// sum is what a folder and everything below it comes to. It stays with the folder, so
// that after a change only the folders above it are summed up again.
type sum struct {
	files, gaps int
	modes       []modeCount
	special     bool   // something for a list of the manifest is in here
	linked      bool   // a file that may change through another name, or a gap, or a repository of its own
	bare        bool   // a folder without a captured file is in here
	tree        string // the raw name of the git tree; "" when it holds nothing
}

type modeCount struct {
	kind fsroot.PathKind
	perm uint16
	n    int
}

func (s *sum) count(kind fsroot.PathKind, perm uint16, n int) {
	for i := range s.modes {
		if m := &s.modes[i]; m.kind == kind && m.perm == perm {
			m.n += n
			return
		}
	}
	s.modes = append(s.modes, modeCount{kind, perm, n})
}

func (s *sum) add(below *sum) {
	s.files, s.gaps = s.files+below.files, s.gaps+below.gaps
	s.special, s.linked, s.bare = s.special || below.special, s.linked || below.linked, s.bare || below.bare
	for _, m := range below.modes {
		s.count(m.kind, m.perm, m.n)
	}
}

// Book sums up folders of one repository.
type Book struct {
	repo *git.Repo
	hash hash.Hash
}

// New returns one for the trees of one repository.
func New(repo *git.Repo) *Book { return &Book{repo: repo, hash: repo.NewHash()} }

// Files returns how many files a tree holds, and the git tree of them in hex.
func (a *Book) Files(top scan.Folder) (n int, tree string) {
	s := a.of(top)
	if s.tree == "" {
		return s.files, a.repo.Name("tree", nil)
	}
	return s.files, hex.EncodeToString([]byte(s.tree))
}

// of returns a folder's sum; what is known is not looked at again.
func (a *Book) of(f scan.Folder) *sum {
	if s, ok := f.Memo().(*sum); ok {
		return s
	}
	s := &sum{}
	if f.Nested() {
		s.special, s.linked = true, true
	}
	if f.Gap() != "" {
		s.gaps, s.special, s.linked = 1, true, true
	}
	if f.Gap() != "" || f.Entered() {
		s.count(fsroot.Folder, f.Perm(), 1)
	}
	f.Each(func(m scan.Named) { a.name(s, m) })
	s.bare = s.bare || s.files == 0 && (f.Gap() != "" || f.Entered())
	if data := a.tree(f); len(data) > 0 {
		s.tree = a.oid(data)
	}
	f.Keep(s)
	return s
}

func (a *Book) name(s *sum, m scan.Named) {
	s.special = s.special || m.Rule
	s.linked = s.linked || dotGit(m.Path) // it may become a repository by what lies elsewhere
	switch m.What {
	case scan.Below:
		below := a.of(m.Folder)
		if a.swallowed(m.Folder) {
			s.special = true
		} else {
			s.add(below)
		}
		return
	case scan.Ignored:
		s.special = true
	case scan.Missed:
		s.gaps, s.special, s.linked = s.gaps+1, true, true
	default:
		s.files++
		s.special = s.special || odd(m)
		if m.Entry.Kind != fsroot.SymbolicLink {
			s.count(m.Entry.Kind, m.Entry.Perm, 1)
		}
	}
	s.linked = s.linked || m.Linked
}

// swallowed reports whether an ignored folder holds nothing that is captured: then it
// is one ignored path.
func (a *Book) swallowed(f scan.Folder) bool {
	if !f.Aside() || !f.Entered() {
		return false
	}
	s := a.of(f)
	return s.files == 0 && s.gaps == 0
}

func odd(m scan.Named) bool { return IsOdd(m.Path, m.Entry.Kind == fsroot.SymbolicLink) }

// tree returns the bytes of a folder's git tree, none when it holds no file.
func (a *Book) tree(f scan.Folder) []byte {
	var data []byte
	skip := len(f.Path())
	if skip > 0 {
		skip++
	}
	f.Each(func(m scan.Named) {
		mode, oid := uint32(0o40000), ""
		switch m.What {
		case scan.Below:
			if a.swallowed(m.Folder) {
				return
			}
			oid = a.of(m.Folder).tree
		case scan.Captured:
			if !odd(m) {
				mode, oid = ModeOf(m.Entry.Kind), string(m.Entry.OID)
			}
		}
		if oid != "" {
			data = strconv.AppendUint(data, uint64(mode), 8)
			data = append(append(append(append(data, ' '), m.Path[skip:]...), 0), oid...)
		}
	})
	return data
}

func (a *Book) oid(data []byte) string {
	a.hash.Reset()
	a.hash.Write(append(strconv.AppendInt([]byte("tree "), int64(len(data)), 10), 0))
	a.hash.Write(data)
	return string(a.hash.Sum(nil))
}

func dotGit(path string) bool { return strings.HasSuffix(strings.TrimSuffix(path, "/"), "/.git") }

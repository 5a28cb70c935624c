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

// folderSum summarises a folder and everything below it. It is cached with the folder: after a
// change only the folders above it are summed again.
type folderSum struct {
	files, gaps    int
	modes          []modeCount
	hasSpecial     bool   // contains something that the manifest lists
	needsRecheck   bool   // contains a gap, a nested repository, or a file that may change through another hard link
	hasEmptyFolder bool   // contains a folder without a captured file
	tree           string // raw name of the git tree; "" when it is empty
}

type modeCount struct {
	kind fsroot.PathKind
	perm uint16
	n    int
}

func (s *folderSum) count(kind fsroot.PathKind, perm uint16, n int) {
	for i := range s.modes {
		if m := &s.modes[i]; m.kind == kind && m.perm == perm {
			m.n += n
			return
		}
	}
	s.modes = append(s.modes, modeCount{kind, perm, n})
}

func (s *folderSum) add(below *folderSum) {
	s.files, s.gaps = s.files+below.files, s.gaps+below.gaps
	s.hasSpecial = s.hasSpecial || below.hasSpecial
	s.needsRecheck = s.needsRecheck || below.needsRecheck
	s.hasEmptyFolder = s.hasEmptyFolder || below.hasEmptyFolder
	for _, m := range below.modes {
		s.count(m.kind, m.perm, m.n)
	}
}

// FolderSums computes the sums of folders of one repository.
type FolderSums struct {
	repo *git.Repo
	hash hash.Hash
}

// NewFolderSums returns a FolderSums for the trees of one repository.
func NewFolderSums(repo *git.Repo) *FolderSums { return &FolderSums{repo: repo, hash: repo.NewHash()} }

// Files returns the number of files in a tree, and the hex name of their git tree.
func (a *FolderSums) Files(top scan.Folder) (n int, tree string) {
	s := a.sumOf(top)
	if s.tree == "" {
		return s.files, a.repo.HashObject("tree", nil)
	}
	return s.files, hex.EncodeToString([]byte(s.tree))
}

// sumOf returns a folder's sum, from the cache if possible.
func (a *FolderSums) sumOf(f scan.Folder) *folderSum {
	if s, ok := f.Memo().(*folderSum); ok {
		return s
	}
	s := &folderSum{}
	if f.Nested() {
		s.hasSpecial, s.needsRecheck = true, true
	}
	if f.Gap() != "" {
		s.gaps, s.hasSpecial, s.needsRecheck = 1, true, true
	}
	if f.Gap() != "" || f.Entered() {
		s.count(fsroot.Folder, f.Perm(), 1)
	}
	f.Each(func(m scan.Named) { a.addEntry(s, m) })
	s.hasEmptyFolder = s.hasEmptyFolder || s.files == 0 && (f.Gap() != "" || f.Entered())
	if data := a.treeBytes(f); len(data) > 0 {
		s.tree = a.hashTree(data)
	}
	f.SetMemo(s)
	return s
}

func (a *FolderSums) addEntry(s *folderSum, m scan.Named) {
	s.hasSpecial = s.hasSpecial || m.IsRuleFile
	s.needsRecheck = s.needsRecheck || isDotGit(m.Path) // files elsewhere may make it a repository
	switch m.Kind {
	case scan.NameFolder:
		below := a.sumOf(m.Folder)
		if a.isFullyIgnored(m.Folder) {
			s.hasSpecial = true
		} else {
			s.add(below)
		}
		return
	case scan.NameIgnored:
		s.hasSpecial = true
	case scan.NameGap:
		s.gaps, s.hasSpecial, s.needsRecheck = s.gaps+1, true, true
	default:
		s.files++
		s.hasSpecial = s.hasSpecial || isOddEntry(m)
		if m.Entry.Kind != fsroot.SymbolicLink {
			s.count(m.Entry.Kind, m.Entry.Perm, 1)
		}
	}
	s.needsRecheck = s.needsRecheck || m.Linked
}

// isFullyIgnored reports whether an ignored folder contains nothing that is captured. It is then
// listed as one ignored path.
func (a *FolderSums) isFullyIgnored(f scan.Folder) bool {
	if !f.IsIgnored() || !f.Entered() {
		return false
	}
	s := a.sumOf(f)
	return s.files == 0 && s.gaps == 0
}

func isOddEntry(m scan.Named) bool { return IsOdd(m.Path, m.Entry.Kind == fsroot.SymbolicLink) }

// treeBytes returns the bytes of a folder's git tree, none when it has no file.
func (a *FolderSums) treeBytes(f scan.Folder) []byte {
	var data []byte
	skip := len(f.Path())
	if skip > 0 {
		skip++
	}
	f.Each(func(m scan.Named) {
		mode, oid := uint32(0o40000), ""
		switch m.Kind {
		case scan.NameFolder:
			if a.isFullyIgnored(m.Folder) {
				return
			}
			oid = a.sumOf(m.Folder).tree
		case scan.NameCaptured:
			if !isOddEntry(m) {
				mode, oid = GitMode(m.Entry.Kind), string(m.Entry.OID)
			}
		}
		if oid != "" {
			data = strconv.AppendUint(data, uint64(mode), 8)
			data = append(append(append(append(data, ' '), m.Path[skip:]...), 0), oid...)
		}
	})
	return data
}

func (a *FolderSums) hashTree(data []byte) string {
	a.hash.Reset()
	a.hash.Write(append(strconv.AppendInt([]byte("tree "), int64(len(data)), 10), 0))
	a.hash.Write(data)
	return string(a.hash.Sum(nil))
}

func isDotGit(path string) bool { return strings.HasSuffix(strings.TrimSuffix(path, "/"), "/.git") }

package scan

import (
	"cmp"
	"slices"

	"github.com/belay-dev/belay/internal/fsroot"
)

// collectResult converts the nodes to the result. Depth first, in the order of items, gives the
// order of full paths.
func (s *scan) collectResult() *Result {
	r := &Result{scan: s, Unstable: s.hasChanged()}
	r.Entries = fsroot.MakeLarge[Entry](int(s.foundNames.Load()))[:0]
	r.Dirs = make([]Dir, 0, s.folders.Load())
	s.addFolder(r, s.top)
	slices.SortFunc(r.Dirs, func(a, b Dir) int { return cmp.Compare(a.Path, b.Path) })
	slices.SortFunc(r.Gaps, func(a, b Gap) int { return cmp.Compare(a.Path, b.Path) })
	slices.SortFunc(r.Nested, func(a, b NestedRepo) int { return cmp.Compare(a.Path, b.Path) })
	r.Stats = Stats{Files: len(r.Entries), Hashed: int(s.hashed.Load()), BytesHashed: s.bytes.Load(), Asked: int(s.asked.Load())}
	return r
}

func (s *scan) addFolder(r *Result, n *node) {
	if n.gap != "" {
		r.Gaps = append(r.Gaps, Gap{Path: n.path, Reason: n.gap, Tracked: n.hasTrackedBelow || n.gitlink})
		r.Dirs = append(r.Dirs, Dir{Path: n.path, Perm: n.stat.Perm()})
		return
	}
	dirs, ignored, nested, found := len(r.Dirs), len(r.Ignored), len(r.Nested), len(r.Entries)+len(r.Gaps)
	if n.nested && !n.isCapturedRepo {
		r.Nested = append(r.Nested, NestedRepo{Path: n.path, GitFile: n.gitFile})
		if n.state == nodeClosed {
			return
		}
	}
	r.Dirs = append(r.Dirs, Dir{Path: n.path, Perm: n.stat.Perm(), Empty: n.isEmpty()})
	f := Folder{n, s}
	for i := range n.items {
		// Fast path: nearly all names are captured files, and there may be a million.
		if it := &n.items[i]; s.isCaptured(n, i, it) {
			r.Entries = append(r.Entries, s.newEntry(it))
		} else if m, there := f.nameAt(i, it); there {
			s.addName(r, m)
		}
	}
	// An ignored folder in which Include matched nothing is one entry of Ignored.
	if n.ignored && !n.isIncluded && len(r.Entries)+len(r.Gaps) == found {
		r.Dirs, r.Nested = r.Dirs[:dirs], r.Nested[:nested]
		r.Ignored = append(r.Ignored[:ignored], n.path+"/")
	}
}

func (s *scan) addName(r *Result, m Named) {
	if m.IsRuleFile {
		r.Rules = append(r.Rules, m.Entry)
	}
	switch m.Kind {
	case NameFolder:
		s.addFolder(r, m.Folder.node)
	case NameIgnored:
		r.Ignored = append(r.Ignored, m.Path)
	case NameGap:
		r.Gaps = append(r.Gaps, Gap{Path: m.Path, Reason: m.Reason, Tracked: m.Tracked})
	default:
		r.Entries = append(r.Entries, m.Entry)
	}
}

// isCaptured reports whether a name is a captured file or link, and not a .gitignore.
func (s *scan) isCaptured(n *node, i int, it *item) bool {
	file := !it.vanished && !it.folder && it.child == nil
	return file && it.gap == "" && i != n.ruleFile && s.isCapturedFile(n, it)
}

func (s *scan) newEntry(it *item) Entry {
	f := s.factsOf(it)
	return Entry{Path: it.path, Kind: f.Kind(), Perm: f.Perm(), Size: f.Size, OID: it.oid, Fresh: it.fresh}
}

// isEmpty reports whether the folder has no name; the .git of the root does not count.
func (n *node) isEmpty() bool {
	for i := range n.items {
		if it := &n.items[i]; !it.vanished && (it.child == nil || it.child.state != nodeVanished) {
			return false
		}
	}
	return true
}

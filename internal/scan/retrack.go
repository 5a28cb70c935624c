package scan

import (
	"slices"
	"sort"
	"strings"

	"github.com/belay-dev/belay/internal/belay"
	"github.com/belay-dev/belay/internal/fsroot"
)

// retracker makes a cache in which exactly the paths of a list are tracked, with the records of an
// earlier cache.
type retracker struct {
	old     *Cache // may be nil
	list    []Tracked
	builder Builder
	queue   []listSpan
	seeds   []*Stat
}

// listSpan is a folder to write: its number in the old cache, -1 for none, and its part of the
// list. The first lead bytes of those paths are the same.
type listSpan struct{ old, from, to, lead int }

// nameGroup is one name of a folder in the list: a file, or a folder and its part of the list.
type nameGroup struct {
	name     string
	folder   bool
	gitlink  bool
	from, to int
}

// Retrack returns a cache for list, which may be in any order and contain a path twice.
func Retrack(old *Cache, list []Tracked, seedLimit int64, hashLen int) (*Cache, error) {
	sorted, err := sortTracked(list)
	if err != nil {
		return nil, err
	}
	t := &retracker{old: old, list: sorted, builder: Builder{HashLen: hashLen}}
	t.seeds = make([]*Stat, 0, countSeeds(sorted))
	if old != nil {
		t.builder.Grow(old)
	} else {
		t.builder.growFor(sorted)
	}
	top := listSpan{old: -1, to: len(sorted)}
	if old != nil {
		top.old = 0
	}
	t.queue = append(t.queue, top)
	for i := 0; i < len(t.queue); i++ {
		t.writeFolder(t.queue[i])
	}
	parts, sum := t.builder.Parts("", "", 0, 0)
	size := 0
	for _, p := range parts {
		size += len(p)
	}
	whole := fsroot.MakeLarge[byte](size)[:0]
	for _, p := range parts {
		whole = append(whole, p...)
	}
	c := parseCache(fsroot.StringOf(whole), sum)
	if c == nil { // more than 4 GiB of names
		return nil, belay.Refuse(belay.CodeCannot, "track fewer files", "the index is too large to work with")
	}
	c.seeds, c.seedLimit = t.seeds, seedLimit
	return c, nil
}

// countSeeds returns the number of paths with a seed.
func countSeeds(list []Tracked) (n int) {
	for i := range list {
		if list[i].Seed != nil {
			n++
		}
	}
	return n
}

// sortTracked sorts the list. A submodule is in it twice: as its folder, and as a file or link that
// may be in its place.
func sortTracked(list []Tracked) ([]Tracked, error) {
	sorted := list
	for i := range list {
		t := &list[i]
		if !isPlainPath(t.Path) {
			return nil, belay.Refuse(belay.CodeCannot, "git fsck", "the index contains %q, which is not a path", t.Path)
		}
		if !t.Gitlink {
			continue
		}
		if len(sorted) == len(list) {
			sorted = slices.Clone(list)
		}
		sorted[i].Gitlink = false
		sorted = append(sorted, Tracked{Path: t.Path + "/", Gitlink: true})
	}
	byPath := func(a, b Tracked) int { return strings.Compare(a.Path, b.Path) }
	if !slices.IsSortedFunc(sorted, byPath) {
		if len(sorted) == len(list) {
			sorted = slices.Clone(list)
		}
		slices.SortStableFunc(sorted, byPath)
	}
	return sorted, nil
}

// isPlainPath reports whether path consists of names that are not empty and short enough to record.
func isPlainPath(path string) bool {
	for name := range strings.SplitSeq(path, "/") {
		if name == "" || len(name) > 1<<15 {
			return false
		}
	}
	return true
}

func (t *retracker) writeFolder(s listSpan) {
	var rules RuleID
	rec, end, base := 0, 0, 0
	if s.old >= 0 {
		rules, base = t.old.Rules(s.old), t.old.NamesStart(s.old)
		rec, end = t.old.Records(s.old)
	}
	t.builder.StartFolder(rules)
	g, more := t.nextGroup(&s)
	for more || rec < end {
		side := 1 // which comes first: -1 the list, 1 the cache, 0 both
		var name string
		var folder bool
		if rec < end {
			name, folder = t.old.Name(base, rec)
		}
		switch {
		case rec == end:
			side = -1
		case more:
			side = fsroot.CompareNames(g.name, g.folder, name, folder)
		}
		switch {
		case side < 0:
			t.addRecord(g, -1, s.lead)
		case side == 0:
			t.addRecord(g, rec, s.lead)
		default:
			t.addRecord(nameGroup{name: name, folder: folder}, rec, s.lead)
		}
		if side <= 0 {
			g, more = t.nextGroup(&s)
		}
		if side >= 0 {
			rec++
		}
	}
}

// nextGroup takes the first group off the span.
func (t *retracker) nextGroup(s *listSpan) (nameGroup, bool) {
	if s.from == s.to {
		return nameGroup{}, false
	}
	from := s.from
	path := t.list[from].Path
	name, _, folder := strings.Cut(path[s.lead:], "/")
	if !folder {
		for s.from < s.to && t.list[s.from].Path == path {
			s.from++
		}
		return nameGroup{name: name, from: from, to: s.from}, true
	}
	lead := path[:s.lead+len(name)+1]
	s.from += sort.Search(s.to-from, func(i int) bool { return !strings.HasPrefix(t.list[from+i].Path, lead) })
	g := nameGroup{name: name, folder: true, from: from, to: s.from}
	for g.from < g.to && t.list[g.from].Path == lead {
		g.gitlink = true
		g.from++
	}
	return g, true
}

// addRecord writes the record of one name; rec is its old one or -1. A name that is only in the
// old cache has an empty group.
func (t *retracker) addRecord(g nameGroup, rec, lead int) {
	var flags uint8 = FlagMissing
	old, child := -1, 0
	var f fsroot.Facts
	var oid fsroot.OID
	if rec >= 0 {
		flags = t.old.Flags(rec) &^ FlagsFromIndex
		f, oid = t.old.Facts(rec), t.old.OID(rec)
		if n := t.old.Child(rec); n != 0 {
			old = n
		}
	}
	switch listed := g.to > g.from; {
	case g.gitlink && listed:
		flags |= FlagGitlink | FlagBelow
	case g.gitlink:
		flags |= FlagGitlink
	case g.folder && listed:
		flags |= FlagBelow
	case listed:
		flags |= FlagTracked
		f, oid, flags = t.seedRecord(g, f, oid, flags)
	case flags&FlagMissing != 0:
		return // no longer on disk or in the index
	}
	if old >= 0 || flags&FlagBelow != 0 {
		child = len(t.queue)
		t.queue = append(t.queue, listSpan{old: old, from: g.from, to: g.to, lead: lead + len(g.name) + 1})
	}
	t.builder.Add(g.name, g.folder, flags, child, f, oid)
}

// seedRecord uses the record of the index about a file, unless the cache has a better one.
func (t *retracker) seedRecord(g nameGroup, f fsroot.Facts, oid fsroot.OID, flags uint8) (fsroot.Facts, fsroot.OID, uint8) {
	e := &t.list[g.from]
	if flags&FlagTrusted != 0 || e.Seed == nil || len(e.OID) != t.builder.HashLen || g.to > g.from+1 {
		return f, oid, flags
	}
	t.seeds = append(t.seeds, e.Seed)
	return fsroot.Facts{Ino: uint64(len(t.seeds) - 1)}, e.OID, flags | FlagSeed
}

package snapshot

import (
	"encoding/hex"
	"slices"
	"strings"

	"github.com/belay-dev/belay/internal/git"
	"github.com/belay-dev/belay/internal/scan"

	"github.com/belay-dev/belay/internal/fsroot"
)

// Manifest makes of a tree what a scan says of it. Folders whose sum has nothing for
// it are passed by.
func (a *Book) Manifest(top scan.Folder) *Manifest {
	s := a.of(top)
	perms := map[fsroot.PathKind]map[uint16]int{fsroot.File: {}, fsroot.Exec: {}, fsroot.Folder: {}}
	for _, m := range s.modes {
		perms[m.kind][m.perm] = m.n
	}
	l := lister{a: a, m: &Manifest{
		FilePerm: Usual(perms[fsroot.File], 0o644),
		ExecPerm: Usual(perms[fsroot.Exec], 0o755),
		DirPerm:  Usual(perms[fsroot.Folder], 0o755),
	}}
	l.folder(top)
	m := l.m
	slices.SortFunc(m.Modes, func(a, b Mode) int { return strings.Compare(a.Path, b.Path) })
	slices.SortFunc(m.Gaps, func(a, b ManifestGap) int { return strings.Compare(a.Path, b.Path) })
	slices.SortFunc(m.Nested, func(a, b Nested) int { return strings.Compare(a.Path, b.Path) })
	slices.Sort(m.Folders)
	return m
}

type lister struct {
	a *Book
	m *Manifest
}

func (l *lister) usual(kind fsroot.PathKind) uint16 {
	if kind == fsroot.Folder {
		return l.m.DirPerm
	}
	return l.m.Perm("", kind == fsroot.Exec)
}

func (l *lister) plain(s *sum) bool {
	unusual := slices.ContainsFunc(s.modes, func(m modeCount) bool { return m.perm != l.usual(m.kind) })
	return !s.special && !s.bare && !unusual
}

func (l *lister) folder(f scan.Folder) {
	s, m := l.a.of(f), l.m
	if f.Gap() != "" {
		m.Gaps = append(m.Gaps, ManifestGap{Path: f.Path(), Reason: f.Gap(), Tracked: f.Tracked()})
	} else if f.Nested() {
		m.Nested = append(m.Nested, Nested{Path: f.Path()})
	}
	if f.Path() != "" && (f.Gap() != "" || f.Entered()) {
		if f.Perm() != m.DirPerm {
			m.Modes = append(m.Modes, Mode{Path: f.Path(), Perm: f.Perm()})
		}
		if s.files == 0 {
			m.Folders = append(m.Folders, f.Path())
		}
	}
	if !l.plain(s) {
		f.Each(l.name)
	}
}

func (l *lister) name(n scan.Named) {
	m, e := l.m, &n.Entry
	if n.Rule {
		m.Rules = append(m.Rules, Rule{Path: n.Path, OID: e.OID.String()})
	}
	switch n.What {
	case scan.Below:
		if l.a.swallowed(n.Folder) {
			m.Ignored = append(m.Ignored, n.Path+"/")
		} else if !l.plain(l.a.of(n.Folder)) {
			l.folder(n.Folder)
		}
	case scan.Ignored:
		m.Ignored = append(m.Ignored, n.Path)
	case scan.Missed:
		m.Gaps = append(m.Gaps, ManifestGap{Path: n.Path, Reason: n.Reason, Tracked: n.Tracked})
	default:
		if e.Kind != fsroot.SymbolicLink && e.Perm != l.usual(e.Kind) {
			m.Modes = append(m.Modes, Mode{Path: n.Path, Perm: e.Perm})
		}
		if odd(n) {
			m.Odd = append(m.Odd, Odd{Path: n.Path, Mode: ModeOf(e.Kind), OID: e.OID.String()})
		}
	}
}

// Doubtful marks what has to be looked at whether or not something was heard of it:
// files with several names, repositories of their own, and what could not be read.
func (a *Book) Doubtful(f scan.Folder, d *scan.Dirt) {
	if !a.of(f).linked {
		return
	}
	if f.Nested() || f.Gap() != "" {
		d.List(f.Path())
	}
	f.Each(func(m scan.Named) {
		if dotGit(m.Path) {
			d.List(f.Path())
		}
		switch {
		case m.What == scan.Below:
			a.Doubtful(m.Folder, d)
		case m.What == scan.Missed || m.Linked && m.What == scan.Captured:
			d.Read(m.Path)
		}
	})
}

// Since collects what is in now and was not in then: blobs, and trees.
func (a *Book) Since(then *scan.Folder, now scan.Folder, seen *Seen) {
	if then != nil && then.Same(now) {
		return
	}
	s, before := a.of(now), map[string]scan.Named{}
	if then != nil {
		then.Each(func(m scan.Named) { before[m.Path] = m })
	}
	if s.tree != "" && (then == nil || a.of(*then).tree != s.tree) {
		seen.Trees = append(seen.Trees, git.NewObject{OID: hex.EncodeToString([]byte(s.tree)), Type: "tree", Data: a.tree(now)})
	}
	now.Each(func(m scan.Named) {
		was, there := before[m.Path]
		if m.What == scan.Below {
			var old *scan.Folder
			if there && was.What == scan.Below {
				old = &was.Folder
			}
			a.Since(old, m.Folder, seen)
			return
		}
		if e := &m.Entry; e.OID != "" && (!there || was.Entry.OID != e.OID) {
			seen.Changed[e.OID.String()] = &Source{Path: e.Path, Link: e.Kind == fsroot.SymbolicLink, Size: e.Size}
		}
	})
}

// Gone gives the folders that are in then and not in now.
func Gone(then, now scan.Folder, tell func(path string)) {
	if then.Same(now) {
		return
	}
	there := map[string]scan.Folder{}
	now.Each(func(m scan.Named) {
		if m.What == scan.Below {
			there[m.Path] = m.Folder
		}
	})
	then.Each(func(m scan.Named) {
		if m.What != scan.Below {
			return
		}
		if f, still := there[m.Path]; still {
			Gone(m.Folder, f, tell)
		} else {
			below(m.Folder, tell)
		}
	})
}

func below(f scan.Folder, tell func(path string)) {
	tell(f.Path())
	f.Each(func(m scan.Named) {
		if m.What == scan.Below {
			below(m.Folder, tell)
		}
	})
}

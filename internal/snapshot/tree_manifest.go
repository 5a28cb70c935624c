package snapshot

import (
	"encoding/hex"
	"slices"
	"strings"

	"github.com/belay-dev/belay/internal/git"
	"github.com/belay-dev/belay/internal/scan"

	"github.com/belay-dev/belay/internal/fsroot"
)

// Manifest makes the manifest of a scanned tree. Folders with a sum that shows nothing to list are
// skipped.
func (a *FolderSums) Manifest(top scan.Folder) *Manifest {
	s := a.sumOf(top)
	perms := map[fsroot.PathKind]map[uint16]int{fsroot.File: {}, fsroot.Exec: {}, fsroot.Folder: {}}
	for _, m := range s.modes {
		perms[m.kind][m.perm] = m.n
	}
	l := manifestBuilder{sums: a, manifest: &Manifest{
		FilePerm: MostCommonMode(perms[fsroot.File], 0o644),
		ExecPerm: MostCommonMode(perms[fsroot.Exec], 0o755),
		DirPerm:  MostCommonMode(perms[fsroot.Folder], 0o755),
	}}
	l.addFolder(top)
	m := l.manifest
	slices.SortFunc(m.Modes, func(a, b Mode) int { return strings.Compare(a.Path, b.Path) })
	slices.SortFunc(m.Gaps, func(a, b ManifestGap) int { return strings.Compare(a.Path, b.Path) })
	slices.SortFunc(m.Nested, func(a, b NestedRepo) int { return strings.Compare(a.Path, b.Path) })
	slices.Sort(m.Folders)
	return m
}

type manifestBuilder struct {
	sums     *FolderSums
	manifest *Manifest
}

func (l *manifestBuilder) usualMode(kind fsroot.PathKind) uint16 {
	if kind == fsroot.Folder {
		return l.manifest.DirPerm
	}
	return l.manifest.Perm("", kind == fsroot.Exec)
}

func (l *manifestBuilder) isPlain(s *folderSum) bool {
	unusual := slices.ContainsFunc(s.modes, func(m modeCount) bool { return m.perm != l.usualMode(m.kind) })
	return !s.hasSpecial && !s.hasEmptyFolder && !unusual
}

func (l *manifestBuilder) addFolder(f scan.Folder) {
	s, m := l.sums.sumOf(f), l.manifest
	if f.Gap() != "" {
		m.Gaps = append(m.Gaps, ManifestGap{Path: f.Path(), Reason: f.Gap(), Tracked: f.Tracked()})
	} else if f.Nested() {
		m.Nested = append(m.Nested, NestedRepo{Path: f.Path()})
	}
	if f.Path() != "" && (f.Gap() != "" || f.Entered()) {
		if f.Perm() != m.DirPerm {
			m.Modes = append(m.Modes, Mode{Path: f.Path(), Perm: f.Perm()})
		}
		if s.files == 0 {
			m.Folders = append(m.Folders, f.Path())
		}
	}
	if !l.isPlain(s) {
		f.Each(l.addEntry)
	}
}

func (l *manifestBuilder) addEntry(n scan.Named) {
	m, e := l.manifest, &n.Entry
	if n.IsRuleFile {
		m.Rules = append(m.Rules, Rule{Path: n.Path, OID: e.OID.String()})
	}
	switch n.Kind {
	case scan.NameFolder:
		if l.sums.isFullyIgnored(n.Folder) {
			m.Ignored = append(m.Ignored, n.Path+"/")
		} else if !l.isPlain(l.sums.sumOf(n.Folder)) {
			l.addFolder(n.Folder)
		}
	case scan.NameIgnored:
		m.Ignored = append(m.Ignored, n.Path)
	case scan.NameGap:
		m.Gaps = append(m.Gaps, ManifestGap{Path: n.Path, Reason: n.Reason, Tracked: n.Tracked})
	default:
		if e.Kind != fsroot.SymbolicLink && e.Perm != l.usualMode(e.Kind) {
			m.Modes = append(m.Modes, Mode{Path: n.Path, Perm: e.Perm})
		}
		if isOddEntry(n) {
			m.Odd = append(m.Odd, OddPath{Path: n.Path, Mode: GitMode(e.Kind), OID: e.OID.String()})
		}
	}
}

// MarkUncertain marks what has to be checked even when no change was reported: files with several
// hard links, nested repositories, and what could not be read.
func (a *FolderSums) MarkUncertain(f scan.Folder, d *scan.DirtyPaths) {
	if !a.sumOf(f).needsRecheck {
		return
	}
	if f.Nested() || f.Gap() != "" {
		d.MarkList(f.Path())
	}
	f.Each(func(m scan.Named) {
		if isDotGit(m.Path) {
			d.MarkList(f.Path())
		}
		switch {
		case m.Kind == scan.NameFolder:
			a.MarkUncertain(m.Folder, d)
		case m.Kind == scan.NameGap || m.Linked && m.Kind == scan.NameCaptured:
			d.MarkRead(m.Path)
		}
	})
}

// CollectNew adds to seen the blobs and trees that are in now and not in then.
func (a *FolderSums) CollectNew(then *scan.Folder, now scan.Folder, seen *WatchAnswer) {
	if then != nil && then.Same(now) {
		return
	}
	s, before := a.sumOf(now), map[string]scan.Named{}
	if then != nil {
		then.Each(func(m scan.Named) { before[m.Path] = m })
	}
	if s.tree != "" && (then == nil || a.sumOf(*then).tree != s.tree) {
		seen.Trees = append(seen.Trees, git.NewObject{OID: hex.EncodeToString([]byte(s.tree)), Type: "tree", Data: a.treeBytes(now)})
	}
	now.Each(func(m scan.Named) {
		was, there := before[m.Path]
		if m.Kind == scan.NameFolder {
			var old *scan.Folder
			if there && was.Kind == scan.NameFolder {
				old = &was.Folder
			}
			a.CollectNew(old, m.Folder, seen)
			return
		}
		if e := &m.Entry; e.OID != "" && (!there || was.Entry.OID != e.OID) {
			seen.Blobs[e.OID.String()] = &BlobSource{Path: e.Path, IsLink: e.Kind == fsroot.SymbolicLink, Size: e.Size}
		}
	})
}

// EachDeleted calls tell with each folder that is in then and not in now.
func EachDeleted(then, now scan.Folder, tell func(path string)) {
	if then.Same(now) {
		return
	}
	there := map[string]scan.Folder{}
	now.Each(func(m scan.Named) {
		if m.Kind == scan.NameFolder {
			there[m.Path] = m.Folder
		}
	})
	then.Each(func(m scan.Named) {
		if m.Kind != scan.NameFolder {
			return
		}
		if f, still := there[m.Path]; still {
			EachDeleted(m.Folder, f, tell)
		} else {
			eachFolder(m.Folder, tell)
		}
	})
}

func eachFolder(f scan.Folder, tell func(path string)) {
	tell(f.Path())
	f.Each(func(m scan.Named) {
		if m.Kind == scan.NameFolder {
			eachFolder(m.Folder, tell)
		}
	})
}

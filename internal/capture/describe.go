package capture

import (
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/belay-dev/belay/internal/manifest"
	"github.com/belay-dev/belay/internal/scan"
	"github.com/belay-dev/belay/internal/worktree"
)

// describe makes the manifest of a scan, but for what nameMeta adds.
func (s *Place) describe(c *Capture) *manifest.Manifest {
	m := &manifest.Manifest{}
	if c.Seen != nil {
		*m = *c.Seen.Man
	} else {
		fromScan(m, c.Scan)
	}
	m.Index, m.Folders = c.Index.Facts, slices.Clone(m.Folders)
	for i, n := range m.Nested {
		m.Nested[i].Head = s.nestedHead(n.Path)
		// A submodule that was never checked out is an empty folder.
		if list, err := os.ReadDir(filepath.Join(s.Repo.Root, filepath.FromSlash(n.Path))); err == nil && len(list) == 0 {
			m.Folders = append(m.Folders, n.Path)
		}
	}
	slices.Sort(m.Folders)
	m.Folders = slices.Compact(m.Folders)
	for _, r := range c.Rules.files {
		m.Rules = append(m.Rules, manifest.Rule{Path: r.Name, OID: s.Repo.Name("blob", r.Data), Outer: true})
	}
	return m
}

// fromScan fills in what a scan says.
func fromScan(m *manifest.Manifest, r *scan.Result) {
	m.Ignored = r.Ignored
	perms := map[worktree.Kind]map[uint16]int{worktree.File: {}, worktree.Exec: {}, worktree.Folder: {}}
	for _, e := range r.Entries {
		if e.Kind != worktree.Link {
			perms[e.Kind][e.Perm]++
		}
	}
	for _, d := range r.Dirs {
		perms[worktree.Folder][d.Perm]++
	}
	m.FilePerm, m.ExecPerm, m.DirPerm = Usual(perms[worktree.File], 0o644), Usual(perms[worktree.Exec], 0o755), Usual(perms[worktree.Folder], 0o755)
	for _, e := range r.Entries {
		if e.Kind != worktree.Link && e.Perm != m.Perm("", e.Kind == worktree.Exec) {
			m.Modes = append(m.Modes, manifest.Mode{Path: e.Path, Perm: e.Perm})
		}
	}
	for _, d := range r.Dirs {
		if d.Path == "" {
			continue // the root's own mode is the user's affair
		}
		if d.Perm != m.DirPerm {
			m.Modes = append(m.Modes, manifest.Mode{Path: d.Path, Perm: d.Perm})
		}
		if !holdsAny(r.Entries, d.Path) {
			m.Folders = append(m.Folders, d.Path)
		}
	}
	slices.SortFunc(m.Modes, func(a, b manifest.Mode) int { return strings.Compare(a.Path, b.Path) })
	for _, g := range r.Gaps {
		m.Gaps = append(m.Gaps, manifest.Gap{Path: g.Path, Reason: g.Reason, Tracked: g.Tracked})
	}
	for _, n := range r.Nested {
		m.Nested = append(m.Nested, manifest.Nested{Path: n.Path})
	}
	for _, e := range r.Rules {
		m.Rules = append(m.Rules, manifest.Rule{Path: e.Path, OID: e.OID.String()})
	}
}

// Usual gives the mode that most have: the smallest of those, otherwise when there is none.
func Usual(counts map[uint16]int, otherwise uint16) uint16 {
	best, n := otherwise, 0
	for p, k := range counts {
		if k > n || k == n && p < best {
			best, n = p, k
		}
	}
	return best
}

// holdsAny reports whether any of the sorted entries lies below a folder.
func holdsAny(entries []scan.Entry, folder string) bool {
	prefix := folder + "/"
	i, _ := slices.BinarySearchFunc(entries, prefix, func(e scan.Entry, p string) int { return strings.Compare(e.Path, p) })
	return i < len(entries) && strings.HasPrefix(entries[i].Path, prefix)
}

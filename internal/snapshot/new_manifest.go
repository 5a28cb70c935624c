package snapshot

import (
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"

	"github.com/belay-dev/belay/internal/fsroot"
	"github.com/belay-dev/belay/internal/scan"
)

// newManifest makes the manifest of a scan, without the parts that hashMeta adds.
func (s *Worktree) newManifest(c *Capture) *Manifest {
	m := &Manifest{}
	if c.Answer != nil {
		*m = *c.Answer.Manifest
	} else {
		addScan(m, c.Scan)
	}
	m.Index, m.Folders = c.Index.Attributes, slices.Clone(m.Folders)
	for i, n := range m.Nested {
		m.Nested[i].Head = s.nestedHead(n.Path)
		// A submodule that was never checked out is an empty folder.
		if list, err := os.ReadDir(filepath.Join(s.Repo.Root, filepath.FromSlash(n.Path))); err == nil && len(list) == 0 {
			m.Folders = append(m.Folders, n.Path)
		}
	}
	slices.Sort(m.Folders)
	m.Folders = slices.Compact(m.Folders)
	m.Rules = append(slices.Clone(m.Rules), s.outerRuleFiles(c.Rules)...)
	m.IgnoreCase = c.Rules.ignoreCase
	s.addExtent(c, m)
	return m
}

// outerRuleFiles returns the rules outside the tree as a manifest lists them.
func (s *Worktree) outerRuleFiles(r outerRules) (list []Rule) {
	for _, f := range r.files {
		list = append(list, Rule{Path: f.Name, OID: s.Repo.HashObject("blob", f.Data), Outer: true})
	}
	return list
}

// addExtent records in the manifest what was captured in addition to git's view, and fingerprints
// of what was not captured.
func (s *Worktree) addExtent(c *Capture, m *Manifest) {
	e := c.Options.Extent
	if m.Extent = e.manifestExtents(); m.Extent == nil {
		return
	}
	m.Uncaptured = nil
	for _, g := range m.Gaps {
		info, err := os.Lstat(filepath.Join(s.Repo.Root, filepath.FromSlash(g.Path)))
		if err != nil || !info.Mode().IsRegular() {
			continue
		}
		if st, ok := info.Sys().(*syscall.Stat_t); ok {
			m.Uncaptured = append(m.Uncaptured, Uncaptured{Kind: UncapturedFile, Path: g.Path,
				Fingerprint: fmt.Sprintf("%d %d %d", info.Size(), info.ModTime().UnixNano(), fsroot.ChangeTime(st))})
		}
	}
	m.Uncaptured = append(m.Uncaptured, c.ignoredFiles...)
	if e.Baseline == nil {
		return
	}
	for _, f := range slices.Sorted(maps.Keys(e.Baseline.skippedOutput)) {
		m.Uncaptured = append(m.Uncaptured, Uncaptured{Kind: UncapturedOutput, Path: f + "/", Fingerprint: s.countFiles(f)})
	}
}

// maxCounted limits the time for counting files that are not captured.
const maxCounted = 100_000

// countFiles returns the number of files in a folder as text, without following links; "100000+" at
// the limit.
func (s *Worktree) countFiles(folder string) string {
	n := 0
	err := filepath.WalkDir(filepath.Join(s.Repo.Root, filepath.FromSlash(folder)), func(_ string, d fs.DirEntry, err error) error {
		if err == nil && !d.IsDir() {
			n++
		}
		if n == maxCounted {
			return fs.SkipAll
		}
		return nil // not readable: not counted
	})
	if err != nil || n == maxCounted {
		return fmt.Sprintf("%d+", n)
	}
	return strconv.Itoa(n)
}

// addScan fills in what a scan reports.
func addScan(m *Manifest, r *scan.Result) {
	m.Ignored = r.Ignored
	perms := map[fsroot.PathKind]map[uint16]int{fsroot.File: {}, fsroot.Exec: {}, fsroot.Folder: {}}
	for i, n := 0, len(r.Entries); i < n; { // most have the same mode: one map access for a run of them
		e, from := &r.Entries[i], i
		for i < n && r.Entries[i].Kind == e.Kind && r.Entries[i].Perm == e.Perm {
			i++
		}
		if e.Kind != fsroot.SymbolicLink {
			perms[e.Kind][e.Perm] += i - from
		}
	}
	for _, d := range r.Dirs {
		perms[fsroot.Folder][d.Perm]++
	}
	m.FilePerm, m.ExecPerm, m.DirPerm = MostCommonMode(perms[fsroot.File], 0o644), MostCommonMode(perms[fsroot.Exec],
		0o755), MostCommonMode(perms[fsroot.Folder], 0o755)
	for i := range r.Entries {
		e := &r.Entries[i]
		if e.Kind != fsroot.SymbolicLink && e.Perm != m.Perm("", e.Kind == fsroot.Exec) {
			m.Modes = append(m.Modes, Mode{Path: e.Path, Perm: e.Perm})
		}
	}
	for _, d := range r.Dirs {
		if d.Path == "" {
			continue // the root's own mode is not captured
		}
		if d.Perm != m.DirPerm {
			m.Modes = append(m.Modes, Mode{Path: d.Path, Perm: d.Perm})
		}
		if !hasEntryBelow(r.Entries, d.Path) {
			m.Folders = append(m.Folders, d.Path)
		}
	}
	slices.SortFunc(m.Modes, func(a, b Mode) int { return strings.Compare(a.Path, b.Path) })
	for _, g := range r.Gaps {
		m.Gaps = append(m.Gaps, ManifestGap{Path: g.Path, Reason: g.Reason, Tracked: g.Tracked})
	}
	for _, n := range r.Nested {
		m.Nested = append(m.Nested, NestedRepo{Path: n.Path})
	}
	for _, e := range r.Rules {
		m.Rules = append(m.Rules, Rule{Path: e.Path, OID: e.OID.String()})
	}
}

// MostCommonMode returns the most common mode, the smallest of equally common ones, or otherwise
// when counts is empty.
func MostCommonMode(counts map[uint16]int, otherwise uint16) uint16 {
	best, n := otherwise, 0
	for p, k := range counts {
		if k > n || k == n && p < best {
			best, n = p, k
		}
	}
	return best
}

// hasEntryBelow reports whether any of the sorted entries is below a folder.
func hasEntryBelow(entries []scan.Entry, folder string) bool {
	prefix := folder + "/"
	i, _ := slices.BinarySearchFunc(entries, prefix, func(e scan.Entry, p string) int { return strings.Compare(e.Path, p) })
	return i < len(entries) && strings.HasPrefix(entries[i].Path, prefix)
}

package handoff

import (
	"bytes"
	"context"
	"encoding/hex"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/belay-dev/belay/internal/git"
	"github.com/belay-dev/belay/internal/snapshot"
)

// compareCommits compares the two commits, and finds out whether uncommitted work was committed or
// discarded.
func (r Reader) compareCommits(ctx context.Context, f *Facts, one, two *side) error {
	if one.Head == "" || two.Head == "" {
		return nil
	}
	rd, err := r.Snaps.Repo.Reader(ctx)
	if err != nil {
		return err
	}
	then, now, err := readBlobs(rd, one.Head, two.Head)
	rd.Close()
	if err != nil {
		return err
	}
	f.Then.Subject, f.Now.Subject = subject(then), subject(now)
	if one.Head != two.Head {
		f.SameParents = slices.Equal(parents(then), parents(now))
		if f.Descends, err = r.isAncestor(ctx, one.Head, two.Head); err != nil {
			return err
		}
		if f.Precedes, err = r.isAncestor(ctx, two.Head, one.Head); err != nil {
			return err
		}
	}
	return r.compareUncommittedWork(ctx, f, one, two, field(then, "tree"), field(now, "tree"))
}

// isAncestor reports whether the commit earlier is an ancestor of later.
func (r Reader) isAncestor(ctx context.Context, earlier, later string) (bool, error) {
	_, err := r.Snaps.Repo.Run(ctx, nil, "merge-base", "--is-ancestor", earlier, later)
	var f *git.CommandError
	if errors.As(err, &f) && f.Exit == 1 {
		return false, nil
	}
	return err == nil, err
}

// compareUncommittedWork compares the uncommitted work of one with the files and commit of two.
func (r Reader) compareUncommittedWork(ctx context.Context, f *Facts, one, two *side, headThen, headNow string) error {
	if one.tree == two.tree && headThen == headNow {
		return nil
	}
	then, err := diffHead(ctx, r.Snaps.Repo, headThen, one.tree)
	if err != nil {
		return err
	}
	if headThen != headNow {
		left, err := diffHead(ctx, r.Snaps.Repo, headNow, one.tree)
		if err != nil {
			return err
		}
		still := map[string]bool{}
		for _, d := range left {
			still[d.Path] = true
		}
		f.WorkCommitted = slices.ContainsFunc(then, func(d git.Difference) bool { return !still[d.Path] })
		return nil
	}
	if two.capture != nil && one.tree != two.tree {
		return nil // not stored: its files cannot be compared
	}
	now, err := diffHead(ctx, r.Snaps.Repo, headNow, two.tree)
	if err != nil {
		return err
	}
	tracked := func(list []git.Difference) int {
		n := 0
		for _, d := range list {
			if d.OldMode != 0 {
				n++
			}
		}
		return n
	}
	f.Discarded = tracked(then) > 0 && tracked(now) == 0 || len(then) > 0 && len(now) == 0
	return nil
}

// maxText limits the size of files with a comparison of their bytes.
const maxText = 16 << 20

// compareFiles finds the paths that differ.
func (r Reader) compareFiles(ctx context.Context, f *Facts, one, two *side) error {
	if one.tree == two.tree && slices.Equal(one.manifest.Odd, two.manifest.Odd) && snapshot.SameModes(one.manifest, two.manifest) {
		return nil
	}
	then, now, err := readBoth(ctx, r.listEntries, one, two)
	if err != nil {
		return err
	}
	for _, path := range union(then, now) {
		a, b := then[path], now[path]
		if a != b && !(a.Mode == folderMode || b.Mode == folderMode) {
			hidden := b.Mode == 0 && two.manifest.WasIgnored(path)
			f.Files = append(f.Files, Pair{Path: path, Then: entryOf(a), Now: entryOf(b), Ignored: hidden})
		}
	}
	return r.describePairs(ctx, f.Files)
}

const folderMode = 0o040000

// listEntries returns the entries of a side by path; the result is cached.
func (r Reader) listEntries(ctx context.Context, s *side) (map[string]snapshot.Entry, error) {
	if s.entries != nil {
		return s.entries, nil
	}
	list, err := r.Snaps.Entries(ctx, s.tree, s.manifest)
	if err != nil {
		return nil, err
	}
	all := make(map[string]snapshot.Entry, len(list))
	for _, e := range list {
		all[e.Path] = e
	}
	s.entries = all
	return all, nil
}

func entryOf(e snapshot.Entry) DriftEntry {
	return DriftEntry{Mode: e.Mode, Perm: e.Perm, OID: e.OID}
}

func union[V any](a, b map[string]V) []string {
	var all []string
	for p := range a {
		all = append(all, p)
	}
	for p := range b {
		if _, both := a[p]; !both {
			all = append(all, p)
		}
	}
	slices.Sort(all)
	return all
}

// describePairs adds sizes, and how the bytes of changed files differ.
func (r Reader) describePairs(ctx context.Context, pairs []Pair) error {
	var oids []string
	for _, p := range pairs {
		for _, e := range []DriftEntry{p.Then, p.Now} {
			if e.OID != "" {
				oids = append(oids, e.OID)
			}
		}
	}
	slices.Sort(oids)
	oids = slices.Compact(oids)
	list, err := r.Snaps.Repo.Sizes(ctx, oids)
	if err != nil {
		return err
	}
	sizes := map[string]int64{}
	for i, oid := range oids {
		sizes[oid] = list[i]
	}
	rd, err := r.Snaps.Repo.Reader(ctx)
	if err != nil {
		return err
	}
	defer rd.Close()
	for i := range pairs {
		p := &pairs[i]
		p.Then.Size, p.Now.Size = sizes[p.Then.OID], sizes[p.Now.OID]
		texts := p.Then.Mode&0o170000 == 0o100000 && p.Now.Mode&0o170000 == 0o100000
		if !texts || p.Then.OID == p.Now.OID || p.Then.Size > maxText || p.Now.Size > maxText {
			continue
		}
		then, now, err := readBlobs(rd, p.Then.OID, p.Now.OID)
		if err != nil {
			return err
		}
		p.SameLines = bytes.Equal(Normalise(then), Normalise(now))
		p.Shape = describeShape(then, now)
	}
	return nil
}

func describeShape(then, now []byte) string {
	switch {
	case len(now) == 0:
		return "emptied"
	case bytes.HasPrefix(then, now):
		return "truncated"
	case len(then) > 0 && bytes.HasPrefix(now, then):
		return "added to at its end"
	}
	return ""
}

// compareIndexes finds the paths with different index entries. Cached stat data does not count: git
// status rewrites it.
func (r Reader) compareIndexes(ctx context.Context, f *Facts, one, two *side) error {
	if one.indexTree == two.indexTree {
		return nil
	}
	was, is, err := readBoth(ctx, r.readIndex, one, two)
	if err != nil {
		return err
	}
	if was.readable != is.readable {
		f.Index = append(f.Index, IndexPair{Path: "(the index)", Then: Staged{Extra: readableText(was.readable)},
			Now: Staged{Extra: readableText(is.readable)}})
		return nil
	}
	for a, b := was.entries, is.entries; len(a)+len(b) > 0; {
		path := leastPath(a, b)
		then, restA := takeStaged(a, path)
		now, restB := takeStaged(b, path)
		if then != now {
			f.Index = append(f.Index, IndexPair{Path: path, Then: newStaged(then), Now: newStaged(now)})
		}
		a, b = restA, restB
	}
	return nil
}

// leastPath returns the first path of two lists sorted by path, as an index is.
func leastPath(a, b []git.IndexEntry) string {
	switch {
	case len(a) == 0:
		return b[0].Path
	case len(b) == 0 || a[0].Path < b[0].Path:
		return a[0].Path
	}
	return b[0].Path
}

// indexPlace is the entries of a path by stage: one, or up to three sides of a conflict.
type indexPlace [4]struct {
	mode  uint32
	oid   string
	flags [3]bool
}

// takeStaged removes the entries of a path from the front of a list.
func takeStaged(list []git.IndexEntry, path string) (p indexPlace, rest []git.IndexEntry) {
	for len(list) > 0 && list[0].Path == path {
		e := list[0]
		p[e.Stage&3].mode, p[e.Stage&3].oid, p[e.Stage&3].flags = e.Mode, e.OID, [3]bool{e.SkipWorktree, e.AssumeUnchanged, e.IntentToAdd}
		list = list[1:]
	}
	return p, list
}

func newStaged(p indexPlace) Staged {
	s := Staged{Mode: p[0].mode, OID: hex.EncodeToString([]byte(p[0].oid))}
	for i, name := range []string{"skip-worktree", "assume-unchanged", "intent-to-add"} {
		if p[0].flags[i] {
			s.Flags += "+" + name
		}
	}
	s.Flags = strings.TrimPrefix(s.Flags, "+")
	for i := 1; i < len(p); i++ {
		if p[i].mode != 0 {
			s.Extra += fmt.Sprintf("%d%x", i, p[i].oid)
		}
	}
	return s
}

func readableText(readable bool) string {
	if readable {
		return ""
	}
	return "unreadable"
}

// compareManifests compares what only manifests contain: empty folders, modes of folders, gaps and
// nested repositories.
func (r Reader) compareManifests(ctx context.Context, f *Facts, one, two *side) error {
	then, now := emptyFolders(one.manifest), emptyFolders(two.manifest)
	for _, p := range union(then, now) {
		if then[p] != now[p] {
			f.Folders = append(f.Folders, FolderPair{Path: p, WasEmpty: then[p], IsEmpty: now[p]})
		}
	}
	if err := r.compareFolderModes(ctx, f, one, two); err != nil {
		return err
	}
	gapsThen, gapsNow := gapReasons(one.manifest), gapReasons(two.manifest)
	for _, p := range union(gapsThen, gapsNow) {
		if gapsThen[p] != gapsNow[p] {
			f.Gaps = append(f.Gaps, GapPair{Path: p, Was: gapsThen[p], Is: gapsNow[p]})
		}
	}
	nestedThen, nestedNow := nestedCommits(one.manifest), nestedCommits(two.manifest)
	for _, p := range union(nestedThen, nestedNow) {
		if nestedThen[p] != nestedNow[p] {
			f.Nested = append(f.Nested, NestedPair{Path: p, Was: nestedThen[p], Is: nestedNow[p]})
		}
	}
	return nil
}

// compareFolderModes compares the modes of folders that both sides have.
func (r Reader) compareFolderModes(ctx context.Context, f *Facts, one, two *side) error {
	if snapshot.SameModes(one.manifest, two.manifest) {
		return nil
	}
	then, now, err := readBoth(ctx, r.allFolders, one, two)
	if err != nil {
		return err
	}
	for _, p := range union(then, now) {
		if a, b := one.manifest.FolderPerm(p), two.manifest.FolderPerm(p); a != b && then[p] && now[p] {
			f.Folders = append(f.Folders, FolderPair{Path: p, WasPerm: a, NowPerm: b})
		}
	}
	return nil
}

// allFolders returns the folders of a side, including empty ones.
func (r Reader) allFolders(ctx context.Context, s *side) (map[string]bool, error) {
	list, err := r.listEntries(ctx, s)
	if err != nil {
		return nil, err
	}
	all := map[string]bool{}
	for p, e := range list {
		if e.Mode != folderMode {
			p = parentFolder(p)
		}
		for ; p != "" && !all[p]; p = parentFolder(p) {
			all[p] = true
		}
	}
	return all, nil
}

// parentFolder returns the parent of a path, "" at the top.
func parentFolder(path string) string { return path[:max(0, strings.LastIndexByte(path, '/'))] }

func emptyFolders(m *snapshot.Manifest) map[string]bool {
	all := map[string]bool{}
	for _, p := range m.Folders {
		all[p] = true
	}
	return all
}

func gapReasons(m *snapshot.Manifest) map[string]string {
	all := map[string]string{}
	for _, g := range m.Gaps {
		all[g.Path] = g.Reason
	}
	return all
}

func nestedCommits(m *snapshot.Manifest) map[string]string {
	all := map[string]string{}
	for _, n := range m.Nested {
		all[n.Path] = n.Head
		if n.Head == "" {
			all[n.Path] = "no commit"
		}
	}
	return all
}

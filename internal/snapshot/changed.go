package snapshot

import (
	"context"
	"slices"
	"strings"

	"github.com/belay-dev/belay/internal/belay"
	"github.com/belay-dev/belay/internal/git"
)

// ChangedPaths returns every path that differs between two snapshots in anything that a restore
// restores. That is more than Changes returns: also modes that git does not record, of files and
// folders, and empty folders. Nested repositories are left out: see InnerPairs.
func (s *Store) ChangedPaths(ctx context.Context, from, to belay.SnapshotID) ([]string, error) {
	a, b, err := s.lookUpPair(ctx, from, to)
	if err != nil {
		return nil, err
	}
	then, now, err := s.manifests(ctx, a, b)
	if err != nil {
		return nil, err
	}
	list, _, _, err := s.differences(ctx, a, b)
	if err != nil {
		return nil, err
	}
	paths := onlyIn(then.Folders, now.Folders)
	paths = append(paths, onlyIn(now.Folders, then.Folders)...)
	for _, d := range list {
		paths = append(paths, d.Path)
	}
	if !SameModes(then, now) {
		entries, err := s.Files(ctx, b)
		if err != nil {
			return nil, err
		}
		paths = append(paths, changedModes(then, now, entries)...)
	}
	slices.Sort(paths)
	return slices.Compact(paths), nil
}

// ChangedGitFiles returns the names of git's own configuration files (config, hooks/…, info/…)
// that differ between two snapshots in bytes or mode, logs/REF for reflogs, and "index" and
// "worktrees" when those differ.
func (s *Store) ChangedGitFiles(ctx context.Context, from, to belay.SnapshotID) (names []string, err error) {
	a, b, err := s.lookUpPair(ctx, from, to)
	if err != nil {
		return nil, err
	}
	list, err := s.Repo.DiffTrees(ctx, a.Commit+":meta", b.Commit+":meta")
	if err != nil {
		return nil, err
	}
	for _, d := range list {
		group, name, _ := strings.Cut(strings.TrimPrefix(d.Path, "links/"), "/")
		switch group {
		case "admin", "own":
			names = append(names, name)
		case "index", "worktrees":
			names = append(names, group)
		case "logs":
			names = append(names, "logs/"+parentFolder(name)) // it is stored in pieces
		}
	}
	then, err := s.Manifest(ctx, a)
	if err != nil {
		return nil, err
	}
	now, err := s.Manifest(ctx, b)
	if err != nil {
		return nil, err
	}
	names = append(names, gitModesOnlyIn(then.AdminModes, now.AdminModes)...)
	names = append(names, gitModesOnlyIn(now.AdminModes, then.AdminModes)...)
	slices.Sort(names)
	return slices.Compact(names), nil
}

// ChangedHead returns "HEAD" when it differs between two snapshots (its branch, or its commit
// when detached), and the names of differing files of an operation in progress (MERGE_HEAD,
// rebase-merge/…).
func (s *Store) ChangedHead(ctx context.Context, from, to belay.SnapshotID) (names []string, err error) {
	a, b, err := s.lookUpPair(ctx, from, to)
	if err != nil {
		return nil, err
	}
	list, err := s.Repo.DiffTrees(ctx, a.Commit+":meta", b.Commit+":meta")
	if err != nil {
		return nil, err
	}
	for _, d := range list {
		if name, ok := strings.CutPrefix(strings.TrimPrefix(d.Path, "links/"), "state/"); ok {
			names = append(names, name)
		}
		if d.Path != "refs" {
			continue
		}
		then, err := s.ReadRefs(ctx, a)
		if err != nil {
			return nil, err
		}
		now, err := s.ReadRefs(ctx, b)
		if err != nil {
			return nil, err
		}
		if now.Head.DiffersFrom(then.Head) {
			names = append(names, "HEAD")
		}
	}
	return names, nil
}

// gitModesOnlyIn returns git's own files whose mode is only in the first list.
func gitModesOnlyIn(a, b []Mode) (names []string) {
	for _, m := range a {
		group, name, _ := strings.Cut(m.Path, "/")
		if (group == "admin" || group == "own") && !slices.Contains(b, m) {
			names = append(names, name)
		}
	}
	return names
}

// onlyIn returns what is only in the first of two sorted lists.
func onlyIn(a, b []string) []string {
	return slices.DeleteFunc(slices.Clone(a), func(p string) bool { _, both := slices.BinarySearch(b, p); return both })
}

// changedModes returns the files, of the entries of the later tree, and folders whose modes
// differ.
func changedModes(then, now *Manifest, entries []git.TreeEntry) (paths []string) {
	seen := map[string]bool{}
	folders := func(f string) {
		for ; f != "" && !seen[f]; f = parentFolder(f) {
			seen[f] = true
			if then.FolderPerm(f) != now.FolderPerm(f) {
				paths = append(paths, f)
			}
		}
	}
	for _, e := range entries {
		exec := e.Mode == 0o100755
		if e.Mode != 0o120000 && then.Perm(e.Path, exec) != now.Perm(e.Path, exec) {
			paths = append(paths, e.Path)
		}
		folders(parentFolder(e.Path))
	}
	for _, f := range now.Folders {
		folders(f)
	}
	return paths
}

// SameModes reports whether two manifests give every path the same mode.
func SameModes(a, b *Manifest) bool {
	return a.FilePerm == b.FilePerm && a.ExecPerm == b.ExecPerm && a.DirPerm == b.DirPerm && slices.Equal(a.Modes, b.Modes)
}

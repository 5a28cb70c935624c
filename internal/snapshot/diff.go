package snapshot

import (
	"context"
	"fmt"
	"io"
	"path"
	"slices"
	"strconv"
	"strings"

	"github.com/belay-dev/belay/internal/belay"

	"github.com/belay-dev/belay/internal/git"
)

// Manifest reads a snapshot's manifest.
func (s *Store) Manifest(ctx context.Context, i Info) (*Manifest, error) {
	rd, err := s.Repo.Reader(ctx)
	if err != nil {
		return nil, err
	}
	defer rd.Close()
	o, err := rd.Read(i.Commit + ":meta/manifest")
	if err != nil {
		return nil, fmt.Errorf("read snapshot %s: %w", i.ID, err)
	}
	m, err := Decode(o.Data)
	if err != nil {
		return nil, fmt.Errorf("read snapshot %s: %w", i.ID, err)
	}
	return m, nil
}

// Changes returns the paths that differ between two snapshots, with lines added and deleted. The
// bytes on disk are compared; nothing that the repository names is started.
//
// Changes inside nested repositories are included when both snapshots captured them.
func (s *Store) Changes(ctx context.Context, from, to belay.SnapshotID) ([]belay.Change, error) {
	defer s.Repo.ShareReader()()
	out, err := s.outerChanges(ctx, from, to)
	if err != nil {
		return nil, err
	}
	pairs, err := s.InnerPairs(ctx, from, to)
	if err != nil || len(pairs) == 0 {
		return out, err
	}
	for _, p := range pairs {
		inner, err := p.Store.Changes(ctx, p.From, p.To)
		if err != nil {
			return nil, fmt.Errorf("compare %s: %w", belay.VisibleLine(p.Path), err)
		}
		for _, c := range inner {
			c.Path = p.Path + "/" + c.Path
			out = append(out, c)
		}
	}
	slices.SortFunc(out, func(a, b belay.Change) int { return strings.Compare(a.Path, b.Path) })
	return out, nil
}

// outerChanges is Changes without the repositories inside the tree.
func (s *Store) outerChanges(ctx context.Context, from, to belay.SnapshotID) ([]belay.Change, error) {
	a, b, err := s.lookUpPair(ctx, from, to)
	if err != nil {
		return nil, err
	}
	list, one, two, err := s.differences(ctx, a, b)
	if err != nil || len(list) == 0 {
		return nil, err
	}
	counts, err := s.lineCounts(ctx, one, two)
	if err != nil {
		return nil, err
	}
	var out []belay.Change
	for _, d := range list {
		c := belay.Change{Path: d.Path, Status: string(d.Status), OldMode: d.OldMode, NewMode: d.NewMode}
		n, known := counts[d.Path]
		c.Added, c.Deleted, c.Binary = n[0], n[1], known && n[0] < 0
		if c.Binary {
			c.Added, c.Deleted = 0, 0
		}
		out = append(out, c)
	}
	return out, nil
}

// differences returns the paths that differ between two snapshots, sorted, without those that only
// one of them inspected; and the two trees with odd names.
func (s *Store) differences(ctx context.Context, a, b Info) (list []git.Difference, one, two string, err error) {
	one, two, err = s.treesWithOdd(ctx, a, b)
	if err != nil || one == two && a.oddCount+b.oddCount == 0 {
		return nil, one, two, err
	}
	if list, err = s.Repo.DiffTrees(ctx, one, two); err != nil {
		return nil, one, two, err
	}
	then, now, err := s.manifests(ctx, a, b)
	if err != nil {
		return nil, one, two, err
	}
	list = append(list, gitFolderDifferences(then, now)...)
	slices.SortFunc(list, func(a, b git.Difference) int { return strings.Compare(a.Path, b.Path) })
	none := incomparablePaths(then, now)
	return slices.DeleteFunc(list, func(d git.Difference) bool {
		return d.OldMode == 0 && none(d.Path, false) || d.NewMode == 0 && none(d.Path, true)
	}), one, two, nil
}

// isInGitFolder reports whether a path is inside a nested repository's git folder, or is its .git
// file: such repositories were captured with their git folder.
func isInGitFolder(path string) bool {
	return strings.Contains(path, "/.git/") || strings.HasSuffix(path, "/.git")
}

// gitFolderDifferences compares the files in git folders of two manifests.
func gitFolderDifferences(then, now *Manifest) (list []git.Difference) {
	was := map[string]OddPath{}
	for _, o := range then.Odd {
		if isInGitFolder(o.Path) {
			was[o.Path] = o
		}
	}
	for _, o := range now.Odd {
		if !isInGitFolder(o.Path) {
			continue
		}
		old, there := was[o.Path]
		delete(was, o.Path)
		d := git.Difference{Path: o.Path, OldMode: old.Mode, OldOID: old.OID, NewMode: o.Mode, NewOID: o.OID, Status: 'M'}
		if !there {
			d.Status = 'A'
		}
		if old != o {
			list = append(list, d)
		}
	}
	for _, o := range was {
		list = append(list, git.Difference{Path: o.Path, OldMode: o.Mode, OldOID: o.OID, Status: 'D'})
	}
	return list
}

func (s *Store) lookUpPair(ctx context.Context, from, to belay.SnapshotID) (a, b Info, err error) {
	if a, err = s.LookUp(ctx, from); err != nil {
		return a, b, err
	}
	b, err = s.LookUp(ctx, to)
	return a, b, err
}

// manifests returns the manifests of two snapshots.
func (s *Store) manifests(ctx context.Context, a, b Info) (then, now *Manifest, err error) {
	if then, err = s.Manifest(ctx, a); err != nil {
		return nil, nil, err
	}
	now, err = s.Manifest(ctx, b)
	return then, now, err
}

// treesWithOdd returns treeWithOdd of two snapshots.
func (s *Store) treesWithOdd(ctx context.Context, a, b Info) (string, string, error) {
	one, err := s.treeWithOdd(ctx, a)
	if err != nil {
		return "", "", err
	}
	two, err := s.treeWithOdd(ctx, b)
	return one, two, err
}

// treeWithOdd returns the tree of a snapshot's files including odd names, which are stored
// separately. Reading such a tree is harmless, and a diff without them would hide them from a
// reviewer. It is stored without a ref. Odd names inside git folders are left out: git fsck would
// report the tree until gc removes it.
func (s *Store) treeWithOdd(ctx context.Context, i Info) (string, error) {
	if i.oddCount == 0 {
		return i.Tree, nil
	}
	entries, err := s.Files(ctx, i)
	if err != nil {
		return "", err
	}
	entries = slices.DeleteFunc(entries, func(e git.TreeEntry) bool { return isInGitFolder(e.Path) })
	var files []git.File
	for _, e := range entries {
		files = append(files, git.File{Path: e.Path, Mode: e.Mode, OID: RawOID(e.OID)})
	}
	tree, objects, err := s.Repo.Tree(files)
	if err != nil {
		return "", err
	}
	_, err = s.objects.Put(ctx, objects)
	return tree, err
}

// Files lists a snapshot's files, including those with odd names.
func (s *Store) Files(ctx context.Context, i Info) ([]git.TreeEntry, error) {
	entries, err := s.Repo.ListTree(ctx, i.Tree)
	if err != nil || i.oddCount == 0 {
		return entries, err
	}
	m, err := s.Manifest(ctx, i)
	if err != nil {
		return nil, err
	}
	for _, o := range m.Odd {
		entries = append(entries, git.TreeEntry{Path: o.Path, Mode: o.Mode, OID: o.OID, Type: "blob"})
	}
	return entries, nil
}

// lineCounts reads `diff-tree --numstat`; the counts of a binary file are -1.
func (s *Store) lineCounts(ctx context.Context, from, to string) (map[string][2]int, error) {
	out, err := s.Repo.RunCached(ctx, "diff-tree", "-r", "-z", "--numstat", "--no-renames", "--no-ext-diff", "--no-textconv", from, to)
	if err != nil {
		return nil, err
	}
	counts := map[string][2]int{}
	for f := range strings.SplitSeq(strings.TrimSuffix(out, "\x00"), "\x00") {
		parts := strings.SplitN(f, "\t", 3)
		if len(parts) != 3 {
			continue
		}
		added, err1 := strconv.Atoi(parts[0])
		deleted, err2 := strconv.Atoi(parts[1])
		if err1 != nil || err2 != nil {
			added, deleted = -1, -1
		}
		counts[parts[2]] = [2]int{added, deleted}
	}
	return counts, nil
}

// Patch writes the difference of two snapshots as a unified diff, of all paths or of the given
// ones and what is below them.
func (s *Store) Patch(ctx context.Context, from, to belay.SnapshotID, paths []string, w io.Writer) error {
	defer s.Repo.ShareReader()()
	return s.writePatch(ctx, from, to, paths, "", w)
}

// PatchForModels is Patch without the content of files that git ignores: it only lists their names.
// The removed lines of an .env that an attempt overwrote without reading it must not reach a model.
func (s *Store) PatchForModels(ctx context.Context, from, to belay.SnapshotID, w io.Writer) error {
	defer s.Repo.ShareReader()()
	changes, err := s.Changes(ctx, from, to)
	if err != nil {
		return err
	}
	var paths, hidden []string
	for _, c := range changes {
		paths = append(paths, c.Path)
	}
	was, err := s.CapturedIgnored(ctx, from, paths)
	if err != nil {
		return err
	}
	is, err := s.CapturedIgnored(ctx, to, paths)
	if err != nil {
		return err
	}
	paths = slices.DeleteFunc(paths, func(p string) bool {
		if was[p] || is[p] {
			hidden = append(hidden, belay.VisibleLine(p))
		}
		return was[p] || is[p]
	})
	if len(hidden) == 0 {
		return s.Patch(ctx, from, to, nil, w)
	}
	for some := range slices.Chunk(paths, 500) { // on one command line
		if err := s.Patch(ctx, from, to, some, w); err != nil {
			return err
		}
	}
	_, err = fmt.Fprintf(w, "# also changed, not shown because git ignores it: %s\n", strings.Join(hidden, ", "))
	return err
}

// writePatch writes the patch with a prefix before each path.
func (s *Store) writePatch(ctx context.Context, from, to belay.SnapshotID, paths []string, prefix string, w io.Writer) error {
	one, two, err := s.lookUpPair(ctx, from, to)
	if err != nil {
		return err
	}
	a, b, err := s.treesWithOdd(ctx, one, two)
	if err != nil {
		return err
	}
	if a != b {
		args := []string{"diff-tree", "-r", "-p", "--no-renames", "--no-ext-diff", "--no-textconv", "--no-color",
			"--src-prefix=a/" + prefix, "--dst-prefix=b/" + prefix, a, b, "--"}
		if err := s.Repo.Stream(ctx, nil, w, append(args, paths...)...); err != nil {
			return err
		}
	}
	pairs, err := s.InnerPairs(ctx, from, to)
	if err != nil {
		return err
	}
	for _, p := range pairs {
		below, any := InnerPaths(p.Path, paths)
		if !any {
			continue
		}
		if err := p.Store.writePatch(ctx, p.From, p.To, below, prefix+p.Path+"/", w); err != nil {
			return err
		}
	}
	return nil
}

// InnerPaths converts requested paths to paths of the repository at folder, none for all of it.
// any reports whether anything in that repository is requested.
func InnerPaths(folder string, paths []string) (below []string, any bool) {
	for _, p := range paths {
		p = strings.TrimSuffix(p, "/")
		if p == folder || p == "." || p == "" || strings.HasPrefix(folder, p+"/") {
			return nil, true
		}
		if in, ok := InnerPath(folder, p); ok {
			below = append(below, in)
		}
	}
	return below, len(paths) == 0 || len(below) > 0
}

// RefChanges returns the names of local refs that differ between two snapshots.
func (s *Store) RefChanges(ctx context.Context, from, to belay.SnapshotID) ([]string, error) {
	a, b, err := s.lookUpPair(ctx, from, to)
	if err != nil {
		return nil, err
	}
	old, err := s.ReadRefs(ctx, a)
	if err != nil {
		return nil, err
	}
	now, err := s.ReadRefs(ctx, b)
	if err != nil {
		return nil, err
	}
	var names []string
	for name, oid := range now.Refs {
		if old.Refs[name] != oid {
			names = append(names, name)
		}
	}
	for name := range old.Refs {
		if _, still := now.Refs[name]; !still {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	return names, nil
}

// RefState is the state of HEAD and refs in a snapshot.
type RefState struct {
	Head git.Head
	Refs map[string]string // name → oid; symbolic ones as "ref: name"
}

// ReadRefs reads the refs of a snapshot.
func (s *Store) ReadRefs(ctx context.Context, i Info) (RefState, error) {
	h := RefState{Refs: map[string]string{}}
	rd, err := s.Repo.Reader(ctx)
	if err != nil {
		return h, err
	}
	defer rd.Close()
	o, err := rd.Read(i.Commit + ":meta/refs")
	if err != nil {
		return h, fmt.Errorf("read snapshot %s: %w", i.ID, err)
	}
	for line := range strings.Lines(string(o.Data)) {
		f := strings.SplitN(strings.TrimSuffix(line, "\n"), " ", 3)
		if len(f) != 3 {
			return h, fmt.Errorf("read snapshot %s: its refs contain %q", i.ID, line)
		}
		switch {
		case f[0] == "HEAD":
			h.Head = git.Head{OID: f[1], Branch: f[2]}
		case f[2] != "":
			h.Refs[f[0]] = "ref: " + f[2]
		default:
			h.Refs[f[0]] = f[1]
		}
	}
	return h, nil
}

// ReadFile returns a file of a snapshot and its git mode. CodeNotFound when there is no such
// file.
func (s *Store) ReadFile(ctx context.Context, id belay.SnapshotID, name string) ([]byte, uint32, error) {
	i, err := s.LookUp(ctx, id)
	if err != nil {
		return nil, 0, err
	}
	name = path.Clean(name)
	if i.innerCount > 0 {
		m, err := s.Manifest(ctx, i)
		if err != nil {
			return nil, 0, err
		}
		for _, in := range m.Inner {
			if below, ok := InnerPath(in.Path, name); ok {
				inner, err := s.OpenPinnedInner(ctx, in)
				if err != nil {
					return nil, 0, err
				}
				return inner.ReadFile(ctx, belay.SnapshotID(in.ID), below)
			}
		}
	}
	tree, err := s.treeWithOdd(ctx, i)
	if err != nil {
		return nil, 0, err
	}
	list, err := s.Repo.Run(ctx, nil, "ls-tree", "-z", tree, "--", name)
	if err != nil {
		return nil, 0, err
	}
	head, _, ok := strings.Cut(string(list), "\t")
	f := strings.Fields(head)
	if !ok || len(f) != 3 || f[1] != "blob" {
		return nil, 0, belay.Refuse(belay.CodeNotFound, "belay snapshot diff "+string(id.Short())+" --name-only",
			"%s has no file %s", i.ID.Short(), belay.VisibleLine(name))
	}
	mode, err := strconv.ParseUint(f[0], 8, 32)
	if err != nil {
		return nil, 0, err
	}
	rd, err := s.Repo.Reader(ctx)
	if err != nil {
		return nil, 0, err
	}
	defer rd.Close()
	o, err := rd.Read(f[2])
	return o.Data, uint32(mode), err
}

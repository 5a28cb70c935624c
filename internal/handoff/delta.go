package handoff

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/belay-dev/belay/internal/belay"
	"github.com/belay-dev/belay/internal/git"

	"github.com/belay-dev/belay/internal/snapshot"
)

// Deltas compare snapshots, so that the changes of two roles to one file stay distinct. The working
// tree is never read.

// DeltaReader describes the changes between snapshots of one working tree. Attach stores bytes and
// returns their SHA-256 and size. Secrets in stored diffs are masked unless Unmasked is set.
type DeltaReader struct {
	Snaps    *snapshot.Store
	Attach   func(io.Reader) (string, int64, error)
	InScope  func(path string) bool
	Unmasked bool
}

// DescribeHandoff describes the snapshot now of work that started at base. The role started at
// previous; "" means base. The diffs and the list of files are attached.
func (r DeltaReader) DescribeHandoff(ctx context.Context, base, previous belay.SnapshotID, now snapshot.Info) (Handoff, error) {
	end := r.Snaps.Repo.ShareReader()
	defer end()
	if previous == "" {
		previous = base
	}
	h := Handoff{Snapshot: now.ID, Previous: previous, Head: now.Head, Gaps: len(now.Gaps)}
	c, err := r.readChanges(ctx, base, previous, now)
	if err != nil {
		return h, err
	}
	for _, f := range c.Files {
		h.Files, h.Added, h.Deleted = h.Files+1, h.Added+f.Added, h.Deleted+f.Deleted
	}
	if h.FromBase, err = r.attachDiff(ctx, base, now.ID); err != nil {
		return h, err
	}
	if h.Incremental = h.FromBase; previous != base {
		if h.Incremental, err = r.attachDiff(ctx, previous, now.ID); err != nil {
			return h, err
		}
	}
	if h.OutOfScope, err = r.listOutOfScope(ctx, previous, now.ID); err != nil {
		return h, err
	}
	paths, err := r.Paths(ctx, now)
	if err != nil {
		return h, err
	}
	h.ScopeHash = ScopeHash(paths)
	text, err := CanonicalJSON(c)
	if err != nil {
		return h, err
	}
	h.Report, _, err = r.Attach(strings.NewReader(string(text)))
	return h, err
}

// listOutOfScope returns the changed paths that are outside of the task's scope.
func (r DeltaReader) listOutOfScope(ctx context.Context, from, to belay.SnapshotID) ([]string, error) {
	if r.InScope == nil {
		return nil, nil
	}
	touched, err := r.Snaps.ChangedPaths(ctx, from, to)
	if err != nil {
		return nil, err
	}
	return slices.DeleteFunc(touched, r.InScope), nil
}

// Paths returns the files of a snapshot that are in the task's scope.
func (r DeltaReader) Paths(ctx context.Context, now snapshot.Info) ([]string, error) {
	m, err := r.Snaps.Manifest(ctx, now)
	if err != nil {
		return nil, err
	}
	list, err := r.Snaps.Entries(ctx, now.Tree, m)
	if err != nil {
		return nil, err
	}
	var paths []string
	for _, e := range list {
		if e.OID != "" && (r.InScope == nil || r.InScope(e.Path)) {
			paths = append(paths, e.Path)
		}
	}
	return paths, nil
}

// readChanges returns the files that differ from base.
func (r DeltaReader) readChanges(ctx context.Context, base, previous belay.SnapshotID, now snapshot.Info) (Changes, error) {
	c := Changes{Snapshot: now.ID, Base: base, Previous: previous, Commit: now.Head, Files: []ChangedFile{}}
	list, err := r.Snaps.Changes(ctx, base, now.ID)
	if err != nil {
		return c, err
	}
	m, err := r.Snaps.Manifest(ctx, now)
	if err != nil {
		return c, err
	}
	n, err := r.readObjectNames(ctx, base, previous, now)
	if err != nil {
		return c, err
	}
	defer n.rd.Close()
	added, deleted := 0, 0
	for _, one := range list {
		f, err := n.changedFile(one, m)
		if err != nil {
			return c, err
		}
		added, deleted = added+f.Added, deleted+f.Deleted
		c.Files = append(c.Files, f)
	}
	c.Stat = fmt.Sprintf("%s changed, +%d -%d", belay.Count(len(c.Files), "file", "files"), added, deleted)
	c.Status, err = r.status(ctx, now)
	return c, err
}

// objectNames finds and hashes the objects of changed paths.
type objectNames struct {
	rd          *git.Reader
	now, before map[string]string     // by path
	hashes      map[string]objectHash // by object
}

type objectHash struct {
	sha  string
	size int64
}

func (r DeltaReader) readObjectNames(ctx context.Context, base, previous belay.SnapshotID, now snapshot.Info) (*objectNames, error) {
	n := &objectNames{now: map[string]string{}, before: map[string]string{}, hashes: map[string]objectHash{}}
	then, err := r.Snaps.LookUp(ctx, previous)
	if err != nil {
		return nil, err
	}
	first, err := r.Snaps.LookUp(ctx, base)
	if err != nil {
		return nil, err
	}
	for _, from := range []snapshot.Info{first, then} {
		list, err := r.differences(ctx, from, now)
		if err != nil {
			return nil, err
		}
		for _, d := range list {
			n.now[d.Path] = d.NewOID
			if from.ID == previous {
				n.before[d.Path] = d.OldOID
			}
		}
	}
	for p, oid := range n.now { // unchanged by this role
		if _, changed := n.before[p]; !changed {
			n.before[p] = oid
		}
	}
	n.rd, err = r.Snaps.Repo.Reader(ctx)
	return n, err
}

// differences compares two snapshots by path and object, including paths that a git tree cannot
// contain.
func (r DeltaReader) differences(ctx context.Context, a, b snapshot.Info) ([]git.Difference, error) {
	list, err := r.Snaps.Repo.DiffTrees(ctx, a.Tree, b.Tree)
	if err != nil {
		return nil, err
	}
	odd := [2]map[string]snapshot.OddPath{}
	for i, info := range []snapshot.Info{a, b} {
		m, err := r.Snaps.Manifest(ctx, info)
		if err != nil {
			return nil, err
		}
		odd[i] = map[string]snapshot.OddPath{}
		for _, o := range m.Odd {
			odd[i][o.Path] = o
		}
	}
	for p, o := range odd[1] {
		if odd[0][p] != o {
			list = append(list, git.Difference{Path: p, OldMode: odd[0][p].Mode, OldOID: odd[0][p].OID, NewMode: o.Mode, NewOID: o.OID})
		}
	}
	for p, o := range odd[0] {
		if _, still := odd[1][p]; !still {
			list = append(list, git.Difference{Path: p, OldMode: o.Mode, OldOID: o.OID})
		}
	}
	return list, nil
}

func (n *objectNames) changedFile(c belay.Change, m *snapshot.Manifest) (ChangedFile, error) {
	f := ChangedFile{Path: PathText(c.Path), Status: c.Status, Added: c.Added, Deleted: c.Deleted}
	if c.NewMode != 0 {
		f.Mode = "link"
		if c.NewMode != 0o120000 {
			f.Mode = fmt.Sprintf("%04o", m.Perm(c.Path, c.NewMode == 0o100755))
		}
		s, err := n.hashObject(n.now[c.Path])
		if err != nil {
			return f, fmt.Errorf("read %s: %w", belay.VisibleLine(c.Path), err)
		}
		f.Size, f.SHA = s.size, s.sha
	}
	s, err := n.hashObject(n.before[c.Path])
	if err != nil {
		return f, fmt.Errorf("read %s: %w", belay.VisibleLine(c.Path), err)
	}
	f.Previous = s.sha
	return f, nil
}

// hashObject hashes an object's bytes; zero for no object.
func (n *objectNames) hashObject(oid string) (objectHash, error) {
	if strings.Trim(oid, "0") == "" {
		return objectHash{}, nil
	}
	if s, known := n.hashes[oid]; known {
		return s, nil
	}
	h := sha256.New()
	c := countingWriter{w: h}
	if _, err := n.rd.Copy(oid, &c); err != nil {
		return objectHash{}, err
	}
	s := objectHash{sha: hex.EncodeToString(h.Sum(nil)), size: c.n}
	n.hashes[oid] = s
	return s, nil
}

type countingWriter struct {
	w io.Writer
	n int64
}

func (c *countingWriter) Write(p []byte) (int, error) {
	c.n += int64(len(p))
	return c.w.Write(p)
}

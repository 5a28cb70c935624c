package snapshot

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"time"

	"github.com/belay-dev/belay/internal/belay"

	"github.com/belay-dev/belay/internal/fsroot"
	"github.com/belay-dev/belay/internal/git"
)

// Submodules and other repositories inside the tree are captured by snapshots of their own, in
// their own object stores: their index, HEAD, refs and ignore rules are saved as those of the outer
// repository, and committed content takes no extra space. The outer manifest names the inner
// snapshots. An inner repository may contain others.

// innerMessage starts the message of every inner snapshot.
const innerMessage = InnerReason + ": "

// InnerReason is the reason for restoring a repository inside the tree, and ends the message of
// the snapshot taken before.
const InnerReason = "with the repository around it"

// NotInnerError is the reason why a repository inside the tree has no snapshot of its own.
type NotInnerError struct{ Reason string }

func (e *NotInnerError) Error() string { return e.Reason }

// OpenInner opens the repository at a path of the tree. The error is a *NotInnerError when there is
// none that belay may write to: its git folder must be inside it, or inside the outer git folder as
// for submodules. Anybody can write a .git file that points to another repository of the user.
func (s *Store) OpenInner(ctx context.Context, path string) (*Store, error) {
	root := filepath.Join(s.Repo.Root, filepath.FromSlash(path))
	repo, err := s.Repo.OpenOther(ctx, root)
	if err != nil {
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
		return nil, &NotInnerError{"its repository cannot be opened: " + oneLine(err.Error())}
	}
	inside := func(dir string) bool {
		rel, err := filepath.Rel(dir, repo.Dir)
		return err == nil && rel != ".." && !strings.HasPrefix(rel, "../")
	}
	switch {
	case repo.Root != root:
		return nil, &NotInnerError{"it is not a repository"}
	case repo.Linked():
		return nil, &NotInnerError{"it is a linked worktree"}
	case !inside(root) && !inside(s.Repo.Common):
		return nil, &NotInnerError{"its git folder is " + belay.VisibleLine(repo.Dir) + ", outside this repository"}
	}
	return Open(ctx, repo, Options{Include: s.opts.Include, MaxFile: s.opts.MaxFile, Now: s.opts.Now, Registry: &Registry{}})
}

// OpenPinnedInner opens the repository of an inner snapshot that an outer one names, and checks
// that the snapshot with this id is the same there. A ref that was moved or deleted is set again,
// and missing objects are restored.
func (s *Store) OpenPinnedInner(ctx context.Context, in InnerSnapshot) (*Store, error) {
	return s.openPinnedInner(ctx, in, true)
}

// openPinnedInner is OpenPinnedInner; without repair, missing objects stay missing.
func (s *Store) openPinnedInner(ctx context.Context, in InnerSnapshot, repair bool) (*Store, error) {
	inner, err := s.OpenInner(ctx, in.Path)
	if err != nil {
		return nil, err
	}
	bound := []Pin{{ID: belay.SnapshotID(in.ID), Commit: in.Commit, Tree: in.Commit}}
	moved, missing, err := inner.CheckRefs(ctx, bound)
	if err != nil {
		return nil, err
	}
	if len(moved)+len(missing) > 0 {
		gone, err := inner.RestoreRefs(ctx, bound)
		if err == nil && len(gone) > 0 && repair {
			if err = s.restoreObjects(in.Path, inner); err == nil {
				gone, err = inner.RestoreRefs(ctx, bound)
			}
		}
		if err != nil {
			return nil, err
		}
		if len(gone) > 0 {
			return nil, &NotInnerError{"the objects of its snapshot " + bound[0].ID.Short() + " are gone"}
		}
	}
	inner.opts.Registry.Add(bound...)
	return inner, nil
}

// InnerSnapshots returns the inner snapshots that a snapshot names.
func (s *Store) InnerSnapshots(ctx context.Context, id belay.SnapshotID) ([]InnerSnapshot, error) {
	info, err := s.LookUp(ctx, id)
	if err != nil || info.innerCount == 0 {
		return nil, err
	}
	m, err := s.Manifest(ctx, info)
	if err != nil {
		return nil, err
	}
	return m.Inner, nil
}

// InnerPair is a repository inside the tree that two snapshots have inner snapshots of.
type InnerPair struct {
	Path     string
	Store    *Store
	From, To belay.SnapshotID
}

// InnerPairs returns the repositories that both snapshots have inner snapshots of. Missed reports a
// repository that can no longer be opened, or that was replaced by another.
func (s *Store) InnerPairs(ctx context.Context, from, to belay.SnapshotID) (pairs []InnerPair, err error) {
	then, err := s.InnerSnapshots(ctx, from)
	if err != nil || len(then) == 0 {
		return nil, err
	}
	now, err := s.InnerSnapshots(ctx, to)
	if err != nil {
		return nil, err
	}
	for _, a := range then {
		i := slices.IndexFunc(now, func(b InnerSnapshot) bool { return b.Path == a.Path && b.Link == a.Link })
		if i < 0 {
			continue
		}
		inner, err := s.OpenPinnedInner(ctx, now[i])
		var not *NotInnerError
		if errors.As(err, &not) {
			continue
		}
		if err != nil {
			return nil, err
		}
		inner.opts.Registry.Add(Pin{ID: belay.SnapshotID(a.ID), Commit: a.Commit, Tree: a.Commit})
		pairs = append(pairs, InnerPair{a.Path, inner, belay.SnapshotID(a.ID), belay.SnapshotID(now[i].ID)})
	}
	return pairs, nil
}

// InnerPath converts a path of the outer repository to one of the repository at folder.
func InnerPath(folder, path string) (string, bool) { return strings.CutPrefix(path, folder+"/") }

// InnerGlobs returns the globs that may match something in the repository at folder, as globs of
// that repository.
func InnerGlobs(folder string, globs []string) (out []string) {
	for _, g := range globs {
		g = strings.TrimPrefix(g, "./")
		switch in, below := InnerPath(folder, g); {
		case below:
			out = append(out, in)
		case strings.HasPrefix(g, "**/") || !strings.Contains(strings.TrimSuffix(g, "/"), "/") && strings.HasPrefix(g, "**"):
			out = append(out, g)
		case g == folder || g == folder+"/":
			out = append(out, "**")
		}
	}
	return out
}

// innerSnapshotter takes the inner snapshots of one outer snapshot.
type innerSnapshotter struct {
	store    *Store
	extent   Extent
	baseline []InnerSnapshot // of the outer snapshot's baseline
	taken    map[string]InnerSnapshot
	message  string
}

// Take implements InnerSnapshotter.
func (t *innerSnapshotter) Take(ctx context.Context, m *Manifest) error {
	if err := t.Drop(ctx); err != nil {
		return err
	}
	m.Gaps, m.Inner = slices.Clone(m.Gaps), nil // the manifest may be shared with a watch
	for _, n := range m.Nested {
		root := filepath.Join(t.store.Repo.Root, filepath.FromSlash(n.Path))
		if _, err := os.Lstat(filepath.Join(root, ".git")); err != nil || t.store.Worktree.IsLinkedTree(n.Path) {
			continue // a submodule that was never checked out, or a linked worktree, which has an owner
		}
		in := InnerSnapshot{Path: n.Path, Link: GitFileText(root)}
		e := Extent{Agents: t.extent.Agents, Protect: InnerGlobs(n.Path, t.extent.Protect), Files: InnerGlobs(n.Path, t.extent.Files),
			MaxFile: t.extent.MaxFile, Ignored: t.extent.Ignored, InnerSnapshots: true}
		why := ""
		open := func() (*Store, error) { return t.store.OpenInner(ctx, n.Path) }
		if i := slices.IndexFunc(t.baseline, func(b InnerSnapshot) bool { return b.Path == n.Path }); i >= 0 {
			was := t.baseline[i]
			if e.Baseline = belay.SnapshotID(was.ID); was.Link != in.Link {
				why = "its .git points to a different repository than before"
			}
			open = func() (*Store, error) { return t.store.openPinnedInner(ctx, was, false) } // what an attempt destroyed is reported
		}
		if why == "" {
			info, err := t.takeOne(ctx, n.Path, open, e)
			if ctx.Err() != nil {
				return ctx.Err()
			}
			if err == nil {
				in.ID, in.Commit = string(info.ID), info.Commit
				t.taken[n.Path] = in
				m.Inner = append(m.Inner, in)
				for _, g := range info.Gaps {
					m.Gaps = append(m.Gaps, ManifestGap{Path: n.Path + "/" + g.Path, Reason: g.Reason})
				}
				continue
			}
			if !isInnerError(err) {
				return fmt.Errorf("take a snapshot of %s: %w", belay.VisibleLine(n.Path), err)
			}
			why = oneLine(err.Error())
		}
		m.Gaps = append(m.Gaps, ManifestGap{Path: n.Path, Reason: why})
	}
	slices.SortFunc(m.Gaps, func(a, b ManifestGap) int { return strings.Compare(a.Path, b.Path) })
	return nil
}

// isInnerError reports whether an error concerns only the inner repository, which then becomes a
// gap. A full disk, or another process restoring there, fails the outer snapshot.
func isInnerError(err error) bool {
	var not *NotInnerError
	var failed *git.CommandError
	return errors.As(err, &not) || errors.As(err, &failed) || belay.CodeOf(err) == belay.CodeCannot && !errors.Is(err, syscall.ENOSPC)
}

func (t *innerSnapshotter) takeOne(ctx context.Context, path string, open func() (*Store, error), e Extent) (Info, error) {
	inner, err := open()
	if err != nil {
		return Info{}, err
	}
	info, err := inner.TakeWith(ctx, Meta{Kind: belay.KindManual, Message: innerMessage + t.message}, e)
	if err != nil {
		return info, err
	}
	anew := false
	if e.Baseline == "" { // after that an agent may have deleted some
		needed, err := t.store.namedInner(ctx, path)
		moved, missing, refsErr := inner.CheckRefs(ctx, needed)
		anew = err == nil && refsErr == nil && len(moved)+len(missing) == 0
	}
	return info, t.store.mirrorObjects(path, inner, anew)
}

// namedInner returns the inner snapshots of the repository at path that snapshots of this working
// tree name.
func (s *Store) namedInner(ctx context.Context, path string) (list []Pin, err error) {
	all, unreadable, err := s.ListAll(ctx)
	if err != nil {
		return nil, err
	}
	for _, info := range all {
		if info.innerCount == 0 || info.Worktree != s.linkedName() {
			continue
		}
		m, err := s.Manifest(ctx, info)
		if err != nil {
			return nil, err
		}
		for _, in := range m.Inner {
			if in.Path == path {
				list = append(list, Pin{ID: belay.SnapshotID(in.ID), Commit: in.Commit, Tree: in.Commit})
			}
		}
	}
	return list, errors.Join(unreadable...)
}

// Drop implements InnerSnapshotter.
func (t *innerSnapshotter) Drop(ctx context.Context) error {
	var list []InnerSnapshot
	for path, in := range t.taken {
		list = append(list, in)
		delete(t.taken, path)
	}
	return t.store.discardInner(context.WithoutCancel(ctx), list)
}

// discardInner deletes inner snapshots. A repository that can no longer be opened is skipped.
func (s *Store) discardInner(ctx context.Context, list []InnerSnapshot) error {
	for _, in := range list {
		inner, err := s.OpenInner(ctx, in.Path)
		var not *NotInnerError
		if errors.As(err, &not) {
			continue
		}
		if err != nil {
			return err
		}
		info, err := inner.LookUp(ctx, belay.SnapshotID(in.ID))
		if belay.CodeOf(err) == belay.CodeNotFound || belay.CodeOf(err) == belay.CodeCannot {
			continue
		}
		if err == nil && info.Commit == in.Commit {
			err = inner.DropInfos(ctx, []Info{info})
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// NewInnerSnapshotter returns an InnerSnapshotter for captures with this extent. since are the
// inner snapshots of the baseline.
func (s *Store) NewInnerSnapshotter(e Extent, since []InnerSnapshot, note string) InnerSnapshotter {
	return &innerSnapshotter{store: s, extent: e, baseline: since, taken: map[string]InnerSnapshot{}, message: note}
}

// orphanAge is the age at which an inner snapshot that no outer one names is considered left over
// from a killed process, not part of a snapshot that is being taken.
const orphanAge = time.Hour

// SweepInner deletes inner snapshots that killed processes left and no outer snapshot names, and
// the mirrored objects of repositories that no snapshot names.
func (s *Store) SweepInner(ctx context.Context) error {
	all, bad, err := s.ListAll(ctx)
	if err != nil || len(bad) > 0 { // an unreadable snapshot may name any of them
		return err
	}
	bound, paths := map[string]bool{}, map[string]bool{} // ids of named inner snapshots; paths, and whether a snapshot names them
	for i, info := range all {
		if info.innerCount == 0 && i != len(all)-1 {
			continue
		}
		m, err := s.Manifest(ctx, info)
		if err != nil {
			return err
		}
		for _, in := range m.Inner {
			bound[in.ID], paths[in.Path] = true, true
		}
		for _, n := range m.Nested {
			if _, known := paths[n.Path]; !known {
				paths[n.Path] = false
			}
		}
	}
	mirrors, err := fsroot.ReadDir(filepath.Join(s.Worktree.Dir, "inner"))
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	for _, d := range mirrors {
		named := func(path string) bool { return paths[path] && filepath.Base(s.mirrorDir(path)) == d.Name() }
		if !slices.ContainsFunc(slices.Collect(maps.Keys(paths)), named) && s.isStale(d) {
			if err := fsroot.RemoveAll(filepath.Join(s.Worktree.Dir, "inner", d.Name())); err != nil {
				return err
			}
		}
	}
	for path := range paths {
		inner, err := s.OpenInner(ctx, path)
		var not *NotInnerError
		if errors.As(err, &not) {
			continue
		}
		if err != nil {
			return err
		}
		list, err := inner.List(ctx)
		if err != nil {
			return err
		}
		old := slices.DeleteFunc(list, func(i Info) bool {
			taken := strings.HasPrefix(i.Message, strings.TrimSpace(innerMessage))
			// An inner rescue belongs to the restore of an outer snapshot of the same time.
			rescue := i.Kind == belay.KindRescue && strings.HasSuffix(i.Message, InnerReason) && (len(all) == 0 || i.ID < all[0].ID)
			return bound[string(i.ID)] || !taken && !rescue || s.opts.Now().Sub(idTime(i.ID)) < orphanAge
		})
		if err := errors.Join(inner.DropInfos(ctx, old), inner.SweepInner(ctx)); err != nil {
			return err
		}
	}
	return nil
}

// isStale reports whether a folder is too old to be one that is being created.
func (s *Store) isStale(d fs.DirEntry) bool {
	info, err := d.Info()
	return err == nil && s.opts.Now().Sub(info.ModTime()) > orphanAge
}

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

// Submodules and other repositories inside the tree are captured by a snapshot of their
// own, in their own object store: so their index, HEAD, refs and ignore rules are saved as
// those of the outer one, and what they have committed costs nothing. The outer manifest
// names the inner commits. That repeats: an inner repository may have others inside it.

// innerMessage begins the message of every inner snapshot.
const innerMessage = InnerReason + ": "

// InnerReason is why a repository inside the tree is restored, and ends the message of what
// was there before.
const InnerReason = "with the repository around it"

// NotInner is why a repository inside the tree has no snapshot of its own.
type NotInner struct{ Why string }

func (e *NotInner) Error() string { return e.Why }

// OpenInner opens the repository at a path of the tree. link is what its .git file said when
// that is known. The error is a *NotInner where there is none that may be written to: its git
// folder must be in it, or in that of the outer one, as those of submodules do. Anybody can
// write a .git file that leads into another repository of the user's.
func (s *Store) OpenInner(ctx context.Context, path string) (*Store, error) {
	root := filepath.Join(s.Repo.Root, filepath.FromSlash(path))
	repo, err := s.Repo.OpenOther(ctx, root)
	if err != nil {
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
		return nil, &NotInner{"its repository cannot be opened: " + oneLine(err.Error())}
	}
	inside := func(dir string) bool {
		rel, err := filepath.Rel(dir, repo.Dir)
		return err == nil && rel != ".." && !strings.HasPrefix(rel, "../")
	}
	switch {
	case repo.Root != root:
		return nil, &NotInner{"it is not a repository"}
	case repo.Linked():
		return nil, &NotInner{"it is a linked worktree"}
	case !inside(root) && !inside(s.Repo.Common):
		return nil, &NotInner{"its git folder is " + belay.VisibleLine(repo.Dir) + ", outside this repository"}
	}
	return Open(ctx, repo, Options{Include: s.opts.Include, MaxFile: s.opts.MaxFile, Now: s.opts.Now, Known: &Known{}})
}

// BoundInner opens the repository that a snapshot has bound, and makes sure that the bound
// snapshot is the one that stands under its id there: a ref that was moved or deleted
// meanwhile is set again, with its objects if they are gone.
func (s *Store) BoundInner(ctx context.Context, in InnerSnapshot) (*Store, error) {
	return s.boundInner(ctx, in, true)
}

// boundInner is BoundInner; without repair, objects that are gone stay gone.
func (s *Store) boundInner(ctx context.Context, in InnerSnapshot, repair bool) (*Store, error) {
	inner, err := s.OpenInner(ctx, in.Path)
	if err != nil {
		return nil, err
	}
	bound := []Bound{{ID: belay.SnapshotID(in.ID), Commit: in.Commit, Tree: in.Commit}}
	moved, missing, err := inner.Moved(ctx, bound)
	if err != nil {
		return nil, err
	}
	if len(moved)+len(missing) > 0 {
		gone, err := inner.Rebind(ctx, bound)
		if err == nil && len(gone) > 0 && repair {
			if err = s.refill(in.Path, inner); err == nil {
				gone, err = inner.Rebind(ctx, bound)
			}
		}
		if err != nil {
			return nil, err
		}
		if len(gone) > 0 {
			return nil, &NotInner{"the objects of its snapshot " + bound[0].ID.Short() + " are gone"}
		}
	}
	inner.opts.Known.Bind(bound...)
	return inner, nil
}

// Inner returns what a snapshot has bound of repositories inside the tree.
func (s *Store) Inner(ctx context.Context, id belay.SnapshotID) ([]InnerSnapshot, error) {
	info, err := s.LookUp(ctx, id)
	if err != nil || info.inner == 0 {
		return nil, err
	}
	m, err := s.Manifest(ctx, info)
	if err != nil {
		return nil, err
	}
	return m.Inner, nil
}

// InnerPair is one repository inside the tree in two snapshots.
type InnerPair struct {
	Path     string
	Store    *Store
	From, To belay.SnapshotID
}

// InnerPairs returns the repositories that both snapshots have bound. Where it cannot be opened
// any more, or leads elsewhere, Missed says so.
func (s *Store) InnerPairs(ctx context.Context, from, to belay.SnapshotID) (pairs []InnerPair, err error) {
	then, err := s.Inner(ctx, from)
	if err != nil || len(then) == 0 {
		return nil, err
	}
	now, err := s.Inner(ctx, to)
	if err != nil {
		return nil, err
	}
	for _, a := range then {
		i := slices.IndexFunc(now, func(b InnerSnapshot) bool { return b.Path == a.Path && b.Link == a.Link })
		if i < 0 {
			continue
		}
		inner, err := s.BoundInner(ctx, now[i])
		var not *NotInner
		if errors.As(err, &not) {
			continue
		}
		if err != nil {
			return nil, err
		}
		inner.opts.Known.Bind(Bound{ID: belay.SnapshotID(a.ID), Commit: a.Commit, Tree: a.Commit})
		pairs = append(pairs, InnerPair{a.Path, inner, belay.SnapshotID(a.ID), belay.SnapshotID(now[i].ID)})
	}
	return pairs, nil
}

// Inside makes a path of the outer repository one of the repository at folder.
func Inside(folder, path string) (string, bool) { return strings.CutPrefix(path, folder+"/") }

// InnerGlobs returns those of the globs that may cover something in the repository at folder,
// as globs of that one.
func InnerGlobs(folder string, globs []string) (out []string) {
	for _, g := range globs {
		g = strings.TrimPrefix(g, "./")
		switch in, below := Inside(folder, g); {
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

// innerTaker takes the inner snapshots of one outer one.
type innerTaker struct {
	s     *Store
	e     Extent
	since []InnerSnapshot // of the state that the outer one is held against
	held  map[string]InnerSnapshot
	note  string
}

// Take implements Inner.
func (t *innerTaker) Take(ctx context.Context, m *Manifest) error {
	if err := t.Drop(ctx); err != nil {
		return err
	}
	m.Gaps, m.Inner = slices.Clone(m.Gaps), nil // a watch shares its manifest
	for _, n := range m.Nested {
		root := filepath.Join(t.s.Repo.Root, filepath.FromSlash(n.Path))
		if _, err := os.Lstat(filepath.Join(root, ".git")); err != nil || t.s.Place.LinkedTree(n.Path) {
			continue // a submodule that was never checked out; somebody else's place of work
		}
		in := InnerSnapshot{Path: n.Path, Link: LinkOf(root)}
		e := Extent{Agents: t.e.Agents, Protect: InnerGlobs(n.Path, t.e.Protect), Files: InnerGlobs(n.Path, t.e.Files),
			Large: t.e.Large, Ignored: t.e.Ignored, Inner: true}
		why := ""
		open := func() (*Store, error) { return t.s.OpenInner(ctx, n.Path) }
		if i := slices.IndexFunc(t.since, func(b InnerSnapshot) bool { return b.Path == n.Path }); i >= 0 {
			was := t.since[i]
			if e.Since = belay.SnapshotID(was.ID); was.Link != in.Link {
				why = "its .git points to a different repository than before"
			}
			open = func() (*Store, error) { return t.s.boundInner(ctx, was, false) } // what an attempt destroyed is named
		}
		if why == "" {
			info, err := t.one(ctx, n.Path, open, e)
			if ctx.Err() != nil {
				return ctx.Err()
			}
			if err == nil {
				in.ID, in.Commit = string(info.ID), info.Commit
				t.held[n.Path] = in
				m.Inner = append(m.Inner, in)
				for _, g := range info.Gaps {
					m.Gaps = append(m.Gaps, ManifestGap{Path: n.Path + "/" + g.Path, Reason: g.Reason})
				}
				continue
			}
			if !about(err) {
				return fmt.Errorf("take a snapshot of %s: %w", belay.VisibleLine(n.Path), err)
			}
			why = oneLine(err.Error())
		}
		m.Gaps = append(m.Gaps, ManifestGap{Path: n.Path, Reason: why})
	}
	slices.SortFunc(m.Gaps, func(a, b ManifestGap) int { return strings.Compare(a.Path, b.Path) })
	return nil
}

// about reports whether an error speaks of the inner repository, which then is a gap. A full
// disk, or another process at work in there, is no reason to go without it.
func about(err error) bool {
	var not *NotInner
	var failed *git.Failure
	return errors.As(err, &not) || errors.As(err, &failed) || belay.CodeOf(err) == belay.CodeCannot && !errors.Is(err, syscall.ENOSPC)
}

func (t *innerTaker) one(ctx context.Context, path string, open func() (*Store, error), e Extent) (Info, error) {
	inner, err := open()
	if err != nil {
		return Info{}, err
	}
	info, err := inner.TakeWith(ctx, Meta{Kind: belay.KindManual, Message: innerMessage + t.note}, e)
	if err == nil {
		err = t.s.mirror(path, inner, e.Since == "")
	}
	return info, err
}

// Drop implements Inner.
func (t *innerTaker) Drop(ctx context.Context) error {
	var list []InnerSnapshot
	for path, in := range t.held {
		list = append(list, in)
		delete(t.held, path)
	}
	return t.s.discardInner(context.WithoutCancel(ctx), list)
}

// discardInner forgets inner snapshots. What cannot be opened any more has nothing to forget.
func (s *Store) discardInner(ctx context.Context, list []InnerSnapshot) error {
	for _, in := range list {
		inner, err := s.OpenInner(ctx, in.Path)
		var not *NotInner
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
			err = inner.Discard(ctx, []Info{info})
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// InnerOf takes inner snapshots of what a capture with this extent finds. since is what the
// state has bound that it is held against.
func (s *Store) InnerOf(e Extent, since []InnerSnapshot, note string) Inner {
	return &innerTaker{s: s, e: e, since: since, held: map[string]InnerSnapshot{}, note: note}
}

// orphaned is how old an inner snapshot is that no snapshot names, when it is the remains of a
// take that was killed and not part of one under way.
const orphaned = time.Hour

// SweepInner forgets inner snapshots that belong to none of the repository around them: those
// of takes that were killed; and what was kept of repositories that no snapshot names.
func (s *Store) SweepInner(ctx context.Context) error {
	all, bad, err := s.ListAll(ctx)
	if err != nil || len(bad) > 0 { // one that cannot be read may name any of them
		return err
	}
	bound, paths := map[string]bool{}, map[string]bool{} // ids; paths, and whether a snapshot names them
	for i, info := range all {
		if info.inner == 0 && i != len(all)-1 {
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
	mirrors, err := fsroot.ReadDir(filepath.Join(s.Place.Dir, "inner"))
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	for _, d := range mirrors {
		named := func(path string) bool { return paths[path] && filepath.Base(s.mirrorOf(path)) == d.Name() }
		if !slices.ContainsFunc(slices.Collect(maps.Keys(paths)), named) && s.stale(d) {
			if err := fsroot.RemoveAll(filepath.Join(s.Place.Dir, "inner", d.Name())); err != nil {
				return err
			}
		}
	}
	for path := range paths {
		inner, err := s.OpenInner(ctx, path)
		var not *NotInner
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
			// What a restore found in there belongs to a snapshot of the outer one of the same time.
			rescue := i.Kind == belay.KindRescue && strings.HasSuffix(i.Message, InnerReason) && (len(all) == 0 || i.ID < all[0].ID)
			return bound[string(i.ID)] || !taken && !rescue || s.opts.Now().Sub(timeOf(i.ID)) < orphaned
		})
		if err := errors.Join(inner.Discard(ctx, old), inner.SweepInner(ctx)); err != nil {
			return err
		}
	}
	return nil
}

// stale reports whether nobody is making this.
func (s *Store) stale(d fs.DirEntry) bool {
	info, err := d.Info()
	return err == nil && s.opts.Now().Sub(info.ModTime()) > orphaned
}

package restore

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"slices"
	"strings"

	"github.com/belay-dev/belay/internal/belay"
	"github.com/belay-dev/belay/internal/fsroot"
	"github.com/belay-dev/belay/internal/snapshot"
)

// innerStep restores one repository inside the tree. It has an intent and a rescue of its
// own there, so doing it twice is doing it once, wherever it was killed.
type innerStep struct {
	Inner
	ID        belay.SnapshotID `json:"id"`
	Commit    string           `json:"commit"`
	Link      string           `json:"link,omitempty"` // the text of its .git file; "" for a folder
	Aside     string           `json:"aside"`          // where what stands in the place of its .git goes
	FilesOnly bool             `json:"files_only,omitempty"`
	Preserve  []string         `json:"preserve,omitempty"`
	Only      []string         `json:"only,omitempty"` // the paths that were asked for, if not all
}

// innerDone is what became of one.
type innerDone struct {
	path    string
	out     Restored
	missing string // why it could not be restored
}

func (st innerStep) bound() snapshot.InnerSnapshot {
	return snapshot.InnerSnapshot{Path: string(st.Path), ID: string(st.ID), Commit: st.Commit, Link: st.Link}
}

// innerFolders returns the folders of the repositories that a snapshot has bound.
func innerFolders(m *snapshot.Manifest) map[string]bool {
	folders := map[string]bool{}
	for _, in := range m.Inner {
		folders[in.Path] = true
	}
	return folders
}

// planInner decides which repositories inside the tree are restored. Each is planned to its
// end: what refuses it refuses the whole, before the first byte.
func (s *Store) planInner(ctx context.Context, target snapshot.Info, o Options) (steps []innerStep, would []innerDone, err error) {
	if o.Plant {
		return nil, nil, nil // a new working tree has none of them
	}
	bound, err := s.Snapshots.Inner(ctx, target.ID)
	if err != nil {
		return nil, nil, err
	}
	for _, in := range bound {
		st := innerStep{Inner: Inner{Path: RawPath(in.Path), All: true}, ID: belay.SnapshotID(in.ID), Commit: in.Commit, Link: in.Link,
			Aside: filepath.Join("displaced", in.ID), FilesOnly: o.FilesOnly, Preserve: snapshot.InnerGlobs(in.Path, o.Preserve)}
		if o.Inner != nil {
			i := slices.IndexFunc(o.Inner, func(x Inner) bool { return string(x.Path) == in.Path })
			if i < 0 {
				continue
			}
			st.Inner = o.Inner[i]
		}
		var asked bool
		if st.Only, asked = snapshot.InsideAll(in.Path, o.Paths); !asked {
			continue
		}
		if !s.inPlace(st) {
			steps = append(steps, st)
			would = append(would, innerDone{path: in.Path, out: Restored{Target: st.ID}})
			continue
		}
		inner, err := s.innerStore(ctx, st)
		var not *snapshot.NotInner
		if errors.As(err, &not) {
			would = append(would, innerDone{path: in.Path, missing: not.Why})
			continue
		}
		if err != nil {
			return nil, nil, err
		}
		opts := s.innerOptions(st, o.SkipBroken)
		opts.DryRun = true
		out, err := inner.Restore(ctx, st.ID, opts)
		if err != nil {
			return nil, nil, fmt.Errorf("restore %s: %w", belay.VisibleLine(in.Path), err)
		}
		if !out.same {
			steps = append(steps, st)
			would = append(would, innerDone{path: in.Path, out: out})
		}
	}
	return steps, would, nil
}

// inPlace reports whether the .git of a repository is what it was, or nothing can be done about
// it.
func (s *Store) inPlace(st innerStep) bool {
	if dir := s.goneGit(st); dir != "" {
		return false
	}
	return s.linked(st)
}

// linked reports whether the .git file of a submodule is what it was.
func (s *Store) linked(st innerStep) bool {
	root := filepath.Join(s.Snapshots.Repo.Root, filepath.FromSlash(string(st.Path)))
	info, err := fsroot.Lstat(filepath.Join(root, ".git"))
	return st.Link == "" || err == nil && info.Mode().IsRegular() && snapshot.LinkOf(root) == st.Link
}

// goneGit returns the git folder of a repository that is not there any more and that can be made
// again, "" for none.
func (s *Store) goneGit(st innerStep) string {
	root := filepath.Join(s.Snapshots.Repo.Root, filepath.FromSlash(string(st.Path)))
	dir := filepath.Join(root, ".git")
	if st.Link != "" {
		to, ok := strings.CutPrefix(strings.TrimSpace(st.Link), "gitdir: ")
		if dir = filepath.FromSlash(to); !filepath.IsAbs(dir) {
			dir = filepath.Join(root, dir)
		}
		if in, err := filepath.Rel(s.Snapshots.Repo.Common, dir); !ok || err != nil || !filepath.IsLocal(in) {
			return ""
		}
	}
	// The outer snapshot has the config and hooks of submodules, so that there may be a folder
	// with nothing else: without a HEAD it is not a repository.
	if _, err := fsroot.Lstat(filepath.Join(dir, "HEAD")); !errors.Is(err, fs.ErrNotExist) || !s.Snapshots.CanRemake(string(st.Path)) {
		return ""
	}
	return dir
}

func (s *Store) innerStore(ctx context.Context, st innerStep) (*Store, error) {
	inner, err := s.Snapshots.BoundInner(ctx, st.bound())
	if err != nil {
		return nil, err
	}
	in := &Store{Snapshots: inner, Say: s.Say, now: s.now}
	inner.Before = in.recoverAloud
	return in, nil
}

// innerOptions makes of a step what a restore in its repository needs.
func (*Store) innerOptions(st innerStep, skip bool) Options {
	o := Options{FilesOnly: st.FilesOnly, Preserve: st.Preserve, Paths: st.Only, SkipBroken: skip, Reason: snapshot.InnerReason}
	if st.All {
		return o
	}
	in := func(list []string) func(string) bool {
		return func(name string) bool { return slices.Contains(list, name) }
	}
	paths := map[string]bool{}
	for _, p := range st.Paths {
		paths[string(p)] = true
	}
	o.Only, o.OnlyRef, o.OnlyGit = func(p string) bool { return paths[p] }, in(st.Refs), in(st.Git)
	o.Inner = append([]Inner{}, st.Inner.Inner...)
	return o
}

// restoreInner carries the steps out that an intent has for repositories inside the tree.
func (s *Store) restoreInner(ctx context.Context, j *intent) error {
	for _, st := range j.Inner {
		if err := s.linkInner(st); err != nil {
			return fmt.Errorf("restore %s: %w", belay.VisibleLine(string(st.Path)), err)
		}
		done := innerDone{path: string(st.Path)}
		inner, err := s.innerStore(ctx, st)
		var not *snapshot.NotInner
		if errors.As(err, &not) {
			done.missing = not.Why
			j.innerDone = append(j.innerDone, done)
			continue
		}
		if err == nil {
			done.out, err = inner.Restore(ctx, st.ID, s.innerOptions(st, j.Skip))
		}
		if err != nil {
			return fmt.Errorf("restore %s: %w", belay.VisibleLine(string(st.Path)), err)
		}
		j.innerDone = append(j.innerDone, done)
	}
	return nil
}

// linkInner makes a git folder again that is gone, and the .git file of a submodule what it
// was. What is in its place is not
// lost: it is moved into belay's own folder.
func (s *Store) linkInner(st innerStep) error {
	if dir := s.goneGit(st); dir != "" {
		if err := s.aside(st, dir); err != nil {
			return err
		}
		if err := s.Snapshots.Remake(st.bound(), dir); err != nil {
			return err
		}
	}
	if s.linked(st) {
		return nil
	}
	root := filepath.Join(s.Snapshots.Repo.Root, filepath.FromSlash(string(st.Path)))
	if err := fsroot.MkdirAll(root, 0o755); err != nil {
		return err
	}
	at := filepath.Join(root, ".git")
	if err := s.aside(st, at); err != nil {
		return err
	}
	return s.writeLink(at, st.Link)
}

// aside moves what is at a path into belay's own folder; nothing there is nothing to do.
func (s *Store) aside(st innerStep, at string) error {
	if _, err := fsroot.Lstat(at); err != nil {
		return nil
	}
	dir, err := s.Snapshots.Place.Scratch(filepath.Dir(st.Aside))
	if err != nil {
		return err
	}
	for n := 1; ; n++ {
		to := filepath.Join(dir, fmt.Sprintf("%s-%d", filepath.Base(st.Aside), n))
		if err := snapshot.Fault("rename", at); err != nil {
			return err
		}
		if err := fsroot.RenameNew(at, to); !errors.Is(err, fs.ErrExist) {
			return err
		}
	}
}

// writeLink makes a .git file, of the mode that git gives it, by way of belay's own folder: a
// kill leaves nothing beside it.
func (s *Store) writeLink(at, text string) (err error) {
	tmp, err := s.Snapshots.Place.Scratch("tmp")
	if err != nil {
		return err
	}
	if err := snapshot.Fault("create", at); err != nil {
		return err
	}
	f, err := fsroot.CreateTemp(tmp, "link-*")
	if err != nil {
		return err
	}
	defer func() {
		if err != nil {
			_ = fsroot.Remove(f.Name())
		}
	}()
	if _, err = f.WriteString(text); err == nil {
		if err = f.Chmod(0o644); err == nil {
			err = f.Sync()
		}
	}
	if err = errors.Join(err, f.Close()); err != nil {
		return err
	}
	if err = snapshot.Fault("rename", at); err != nil {
		return err
	}
	if err = fsroot.RenameNew(f.Name(), at); err != nil {
		return err
	}
	return fsroot.SyncDir(filepath.Dir(at))
}

// inside adds what was done, or would be, in repositories inside the tree.
func (r *Restored) inside(list []innerDone) {
	for _, d := range list {
		if d.missing != "" {
			r.Missing = append(r.Missing, Kept{Path: d.path, Why: "a nested repository that cannot be restored: " + d.missing})
			continue
		}
		r.Inner = append(r.Inner, InnerRestored{d.path, d.out.Target, d.out.Rescue})
		at := func(p string) string { return d.path + "/" + p }
		for _, p := range d.out.Written {
			r.Written = append(r.Written, at(p))
		}
		for _, p := range d.out.Removed {
			r.Removed = append(r.Removed, at(p))
		}
		for _, k := range d.out.Kept {
			r.Kept = append(r.Kept, Kept{Path: at(k.Path), Why: k.Why})
		}
		for _, k := range d.out.KeptRefs {
			r.KeptRefs = append(r.KeptRefs, Kept{Path: at(k.Path), Why: k.Why})
		}
		for _, k := range d.out.Missing {
			r.Missing = append(r.Missing, Kept{Path: at(k.Path), Why: k.Why})
		}
		for _, k := range d.out.Skipped {
			r.Skipped, r.Partial = append(r.Skipped, Kept{Path: at(k.Path), Why: k.Why}), true
		}
	}
}

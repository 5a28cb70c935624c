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

// innerStep restores one repository inside the tree. It has its own intent and rescue snapshot
// there, so it can be repeated after a kill at any point.
type innerStep struct {
	InnerChange
	ID         belay.SnapshotID `json:"id"`
	Commit     string           `json:"commit"`
	Link       string           `json:"link,omitempty"` // the text of its .git file; "" for a folder
	SetAsideAt string           `json:"aside"`          // where the current .git is moved to
	FilesOnly  bool             `json:"files_only,omitempty"`
	Preserve   []string         `json:"preserve,omitempty"`
	Only       []string         `json:"only,omitempty"` // the requested paths, if not all
}

// innerResult is the outcome of one inner step.
type innerResult struct {
	path     string
	restored Restored
	missing  string // why it could not be restored
}

func (st innerStep) innerSnapshot() snapshot.InnerSnapshot {
	return snapshot.InnerSnapshot{Path: string(st.Path), ID: string(st.ID), Commit: st.Commit, Link: st.Link}
}

// innerFolders returns the folders of the repositories that a snapshot has inner snapshots of.
func innerFolders(m *snapshot.Manifest) map[string]bool {
	folders := map[string]bool{}
	for _, in := range m.Inner {
		folders[in.Path] = true
	}
	return folders
}

// planInner decides which repositories inside the tree are restored. Each is planned completely
// before the first write: if one cannot be restored, none is.
func (s *Store) planInner(ctx context.Context, target snapshot.Info, o Options) (steps []innerStep, would []innerResult, err error) {
	if o.NewWorktree {
		return nil, nil, nil // a new working tree has none
	}
	bound, err := s.Snapshots.InnerSnapshots(ctx, target.ID)
	if err != nil {
		return nil, nil, err
	}
	for _, in := range bound {
		st := innerStep{InnerChange: InnerChange{Path: RawPath(in.Path), All: true}, ID: belay.SnapshotID(in.ID),
			Commit: in.Commit, Link: in.Link,
			SetAsideAt: filepath.Join("displaced", in.ID), FilesOnly: o.FilesOnly, Preserve: snapshot.InnerGlobs(in.Path, o.Preserve)}
		if o.InnerChanges != nil {
			i := slices.IndexFunc(o.InnerChanges, func(x InnerChange) bool { return string(x.Path) == in.Path })
			if i < 0 {
				continue
			}
			st.InnerChange = o.InnerChanges[i]
		}
		var asked bool
		if st.Only, asked = snapshot.InnerPaths(in.Path, o.Paths); !asked {
			continue
		}
		if !s.isGitInPlace(st) {
			steps = append(steps, st)
			would = append(would, innerResult{path: in.Path, restored: Restored{Target: st.ID}})
			continue
		}
		inner, err := s.innerStore(ctx, st)
		var not *snapshot.NotInnerError
		if errors.As(err, &not) {
			would = append(would, innerResult{path: in.Path, missing: not.Reason})
			continue
		}
		if err != nil {
			return nil, nil, err
		}
		if !o.DryRun { // planning fails while a restore there is interrupted
			if err := inner.recoverAndReport(ctx); err != nil {
				return nil, nil, fmt.Errorf("restore %s: %w", belay.VisibleLine(in.Path), err)
			}
		}
		opts := s.innerOptions(st, o.SkipBroken)
		opts.DryRun = true
		out, err := inner.Restore(ctx, st.ID, opts)
		if err != nil {
			return nil, nil, fmt.Errorf("restore %s: %w", belay.VisibleLine(in.Path), err)
		}
		if !out.isSame {
			steps = append(steps, st)
			would = append(would, innerResult{path: in.Path, restored: out})
		}
	}
	return steps, would, nil
}

// isGitInPlace reports whether the .git of a repository is unchanged, or cannot be restored.
func (s *Store) isGitInPlace(st innerStep) bool {
	if dir := s.recreatableGitDir(st); dir != "" {
		return false
	}
	return s.isGitFileInPlace(st)
}

// isGitFileInPlace reports whether the .git file of a submodule is unchanged.
func (s *Store) isGitFileInPlace(st innerStep) bool {
	root := filepath.Join(s.Snapshots.Repo.Root, filepath.FromSlash(string(st.Path)))
	info, err := fsroot.Lstat(filepath.Join(root, ".git"))
	return st.Link == "" || err == nil && info.Mode().IsRegular() && snapshot.GitFileText(root) == st.Link
}

// recreatableGitDir returns the git folder of a repository that was deleted and can be recreated,
// "" for none.
func (s *Store) recreatableGitDir(st innerStep) string {
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
	// The outer snapshot contains the config and hooks of submodules, so the folder may exist with
	// only those: without a HEAD it is not a repository.
	if _, err := fsroot.Lstat(filepath.Join(dir, "HEAD")); !errors.Is(err, fs.ErrNotExist) || !s.Snapshots.CanRecreate(string(st.Path)) {
		return ""
	}
	return dir
}

func (s *Store) innerStore(ctx context.Context, st innerStep) (*Store, error) {
	inner, err := s.Snapshots.OpenPinnedInner(ctx, st.innerSnapshot())
	if err != nil {
		return nil, err
	}
	in := &Store{Snapshots: inner, Report: s.Report, now: s.now}
	inner.BeforeTake = in.recoverAndReport
	return in, nil
}

// innerOptions returns the options of the restore in the step's repository.
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
	o.InnerChanges = append([]InnerChange{}, st.InnerChange.Inner...)
	return o
}

// restoreInner carries out the inner steps of an intent.
func (s *Store) restoreInner(ctx context.Context, j *intent) error {
	for _, st := range j.Inner {
		if err := s.restoreInnerGit(st); err != nil {
			return fmt.Errorf("restore %s: %w", belay.VisibleLine(string(st.Path)), err)
		}
		done := innerResult{path: string(st.Path)}
		inner, err := s.innerStore(ctx, st)
		var not *snapshot.NotInnerError
		if errors.As(err, &not) {
			done.missing = not.Reason
			j.innerResults = append(j.innerResults, done)
			continue
		}
		if err == nil {
			done.restored, err = inner.Restore(ctx, st.ID, s.innerOptions(st, j.Skip))
		}
		if err != nil {
			return fmt.Errorf("restore %s: %w", belay.VisibleLine(string(st.Path)), err)
		}
		j.innerResults = append(j.innerResults, done)
	}
	return nil
}

// restoreInnerGit recreates a deleted git folder, and restores the .git file of a submodule. It
// moves what is in their place into belay's own folder.
func (s *Store) restoreInnerGit(st innerStep) error {
	if dir := s.recreatableGitDir(st); dir != "" {
		if err := s.setAsidePath(st, dir); err != nil {
			return err
		}
		if err := s.Snapshots.Recreate(st.innerSnapshot(), dir); err != nil {
			return err
		}
	}
	if s.isGitFileInPlace(st) {
		return nil
	}
	root := filepath.Join(s.Snapshots.Repo.Root, filepath.FromSlash(string(st.Path)))
	if err := fsroot.MkdirAll(root, 0o755); err != nil {
		return err
	}
	at := filepath.Join(root, ".git")
	if err := s.setAsidePath(st, at); err != nil {
		return err
	}
	return s.writeGitFile(at, st.Link)
}

// setAsidePath moves what is at a path into belay's own folder; a missing path is not an error.
func (s *Store) setAsidePath(st innerStep, at string) error {
	if _, err := fsroot.Lstat(at); err != nil {
		return nil
	}
	dir, err := s.Snapshots.Worktree.MakeScratchDir(filepath.Dir(st.SetAsideAt))
	if err != nil {
		return err
	}
	for n := 1; ; n++ {
		to := filepath.Join(dir, fmt.Sprintf("%s-%d", filepath.Base(st.SetAsideAt), n))
		if err := snapshot.Fault("rename", at); err != nil {
			return err
		}
		if err := fsroot.RenameNew(at, to); !errors.Is(err, fs.ErrExist) {
			return err
		}
	}
}

// writeGitFile writes a .git file with git's usual mode. It is written in belay's own folder first,
// so that a kill leaves no temporary file beside it.
func (s *Store) writeGitFile(at, text string) (err error) {
	tmp, err := s.Snapshots.Worktree.MakeScratchDir("tmp")
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

// addInner adds what was done, or would be done, in repositories inside the tree.
func (r *Restored) addInner(list []innerResult) {
	for _, d := range list {
		if d.missing != "" {
			r.Missing = append(r.Missing, Kept{Path: d.path, Reason: "a nested repository that cannot be restored: " + d.missing})
			continue
		}
		r.Inner = append(r.Inner, InnerRestored{d.path, d.restored.Target, d.restored.Rescue})
		at := func(p string) string { return d.path + "/" + p }
		for _, p := range d.restored.Written {
			r.Written = append(r.Written, at(p))
		}
		for _, p := range d.restored.Removed {
			r.Removed = append(r.Removed, at(p))
		}
		for _, k := range d.restored.Kept {
			r.Kept = append(r.Kept, Kept{Path: at(k.Path), Reason: k.Reason})
		}
		for _, k := range d.restored.KeptRefs {
			r.KeptRefs = append(r.KeptRefs, Kept{Path: at(k.Path), Reason: k.Reason})
		}
		for _, k := range d.restored.Missing {
			r.Missing = append(r.Missing, Kept{Path: at(k.Path), Reason: k.Reason})
		}
		for _, k := range d.restored.Skipped {
			r.Skipped, r.Partial = append(r.Skipped, Kept{Path: at(k.Path), Reason: k.Reason}), true
		}
	}
}

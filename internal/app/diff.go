package app

import (
	"context"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"github.com/belay-dev/belay/internal/belay"
)

// Diff is two snapshots and the changes between them.
type Diff struct {
	From    belay.SnapshotID `json:"from"`
	To      belay.SnapshotID `json:"to,omitempty"`
	Paths   []string         `json:"paths,omitempty"`
	Changes []belay.Change   `json:"changes"`

	toSnapshot belay.SnapshotID // To, or the temporary snapshot of the current tree
}

// Diff compares two snapshots. from may be a task: then its before snapshot is compared with the
// result of its last attempt. An empty to is the current tree, of which no snapshot is kept.
func (s *Service) Diff(ctx context.Context, from, to string, paths []string) (Diff, error) {
	var out Diff
	f, t, now, err := s.diffSides(ctx, from, to)
	if err != nil {
		return out, err
	}
	out.From, out.toSnapshot, out.Paths = f, t, paths
	if !now {
		out.To = t
	}
	all, err := s.Session.Snaps.Changes(ctx, f, t)
	out.Changes = []belay.Change{}
	for _, c := range all {
		if isWithin(paths, c.Path) {
			out.Changes = append(out.Changes, c)
		}
	}
	return out, err
}

// diffSides resolves the two snapshots to compare. now reports that the second is the current tree.
func (s *Service) diffSides(ctx context.Context, from, to string) (f, t belay.SnapshotID, now bool, err error) {
	if f, t, err = s.snapshotsOf(ctx, from); err != nil {
		return "", "", false, err
	}
	switch {
	case to != "":
		t, err = s.findSnapshot(ctx, to)
		return f, t, false, err
	case t != "":
		return f, t, false, nil
	}
	info, err := s.Session.Restores.ForDiff(ctx)
	return f, info.ID, true, err
}

// snapshotsOf returns a task's before snapshot and the result of its last attempt, or the one
// snapshot that word names. If word names neither, the error is about the task, because a word that
// is no task ID is no snapshot ID either.
func (s *Service) snapshotsOf(ctx context.Context, word string) (f, t belay.SnapshotID, err error) {
	task, err := belay.ParseTaskID(word)
	if err != nil {
		f, err = s.findSnapshot(ctx, word)
		return f, "", err
	}
	r, lerr := s.Session.Load(task)
	if lerr == nil && r.State.Before != "" {
		for _, a := range r.State.Attempts {
			if a.Snapshot != "" {
				t = a.Snapshot
			}
		}
		return r.State.Before, t, nil
	}
	if id, err := belay.ParseSnapshotID(word); err == nil {
		if f, err = s.Session.ResolveSnapshot(ctx, id); belay.CodeOf(err) != belay.CodeNotFound {
			return f, "", err
		}
	}
	switch {
	case lerr == nil:
		lerr = belay.Refuse(belay.CodeCannot, fmt.Sprintf("belay task start %s", task),
			"%s has no before snapshot: it has not started", task)
	case belay.CodeOf(lerr) == belay.CodeNotFound:
		lerr = belay.Refuse(belay.CodeNotFound, "belay snapshot list, belay task list, or belay diff -- PATH",
			"no snapshot or task %s", task)
	}
	return "", "", lerr
}

func (svc *Service) findSnapshot(ctx context.Context, s string) (belay.SnapshotID, error) {
	id, err := belay.ParseSnapshotID(s)
	if err != nil {
		return "", err
	}
	return svc.Session.ResolveSnapshot(ctx, id)
}

func isWithin(paths []string, path string) bool {
	for _, p := range paths {
		p = strings.TrimSuffix(p, "/")
		if p == path || p == "." || strings.HasPrefix(path, p+"/") {
			return true
		}
	}
	return len(paths) == 0
}

// Patch writes a diff as a patch.
func (s *Service) Patch(ctx context.Context, f Diff, w io.Writer) error {
	return s.Session.Snaps.Patch(ctx, f.From, f.toSnapshot, f.Paths, w)
}

// RepoPaths converts paths that a person gave, relative to the folder dir, into paths from the root of the repository.
// A path outside the repository is an error.
func (s *Service) RepoPaths(dir string, given []string) ([]string, error) {
	var out []string
	for _, p := range given {
		if p == "" { // an unset script variable must not mean everything
			return nil, belay.Refuse(belay.CodeUsage, "name files or folders, . for all of them", "an empty path was given")
		}
		abs := p
		if !filepath.IsAbs(p) {
			base, err := filepath.Abs(dir)
			if err != nil {
				return nil, err
			}
			if real, err := filepath.EvalSymlinks(base); err == nil {
				base = real
			}
			abs = filepath.Join(base, p)
		}
		rel, inside := relativeTo(s.Session.Repo.Root, abs)
		if real, err := filepath.EvalSymlinks(filepath.Dir(abs)); !inside && err == nil { // through a link to the root
			rel, inside = relativeTo(s.Session.Repo.Root, filepath.Join(real, filepath.Base(abs)))
		}
		if !inside {
			return nil, belay.Refuse(belay.CodeUsage, "give paths below "+s.Session.Repo.Root, "%q is outside the repository", p)
		}
		out = append(out, filepath.ToSlash(rel))
	}
	return out, nil
}

// CheckGlobs fails for a malformed glob: it would match nothing, and leave unprotected what it was meant to protect.
func CheckGlobs(given []string) error {
	for _, g := range given {
		if err := belay.Valid(g); err != nil {
			return err
		}
	}
	return nil
}

// relativeTo returns path relative to root, and whether it is below root.
// AgentFrom returns an agent's command as typed in dir: a relative path of its program is that
// below the root of the working tree, which a task's own worktree has as well, or absolute.
func (s *Service) AgentFrom(dir string, argv []string) []string {
	if len(argv) == 0 || filepath.IsAbs(argv[0]) || !strings.ContainsRune(argv[0], '/') {
		return argv
	}
	path, err := filepath.Abs(filepath.Join(dir, argv[0]))
	if err != nil {
		return argv
	}
	if below, err := s.RepoPaths(dir, argv[:1]); err == nil {
		path = "./" + below[0]
	}
	return append([]string{path}, argv[1:]...)
}

func relativeTo(root, path string) (string, bool) {
	rel, err := filepath.Rel(root, path)
	return rel, err == nil && rel != ".." && !strings.HasPrefix(rel, ".."+string(os.PathSeparator))
}

// AdhocTask returns a task that is never recorded, for a check without one.
func (s *Service) AdhocTask() (belay.Task, error) {
	t, err := s.newTask(NewTask{Text: "manual check"})
	if err != nil {
		return t, err
	}
	t.Agent = nil
	return t, nil
}
